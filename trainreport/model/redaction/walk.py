"""Takes a visitor to every text of a run, and returns the run with what the visitor gives back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from trainreport.model import schema
from trainreport.model.run import RunLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from trainreport.model.run import Run

__all__ = ["Visitor", "walked"]


class Visitor(Protocol):
    """What happens to a text, by what it is."""

    def run_id(self, text: str) -> str:
        """Take the id of a run; no two become one."""

    def path(self, text: str) -> str:
        """Take the path of a file; no two become one."""

    def name(self, text: str) -> str:
        """Take the name of a run."""

    def text(self, text: str) -> str:
        """Take a sentence, or a version."""

    def field(self, key: str, text: str) -> str:
        """Take the value of a parameter or tag."""

    def host(self, text: str) -> str:
        """Take the name of a machine and nothing else."""

    def metric(self, text: str) -> str:
        """Take the name of a metric or a parameter."""


def walked(log: RunLog, visitor: Visitor) -> RunLog:
    """Return a run with each of its texts as the visitor gives it back; rows keep their number and order."""
    problems = tuple(
        replace(one, file=visitor.path(one.file), place=visitor.text(one.place), what=visitor.text(one.what)) for one in log.problems
    )
    return RunLog(_run(log.run, visitor), _frame(log.frame, visitor), _events(log.events, visitor), problems)


def _run(run: Run, visitor: Visitor) -> Run:
    def maybe(text: str | None) -> str | None:
        return None if text is None else visitor.text(text)

    return replace(
        run,
        id=visitor.run_id(run.id),
        name=visitor.name(run.name),
        params=_fields(run.params, visitor),
        tags=_fields(run.tags, visitor),
        code_version=maybe(run.code_version),
        data_version=maybe(run.data_version),
        parent=None if run.parent is None else visitor.run_id(run.parent),
        files=tuple(replace(one, path=visitor.path(one.path), clock=visitor.text(one.clock)) for one in run.files),
        mappings=tuple(replace(one, logged=visitor.metric(one.logged), series=visitor.metric(one.series)) for one in run.mappings),
        joins=tuple(map(visitor.text, run.joins)),
    )


def _fields(table: Mapping[str, str], visitor: Visitor) -> dict[str, str]:
    return {visitor.metric(key): visitor.field(key, text) for key, text in table.items()}


def _frame(frame: pd.DataFrame, visitor: Visitor) -> pd.DataFrame:
    ways: dict[str, Callable[[str], str]] = {
        "run": visitor.run_id,
        "logged": visitor.metric,
        "series": visitor.metric,
        "node": visitor.host,
        "file": visitor.path,
    }
    return frame.assign(**{name: _renamed(frame[name], way) for name, way in ways.items()})


def _renamed(column: pd.Series, way: Callable[[str], str]) -> pd.Series:
    """Return a categorical column with other labels, the same object where none changed."""
    import pandas as pd

    labels = tuple(str(label) for label in column.cat.categories)
    other = tuple(map(way, labels))
    if other == labels:
        return column
    values = pd.Categorical.from_codes(column.cat.codes.to_numpy(), dtype=schema.category_type(other), validate=False)
    return pd.Series(values, index=column.index, name=column.name, copy=False)


def _events(events: pd.DataFrame, visitor: Visitor) -> pd.DataFrame:
    ways: dict[str, Callable[[str], str]] = {"run": visitor.run_id, "message": visitor.text, "file": visitor.path}
    told = {}
    for name, way in ways.items():
        known = {text: way(text) for text in events[name].dropna().unique().tolist()}
        if any(text != other for text, other in known.items()):
            told[name] = events[name].map(known, na_action="ignore").astype(schema.EVENT_COLUMNS[name])
    return events.assign(**told)
