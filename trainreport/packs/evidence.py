"""What evidence a pack holds: each kind named, looked for in the assessment, and where a reader finds it.

The frameworks refer to these kinds by their keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model import words
from trainreport.model.finding import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.model.decision import Assessment, RunAssessment
    from trainreport.model.ledger import Ledger
    from trainreport.model.lock import Standing

__all__ = ["KINDS", "Evidence", "Kind", "gathered", "ledger"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of evidence."""

    title: str
    where: str
    """File of the pack, with the place in it."""
    completed_by: str
    """What would supply it."""
    shows: Callable[[_View], str | None]
    """What the pack shows, in a few words; None where it shows nothing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A kind of evidence, looked for."""

    key: str
    kind: Kind
    shown: str | None


@dataclass(frozen=True, slots=True)
class _View:
    assessment: Assessment
    lock: Standing | None
    logs_included: bool


def gathered(assessment: Assessment, lock: Standing | None, *, logs_included: bool) -> dict[str, Evidence]:
    """Return every kind of evidence, by key."""
    view = _View(assessment, lock, logs_included)
    return {key: Evidence(key, kind, kind.shows(view)) for key, kind in KINDS.items()}


def ledger(assessment: Assessment) -> Ledger:
    """Return what all runs took together."""
    return assessment.portfolio.total if assessment.portfolio is not None else assessment.runs[0].ledger


def _text(value: str | None) -> str | None:
    return value or None


def _model(key: str) -> Callable[[_View], str | None]:
    return lambda view: _text(view.assessment.plan.model.get(key))


def _all_runs(read: Callable[[RunAssessment], str | None]) -> Callable[[_View], str | None]:
    """Return a look at a fact that every run must state."""

    def look(view: _View) -> str | None:
        told = [read(run) for run in view.assessment.runs]
        if not told or any(one is None for one in told):
            return None
        return told[0] if len(told) == 1 else f"stated for each of {len(told)} runs"

    return look


def _state(code: str, state: State) -> Callable[[_View], str | None]:
    def reason(run: RunAssessment) -> str | None:
        return next((one.reason for one in run.outcomes if one.code == code and one.state is state), None)

    return _all_runs(reason)


def _measure(read: Callable[[Ledger], str | None]) -> Callable[[_View], str | None]:
    return lambda view: read(ledger(view.assessment))


def _device_hours(taken: Ledger) -> str | None:
    known = ((taken.gpu_hours, "GPU"), (taken.tpu_hours, "TPU"), (taken.cpu_hours, "CPU"))
    told = [f"{words.number(hours)} {kind}-hours" for hours, kind in known if hours is not None]
    return ", ".join(told) or None


def _flop(taken: Ledger) -> str | None:
    return None if taken.flop is None else f"{words.number(taken.flop, 2)} FLOP, {taken.basis.get('flop', 'basis not stated')}"


def _energy(taken: Ledger) -> str | None:
    return None if taken.energy_kwh is None else f"{words.number(taken.energy_kwh)} kWh, {taken.energy_basis}"


def _judged(view: _View) -> str | None:
    results = view.assessment.leading.criteria
    known = [one for one in results if one.state != "not-measured"]
    return f"{len(known)} of {len(results)} criteria judged" if known and len(known) == len(results) else None


def _before(view: _View) -> str | None:
    return _state("TR501", State.CLEAR)(view) if view.assessment.plan.criteria else None


def _lock(view: _View) -> str | None:
    return view.lock.text if view.lock is not None and view.lock.holds else None


def _files(view: _View) -> str | None:
    files = {(one.path, one.sha256) for run in view.assessment.runs for one in run.log.run.files}
    return f"SHA-256 of {words.plural(len(files), 'file')}" if files else None


def _measured_quality(run: RunAssessment) -> str | None:
    best = run.best
    return None if best is None else f"{best.series} ({best.phase}) {words.number(best.value, 4)} at step {best.step:,}"


def _hardware(run: RunAssessment) -> str | None:
    found = run.log.run.hardware
    return found.gpu_model and f"{found.gpu_count or ''} {found.gpu_model}".strip()


def _objective(run: RunAssessment) -> str | None:
    return "learning curves of every series logged" if len(run.log.frame) else None


def _parameters(run: RunAssessment) -> str | None:
    return words.plural(len(run.log.run.params), "parameter") if run.log.run.params else None


def _criteria(view: _View) -> str | None:
    count = len(view.assessment.plan.criteria)
    return words.plural(count, "criterion", "criteria") if count else None


def _baseline(view: _View) -> str | None:
    return next((f"baseline {one.baseline:g} for {one.id}" for one in view.assessment.plan.criteria if one.baseline is not None), None)


def _forecast(view: _View) -> str | None:
    found = view.assessment.leading.ledger.forecast
    return None if found is None or found.probability is None else f"chance of {found.criterion}: {words.share(found.probability)}"


def _schedule(view: _View) -> str | None:
    given = view.assessment.plan.budget.deadline
    return None if given is None else f"deadline {given.date().isoformat()}"


def _money(taken: Ledger) -> str | None:
    return None if taken.cost is None else words.money(taken.cost)


def _plan(view: _View) -> str | None:
    source = view.assessment.plan.source
    return None if source is None else f"SHA-256 {source.sha256}"


_ASSESSMENT = "data/assessment.json"
_METHODS = "data/methods.txt"

KINDS: dict[str, Kind] = {
    "plan": Kind("Plan agreed before training", "data/plan.toml", "a plan: --plan plan.toml", _plan),
    "plan-lock": Kind(
        "Plan fixed by its digest", "data/plan.lock.json", "`trainreport plan lock` before training", _lock
    ),
    "objective": Kind("Objective", "data/plan.toml, [plan] objective", "objective in [plan]", lambda v: _text(v.assessment.plan.objective)),
    "owner": Kind("Owner", "data/plan.toml, [plan] owner", "owner in [plan]", lambda v: _text(v.assessment.plan.owner)),
    "criteria": Kind("Acceptance criteria", "data/plan.toml, [[criteria]]", "[[criteria]] in the plan", _criteria),
    "criteria-before": Kind(
        "Criteria set before training", f"{_ASSESSMENT}, outcome TR501",
        "`trainreport plan lock`, or registered in [plan], before the run begins",
        _before,
    ),
    "criteria-judged": Kind(
        "Criteria judged", f"{_ASSESSMENT}, runs/…/criteria; data/report.html", "every criterion's series logged on held-out data", _judged
    ),
    "baseline": Kind("Baseline to compare with", "data/plan.toml, baseline", "baseline in a criterion", _baseline),
    "quality": Kind(
        "Quality on held-out data", f"{_ASSESSMENT}, best_checkpoint; data/report.html", "a validation series in the logs",
        _all_runs(_measured_quality),
    ),
    "curves": Kind("Learning curves", "data/frame.parquet; data/frame.csv; data/report.html", "logs of training", _all_runs(_objective)),
    "detectors": Kind(
        "Checks made, each with method, limits and outcome", f"{_METHODS}; {_ASSESSMENT}, outcomes", "",
        lambda v: f"{len(v.assessment.runs[0].outcomes)} checks on each run",
    ),
    "calibration": Kind(
        "Measured accuracy of the checks", "data/calibration.json", "",
        lambda _: "precision and recall on public data, with what was simulated named",
    ),
    "hyperparameters": Kind("Hyperparameters", "data/runs.json, params", "hyperparameters in the logs", _all_runs(_parameters)),
    "code-version": Kind(
        "Version of the code", "data/runs.json, code_version", "a commit in the logs", _all_runs(lambda r: _text(r.log.run.code_version))
    ),
    "data-version": Kind(
        "Version of the data", "data/runs.json, data_version", "a data version or digest in the logs",
        _all_runs(lambda r: _text(r.log.run.data_version)),
    ),
    "seed": Kind("Seed", "data/runs.json, seed", "the seed in the logs", _all_runs(lambda r: _text(r.log.run.seed))),
    "checkpoints": Kind(
        "Checkpoints that exist", f"{_ASSESSMENT}, outcome TR506", "checkpoints named in or beside the logs", _state("TR506", State.CLEAR)
    ),
    "hardware": Kind("Hardware", "data/runs.json, hardware", "a GPU log or the device's name in the logs", _all_runs(_hardware)),
    "environment": Kind(
        "Versions of the tools that judged", "data/environment.json", "", lambda v: f"trainreport {v.assessment.version}"
    ),
    "device-hours": Kind("Device-hours", "data/compute.json, gpu_hours", "a GPU log, or gpus in [training]", _measure(_device_hours)),
    "training-time": Kind(
        "Training time", "data/compute.json, wall_s", "times in the logs",
        _measure(lambda t: None if t.wall_s is None else words.duration(t.wall_s)),
    ),
    "flop": Kind(
        "Training compute in FLOP", "data/compute.json, flop", "model_parameters and tokens in [training], or total_flos in the logs",
        _measure(_flop),
    ),
    "energy": Kind("Energy", "data/compute.json, energy_kwh", "a GPU log with power, or a GPU of known rated power", _measure(_energy)),
    "carbon": Kind(
        "Carbon", "data/compute.json, carbon_kg", "carbon_g_per_kwh in [rates]",
        _measure(lambda t: None if t.carbon_kg is None else f"{words.number(t.carbon_kg)} kg CO2e"),
    ),
    "cost": Kind("Cost", "data/compute.json, cost", "gpu_hour in [rates]", _measure(_money)),
    "schedule": Kind("Schedule", "data/plan.toml, [budget] deadline", "deadline in [budget]", _schedule),
    "forecast": Kind("Forecast", f"{_ASSESSMENT}, forecast", "a criterion whose series still moves, and steps in [training]", _forecast),
    "parameters": Kind(
        "Number of parameters of the model", "data/plan.toml, [training] model_parameters", "model_parameters in [training]",
        lambda v: None if v.assessment.plan.training.model_parameters is None else f"{v.assessment.plan.training.model_parameters:g}",
    ),
    "tokens": Kind(
        "Amount of training data in tokens", "data/plan.toml, [training] tokens", "tokens in [training]",
        lambda v: None if v.assessment.plan.training.tokens is None else f"{v.assessment.plan.training.tokens:g}",
    ),
    "model-name": Kind("Name of the model", "data/plan.toml, [model] name", "name in [model]", _model("name")),
    "supplier": Kind("Supplier of the model", "data/plan.toml, [model] supplier", "supplier in [model]", _model("supplier")),
    "intended-use": Kind("Intended use", "data/plan.toml, [model] intended_use", "intended_use in [model]", _model("intended_use")),
    "decision": Kind(
        "Recommendation with its reasons", "data/decision.md", "",
        lambda v: f"{v.assessment.decision.verdict.value}, rule {v.assessment.decision.rule}"
    ),
    "log-digests": Kind("Digests of the logs", "data/logs.csv", "logs in files", _files),
    "logs": Kind("The logs themselves", "data/logs/", "--include-logs", lambda v: "filed as read" if v.logs_included else None),
    "run-list": Kind("List of the runs", "data/runs.json", "", lambda v: words.plural(len(v.assessment.runs), "run")),
}  # fmt: skip
"""Key in the frameworks -> kind of evidence."""
