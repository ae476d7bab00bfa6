"""TR101: overfitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.heldout import HeldOut, deciding_of, held_out, training_course
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_FITTED = "chosen on OverfitGuard's 419 simulated histories; macro-F1 0.99 with each of its data sets left out in turn"
_NULL = "1,401 healthy runs of DeepOBS and AlgoPerf: 3 flagged, and those do fall by 2 to 5 points"


class Overfitting(Detector):
    """The model goes on learning the training data while it gets worse on data it has not seen.

    What it checks
    --------------
    Every series on held-out data (validation, else test) that has a direction: the loss, and metrics such as accuracy.

    Why it matters
    --------------
    From the turning point on, each step is paid for and makes the model worse where it will be used. More training makes
    it worse still; the best model is the one saved at the turning point.

    How it decides
    --------------
    The best value is the optimum of a running median over a tenth of the curve, the end is the median of its last 5 %.
    A series has got worse when the way back is large (a relative rise for losses, points for shares such as accuracy),
    is a fair part of all that had been gained, and stands out of the noise. It is overfitting when the training curve went on
    improving, or held its level, after the optimum. What was never learned cannot be lost: the best must stand clear of guessing where
    the plan gives that, else of the start, beyond noise, unless training shows that much was learned before it. Only trends are
    compared, never levels, and points are matched by step or time.

    Metrics decide where there are any, at least half of them; precision and recall count only when nothing else does, since they
    are traded for each other. A loss decides where no metric was logged or the plan names it as a criterion. A held-out loss
    that rises while the metrics hold is less calibrated, not less right: that is TR115.

    What to do
    ----------
    - Go back to the checkpoint of the best value; do not train longer.
    - Cheapest first: stop early by rule, regularise (weight decay, dropout), augment, get more or cleaner data.
    - When it was regularised already and comes back, go back to data preparation.

    Limits
    ------
    Where training and held-out loss are not the same quantity (distillation, strong augmentation), a rise may be harmless. With fewer
    than ten evaluations noise cannot be judged well, and confidence is low. Without a training curve it cannot be told from a run
    that broke; that is said. Rewards are left out: there is no held-out data in reinforcement learning.

    References
    ----------
    - Li et al., Keeping Deep Learning Models in Check: A History-Based Approach to Mitigate Overfitting (OverfitGuard), IEEE Access 2024.
    - Prechelt, Early Stopping - But When? (1998).
    - Guo et al., On Calibration of Modern Neural Networks, ICML 2017: the loss may overfit while accuracy does not.
    """

    code = "TR101"
    name = "overfitting"
    severity = Severity.MAJOR
    needs = ("a loss or metric on validation or test data", "the same or the loss on training data, to be sure")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR101."""

        relative_rise: float = threshold(0.04, unit="share", why="A loss must rise by this to matter.", low=0, high=10, source=_FITTED)
        drop: float = threshold(0.02, unit="share", why="A share such as accuracy must fall by this.", low=0, high=1, source=_NULL)
        lost_gain: float = threshold(0.04, unit="share", why="Part of all gains; for losses near zero.", low=0, high=1, source=_FITTED)
        sigmas: float = threshold(
            4, unit="standard errors", why="Out of the noise; 3 does alike, 5 misses more.", low=0, high=50, source=_FITTED
        )
        evaluations: float = threshold(5, unit="evaluations", why="Fewer show no turn.", low=4, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        names = [name for name in case.quality_series() if not name.startswith("reward")]
        if not names:
            return self.not_applicable("no loss or metric was logged on held-out data, so what the model does on unseen data is not known")
        seen = [one for name in names if (one := held_out(case, name, limits.evaluations)) is not None]
        if not seen:
            return self.not_applicable(f"fewer than {limits.evaluations:g} finite evaluations on held-out data: too few to show a turn")
        gates = (limits.relative_rise, limits.drop, limits.lost_gain, limits.sigmas)
        worse = [one for one in seen if one.worse(*gates)]
        overfit = [one for one in worse if one.training_held]
        deciding = deciding_of(case, seen)
        votes = [one for one in deciding if one in overfit]
        if votes and 2 * len(votes) >= len(deciding):
            return self.found(self._finding(case, [*votes, *(one for one in overfit if one not in votes)], limits))
        return self.clear(_why_clear(seen, deciding, worse, overfit))

    def _finding(self, case: Case, worse: list[HeldOut], limits: Thresholds) -> Finding:
        first = worse[0]
        return self.finding(
            _message(first),
            evidence=tuple(item for one in worse for item in _evidence(one)),
            action=Action(
                "Stop and go back to the best checkpoint; then, cheapest first: stop early by rule, regularise, augment, get more data.",
                owner="ML engineer",
                effort="an hour to go back, days to mend",
            ),
            confidence=_confidence(first, len(worse), limits),
            limits=limits,
            waste=reading.waste_after(case, first.curve, first.best_at),
            curve=first.curve,
        )


def _confidence(first: HeldOut, agreeing: int, limits: Any) -> Confidence:
    if first.training is None or first.rise.n < 10:
        return Confidence.LOW
    clear_cut = first.rise.share_of_gain > 2 * limits.lost_gain and first.rise.sigmas > 2 * limits.sigmas and first.rise.n >= 20
    return Confidence.HIGH if agreeing > 1 or clear_cut else Confidence.MEDIUM


def _message(one: HeldOut) -> str:
    curve = one.curve
    best, last = wording.values(curve, *one.best_and_last)
    verb = "rose" if curve.direction < 0 else "fell"
    text = f"{words.capital(wording.series(curve))} {verb} from {best} at {wording.place(curve, one.best_at)} to {last}"
    if one.training is None:
        return f"{text}; no training curve was logged after it to compare with, so the run may also have broken."
    return f"{text} while {wording.series(one.training)} {training_course(one.training)}."


def _evidence(one: HeldOut) -> tuple[Evidence, ...]:
    rise, curve = one.rise, one.curve
    name, spread = wording.series(curve), 1.96 * rise.error
    way = "median of the last 5 % against the optimum of a running median over a tenth of the curve"
    loss = reading.evidence(
        curve, f"worsening of {name} since its best", rise.rise, way, low=rise.rise - spread, high=rise.rise + spread, first=one.best_at
    )
    share = reading.evidence(curve, f"part of the gain in {name} lost again", rise.share_of_gain, way, unit="1", first=one.best_at)
    return loss, share


def _why_clear(seen: list[HeldOut], deciding: list[HeldOut], worse: list[HeldOut], overfit: list[HeldOut]) -> str:
    if overfit:
        best, last = wording.values(overfit[0].curve, *overfit[0].best_and_last)
        return f"{wording.series(overfit[0].curve)} went from {best} to {last}, but most of what the model is wanted for held (see TR115)"
    if worse:
        return f"{wording.series(worse[0].curve)} got worse, but training did too: the run broke, it did not overfit"
    nothing = next((one.unlearned for one in deciding if one.unlearned), None)
    if nothing:
        return nothing
    best, last = wording.values(seen[0].curve, *seen[0].best_and_last)
    return f"{wording.series(seen[0].curve)} ended at {last}, its best was {best}: no fall beyond limits and noise"


DETECTOR = Overfitting()
