"""TR114: validation that looks too good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.trained import matched
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_NULL = "AlgoPerf runs of 10 evaluations or more: validation at most 0.4 points above training, test at most 1.9 above validation"
_AUGMENTED = "strong augmentation (mixup, heavy dropout) explains some 10 points; not validated on labels"
_SAME = 1e-9


class _Suspicion(NamedTuple):
    curve: Curve
    text: str
    evidence: Evidence
    confidence: Confidence


class SuspiciousValidation(Detector):
    """The values on held-out data look too good to be of data that the model has not seen.

    What it checks
    --------------
    Losses and metrics on training, validation and test data against each other; metrics that are shares (accuracy, F1, AUC …) by
    their level.

    Why it matters
    --------------
    When held-out data leak into training, or the answer leaks into the features, every figure of the report is too good, and
    shows so only in use. This is a suspicion to be looked into, never a proof.

    How it decides
    --------------
    Any of four is a suspicion. Two curves of different data are the same, value by value, at five steps or more. A metric
    stands at 99.5 % or above at its first evaluation, within the first tenth of the run. Validation is better than training by
    15 points over the second half of the run and makes less than a third of its errors. Test is better than
    validation by 5 points.

    What to do
    ----------
    - Check that no row, patient, user or period is in both sets, and that near-duplicates were removed before the split.
    - Check features for the answer itself or what is known only afterwards; fit scalers and encoders on training data alone.
    - Measure once more on fresh data, before anything is decided on these figures.

    Limits
    ------
    An easy task, a model that was trained before, or very uneven classes may look the same. A leak of usual size does not
    show in curves at all: silence is no proof of clean data. Losses are never compared by level, as training and validation
    may be different losses.

    References
    ----------
    - Kapoor and Narayanan, Leakage and the Reproducibility Crisis in Machine-Learning-Based Science, Patterns 4 (2023).
    - Kaufman, Rosset, Perlich, Leakage in Data Mining, KDD 2011.
    """

    code = "TR114"
    name = "suspicious-validation"
    severity = Severity.MAJOR
    needs = ("a loss or metric on held-out data", "the same on training or test data, to compare with")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR114."""

        perfect: float = threshold(0.995, unit="share", why="Few tasks start there.", low=0.5, high=1, source="convention")
        early: float = threshold(0.1, unit="share", why="Of the run; later it may have been learned.", low=0, high=1, source="convention")
        above_training: float = threshold(0.15, unit="share", why="In points; augmentation costs less.", low=0, high=1, source=_AUGMENTED)
        errors: float = threshold(1 / 3, unit="share", why="Of the errors in training.", low=0, high=1, source=_AUGMENTED)
        above_validation: float = threshold(0.05, unit="share", why="In points; splits differ by less.", low=0, high=1, source=_NULL)
        points: float = threshold(5, unit="points", why="Equal by chance in fewer.", low=3, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        unseen = {(curve.series, curve.phase): curve for curve in reading.held_out_first(case)}
        curves = [curve for curve in unseen.values() if not curve.series.startswith("reward")]
        if not curves:
            return self.not_applicable("no loss or metric was logged on held-out data")
        found = [one for one in (_identical(case, curves, limits), _perfect(case, curves, limits), _above(case, curves, limits)) if one]
        if found:
            return self.found(*(self._finding(one, limits) for one in found))
        return self.clear(
            f"nothing looks too good in {words.joined([wording.series(curve) for curve in curves], 3)}: {_best_gap(case, curves)}"
        )

    def _finding(self, one: _Suspicion, limits: Thresholds) -> Finding:
        return self.finding(
            one.text,
            evidence=(one.evidence,),
            action=Action(
                "Check the split and the features for leaks, and measure once more on fresh data.", owner="Data lead", effort="a day"
            ),
            confidence=one.confidence,
            limits=limits,
            curve=one.curve,
        )


def _pairs(case: Case, curves: list[Curve]) -> list[tuple[Curve, Curve]]:
    """Return curves of held-out data beside the same series on training or test data."""
    found = []
    for curve in curves:
        for phase in ("train", "test"):
            other = case.curve(curve.series, phase)
            if phase != curve.phase and other is not None and len(other := reading.finite(other)):
                found.append((curve, other))
    return found


def _identical(case: Case, curves: list[Curve], limits: SuspiciousValidation.Thresholds) -> _Suspicion | None:
    import numpy as np

    for curve, other in _pairs(case, curves):
        one, two, at = matched(curve, other)
        if len(at) >= limits.points and np.ptp(one) > 0 and (np.abs(one - two) <= _SAME * np.abs(one)).all():
            text = (
                f"{words.capital(wording.series(curve))} and {wording.series(other)} are the same value at all {len(at):,} steps that both "
                "have: the suspicion is that both were measured on the same data."
            )
            stated = reading.evidence(curve, "values that are the same", len(at), "compared at the same step", unit="1")
            return _Suspicion(curve, text, stated, Confidence.HIGH)
    return None


def _perfect(case: Case, curves: list[Curve], limits: SuspiciousValidation.Thresholds) -> _Suspicion | None:
    for curve in curves:
        first = _level(curve, float(curve.value[0]))
        if curve.direction < 0 or first is None or first < limits.perfect or len(curve) < limits.points:
            continue
        if _share_of_run(case, curve) > limits.early:
            continue
        text = (
            f"{words.capital(wording.series(curve))} stands at {words.share(first)} from the first evaluation on, at "
            f"{wording.place(curve, 0)}: the suspicion is that the answer leaks, unless the model was trained before."
        )
        stated = reading.evidence(curve, f"first {wording.series(curve)}", first, "as logged", unit="1", last=0)
        return _Suspicion(curve, text, stated, Confidence.LOW)
    return None


def _above(case: Case, curves: list[Curve], limits: SuspiciousValidation.Thresholds) -> _Suspicion | None:
    """Return a metric that is better on held-out data than on training data, or on test data than on validation data."""
    for curve, other in _pairs(case, curves):
        levels = _late_levels(curve, other)
        if levels is None:
            continue
        held, beside = levels
        trained = other.phase == "train"
        gap = held - beside if trained else beside - held
        errors = (1 - held) < limits.errors * (1 - beside)
        if gap < (limits.above_training if trained else limits.above_validation) or (trained and not errors):
            continue
        better, worse = (curve, other) if trained else (other, curve)
        high, low = words.share(max(held, beside)), words.share(min(held, beside))
        excuse = ", if augmentation does not explain it" if trained else ""
        text = (
            f"{words.capital(wording.series(better))} is {high} where {wording.series(worse)} is {low}: "
            f"the suspicion is that data leaked{excuse}."
        )
        method = "medians over the second half of the run" if trained else "medians of the second half of both curves"
        stated = reading.evidence(better, f"points above {wording.series(worse)}", gap, method, unit="1")
        return _Suspicion(better, text, stated, Confidence.MEDIUM if min(len(curve), len(other)) >= limits.points else Confidence.LOW)
    return None


def _late_levels(curve: Curve, other: Curve) -> tuple[float, float] | None:
    """Return the levels of two curves in the second half of the run, as shares; None where they are no shares."""
    import numpy as np

    if not curve.is_share or curve.direction < 0:
        return None
    part = reading.since(other, curve, len(curve) // 2)
    if not len(part):
        return None
    held, beside = (_level(one, float(np.median(values))) for one, values in ((curve, curve.value[len(curve) // 2 :]), (other, part.value)))
    return None if held is None or beside is None else (held, beside)


def _level(curve: Curve, value: float) -> float | None:
    """Return a value of a share metric as a share; None for other series."""
    return value / curve.whole if curve.is_share else None


def _share_of_run(case: Case, curve: Curve) -> float:
    """Return how far into the run the first evaluation lies, by step; 0 where that is not known."""
    steps = [one.step for one in (*reading.training(case), curve) if one.has_step]
    if not curve.has_step or not steps:
        return 0.0
    first, last = min(int(one[0]) for one in steps), max(int(one[-1]) for one in steps)
    return (int(curve.step[0]) - first) / (last - first) if last > first else 0.0


def _best_gap(case: Case, curves: list[Curve]) -> str:
    gaps = [
        held - beside
        for curve, other in _pairs(case, curves)
        if other.phase == "train" and (told := _late_levels(curve, other))
        for held, beside in [told]
    ]
    if not gaps:
        return "no metric on both training and held-out data is a share, so levels were not compared"
    gap = max(gaps)
    return f"validation is {abs(gap) * 100:.1f} points {'above' if gap > 0 else 'below'} training"


DETECTOR = SuspiciousValidation()
