"""Which importers there are, and which of them reads a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trainreport import _discovery
from trainreport.importers.nearest import why_none
from trainreport.importers.recording import Importer

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport._discovery import PlugIn

__all__ = ["HEAD_BYTES", "all_importers", "is_built_in", "is_general", "plug_ins", "proven_by", "recognise"]

HEAD_BYTES = 4096


@cache
def all_importers() -> tuple[Importer, ...]:
    """Return every importer by name: the built-in formats, and those of outside packages that work."""
    outside = (plugged.thing for plugged in plug_ins() if not plugged.fault)
    return tuple(sorted((*_built_in(), *(one for one in outside if isinstance(one, Importer))), key=lambda importer: importer.name))


@cache
def plug_ins() -> tuple[PlugIn, ...]:
    """Return the importers of outside packages, those that are left out with the reason."""
    return _discovery.plug_ins("trainreport.importers", _fault)


@cache
def _built_in() -> tuple[Importer, ...]:
    return tuple(module.IMPORTER for module in _discovery.modules("trainreport.importers.formats"))


def _fault(thing: object) -> str:
    if not isinstance(thing, Importer):
        return f"{type(thing).__name__} is no importer; expected name, title, recognises() and read()"
    taken = thing.name in {importer.name for importer in _built_in()}
    return f"its name {thing.name!r} is that of a built-in importer" if taken else ""


def recognise(path: Path) -> Importer | str:
    """Return the importer that reads `path`, or the reason why none does."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError as error:
        return f"cannot be opened: {error.strerror or error}"
    for general in (False, True):
        able = [one for one in all_importers() if is_general(one) == general and _recognises(one, path, head)]
        if len(able) == 1:
            return able[0]
        if able:
            return f"recognised by more than one importer ({', '.join(importer.name for importer in able)}); none was used"
    return why_none(path, head)


def is_general(importer: Importer) -> bool:
    """Return whether an importer takes what has a form that many tools write; such are asked where no other reads a file."""
    return bool(getattr(importer, "general", False))


def proven_by(importer: Importer) -> str:
    """Return what an importer was tested on, in words of its own; an outside one need not say."""
    return str(getattr(importer, "tested_on", "not told"))


def is_built_in(importer: Importer) -> bool:
    """Return whether an importer is one of our own."""
    return importer in _built_in()


def _recognises(importer: Importer, path: Path, head: bytes) -> bool:
    try:
        return bool(importer.recognises(path, head))
    except Exception:
        if is_built_in(importer):
            raise
        return False  # an outside importer at fault must not keep the others from a file
