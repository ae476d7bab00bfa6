"""TR102: underfitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.plateau import Plateau, plateau

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Criterion

_RULE = "proposed together with plateau and target missed on both; not validated on labels"
_PLATEAU = "as in TR104: F1 0.91 on DeepOBS, 0.82 on AlgoPerf for no gain in the next half of the budget"


class _Pair(NamedTuple):
    """Training and held-out curve of one criterion."""

    criterion: Criterion
    training: Curve
    held_out: Curve
    flat: Plateau


class Underfitting(Detector):
    """The model has stopped learning short of the target, on the training data as well as on data it has not seen.

    What it checks
    --------------
    Each criterion of the plan whose series was logged on training and on held-out data.

    Why it matters
    --------------
    A model that cannot even fit the data it was shown will not reach the target by more of the same training, nor by more data.

    How it decides
    --------------
    The held-out curve is at a plateau (see TR104), its best value misses the target, the best value in training misses it too, and
    the two lie close to each other. What they stopped at is the median of the last third. Where the plan gives a
    baseline or the level of guessing, the message says how it compares.

    What to do
    ----------
    - Cheapest first: raise or reschedule the learning rate, and reduce regularisation.
    - Then better features or labels, and more capacity; longer training only while the curve still improves.

    Limits
    ------
    A curve alone does not show underfitting: without a target this cannot be told. Training values that are averaged over an epoch, or
    taken with dropout and augmentation, lie below what the model can do.

    References
    ----------
    - Goodfellow, Bengio, Courville, Deep Learning (2016), chapters 5.2 and 11.4.
    - Ng, Machine Learning Yearning (2018), chapters 20 to 28.
    """

    code = "TR102"
    name = "underfitting"
    severity = Severity.MAJOR
    needs = ("a criterion in the plan", "its series on training and on held-out data")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR102."""

        gap: float = threshold(0.05, unit="share", why="Largest gap, of points for shares, else relative.", low=0, high=1, source=_RULE)
        flat: float = threshold(0.005, unit="share", why="Gain of the last third, of the range.", low=0, high=0.5, source=_PLATEAU)
        evaluations: float = threshold(12, unit="evaluations", why="4 in the last third.", low=6, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if not case.plan.criteria:
            return self.not_applicable("cannot tell without a target: the plan has no criterion")
        pairs = [pair for one in case.plan.criteria if (pair := _pair(case, one, limits)) is not None]
        if not pairs:
            return self.not_applicable(
                f"no criterion has its series both on training and on held-out data with {limits.evaluations:g} finite points"
            )
        short = [pair for pair in pairs if _short(pair, limits)]
        if short:
            return self.found(*(self._finding(pair, limits) for pair in short))
        return self.clear(_why_clear(pairs[0], limits))

    def _finding(self, pair: _Pair, limits: Thresholds) -> Finding:
        curve, best, trained = pair.held_out, reading.best(pair.held_out), reading.best(pair.training)
        target = reading.in_unit_of(curve, pair.criterion, pair.criterion.threshold)
        levels = [_level(pair.held_out), _level(pair.training)]
        *shown, wanted = wording.values(curve, levels[0], best, levels[1], trained, target)
        name = words.capital(wording.series(curve))
        return self.finding(
            f"{name} stopped improving at {_stopped(*shown[:2])} and {wording.series(pair.training)} at {_stopped(*shown[2:])}; "
            f"both miss the target of {wanted}{_compared(pair)}.",
            evidence=tuple(
                reading.evidence(one, f"level of {wording.series(one)}", level, "median of the last third", first=-(len(one) // 3))
                for one, level in zip((curve, pair.training), levels, strict=True)
            ),
            action=Action(
                "Tune the learning rate and reduce regularisation; if that does not help, improve features and labels, then capacity.",
                owner="ML engineer",
                effort="days",
            ),
            confidence=Confidence.HIGH if min(len(curve), len(pair.training)) >= 30 else Confidence.MEDIUM,
            limits=limits,
            curve=curve,
        )


def _pair(case: Case, criterion: Criterion, limits: Underfitting.Thresholds) -> _Pair | None:
    curve = case.curve(criterion.series, criterion.phase)
    if curve is None or curve.phase == "train" or not curve.direction:
        return None
    training, curve = case.curve(curve.series, "train"), reading.finite(curve)
    if training is None or len(curve) < limits.evaluations:
        return None
    training = reading.finite(training)
    if len(training) < limits.evaluations:
        return None
    flat = plateau(curve.step.astype(float), reading.turned(curve), limits.flat)
    return _Pair(criterion, training, curve, flat)


def _short(pair: _Pair, limits: Underfitting.Thresholds) -> bool:
    missed = not any(reading.meets(pair.criterion, curve, reading.best(curve)) for curve in (pair.held_out, pair.training))
    return missed and pair.flat.flat(limits.flat) and abs(_gap(pair)) <= limits.gap


def _gap(pair: _Pair) -> float:
    """Return how far training is better: in points for shares, else relative to the held-out value."""
    held, trained = reading.best(pair.held_out), reading.best(pair.training)
    if pair.held_out.is_share:
        return (trained - held) / pair.held_out.whole
    return (trained - held) / abs(held) if held else 0.0


def _level(curve: Curve) -> float:
    """Return what a curve stopped at: the median of its last third, which no single lucky value moves."""
    import numpy as np

    return float(np.median(curve.value[-(len(curve) // 3) :]))


def _stopped(level: str, best: str) -> str:
    return level if level == best else f"{level} (best {best})"


def _compared(pair: _Pair) -> str:
    one, curve = pair.criterion, pair.held_out
    given = [("the baseline", one.baseline), ("guessing", one.chance)]
    return "".join(
        f"; {name} gives {wording.values(curve, reading.in_unit_of(curve, one, value))[0]}" for name, value in given if value is not None
    )


def _why_clear(pair: _Pair, limits: Underfitting.Thresholds) -> str:
    name = wording.series(pair.held_out)
    best, trained = wording.values(pair.held_out, reading.best(pair.held_out), reading.best(pair.training))
    if reading.meets(pair.criterion, pair.held_out, reading.best(pair.held_out)):
        return f"{name} meets the target with {best}"
    if not pair.flat.flat(limits.flat):
        return f"{name} is still improving, {best} so far"
    if reading.meets(pair.criterion, pair.training, reading.best(pair.training)):
        return f"training reaches the target with {trained}, {name} {best}: it fits what it was shown"
    return f"training reaches {trained}, {name} {best}: they lie too far apart for underfitting alone"


DETECTOR = Underfitting()
