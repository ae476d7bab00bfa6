"""Several runs side by side, for a terminal, for programs (schema ``trainreport.comparison/1``) and as a table."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from trainreport.model import words
from trainreport.reports.comparison import compared
from trainreport.reports.exports import json_business
from trainreport.reports.exports.text import SIGNS
from trainreport.reports.parts import ranking
from trainreport.reports.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.decision import Assessment
    from trainreport.reports.comparison import Comparison, Entry, Group

__all__ = ["SCHEMA", "as_dict", "as_json", "as_rows", "as_text"]

SCHEMA = "trainreport.comparison/1"
_WIDTH = 96
_MOST_ROWS = 100
_NAME = 36


def as_json(assessment: Assessment) -> str:
    """Return the JSON text, with a line end. Money is plain decimal text; NaN and infinity are null."""
    return json.dumps(as_dict(assessment), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_dict(assessment: Assessment) -> dict[str, Any]:
    """Return the comparison as plain dictionaries, lists, texts and numbers."""
    found, best, decision = compared(assessment), assessment.leading.best, assessment.decision
    portfolio = assessment.portfolio
    together = [finding.code for outcome in (portfolio.outcomes if portfolio else ()) for finding in outcome.findings]
    return {
        "schema": SCHEMA,
        "trainreport": assessment.version,
        "inputs_digest": assessment.inputs_digest,
        "redacted": assessment.redaction is not None,
        "redactions": json_business.redactions_of(assessment),
        "judged_by": None if best is None else {"series": best.series, "phase": best.phase},
        "noise": {"sd": _number(found.noise), "basis": found.basis, "repeated": found.repeated},
        "runs": as_rows(found),
        "groups": [_group(group) for group in found.groups],
        "differing": list(found.differing),
        "to_stop": [entry.run.log.run.id for entry in found.to_stop],
        "codes": together,
        "decision": {"verdict": decision.verdict.value, "next_step": decision.next_step.value, "headline": decision.headline},
    }


def as_rows(found: Comparison) -> list[dict[str, Any]]:
    """Return one dictionary a run, the best first; None where something is not known."""
    return [_row(entry) for entry in found.entries]


def _row(entry: Entry) -> dict[str, Any]:
    run, best, ledger = entry.run, entry.run.best, entry.run.ledger
    return {
        "place": entry.place,
        "run_id": run.log.run.id,
        "name": run.log.run.name,
        "status": run.log.run.status,
        "verdict": run.decision.verdict.value,
        "next_step": run.decision.next_step.value,
        "series": None if best is None else best.series,
        "phase": None if best is None else best.phase,
        "value": None if best is None else _number(best.value),
        "step": None if best is None else best.step,
        "apart": entry.apart,
        "criteria": {one.id: one.state for one in run.criteria},
        "wall_s": _number(ledger.wall_s),
        "gpu_hours": _number(ledger.gpu_hours),
        "cost": None if ledger.cost is None else {"amount": ledger.cost.plain(), "currency": ledger.cost.currency},
        "seed": run.log.run.seed,
        "settings": dict(entry.settings),
        "advice": entry.advice.word,
        "why": entry.advice.why,
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "settings": dict(group.settings),
        "runs": list(group.names),
        "n": len(group.values),
        "mean": _number(group.mean),
        "sd": _number(group.sd),
        "apart": group.apart,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def as_text(assessment: Assessment) -> str:
    """Return the comparison for a terminal, with a line end."""
    view, found = View(assessment), compared(assessment)
    decision = assessment.decision
    head = [f"{SIGNS[decision.verdict]} · next: {decision.next_step.value.replace('-', ' ')} (rule {decision.rule})", decision.headline]
    blocks = ["\n".join(head)]
    sentences = (
        ranking.title(view, found),
        ranking.spending_sentence(view),
        ranking.noise_sentence(view, found),
        ranking.data_sentence(found),
    )
    blocks.append("\n".join(line for sentence in sentences if sentence for line in _wrapped(sentence)))
    blocks.append(_runs(view, found))
    if found.groups:
        blocks.append(_settings(view, found))
    blocks += [_stops(found)] if found.to_stop else []
    together = [line for one in view.over_all for line in _wrapped(f"{one.code} {one.name} · {one.severity.word}: {one.message}", 2)]
    blocks += ["\n".join(["All runs together", *together])] if together else []
    return "\n\n".join(blocks) + "\n"


def _runs(view: View, found: Comparison) -> str:
    rows = [["#", "run", "best", "against the first", "criteria", "cost", "GPU-hours", "status"]]
    below = [""]
    for entry in found.entries[:_MOST_ROWS]:
        run, ledger = entry.run, entry.run.ledger
        met = sum(one.state == "met" for one in run.criteria)
        rows.append(
            [
                str(entry.place or "–"),
                _short(run.log.run.name),
                ranking.said(view, run.best.value) if entry.place and run.best else "–",
                ranking.APART[entry.apart] if entry.place else "–",
                f"{met} of {len(run.criteria)} met" if run.criteria else "–",
                words.money(ledger.cost) if ledger.cost is not None else "–",
                words.hours(ledger.gpu_hours) if ledger.gpu_hours is not None else "–",
                run.log.run.status,
            ]
        )
        seed = f", seed {run.log.run.seed}" if run.log.run.seed else ""
        below.append(f"{ranking.settings_text(entry.settings)}{seed}".removeprefix(", "))
    lines = []
    for line, settings in zip(_aligned(rows, right=(0, 2, 5, 6)), below, strict=True):
        lines += [line, *([f"      {_plain(settings)}"] if settings else [])]
    more = len(found.entries) - _MOST_ROWS
    return "\n".join([*lines, *([f"  … and {more:,} more (--format json lists all)"] if more > 0 else [])])


def _settings(view: View, found: Comparison) -> str:
    rows = [["runs", "mean", "± SD", "against the first", "settings"]]
    for group in found.groups[:_MOST_ROWS]:
        name = ranking.settings_text(group.settings) or "the same for all"
        rows.append(
            [str(len(group.values)), ranking.said(view, group.mean), ranking.spread_said(view, group.sd), ranking.APART[group.apart], name]
        )
    more = len(found.groups) - _MOST_ROWS
    return "\n".join(["Settings, over their repeats", *_aligned(rows, right=(0, 1, 2)), *([f"  … and {more:,} more"] if more > 0 else [])])


def _stops(found: Comparison) -> str:
    reasons = found.stops_by_reason()
    shown = [
        line
        for why, names in [*reasons.items()][:_MOST_ROWS]
        for line in _wrapped(f"{words.joined([_short(name) for name in names], 6)}: {why.rstrip('.')}.", 2)
    ]
    more = len(reasons) - _MOST_ROWS
    return "\n".join(["To stop", *shown, *([f"  … and {more:,} more reasons"] if more > 0 else [])])


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[int]) -> list[str]:
    """Return the rows as lines, columns as wide as their widest cell; `right` names those that end flush."""
    plain = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in plain) for at in range(len(plain[0]))]
    lines = []
    for row in plain:
        cells = [cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(row)]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return lines


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME * 2 // 3]}…{name[len(name) - _NAME // 3 + 1 :]}"


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def _wrapped(text: str, indent: int = 0) -> list[str]:
    return words.wrapped(_plain(text), _WIDTH, " " * indent, " " * (2 * indent))
