"""Why nobody reads a file: the format that it comes nearest to, and what it lacks of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trainreport.importers.declared import MAP_FILE
from trainreport.importers.tables.delimited import BLANKS, header_of
from trainreport.importers.tables.records import first_object

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["why_none"]

_NOTHING = "no importer recognises its content"
_BINARY = {
    b"SQLite format 3\0": "a SQLite database without the tables of MLflow or Trackio",
    b"PK\x03\x04": "an archive (zip, npz) without the messages of Comet or the session of ClearML",
    b"PAR1": "Parquet without a column of steps, epochs or times",
    b"\x93NUMPY": "an array of NumPy: it holds no names",
    b"\x1f\x8b": "compressed; unpack it first",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"%PDF": "a PDF",
    b"version https://git-lfs": "a Git LFS pointer, the data is not here: run git lfs pull",
}


def why_none(path: Path, head: bytes) -> str:
    """Return the reason, in words."""
    if not head:
        return "empty file"
    if path.name == MAP_FILE:
        return "declares logs; it is read with those that it is for"
    nearest = next((told for begin, told in _BINARY.items() if head.startswith(begin)), None) or _text(path, head)
    return f"{_NOTHING}: {nearest}" if nearest else _NOTHING


def _text(path: Path, head: bytes) -> str | None:
    if b"\0" in head[:1024]:
        return "binary, of no format that is read"
    if path.suffix in {".yaml", ".yml", ".toml", ".ini", ".cfg"}:
        return "settings, with no log beside it that they belong to"
    if head.lstrip()[:1] in b"{[":
        names = list(first_object(head) or _document(head))[:4]
        keys = f" (it has {', '.join(names)})" if names else ""
        return f"JSON without a log_history, an MLflow run, or lines with a step, an epoch or a time{keys}"
    header = header_of(head)
    if header is not None and header.row and (header.delimiter != BLANKS or header.has_numbers):
        columns = ", ".join(header.names[:5])
        return f"a table ({columns[:120]}) of which no column is known as step, epoch or time; declare one in {MAP_FILE}"
    return f"text without lines such as 'step 10: loss 2.31'; declare their form in {MAP_FILE}"


def _document(head: bytes) -> list[str]:
    """Return the names at the top of a small JSON document."""
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []
