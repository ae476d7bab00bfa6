"""TR103: not learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.gain import Gain, net_gain

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_BENCH = "DeepOBS, 675 runs: none of those flagged reached the target, none at the best rate is flagged"
_SURE = 4.0
"""Standard errors by which a run must once have been better to say that it learnt and lost it again."""


class _Course(NamedTuple):
    """A finite curve and what it gained; of a broken curve the part before it broke."""

    curve: Curve
    gain: Gain
    share: float
    """Net gain: of the start for losses and plain numbers, of what is left to perfect for shares."""

    @property
    def is_loss(self) -> bool:
        """Whether it is what training minimises."""
        return reading.is_loss(self.curve.series)


class NotLearning(Detector):
    """The run has learnt nothing: the loss ends where it began.

    What it checks
    --------------
    The training loss (held-out loss where none was logged), and every metric with a known direction.

    Why it matters
    --------------
    Compute spent on a run that does not learn buys nothing, and the cause (learning rate, data, labels, a bug) does not go
    away by waiting.

    How it decides
    --------------
    Net gain is the first values against the median of the last 5 %. A loss has not learnt when its net gain is below 1 % of the
    start, or below 5 % and Mann-Kendall finds no improvement beyond noise; a loss that rose and never had
    been better counts too. A metric that did improve clears the run; a share metric that stays near guessing while the loss falls
    (regularisation shrinks, for one) is found as well, lowered to major. A run that meets the plan's criterion is clear:
    it began from a good checkpoint. A curve that breaks is judged up to there.

    What to do
    ----------
    - Cheapest first: try the learning rate a factor of ten up and down; fit ten samples by heart to find bugs.
    - Check inputs and labels of a few batches by eye; check that gradients reach the weights.
    - Then the architecture and its initialisation.

    Limits
    ------
    Fine-tuning from a checkpoint that is good already looks the same unless a metric improves or the plan has a criterion. Nothing is
    said of a run that learnt first and lost it again (TR105), or that has barely begun.

    References
    ----------
    - Schneider, Balles, Hennig, DeepOBS: A Deep Learning Optimizer Benchmark Suite, ICLR 2019.
    - Zhang et al., AUTOTRAINER, ICSE 2021 (slow convergence); Karpathy, A Recipe for Training Neural Networks (2019).
    """

    code = "TR103"
    name = "not-learning"
    severity = Severity.CRITICAL
    needs = ("a loss or metric, best on training data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR103."""

        net_gain: float = threshold(0.05, unit="share", why="Less, and not beyond noise, is nothing.", low=0, high=1, source=_BENCH)
        least_gain: float = threshold(0.01, unit="share", why="Less is nothing in any case.", low=0, high=1, source=_BENCH)
        p: float = threshold(
            0.01, unit="1", why="A trend less likely by chance is real.", low=0, high=0.5, source="Mann-Kendall; usual level"
        )
        metric_gain: float = threshold(0.02, unit="share", why="Of the way to perfect; less is stuck.", low=0, high=1, source=_BENCH)
        guessing: float = threshold(0.5, unit="share", why="A metric stuck above may be fine.", low=0, high=1, source="two even classes")
        points: float = threshold(10, unit="points", why="Fewer show no course.", low=5, high=1e6, source="convention")
        begun: float = threshold(0.05, unit="share", why="Of planned steps; warm-up comes first.", low=0, high=1, source="usual warm-up")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if met := _met(case):
            return self.clear(met)
        courses = [one for curve in _curves(case) if (one := _course(curve, limits.points)) is not None]
        if not courses:
            return self.not_applicable(f"no loss or metric has {limits.points:g} finite points before it breaks or ends")
        planned, reached = case.plan.training.steps, max((int(one.curve.step[-1]) for one in courses if one.curve.has_step), default=None)
        if planned and reached is not None and reached < limits.begun * planned:
            return self.not_applicable(f"barely begun: step {reached:,} of {planned:,} planned")
        losses, metrics = [one for one in courses if one.is_loss], [one for one in courses if not one.is_loss]
        flat = [one for one in losses[:1] if _flat(one, limits)]
        stuck = [one for one in metrics if _stuck(one, limits)]
        if len(stuck) < len(metrics):
            best = max((one for one in metrics if one not in stuck), key=lambda one: one.share)
            return self.clear(f"{wording.series(best.curve)} improved{_from_to(best)}")
        if flat or (stuck and (not losses or any(_guessing(one, limits) for one in stuck))):
            return self.found(self._finding(case, [*flat, *stuck], losses[:1], limits))
        return self.clear(f"{wording.series(losses[0].curve)} improved by {wording.share(losses[0].share)}{_from_to(losses[0])}")

    def _finding(self, case: Case, still: list[_Course], losses: list[_Course], limits: Thresholds) -> Finding:
        one, curve = still[0], still[0].curve
        fell = bool(losses and not one.is_loss)
        name = wording.series(curve).capitalize()
        span = f"from {wording.place(curve, 0)} to {wording.place(curve, len(curve) - 1)}"
        although = f", although {wording.series(losses[0].curve)} fell by {wording.share(losses[0].share)}" if fell else ""
        return self.finding(
            f"{name} learnt nothing {span}: it went{_from_to(one)}{although}.",
            evidence=(
                reading.evidence(curve, f"net gain in {wording.series(curve)}", one.share, "first values against the last 5 %", unit="1"),
                reading.evidence(curve, "chance of such a trend without learning", one.gain.p_better, "Mann-Kendall", unit="1"),
            ),
            action=Action(
                "Stop the run; try the learning rate ten times lower and higher, then check data and labels, then the architecture.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=Confidence.MEDIUM if fell or len(curve) < 20 else Confidence.HIGH,
            severity=Severity.MAJOR if fell else None,
            limits=limits,
            waste=reading.waste_after(case, curve, 0),
            curve=curve,
        )


def _met(case: Case) -> str | None:
    for one in case.plan.criteria:
        curve = case.curve(one.series, one.phase)
        curve = None if curve is None else reading.finite(curve)
        if curve is not None and len(curve) and curve.direction:
            best = reading.best(curve)
            if reading.meets(one, curve, best):
                return f"{wording.series(curve)} meets the plan's criterion with {wording.values(curve, best)[0]}"
    return None


def _curves(case: Case) -> list[Curve]:
    """Return the loss that was trained on, else that on held-out data, then all metrics."""
    trained = [case.curve(name, "train") for name in case.training_series()]
    unseen = [case.held_out(name) for name in case.quality_series()]
    every = [curve for curve in (*trained, *unseen) if curve is not None]
    losses = [curve for curve in every if reading.is_loss(curve.series)]
    return losses[:1] + [curve for curve in every if not reading.is_loss(curve.series)]


def _course(curve: Curve, points: float) -> _Course | None:
    curve = reading.sound_part(curve)
    if len(curve) < points:
        return None
    gain = net_gain(reading.turned(curve))
    if wording.is_share(curve):
        whole = 100.0 if wording.is_percent(curve) else 1.0
        reach = (whole if curve.direction > 0 else 0.0) + gain.start  # gain.start has its sign turned
    else:
        reach = abs(gain.start)
    return _Course(curve, gain, gain.net / reach if reach > 0 else 0.0)


def _flat(one: _Course, limits: NotLearning.Thresholds) -> bool:
    """Return whether a loss ends where it began, and had not been clearly better in between."""
    lost_again = one.gain.most >= limits.net_gain * abs(one.gain.start) and one.gain.most > _SURE * one.gain.error
    if lost_again and one.gain.net < limits.least_gain * abs(one.gain.start):
        return False  # that is divergence, TR105
    return one.share < limits.least_gain or (one.share < limits.net_gain and one.gain.p_better > limits.p)


def _stuck(one: _Course, limits: NotLearning.Thresholds) -> bool:
    return one.share < limits.metric_gain


def _guessing(one: _Course, limits: NotLearning.Thresholds) -> bool:
    """Return whether a share metric where higher is better stays low enough to be guessing."""
    level = -one.gain.best / (100 if wording.is_percent(one.curve) else 1)
    return wording.is_share(one.curve) and one.curve.direction > 0 and level <= limits.guessing


def _from_to(one: _Course) -> str:
    sign = -one.curve.direction
    start, end = wording.values(one.curve, sign * one.gain.start, sign * one.gain.last)
    return f" from {start} to {end}"


DETECTOR = NotLearning()
