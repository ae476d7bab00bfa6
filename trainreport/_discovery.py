"""Finds plug-ins: the modules of a folder by listing it, outside packages by entry points."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint
    from types import ModuleType

__all__ = ["PlugIn", "module_names", "modules", "plug_ins"]


def module_names(package: str) -> list[str]:
    """Return the names of a package's modules in alphabetical order, without importing them."""
    found = import_module(package)
    return sorted(info.name for info in iter_modules(found.__path__) if not info.name.startswith("_"))


def modules(package: str) -> Iterator[ModuleType]:
    """Yield the modules of a package in alphabetical order."""
    for name in module_names(package):
        yield import_module(f"{package}.{name}")


@dataclass(frozen=True, slots=True)
class PlugIn:
    """What an outside package adds, or why it is left out."""

    group: str
    """``trainreport.importers``, ``trainreport.detectors`` or ``trainreport.formats``."""
    name: str
    package: str
    """Name and version of the package that brings it."""
    thing: object
    fault: str = ""
    """Why it is left out; empty where it works."""

    def __str__(self) -> str:
        return f"plug-in {self.name} of {self.package} ({self.group})"


def plug_ins(group: str, fault: Callable[[object], str]) -> tuple[PlugIn, ...]:
    """Return the outside plug-ins of a group by name, those that are left out with the reason.

    Parameters
    ----------
    group : str
        Group of entry points.
    fault : callable
        Says what is wrong with what an entry point names; an empty text where nothing is.
    """
    from importlib.metadata import entry_points

    return tuple(_plug_in(point, fault) for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)))


def _plug_in(point: EntryPoint, fault: Callable[[object], str]) -> PlugIn:
    package = "a package without a name" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    thing: object = None
    try:
        thing = point.load()
        wrong = f"{point.value} is a class; expected an object of it" if isinstance(thing, type) else fault(thing)
    except Exception as error:  # a broken plug-in must not take the product down
        wrong = f"{point.value} does not load: {type(error).__name__}: {error}"
    return PlugIn(point.group, point.name, package, thing, wrong)
