"""What a PDF carries inside: the assessment that it was made from, and the logged curves behind its charts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

    from trainreport.model.decision import Assessment

__all__ = ["RUNS_FILE", "Attached", "attached_to"]

RUNS_FILE = "runs.csv"

_COLUMNS = 500  # pairs of lowest and highest value kept of one series: about what a chart of a page's width can show
_SERIES = ["logged", "phase", "node", "device", "rank"]
_SHOWN = ["run", "logged", "series", "phase", "step", "epoch", "time", "value", "unit", "node", "device", "rank"]
_UNKNOWN_DATE = datetime(1970, 1, 1, tzinfo=UTC)
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Attached:
    """A file inside a PDF, and what it is to the report."""

    name: str
    content: bytes
    description: str
    when: datetime
    relationship: Literal["Data", "Source"]


def attached_to(assessment: Assessment) -> tuple[Attached, ...]:
    """Return the assessment as JSON, and the curves of the leading run and all runs by rank as CSV; dated, so that bytes repeat."""
    from trainreport.reports.exports import json

    log = assessment.leading.log
    when = log.run.ended_at or log.run.started_at or _UNKNOWN_DATE
    table, whole = _thinned(log.frame)
    amount = "every logged value" if whole else f"of each series at most {2 * _COLUMNS:,} values, lowest and highest kept"
    return (
        Attached("assessment.json", json.render(assessment, compact=True).encode(), "The assessment behind this report", when, "Source"),
        Attached("curves.csv", _csv(table), f"Curves of the leading run: {amount}", when, "Data"),
        *([Attached(RUNS_FILE, _runs(assessment), "All runs, the best first", when, "Data")] if assessment.portfolio else ()),
    )


def _runs(assessment: Assessment) -> bytes:
    """Write one line a run, the best first; settings that differ and criteria have columns of their own."""
    from csv import DictWriter
    from io import StringIO

    from trainreport.reports.comparison import compared
    from trainreport.reports.exports.compared import as_rows

    rows = []
    for row in as_rows(compared(assessment)):
        cost, criteria, settings = row.pop("cost") or {}, row.pop("criteria"), row.pop("settings")
        named = {f"criterion:{name}": state for name, state in criteria.items()}
        priced = {"cost": cost.get("amount"), "currency": cost.get("currency")}
        rows.append({**row, **priced, **named, **{f"param:{name}": value for name, value in settings.items()}})
    stream = StringIO()
    writer = DictWriter(stream, [_quoted(name) for name in rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows({_quoted(name): _quoted(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows)
    return stream.getvalue().encode()


def _thinned(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Return the rows that `decimate` keeps of each series, in the order of the frame, and whether these are all."""
    import numpy as np

    from trainreport.reports.decimate import decimate

    values = frame["value"].to_numpy()
    groups = frame.groupby(_SERIES, observed=True, dropna=False, sort=False).indices.values()
    kept = [decimate(rows.astype(np.float64), values[rows], _COLUMNS)[0] for rows in groups]
    rows = np.sort(np.concatenate(kept)).astype(np.int64) if kept else np.empty(0, dtype=np.int64)
    return frame.iloc[rows][_SHOWN], len(rows) == len(frame)


def _csv(table: pd.DataFrame) -> bytes:
    """Write a table that a spreadsheet opens as text and numbers: no name from a log is run as a formula."""
    safe = table.assign(value=table["value"].astype(object).where(table["value"].notna(), "NaN"))
    for name in ("run", "logged", "series", "node", "device"):
        safe[name] = safe[name].cat.rename_categories(_quoted)
    text = safe.to_csv(index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", lineterminator="\n")
    return str(text).encode()


def _quoted(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_SIGNS) else text
