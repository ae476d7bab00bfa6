"""Why nobody reads a file: the format that it comes nearest to, and what it lacks of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from trainreport.importers.declared import MAP_FILE
from trainreport.importers.smi.table import decode
from trainreport.importers.tables.archive import members
from trainreport.importers.tables.delimited import BLANKS, header_of
from trainreport.importers.tables.records import first_object

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["why_none"]

_NAMED = 4
_WORDS = 5
"""Blanks in a name that is rather a sentence."""
_FIRST_NAME = re.compile(r'\A\s*\{\s*"([^"\\]{1,80})"\s*:')
_NOTHING = "no importer recognises its content"
_BINARY = {
    b"SQLite format 3\0": "a SQLite database without the tables of MLflow, Trackio or Nsight Systems",
    b"PK\x03\x04": "an archive without the messages of Comet or the session of ClearML",
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
    arrays = ", ".join(sorted(name.removesuffix(".npy") for name in members(path, head) if name.endswith(".npy"))[:_NAMED])
    nearest = f"an archive of arrays of NumPy ({arrays})" if arrays else None
    nearest = nearest or next((told for begin, told in _BINARY.items() if head.startswith(begin)), None) or _text(path, head)
    return f"{_NOTHING}: {nearest}" if nearest else _NOTHING


def _text(path: Path, head: bytes) -> str | None:
    if "\0" in decode(head[:1024]):
        return "binary, of no format that is read"
    if path.suffix in {".yaml", ".yml", ".toml", ".ini", ".cfg"}:
        return "settings, with no log beside it that they belong to"
    if head.lstrip()[:1] in b"{[":
        names = list(first_object(head) or _document(head))[:_NAMED]
        keys = f" (it has {', '.join(names)})" if names else ""
        return f"JSON without a log_history, an MLflow run, or lines with a step, an epoch or a time{keys}"
    header = header_of(head)
    is_table = header is not None and len(header.row) == len(header.names) and (header.delimiter != BLANKS or header.has_numbers)
    if header is not None and is_table and all(name.count(" ") < _WORDS for name in header.names):
        columns = ", ".join(header.names[:5])
        return (
            f"a table ({columns[:120]}) of which no column is known as step, epoch or time: totals, or a row a run, make no curve; "
            f"else declare the column in {MAP_FILE}"
        )
    return f"text without lines such as 'step 10: loss 2.31'; declare their form in {MAP_FILE}"


def _document(head: bytes) -> list[str]:
    """Return the names at the top of a small JSON document, of a longer one the first."""
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return _FIRST_NAME.findall(decode(head))
    return list(found) if isinstance(found, dict) else []
