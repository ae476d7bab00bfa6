"""Which alerts a plan asks for: each with its condition in PromQL, and in CloudWatch's terms where it has them.

Names of the GPU's metrics are those of NVIDIA's dcgm-exporter and of the CloudWatch agent. Names of the training's own
metrics are ours, and `EXPOSED` says what the job has to expose.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trainreport import detectors
from trainreport.alerts.watch import Watch, published, queried
from trainreport.errors import UsageError
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.model.plan import Plan, Rate

__all__ = ["EXPOSED", "Alert", "alerts", "window_days"]

EXPOSED = {
    "training_loss": "the training loss, a gauge",
    "training_step": "the optimizer steps done, a gauge",
    "training_epoch": "the epochs done, a gauge; only where the plan gives epochs and no steps",
}
"""What the training job exposes for Prometheus, by a client library or a Pushgateway."""

_GRID = "5m"
_PER_HOUR = 12
"""Steps of the grid in an hour: sums over time count them."""
_WARN = 0.8
"""Share of a budget at which there is time left to decide; convention."""
_NO_PROGRESS_S = 900
"""Seconds without a step or a report of one: longer than checkpoints and evaluations mostly take; convention."""
_SMOOTH = "15m"
"""What a loss is averaged over before it is compared: single batches raise no alarm."""
_DEFAULT_DAYS = 30
_MATCHERS = re.compile(r'[A-Za-z_]\w*(=|!=|=~|!~)"[^"\\{}\n]*"(,[A-Za-z_]\w*(=|!=|=~|!~)"[^"\\{}\n]*")*')

Severity = Literal["warning", "critical"]
Group = Literal["budget", "machine", "learning"]


@dataclass(frozen=True, slots=True)
class Alert:
    """One rule."""

    name: str
    group: Group
    severity: Severity
    summary: str
    """What is the matter, as a sentence."""
    action: str
    basis: str
    """The plan's key or the detector's threshold that it holds the run to."""
    promql: str
    """Gives a series for each thing that is wrong, and none where nothing is."""
    hold_s: int = 0
    """Seconds for which it has to hold."""
    watch: Watch | None = None
    """The same for CloudWatch, None where an alarm there cannot tell it."""


def alerts(plan: Plan, select: str = "") -> tuple[Alert, ...]:
    """Return the alerts of a plan: budget first, then the machine, then learning.

    Parameters
    ----------
    plan : Plan
        Limits that it does not give have no alert.
    select : str
        Matchers of Prometheus labels, put into each metric.

    Raises
    ------
    UsageError
        If `select` is none.
    """
    if select and not _MATCHERS.fullmatch(select):
        raise UsageError(f'--select {select}: expected matchers of labels, such as namespace="churn",job=~"train.*"')
    return (*_budget(plan, select), *_time(plan, select), *_machine(plan, select), *_learning(plan, select))


def window_days(plan: Plan) -> int:
    """Return over how many days the budget is summed: what Prometheus has to keep."""
    spans = [_DEFAULT_DAYS]
    if plan.budget.wall_time_s is not None:
        spans.append(math.ceil(1.5 * plan.budget.wall_time_s / 86400))
    if plan.budget.deadline is not None and plan.registered is not None:
        spans.append(math.ceil((plan.budget.deadline - plan.registered).total_seconds() / 86400))
    return max(spans)


def _metric(name: str, select: str, *more: str) -> str:
    matchers = ",".join(one for one in (select, *more) if one)
    return f"{name}{{{matchers}}}" if matchers else name


def _total(plan: Plan, per_moment: str) -> str:
    """Return the sum over the plan's days, in hours, of what holds at each moment."""
    return f"(sum_over_time(({per_moment})[{window_days(plan)}d:{_GRID}]) or vector(0)) / {_PER_HOUR}"


def _budget(plan: Plan, select: str) -> Iterator[Alert]:
    budget, gpus = plan.budget, f"count({_metric('DCGM_FI_DEV_GPU_UTIL', select)})"
    hours = _total(plan, gpus)
    if budget.gpu_hours is not None:
        yield from _limit("GpuHours", "GPU time", budget.gpu_hours, "h", "budget.gpu_hours", spent=hours)
    spend = _spend(plan, select)
    if budget.money is not None and spend:
        yield from _limit("Money", "money", float(budget.money.amount), budget.money.currency, "budget.money and rates", spent=spend)
    power = f"sum({_metric('DCGM_FI_DEV_POWER_USAGE', select)})"
    energy = f"{_total(plan, power)} / 1000 * {plan.rates.pue:g}"
    if budget.energy_kwh is not None:
        yield from _limit("Energy", "energy", budget.energy_kwh, "kWh", "budget.energy_kwh, rates.pue", spent=energy)
    if budget.carbon_kg is not None and plan.rates.carbon_g_per_kwh is not None:
        factor = plan.rates.carbon_g_per_kwh / 1000
        basis = "budget.carbon_kg, rates.carbon_g_per_kwh"
        yield from _limit("Carbon", "carbon", budget.carbon_kg, "kg", basis, spent=f"{energy} * {factor:g}")
    if budget.wall_time_s is not None:
        busy = _total(plan, f"({gpus}) > bool 0")
        yield from _limit("WallTime", "wall time", budget.wall_time_s / 3600, "h", "budget.wall_time", spent=busy)


def _limit(name: str, what: str, limit: float, unit: str, basis: str, *, spent: str) -> Iterator[Alert]:
    agreed = f"the {what} agreed ({words.number(limit)} {unit}) is spent."
    action = "Ask the sponsor to end here or to agree on a new limit; hold further runs until then."
    levels: tuple[tuple[str, Severity, float, str, str], ...] = (
        (f"{name}NearlySpent", "warning", _WARN, f"{words.share(_WARN)} of {agreed}", "Decide what the rest is for."),
        (f"{name}OverBudget", "critical", 1.0, f"All of {agreed}", action),
    )
    for title, severity, share, summary, do in levels:
        watch = published(name, "Maximum", "above", share * limit)
        yield Alert(title, "budget", severity, summary, do, basis, f"{spent} > {share * limit:g}", watch=watch)


def _spend(plan: Plan, select: str) -> str:
    """Return what the GPUs' hours cost, each model at its rate; empty where no rate is known."""
    parts: list[str] = []
    earlier: list[str] = []
    for pattern, rate in plan.rates.by_model:
        expression = _as_regex(pattern)
        parts.append(_priced(plan, rate, select, f'modelName=~"{expression}"', *earlier))
        earlier.append(f'modelName!~"{expression}"')
    if plan.rates.gpu_hour is not None:
        parts.append(_priced(plan, plan.rates.gpu_hour, select, *earlier))
    return " + ".join(parts)


def _priced(plan: Plan, rate: Rate, select: str, *matchers: str) -> str:
    hours = _total(plan, f"count({_metric('DCGM_FI_DEV_GPU_UTIL', select, *matchers)})")
    return f"{hours} * {rate.price.amount}"


def _as_regex(pattern: str) -> str:
    """Return a pattern of the plan as a regular expression inside a PromQL string."""
    parts = {"*": ".*", "?": "."}
    plain = "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
    return plain.replace("\\", "\\\\").replace('"', '\\"')


def _time(plan: Plan, select: str) -> Iterator[Alert]:
    deadline, training = plan.budget.deadline, plan.training
    if deadline is None:
        return
    at, said = int(deadline.timestamp()), f"{deadline:%Y-%m-%d %H:%M} UTC"
    action = "Compare the other courses with their prices now: fewer steps, more GPUs, a later date."
    total, name = (training.steps, "training_step") if training.steps else (training.epochs, "training_epoch")
    if total:
        done = _metric(name, select)
        left = f"({total:g} - max({done})) / max(deriv({done}[1h]))"
        summary = f"At the pace of the last hour the training ends after the deadline, {said}."
        basis = f"budget.deadline, training.{'steps' if training.steps else 'epochs'}"
        yield Alert("DeadlineAtRisk", "budget", "warning", summary, action, basis, f"time() + {left} > {at}", 1800)
    still = f"count({_metric('DCGM_FI_DEV_GPU_UTIL', select)})"
    summary = f"Less than a day is left until the deadline, {said}, and GPUs are still held."
    near = f"{still} and on () (vector(time()) > {at - 86400})"
    yield Alert("DeadlineNear", "budget", "critical", summary, action, "budget.deadline", near)


def _limits(plan: Plan, code: str) -> Any:
    return detectors.limits(detectors.detector(code), plan)


def _machine(plan: Plan, select: str) -> Iterator[Alert]:
    low, idle, full, hot = (_limits(plan, code) for code in ("TR201", "TR202", "TR204", "TR207"))
    util = _metric("DCGM_FI_DEV_GPU_UTIL", select)
    used, free = (_metric(f"DCGM_FI_DEV_FB_{part}", select) for part in ("USED", "FREE"))
    yield Alert(
        "GpuIdle", "machine", "warning", f"A GPU has stood idle for {words.duration(idle.idle_s)}.",
        "See whether the run hangs or has ended; release the GPU if so.", "TR202.idle_share, TR202.idle_s",
        f"{util} <= {100 * idle.idle_share:g}", int(idle.idle_s),
        queried("nvidia_smi_utilization_gpu", "MIN", "at most", 100 * idle.idle_share, int(idle.idle_s)),
    )  # fmt: skip
    yield Alert(
        "GpuUtilizationLow", "machine", "warning", f"A GPU worked less than {words.share(low.low_share)} of the last half hour.",
        "Look at data loading first, then at the batch size.", "TR201.low_share",
        f"avg_over_time({util}[30m]) < {100 * low.low_share:g}", 900,
        queried("nvidia_smi_utilization_gpu", "AVG", "below", 100 * low.low_share, 1800),
    )  # fmt: skip
    yield Alert(
        "GpuMemoryNearlyFull", "machine", "warning", f"{words.share(full.full)} of a GPU's memory are in use.",
        "Lower the batch size or accumulate gradients before a longer input ends the run.", "TR204.full",
        f"{used} / ({used} + {free}) >= {full.full:g}", 300,
    )  # fmt: skip
    yield Alert(
        "GpuHot", "machine", "critical", f"A GPU stands at {words.number(hot.hot)} °C or above, where heat slows it.",
        "Have the cooling looked at; the run pays for a slower GPU meanwhile.", "TR207.hot",
        f"{_metric('DCGM_FI_DEV_GPU_TEMP', select)} >= {hot.hot:g}", 300,
        queried("nvidia_smi_temperature_gpu", "MAX", "at least", hot.hot, 300),
    )  # fmt: skip


def _learning(plan: Plan, select: str) -> Iterator[Alert]:
    fall, loss, step = _limits(plan, "TR105"), _metric("training_loss", select), _metric("training_step", select)
    days, minutes = window_days(plan), words.duration(_NO_PROGRESS_S)
    yield Alert(
        "LossNotFinite", "learning", "critical", "The training loss is no number any more, or infinite.",
        "Stop; lower the learning rate, check the data, go on from the last good checkpoint.", "TR106",
        f"({loss} != {loss}) or (abs({loss}) == Inf)", 60, published("NonFiniteLoss", "Sum", "above", 0.0),
    )  # fmt: skip
    level = f"avg_over_time({loss}[{_SMOOTH}])"
    low, high = (f"{name}_over_time({level}[{days}d:{_SMOOTH}] offset {_SMOOTH})" for name in ("min", "max"))
    gain = f"({high} - {low})"
    yield Alert(
        "LossDiverging", "learning", "critical", f"The training loss has lost {words.share(fall.lost)} of what it had gained.",
        "Stop; lower the learning rate and go on from the last good checkpoint.", "TR105.lost, TR105.learned",
        f"({level} - {low} > {fall.lost:g} * {gain}) and ({gain} > {fall.learned:g} * abs({high}))", 600,
    )  # fmt: skip
    yield Alert(
        "NoProgress", "learning", "critical", f"No step was made for {minutes}.",
        "See whether the run hangs; restart it from the last checkpoint if so.", "convention: 15 minutes",
        f"changes({step}[5m]) == 0", _NO_PROGRESS_S - 300, published("Step", "Maximum", "standing", 0.0, _NO_PROGRESS_S),
    )  # fmt: skip
    yield Alert(
        "NothingReported", "learning", "warning", f"GPUs are held, and no step was reported for {minutes}.",
        "See whether the run still lives, and whether its metrics still arrive.", "convention: 15 minutes",
        f"count({_metric('DCGM_FI_DEV_GPU_UTIL', select)}) unless on () count({step})", _NO_PROGRESS_S,
        published("Step", "SampleCount", "missing", 1.0, _NO_PROGRESS_S),
    )  # fmt: skip
