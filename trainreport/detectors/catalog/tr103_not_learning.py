"""TR103: not learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.course import SURE, Course, courses, criterion_met
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_BENCH = "DeepOBS, 675 runs: none of those flagged reached the target, none at the best rate is flagged"


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
    (regularisation shrinks, for one) is found as well, lowered to major. Where the plan says what guessing gives, on whichever data, only
    what goes beyond that is a gain, and beside a loss that has not learnt a share that may be guessing needs 5 % of the way to perfect.
    A run that meets the plan's criterion is clear: it began from a good checkpoint. Where rewards were logged they decide, and no loss
    does: in reinforcement learning it need not fall. A curve that breaks is judged up to there.

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
        if met := criterion_met(case):
            return self.clear(met)
        seen = courses(case, limits.points)
        if not seen:
            return self.not_applicable(f"no loss or metric has {limits.points:g} finite points before it breaks or ends")
        planned, reached = case.plan.training.steps, max((int(one.curve.step[-1]) for one in seen if one.curve.has_step), default=None)
        if planned and reached is not None and reached < limits.begun * planned:
            return self.not_applicable(f"barely begun: step {reached:,} of {planned:,} planned")
        losses, metrics = [one for one in seen if one.is_loss], [one for one in seen if not one.is_loss]
        flat = [one for one in losses[:1] if _flat(one, limits)]
        stuck = [one for one in metrics if _stuck(one, bool(flat), limits)]
        if len(stuck) < len(metrics):
            best = max((one for one in metrics if one not in stuck), key=lambda one: one.share)
            return self.clear(f"{wording.series(best.curve)} {best.moved}")
        if losses and _lost_again(losses[0], limits):
            return self.clear(_why_clear(losses[0]))
        if flat or (stuck and (not losses or any(_guessing(one, limits) for one in stuck))):
            return self.found(self._finding(case, [*flat, *stuck], losses[:1], limits))
        return self.clear(_why_clear(losses[0]))

    def _finding(self, case: Case, still: list[Course], losses: list[Course], limits: Thresholds) -> Finding:
        one, curve = still[0], still[0].curve
        fell = bool(losses and not one.is_loss)
        name = words.capital(wording.series(curve))
        span = f"from {wording.place(curve, 0)} to {wording.place(curve, len(curve) - 1)}"
        although = f", although {wording.series(losses[0].curve)} fell by {words.share(losses[0].share)}" if fell else ""
        return self.finding(
            f"{name} shows no learning {span}: it {one.moved}{although}.",
            evidence=(
                reading.evidence(curve, f"net gain in {wording.series(curve)}", one.share, "first values against the last 5 %", unit="1"),
                reading.evidence(curve, "chance of such a trend without learning", one.gain.p_better, "Mann-Kendall", unit="1"),
            ),
            action=Action(
                "Stop the run; try the learning rate ten times lower and higher, then check data and labels, then the architecture.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=Confidence.HIGH if one.is_loss and len(curve) >= 20 else Confidence.MEDIUM,
            severity=Severity.MAJOR if fell else None,
            limits=limits,
            waste=reading.waste_after(case, curve),
            curve=curve,
        )


def _flat(one: Course, limits: NotLearning.Thresholds) -> bool:
    """Return whether a loss ends where it began, and had not been clearly better in between."""
    if _lost_again(one, limits):
        return False
    return one.share < limits.least_gain or (one.share < limits.net_gain and one.gain.p_better > limits.p)


def _lost_again(one: Course, limits: NotLearning.Thresholds) -> bool:
    """Return whether it had learned and lost half of that again: divergence, TR105."""
    learned = one.gain.most >= limits.net_gain * abs(one.gain.start) and one.gain.most > SURE * one.gain.error
    return learned and 2 * one.gain.net <= one.gain.most


def _stuck(one: Course, flat: bool, limits: NotLearning.Thresholds) -> bool:
    """Return whether a metric gained too little, or nothing that stands out of its noise.

    Beside a flat loss a share that may be guessing needs as much as a loss does: a change of which class is
    predicted for all moves it by a few points.
    """
    beyond_noise = one.gain.p_better <= limits.p or one.gain.net > SURE * one.gain.error
    doubtful = flat and (_guessing(one, limits) or one.chance is not None)
    return one.share < (limits.net_gain if doubtful else limits.metric_gain) or not beyond_noise


def _guessing(one: Course, limits: NotLearning.Thresholds) -> bool:
    """Return whether a share metric where higher is better stays low enough to be guessing."""
    level = -one.gain.best / one.curve.whole
    return one.curve.is_share and one.curve.direction > 0 and level <= limits.guessing


def _why_clear(one: Course) -> str:
    name = wording.series(one.curve)
    if 2 * one.gain.net <= one.gain.most and one.gain.most > 0:
        best, last = wording.values(one.curve, -one.curve.direction * one.gain.best, -one.curve.direction * one.gain.last)
        return f"{name} learnt first, to {best}, and lost it again, to {last}: that is divergence, not a lack of learning"
    return f"{name} {one.moved}, a gain of {words.share(one.share)}"


DETECTOR = NotLearning()
