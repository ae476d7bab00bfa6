"""Finds plug-ins: the modules of a folder by listing it, outside packages by entry points."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["entry_points", "module_names", "modules"]


def module_names(package: str) -> list[str]:
    """Return the names of a package's modules in alphabetical order, without importing them."""
    found = import_module(package)
    return sorted(info.name for info in iter_modules(found.__path__) if not info.name.startswith("_"))


def modules(package: str) -> Iterator[ModuleType]:
    """Yield the modules of a package in alphabetical order."""
    for name in module_names(package):
        yield import_module(f"{package}.{name}")


def entry_points(group: str) -> Iterator[tuple[str, object | Exception]]:
    """Yield (name, object) of each outside plug-in, by name; one that does not load yields its error instead."""
    from importlib.metadata import entry_points as installed

    for point in sorted(installed(group=group), key=lambda point: (point.name, point.value)):
        try:
            yield point.name, point.load()
        except Exception as error:  # a broken plug-in must not take the product down
            yield point.name, error
