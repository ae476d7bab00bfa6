"""The assessment as JSON, schema ``trainreport.assessment/1``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainreport.business.flop import two_figures
from trainreport.model import clock
from trainreport.model.finding import State
from trainreport.model.ledger import BUCKETS
from trainreport.reports.exports import json_business
from trainreport.reports.exports.json_business import instant as _instant
from trainreport.reports.exports.json_business import money as _money
from trainreport.reports.exports.json_business import number as _number

if TYPE_CHECKING:
    from trainreport.model.decision import Assessment, Checkpoint, CriterionResult, Decision, Portfolio, RunAssessment
    from trainreport.model.finding import Evidence, Finding, Outcome
    from trainreport.model.ledger import Forecast, Goodput, Ledger

__all__ = ["SCHEMA", "as_dict", "render"]

SCHEMA = "trainreport.assessment/1"


def render(assessment: Assessment, *, compact: bool = False) -> str:
    """Return the JSON text, with a line end. Money is plain decimal text; NaN and infinity are null.

    Parameters
    ----------
    assessment : Assessment
    compact : bool
        In one line, written several times as fast: for programs alone.
    """
    return json.dumps(as_dict(assessment), indent=None if compact else 2, ensure_ascii=False, allow_nan=False) + "\n"


def as_dict(assessment: Assessment) -> dict[str, Any]:
    """Return the assessment as plain dictionaries, lists, texts and numbers.

    Capacity and lineage are over all runs: they stand in the portfolio, in the run where there is one only.
    """
    over_all = {"capacity": json_business.capacity_of(assessment), "lineage": json_business.lineage_of(assessment)}
    nothing, portfolio = dict.fromkeys(over_all), _portfolio(assessment.portfolio)
    return {
        "schema": SCHEMA,
        "trainreport": assessment.version,
        "inputs_digest": assessment.inputs_digest,
        "redacted": assessment.redaction is not None,
        "redactions": json_business.redactions_of(assessment),
        "runs": [{**_run(run), **(nothing if assessment.portfolio else over_all)} for run in assessment.runs],
        "portfolio": {**portfolio, **over_all} if portfolio is not None else None,
        "decision": _decision(assessment.decision),
    }


def _run(one: RunAssessment) -> dict[str, Any]:
    run = one.log.run
    return {
        "run_id": run.id,
        "name": run.name,
        "started_at": clock.iso(run.started_at),
        "ended_at": clock.iso(run.ended_at),
        "status": run.status,
        "best_checkpoint": _checkpoint(one.best),
        "outcomes": [_outcome(outcome) for outcome in one.outcomes],
        "findings": [_finding(finding) for finding in one.findings],
        "criteria": [_criterion(result) for result in one.criteria],
        "compute": _compute(one.ledger),
        "course": json_business.course_of(one.course),
        "goodput": _goodput(one.ledger.goodput),
        "profile": json_business.profile_of(one),
        "forecast": _forecast(one.ledger.forecast),
        "decision": _decision(one.decision),
        "files": [
            {
                "path": file.path,
                "sha256": file.sha256,
                "bytes": file.bytes,
                "importer": file.importer,
                "rows_read": file.rows_read,
                "rows_skipped": file.rows_skipped,
            }
            for file in run.files
        ],
        "problems": [{"file": problem.file, "place": problem.place, "what": problem.what} for problem in one.log.problems],
    }


def _checkpoint(best: Checkpoint | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return {
        "step": best.step,
        "epoch": _number(best.epoch),
        "time": _instant(best.time_s),
        "series": best.series,
        "phase": best.phase,
        "value": _number(best.value),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {"code": outcome.code, "name": outcome.name, "state": State(outcome.state).value, "reason": outcome.reason}


def _finding(finding: Finding) -> dict[str, Any]:
    impact = finding.impact
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "confidence": finding.confidence.word,
        "message": finding.message,
        "series": finding.series,
        "phase": finding.phase,
        "device": finding.device,
        "node": finding.node,
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
        "thresholds": {
            name: {"value": limit.value, "unit": limit.unit, "source": limit.source, "changed": limit.changed}
            for name, limit in finding.thresholds.items()
        },
        "waste": {
            "gpu_s": _number(finding.waste.gpu_s),
            "steps": finding.waste.steps,
            "joules": _number(finding.waste.joules),
        },
        "impact": None if impact is None else {"money": _money(impact.money), "delay_s": _number(impact.delay_s), "text": impact.text},
        "action": {
            "text": finding.action.text,
            "owner": finding.action.owner,
            "effort": finding.action.effort,
            "reversible": finding.action.reversible,
        },
        "fingerprint": finding.fingerprint,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "statistic": evidence.statistic,
        "value": _number(evidence.value),
        "low": _number(evidence.low),
        "high": _number(evidence.high),
        "unit": evidence.unit,
        "method": evidence.method,
        "n": evidence.n,
        "from_step": evidence.from_step,
        "to_step": evidence.to_step,
        "from_time": _instant(evidence.from_time_s),
        "to_time": _instant(evidence.to_time_s),
        "file": evidence.file,
    }


def _criterion(result: CriterionResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "state": result.state,
        "value": _number(result.value),
        "threshold": result.threshold,
        "comparator": result.comparator,
        "step": result.step,
        "reason": result.reason,
    }


def _compute(ledger: Ledger) -> dict[str, Any]:
    return {
        "gpu_hours": _number(ledger.gpu_hours),
        "gpu_hours_told": [
            {"source": one.source, "gpus": one.gpus, "gpu_hours": _number(one.gpu_hours), "counts": one.counts, "says": one.says}
            for one in ledger.hours_told
        ],
        "cpu_hours": _number(ledger.cpu_hours),
        "wall_s": _number(ledger.wall_s),
        "energy_kwh": _number(ledger.energy_kwh),
        "energy_basis": ledger.energy_basis,
        "carbon_kg": _number(ledger.carbon_kg),
        "flop": None if ledger.flop is None else two_figures(ledger.flop),
        "flop_basis": ledger.basis.get("flop"),
        "cost": _money(ledger.cost),
        "grid": json_business.grid_of(ledger.grid),
        "basis": "; ".join(f"{name}: {text}" for name, text in ledger.basis.items()),
    }


def _goodput(goodput: Goodput | None) -> dict[str, Any] | None:
    return None if goodput is None else {name: _number(getattr(goodput, name)) for name in BUCKETS}


def _forecast(forecast: Forecast | None) -> dict[str, Any] | None:
    if forecast is None:
        return None
    return {
        "criterion": forecast.criterion,
        "target": forecast.target,
        "probability": _number(forecast.probability),
        "low": _number(forecast.low),
        "mid": _number(forecast.mid),
        "high": _number(forecast.high),
        "at_step": forecast.at_step,
        "at_time": _instant(forecast.at_time_s),
        "method": forecast.method,
    }


def _portfolio(portfolio: Portfolio | None) -> dict[str, Any] | None:
    if portfolio is None:
        return None
    return {
        "runs": portfolio.runs,
        "best_run": portfolio.best_run,
        "spent": _money(portfolio.spent),
        "outcomes": [_outcome(outcome) for outcome in portfolio.outcomes],
        "findings": [_finding(finding) for outcome in portfolio.outcomes for finding in outcome.findings],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict.value,
        "next_step": decision.next_step.value,
        "headline": decision.headline,
        "reasons": [{"ref": reason.ref, "for": reason.supports, "text": reason.text} for reason in decision.reasons],
        "conditions": list(decision.conditions),
        "what_would_change_it": decision.what_would_change_it,
        "rule": decision.rule,
        "options": [json_business.option_of(option) for option in decision.options],
        "what_ifs": [json_business.option_of(option) for option in decision.what_ifs],
    }
