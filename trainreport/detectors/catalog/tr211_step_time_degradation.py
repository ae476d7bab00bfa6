"""TR211: step-time degradation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import StepTimes, step_times
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.timing import during, waste_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste
from trainreport.stats.levels import lasting_shift
from trainreport.stats.trend import mann_kendall, theil_sen

if TYPE_CHECKING:
    from trainreport.model.case import Case

_NULL = "MLPerf Training v4.0, 611 throughput series of healthy runs: none flagged"


class _Slower(NamedTuple):
    """A lasting slowdown."""

    change: float
    """As a share of the step time before."""
    before: float
    after: float
    at: int
    """Position from which on it is slow; 0 where it grew all along."""
    evidence: Evidence


class StepTimeDegradation(Detector):
    """A step takes longer at the end of the run than it did before.

    What it checks
    --------------
    Step times as logged, else throughput, else the distances of logged steps in time.

    Why it matters
    --------------
    A slower step costs more for the same progress, moves the end of the run, and mostly grows until somebody looks: memory that fills,
    a hot or a failing device, a data store that others load, logs or lists that grow with each step.

    How it decides
    --------------
    Either the step time steps up to a level that is kept to the end: the split into two levels that explains the series best differs
    by more than 5 % and five standard errors, and the last tenth is as slow. Or it grows all along: Mann-Kendall finds a trend
    (p < 0.001) that adds up to more than 5 % of the median (Theil-Sen), and the last fifth is slower than the first by as
    much. Distances in time hide other work between two entries: there 10 % are asked for.

    What is lost must come to a minute where times are known. A change below 15 % is a note. The first tenth of throughput is not special:
    a run that warms up gets faster, and that is no finding.

    What to do
    ----------
    - Compare clocks, temperature and memory of the devices before and after (TR205, TR207).
    - Look at what grows with steps: lists of results, open files, the data loader's cache, swap.
    - Restart from the last checkpoint where a restart brings the old speed back.

    Limits
    ------
    Longer sequences, larger batches or images by plan (a curriculum) look the same. In reinforcement learning the work of a step
    changes with the policy, so distances in time are not judged there. With fewer than 30 points it cannot be told.

    References
    ----------
    - Mann (1945), Kendall (1975), Sen (1968); Scott and Knott, Biometrics 30 (1974).
    - MLPerf Training v4.0 results: throughput of healthy runs.
    """

    code = "TR211"
    name = "step-time-degradation"
    severity = Severity.MINOR
    needs = ("step times, throughput, or steps of training with times",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR211."""

        change: float = threshold(0.05, unit="share", why="Less is jitter between machines.", low=0, high=10, source=_NULL)
        derived: float = threshold(
            0.10, unit="share", why="For distances in time.", low=0, high=10, source="real logs of TensorBoard and MLflow stay silent"
        )
        small: float = threshold(0.15, unit="share", why="A smaller change is a note.", low=0, high=10, source="convention")
        p: float = threshold(0.001, unit="p-value", why="0.01 errs in one of 200 runs.", low=0, high=0.1, source="chosen on simulated runs")
        sigmas: float = threshold(5, unit="standard errors", why="The best of many splits.", low=0, high=50, source=_NULL)
        seconds: float = threshold(60, unit="s", why="Less is not worth a look.", low=0, high=86400, source="convention")
        points: float = threshold(30, unit="points", why="Fewer show no lasting change.", low=10, high=1e6, source=_NULL)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        times = step_times(case.log, int(limits.points))
        if times is None:
            return self.not_applicable(f"fewer than {limits.points:g} step times, throughputs or steps with times were logged")
        if times.derived and _reinforcement(case):
            return self.not_applicable("in reinforcement learning the work of a step changes; no step times or throughput were logged")
        slower = _step_up(times, limits) or _growth(times, limits)
        if slower is None:
            first, last = _ends(times)
            return self.clear(f"{times.source}: the last fifth took {words.share(last / first, 0)} of the time of the first")
        lost = _lost_s(times, slower)
        if lost is not None and lost < limits.seconds:
            return self.clear(f"a step took {words.share(slower.change)} longer at the end, which cost {words.duration(lost)}")
        return self.found(self._finding(case, times, slower, lost, limits))

    def _finding(self, case: Case, times: StepTimes, slower: _Slower, lost: float | None, limits: Thresholds) -> Finding:
        since = f"from step {int(times.step[slower.at]):,} on" if slower.at else "by the end of the run"
        if times.unit == "s":
            text = (
                f"A step took {_seconds(slower.after)} {since}, {words.share(slower.change)} more than the {_seconds(slower.before)} before"
            )
        else:
            fell = words.share(1 - slower.before / slower.after)
            before, after = (f"{words.number(1 / one)} {times.unit}" for one in (slower.before, slower.after))
            text = f"Throughput fell by {fell} {since}, from {before} to {after}"
        basis = " (told from when steps were logged)" if times.derived else ""
        part = 1 - slower.at / len(times.seconds)
        waste = Waste(share_of_run=part * slower.change / (1 + slower.change)) if lost is None else waste_of(case, lost)
        return self.finding(
            f"{text}{basis}.",
            evidence=(slower.evidence,),
            action=Action("Compare memory, clocks and temperature before and after, and what grows with steps.", "ML engineer", "a day"),
            confidence=_confidence(times, slower),
            severity=Severity.NOTE if slower.change < limits.small else None,
            limits=limits,
            waste=waste,
        )


def _confidence(times: StepTimes, slower: _Slower) -> Confidence:
    if times.derived:
        return Confidence.LOW if slower.change < 0.3 else Confidence.MEDIUM
    return Confidence.HIGH if slower.change >= 0.1 and len(times.seconds) >= 100 else Confidence.MEDIUM


def _line(times: StepTimes, limits: StepTimeDegradation.Thresholds) -> float:
    return limits.derived if times.derived else limits.change


def _step_up(times: StepTimes, limits: StepTimeDegradation.Thresholds) -> _Slower | None:
    shift = lasting_shift(times.seconds)
    line = _line(times, limits)
    if not (shift.relative > line and shift.sigmas > limits.sigmas and shift.last > (1 + line) * shift.before):
        return None
    given = _evidence(times, "rise of the step time", shift.relative, "best split into two levels, medians", shift.at)
    return _Slower(shift.relative, shift.before, shift.after, shift.at, given)


def _growth(times: StepTimes, limits: StepTimeDegradation.Thresholds) -> _Slower | None:
    import numpy as np

    trend = theil_sen(np.arange(len(times.seconds), dtype=np.float64), times.seconds)
    change = trend.change / float(np.median(times.seconds))
    first, last = _ends(times)
    line = _line(times, limits)
    if not (change > line and last > (1 + line) * first and mann_kendall(times.seconds).p < limits.p):
        return None
    method = "Theil-Sen over the run, as a share of the median; Mann-Kendall for its significance"
    return _Slower(last / first - 1, first, last, 0, _evidence(times, "growth of the step time", change, method, 0))


def _ends(times: StepTimes) -> tuple[float, float]:
    """Return the median of the first and of the last fifth."""
    import numpy as np

    fifth = max(1, len(times.seconds) // 5)
    return float(np.median(times.seconds[:fifth])), float(np.median(times.seconds[-fifth:]))


def _evidence(times: StepTimes, statistic: str, value: float, method: str, at: int) -> Evidence:
    import numpy as np

    times_s = times.time_s[[at, -1]]
    span = (float(times_s[0]), float(times_s[1])) if np.isfinite(times_s).all() else None
    return during(f"{statistic} ({times.source})", value, "1", method, len(times.seconds), span=span)


def _lost_s(times: StepTimes, slower: _Slower) -> float | None:
    """Return the seconds lost since, None where no times are known; of growth half of what the end shows."""
    import numpy as np

    slow = times.time_s[slower.at :]
    if not np.isfinite(slow).all() or len(slow) < 2:
        return None
    share = slower.change / (1 + slower.change)
    return float(slow[-1] - slow[0]) * (share if slower.at else share / 2)


def _reinforcement(case: Case) -> bool:
    """Return whether the run learns by reinforcement: it logs rewards or the length of episodes."""
    names = case.log.frame["series"].cat.categories
    return any(name.split("/")[0] in ("reward", "episode_length", "rollout") for name in names)


def _seconds(value: float) -> str:
    return f"{words.number(value * 1000)} ms" if value < 1 else words.duration(value)


DETECTOR = StepTimeDegradation()
