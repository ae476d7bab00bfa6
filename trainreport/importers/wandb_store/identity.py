"""Which run a row of a table is: names and ids are unique within a project only."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.cells import Cells

__all__ = ["keys_of", "latest", "named"]


def named(row: Cells) -> str:
    """Return the run's name, else its id, else its line."""
    return row.text("Name", "run_name", "name", "ID", "run_id", "id") or f"line {row.line}"


def _id(row: Cells) -> str:
    return row.text("ID", "run_id", "id") or row.text("url").rpartition("/runs/")[2]


def _project(row: Cells) -> str:
    """Return entity and project as far as they are told: ids and names are unique within a project only."""
    home, is_url, _ = row.text("url").partition("/runs/")
    told = "/".join(home.split("/")[-2:]) if is_url else ""
    return told or "/".join(text for text in (row.text("Entity", "entity"), row.text("Project", "project")) if text)


def latest(rows: Iterable[Cells]) -> list[Cells]:
    """Return the rows, of a run that was exported twice into one file the later."""
    found: dict[tuple[str, ...], Cells] = {}
    for row in rows:
        run_id = _id(row)
        found[(run_id, _project(row), named(row)) if run_id else (str(row.line),)] = row
    return list(found.values())


def keys_of(source: Source, rows: Sequence[Cells]) -> Iterator[str]:
    """Yield one key for each row: the run's id, which its own log has too; with the project, or the line, where others share it."""
    plain = [_id(row) or f"{source.name}/{named(row)}" for row in rows]
    whole = [f"{_project(row)}/{_id(row) or named(row)}" if _project(row) else key for row, key in zip(rows, plain, strict=True)]
    often, often_whole = Counter(plain), Counter(whole)
    for row, short, full in zip(rows, plain, whole, strict=True):
        yield short if often[short] == 1 else full if often_whole[full] == 1 else f"{short}, line {row.line}"
