"""JSON: one object a line, or one document, as rows of flat names."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import content_of
from trainreport.importers.tables.table import TableBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.importers.tables.table import Table

__all__ = ["first_object", "flat", "load_json", "object_of", "objects_in_lines", "objects_in_list", "table_of_objects"]

_DEPTH = 4
_LONGEST_LINE = 16 << 20


def first_object(head: bytes) -> dict[str, Any] | None:
    """Return the object on the first line of a file from its beginning, None where there is none that is whole."""
    line = decode(head).lstrip().split("\n", 1)[0].strip()
    found = _loaded(line) if line.startswith("{") and line.endswith("}") else None
    return found if isinstance(found, dict) else None


def load_json(source: Source) -> Any:
    """Return the document that a file holds.

    Raises
    ------
    InputError
        If it is no JSON.
    """
    try:
        return json.loads(decode(content_of(source)), strict=False)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no readable JSON: {error}") from None


def object_of(value: Any) -> dict[str, Any]:
    """Return a value of a document that should be an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_in_lines(content: bytes, troubles: Troubles) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a text with one a line, with their lines; a list of objects counts as these, other lines are problems."""
    content = plain(content)
    start, number = 0, 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        line, number, start = content[start:end].strip(), number + 1, end + 1
        if not line:
            continue
        found = _loaded(line.decode("utf-8", "replace")) if len(line) <= _LONGEST_LINE else None
        objects = found if isinstance(found, list) else [found]
        if not all(isinstance(one, dict) for one in objects):
            troubles.add(f"line {number}", f"found {line[:40].decode('utf-8', 'replace')!r}; expected a JSON object", kind="lines")
        yield from ((number, one) for one in objects if isinstance(one, dict))


def objects_in_list(text: str, key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the list under `key` as far as it is whole: of a document that was cut off while it was written."""
    start = re.search(rf'"{re.escape(key)}"\s*:\s*\[', text)
    at = start.end() if start else len(text)
    decoder = json.JSONDecoder(strict=False)
    while (begin := text.find("{", at)) >= 0 and not text[at:begin].strip(" ,\n\r\t"):
        try:
            found, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return
        yield found


def table_of_objects(objects: Iterable[tuple[int, Mapping[str, Any]]], troubles: Troubles) -> Table:
    """Return the table with an object a row: nested names joined by a slash, lists left out, booleans as 0 and 1."""
    builder = TableBuilder()
    for line, one in objects:
        if not builder.add(flat(one), line):
            troubles.add(f"line {line}", "the table is larger than is read; the rows from here on were left out")
            break
    return builder.table()


def flat(one: Mapping[str, Any], prefix: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, float | str | None]]:
    """Yield the numbers and texts of an object by name."""
    for key, value in one.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            if depth > 1:
                yield from flat(value, f"{name}/", depth - 1)
        elif isinstance(value, str) or value is None:
            yield name, value
        elif isinstance(value, bool | int | float):
            yield name, _float(value)


def _float(number: float) -> float | None:
    """Return a number of JSON; a whole one may have more digits than a float holds."""
    try:
        return float(number)
    except OverflowError:
        return None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
