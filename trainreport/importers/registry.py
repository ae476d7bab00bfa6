"""Which importers there are, and which of them reads a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trainreport import _discovery
from trainreport.importers.recording import Importer

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HEAD_BYTES", "all_importers", "recognise"]

HEAD_BYTES = 4096


@cache
def all_importers() -> tuple[Importer, ...]:
    """Return every importer by name: the built-in formats, and those of outside packages that load."""
    found: list[Importer] = [module.IMPORTER for module in _discovery.modules("trainreport.importers.formats")]
    found += [plugin for _, plugin in _discovery.entry_points("trainreport.importers") if isinstance(plugin, Importer)]
    return tuple(sorted(found, key=lambda importer: importer.name))


def recognise(path: Path) -> Importer | str:
    """Return the importer that reads `path`, or the reason why none does."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError as error:
        return f"cannot be opened: {error.strerror or error}"
    able = [importer for importer in all_importers() if importer.recognises(path, head)]
    if len(able) == 1:
        return able[0]
    if able:
        return f"recognised by more than one importer ({', '.join(importer.name for importer in able)}); none was used"
    return "empty file" if not head else "no importer recognises its content"
