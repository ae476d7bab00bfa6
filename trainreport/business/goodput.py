"""Where the paid time of a run went: the goodput ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import held_out_times, paid_span, started, step_times
from trainreport.business.pauses import hung_s, intervals_of, training_end
from trainreport.model import words
from trainreport.model.curve import curve, curves
from trainreport.model.ledger import BUCKETS, Goodput
from trainreport.model.series import PROFILED
from trainreport.stats.held import durations

if TYPE_CHECKING:
    from trainreport.business.pauses import Intervals
    from trainreport.model.run import RunLog

__all__ = ["goodput"]

_IDLE = 0.02
"""A GPU at or below this utilization does nothing."""
_HIDDEN = "not told apart from productive: "


class _Part(NamedTuple):
    """Seconds of one kind, and how they are known."""

    seconds: float
    basis: str


def goodput(log: RunLog) -> tuple[Goodput | None, str]:
    """Return where the paid time of a run went, and how that is known; None and the reason where nothing is known.

    The paid time is the span of the run and of the GPU samples that follow it, or lead up to it, without a hole. Steps are
    compared with their usual pace (see `business.pauses`); what is seen in no log is not invented: it stays part of
    `productive`, or is `unexplained` where no step was logged.
    """
    import numpy as np

    span, both = paid_span(log), intervals_of(log)
    if both is None:
        return None, "not known: no steps of training were logged with times"
    start = started(log)
    if span is None or start is None or span[1] <= span[0]:
        return None, "not known: too few steps of training were logged with times to say what is usual"
    seen, between = both
    paid = span[1] - span[0]
    restarts, hindered = float(between.seconds[between.restart].sum()), np.where(between.stall, between.excess_s, 0.0)
    parts = {
        "start_up": _start_up(log, start.before_s, start.basis, between),
        "checkpoint": _checkpoint(between),
        "lost_work": _Part(
            float((between.seconds - hindered)[between.void].sum()), "time of steps that were done again after a later start (TR220)"
        ),
        "idle_after_end": _idle_after_end(log, span[1]),
    }
    stalled, evaluated = float(hindered.sum()), float(between.evaluation_s[~between.void].sum())
    training = float(between.seconds.sum()) - restarts + start.first_s - stalled - evaluated
    training = max(0.0, training - parts["checkpoint"].seconds - parts["lost_work"].seconds)
    parts["evaluation"] = _evaluation(between, _last_evaluation_s(log, float(seen.time_s[-1])))
    parts["stall"] = _Part(stalled + hung_s(log), "pauses far beyond the usual in which nothing was logged (TR210)")
    parts["input_wait"] = _input_wait(log, training)
    parts["productive"] = _Part(training - parts["input_wait"].seconds, _productive_words(parts))
    known = sum(part.seconds for part in parts.values())
    parts["unexplained"] = _Part(max(0.0, paid - known), _unexplained_words(log, between, span[1]))
    total = sum(part.seconds for part in parts.values())
    shares = {name: parts[name].seconds / total for name in BUCKETS}
    basis = {name: parts[name].basis for name in BUCKETS}
    return Goodput(paid_s=paid, basis=basis, **shares), f"{len(seen.step):,} logged steps of {seen.logged}, compared with their usual pace"


def _start_up(log: RunLog, before: float, basis: str, between: Intervals) -> _Part:
    """Return the time before the first step, and that of restarts in which the machine was held."""
    import numpy as np

    times = np.concatenate([one.time_s for one in curves(log, "gpu/utilization")] or [np.empty(0)])
    held = 0.0
    for at in np.flatnonzero(between.restart):
        first, last = between.start_s[at], between.start_s[at] + between.seconds[at]
        held += float(between.seconds[at]) if ((times > first) & (times < last)).any() else 0.0
    if before <= 0 and held <= 0:
        return _Part(0.0, "not known: the log begins with the first step")
    return _Part(before + held, f"{basis}{'; restarts while the GPU log went on' if held > 0 else ''}")


def _last_evaluation_s(log: RunLog, last_step: float) -> float:
    """Return the seconds from the last step to the last value on held-out data."""
    held = held_out_times(log)
    return max(0.0, float(held[-1]) - last_step) if len(held) else 0.0


def _evaluation(between: Intervals, last_s: float) -> _Part:
    count = int(between.evaluated.sum()) + (last_s > 0)
    if not between.separable:
        return _Part(last_s, f"{_HIDDEN}an evaluation was logged with every step")
    if not count:
        return _Part(0.0, "no value on held-out data was logged between steps of training")
    basis = f"{words.plural(count, 'interval')} with a value on held-out data, beyond what their steps usually take"
    return _Part(float(between.evaluation_s[~between.void].sum()) + last_s, basis)


def _checkpoint(between: Intervals) -> _Part:
    seconds = float(between.excess_s[between.routine & ~between.void].sum())
    if seconds <= 0:
        return _Part(0.0, f"{_HIDDEN}no pauses that come back regularly stand out")
    count = int(between.routine.sum())
    return _Part(seconds, f"{count} pauses that come back regularly with nothing logged; saving, or an evaluation that logged nothing")


def _input_wait(log: RunLog, training: float) -> _Part:
    """Return the share of step time that waiting for data took, where both were logged."""
    import numpy as np

    data, step = curve(log, "time/data", "train"), curve(log, "time/step", "train")
    if data is None:
        return _Part(0.0, f"{_HIDDEN}no data loading times were logged")
    waited = data.value[np.isfinite(data.value) & (data.value >= 0)]
    pace = _pace(log) if step is None else float(np.median(step.value[np.isfinite(step.value)]))
    if not len(waited) or not pace or not np.isfinite(pace):
        return _Part(0.0, f"{_HIDDEN}data loading times were logged, step times were not")
    if data.logged.endswith(PROFILED):
        return _Part(0.0, f"{_HIDDEN}data loading times are known of {words.plural(len(waited), 'step')} in a profile, not of the run")
    share = min(1.0, float(np.mean(waited)) / pace)
    return _Part(share * training, f"mean of {data.logged} over the usual step time")


def _pace(log: RunLog) -> float:
    import numpy as np

    times = step_times(log)
    return 0.0 if times is None or times.unit != "s" else float(np.median(times.seconds))


def _idle_after_end(log: RunLog, end: float) -> _Part:
    """Return how long all GPUs stood idle after the last logged value."""
    import numpy as np

    last = training_end(log)
    later = [(one.time_s, one.value) for one in curves(log, "gpu/utilization") if np.isfinite(one.time_s).all()]
    later = [(time[time > last], value[time > last]) for time, value in later if last is not None]
    idle = [float(durations(time)[value <= _IDLE].sum()) for time, value in later if len(time)]
    if last is None or not idle:
        return _Part(0.0, "not known: no GPU utilization was logged after the last value of training")
    return _Part(min([*idle, end - last]), "GPUs at 2 % or less after the last value that training logged (TR219)")


def _productive_words(parts: dict[str, _Part]) -> str:
    hidden = [name.replace("_", " ") for name in ("evaluation", "checkpoint", "input_wait") if parts[name].basis.startswith(_HIDDEN)]
    within = f"; {words.joined(hidden)} may be part of it" if hidden else ""
    return f"time between logged steps that is none of the others{within}"


def _unexplained_words(log: RunLog, between: Intervals, end: float) -> str:
    last = training_end(log)
    found = []
    if between.restart.any():
        found.append("between the end of one process and the first step of the next")
    if last is not None and end - last > 0:
        found.append("after the last value that training logged")
    return f"time {words.joined(found)} in which nothing tells what the machine did" if found else "nothing is left over"
