"""What stands in the cell of a notebook: fragments of HTML that cannot disturb the page around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.model import words
from trainreport.reports.colours import DARK, LIGHT
from trainreport.reports.page import render_fragment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from trainreport.model.decision import Assessment, Skipped
    from trainreport.model.run import RunLog
    from trainreport.reports.blocks import Document

__all__ = ["comparison", "runs", "summary"]

_LISTED = 20
_PARAMETERS = 6
_Columns = tuple[tuple[str, str], ...]


def summary(document: Document, assessment: Assessment) -> str:
    """Return verdict, headline, lead, key figures, charts and findings of an analysis."""
    shown: dict[str, Any] = {}
    for block in document.parts[0].blocks:
        shown.setdefault(block.kind, block)  # the first paragraph is the lead
    several = len(assessment.runs) > 1
    found = [(finding, run.log.run.name) for run in assessment.runs for finding in run.findings]
    found.sort(key=lambda entry: -entry[0].severity)
    rows = [
        (finding.severity.word, finding.code, *((name,) if several else ()), finding.message, _cost(finding))
        for finding, name in found[:_LISTED]
    ]
    columns = (("severity", ""), ("code", ""), *((("run", ""),) if several else ()), ("finding", ""), ("cost", "number"))
    return _fragment("summary", columns, rows, len(found), shown=shown)


def runs(logs: Sequence[RunLog], skipped: Sequence[Skipped]) -> str:
    """Return a table of runs as they were read."""
    rows = [
        (
            log.run.name,
            log.run.status,
            _moment(log.run.started_at),
            _took(log.run.started_at, log.run.ended_at),
            words.count(len(log.frame)),
            words.count(len(log.curves.names("train", "validation", "test", "system"))),
            words.count(len(log.problems)),
        )
        for log in logs[:_LISTED]
    ]
    texts, numbers = ("run", "status", "started"), ("took", "numbers", "series", "could not be read")
    columns = (*((name, "") for name in texts), *((name, "number") for name in numbers))
    left_out = [f"{words.plural(len(skipped), 'file')} left out, such as {skipped[0].path}: {skipped[0].reason}"] if skipped else []
    return _fragment("listing", columns, rows, len(logs), headline=words.plural(len(logs), "run"), lines=left_out)


def comparison(assessment: Assessment) -> str:
    """Return a table of runs side by side, the best first."""
    from trainreport.reports.comparison import compared

    found = compared(assessment)
    differing = list(found.differing)[:_PARAMETERS]
    rows = []
    for entry in found.entries[:_LISTED]:
        run = entry.run
        value = "–" if run.best is None else f"{words.number(run.best.value)} at step {words.count(run.best.step)}"
        cost = "–" if run.ledger.cost is None else words.money(run.ledger.cost)
        settings = [dict(entry.settings).get(name, "–") for name in differing]
        rows.append((str(entry.place), run.log.run.name, run.decision.verdict.value, value, cost, *settings, entry.advice.word))
    best = assessment.leading.best
    judged_by = "best value" if best is None else f"best {best.phase} {best.series}"
    columns = (
        ("place", "number"), ("run", ""), ("verdict", ""), (judged_by, "number"), ("cost", "number"),
        *((name, "") for name in differing), ("advice", ""),
    )  # fmt: skip
    lines = (found.basis,)
    return _fragment("listing", columns, rows, len(found.entries), headline=assessment.decision.headline, lines=lines)


def _fragment(name: str, columns: _Columns, rows: Sequence[tuple[str, ...]], whole: int, **values: Any) -> str:
    return render_fragment(
        f"notebook/{name}.html", columns=columns, rows=rows, more=max(0, whole - len(rows)), light=LIGHT, night=DARK, **values
    )


def _cost(finding: Any) -> str:
    return "" if finding.impact is None or finding.impact.money is None else words.money(finding.impact.money)


def _moment(time: datetime | None) -> str:
    return "–" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"


def _took(begin: datetime | None, end: datetime | None) -> str:
    return "–" if begin is None or end is None else words.duration((end - begin).total_seconds())
