"""TR403: baseline not beaten."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.smooth import noise_before

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Criterion


class BaselineNotBeaten(Detector):
    """The best model is no better than the simple one.

    What it checks
    --------------
    The best value of each criterion that has a baseline, beside that baseline and the noise of the curve.

    Why it matters
    --------------
    A model that does not beat a simple one costs more to run, to explain and to look after, and gains nothing.

    How it decides
    --------------
    It is a finding when the best value does not lie beyond the baseline by more than two standard deviations of the noise of its
    curve, up to its best: what it does later says nothing of that. A value that lies beyond it by less is minor: it may be better,
    and it was not shown.

    What to do
    ----------
    - Check the data and its labels; a simple model that is hard to beat often has all the signal there is.
    - Use the simple model.

    Limits
    ------
    The baseline is taken as it stands in the plan. Its own noise is not known, so a narrow win needs repeated runs of both.

    References
    ----------
    - Sculley et al., Winner's Curse? On Pace, Progress, and Empirical Rigor, ICLR 2018 workshop.
    """

    code = "TR403"
    name = "baseline-not-beaten"
    severity = Severity.MAJOR
    needs = ("a criterion with a baseline, and its series",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR403."""

        sigmas: float = threshold(2, unit="standard deviations", why="Less may be luck.", low=0, high=10, source="95 % of a normal")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge the run with the best checkpoint."""
        given = [one for one in case.plan.criteria if one.baseline is not None]
        if not given:
            return self.not_applicable("no criterion of the plan has a baseline")
        measured = [(one, curve) for one in given if (curve := _curve(case, one)) is not None]
        if not measured:
            return self.not_applicable("no series with a baseline was logged")
        lost = [self._finding(one, curve, limits) for one, curve in measured if _margin(one, curve) <= limits.sigmas * _spread(curve)]
        if lost:
            return self.found(*lost)
        one, curve = measured[0]
        return self.clear(f"{wording.series(curve)} beats the baseline of {one.baseline:g} by {words.number(_margin(one, curve))}")

    def _finding(self, one: Criterion, curve: Curve, limits: Thresholds) -> Finding:
        margin, spread, name = _margin(one, curve), _spread(curve), wording.series(curve)
        best, simple = wording.values(curve, reading.best(curve), reading.in_unit_of(curve, one, one.baseline or 0.0))
        narrow = margin > 0
        how = f"is better by less than its own noise ({words.number(spread)})" if narrow else "is no better than that"
        return self.finding(
            f"The simple model that the plan compares with has {simple}; the best {name}, {best}, {how}.",
            evidence=(reading.evidence(curve, f"margin of the best {name} over the baseline", margin, "best value less baseline"),),
            action=Action("Use the simple model, or find out from the data what it cannot use.", "Data lead", "a day"),
            confidence=Confidence.MEDIUM if narrow or len(curve) < 5 else Confidence.HIGH,
            limits=limits,
            severity=Severity.MINOR if narrow else None,
            curve=curve,
        )


def _curve(case: Case, one: Criterion) -> Curve | None:
    curve = case.curve(one.series, one.phase)
    curve = None if curve is None or not curve.direction else reading.finite(curve)
    return curve if curve is not None and len(curve) else None


def _margin(one: Criterion, curve: Curve) -> float:
    """Return by how much the best value is better than the baseline, in the curve's unit."""
    return one.sign * (reading.best(curve) - reading.in_unit_of(curve, one, one.baseline or 0.0))


def _spread(curve: Curve) -> float:
    spread = noise_before(curve.value, int(reading.turned(curve).argmin()))
    return spread if math.isfinite(spread) else 0.0


DETECTOR = BaselineNotBeaten()
