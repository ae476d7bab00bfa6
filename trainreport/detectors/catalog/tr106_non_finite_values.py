"""TR106: values that are not numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity
from trainreport.model.schema import NOT_FINITE
from trainreport.model.series import direction

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

END = "share of non-finite values in the last 5 % of points"
"""Name of the second evidence; the decision policy reads it."""


class _Broken(NamedTuple):
    """A curve with values that are not finite."""

    curve: Curve
    bad: int
    first: int
    leading: bool
    """Whether they all stand at the beginning."""
    at_end: float
    """Share of them in the last 5 %."""


class NonFiniteValues(Detector):
    """The loss, a metric or the gradient is not a number, or infinite.

    What it checks
    --------------
    Every series with a known direction on training or held-out data, and the gradient norm.

    Why it matters
    --------------
    One step with a gradient that is not a number makes every weight useless, and all compute after it is lost.

    How it decides
    --------------
    Any value that is logged as NaN or infinite counts; a value that was not logged does not. A run that ends without
    finite values is critical; one that recovers is lowered to major. When a loss is logged, the loss says how the run ended.
    Two things are no finding: metrics other than losses that are undefined at the very start (a reward before the first episode), and
    a gradient norm that is infinite at few steps while the losses stay finite (mixed precision skips such steps on purpose).

    What to do
    ----------
    - Go back to the last good checkpoint; lower the learning rate, or clip gradients.
    - Look at the batch of the first bad step: empty targets, zero divisions, logarithms of zero.
    - In half precision: use loss scaling, or bfloat16.

    Limits
    ------
    A run that skips logging when the loss is not a number looks healthy. A metric that is undefined by nature (AUC of one class)
    is counted, with medium confidence. Steps that a restart made void are not counted.

    References
    ----------
    - Micikevicius et al., Mixed Precision Training, ICLR 2018 (loss scaling).
    - Zhang et al., AUTOTRAINER, ICSE 2021; Schoop et al., UMLAUT, CHI 2021.
    """

    code = "TR106"
    name = "non-finite-values"
    severity = Severity.CRITICAL
    needs = ("a loss, a metric or a gradient norm",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR106."""

        skipped_share: float = threshold(
            0.01,
            unit="share",
            why="Infinite gradient norms that loss scaling explains.",
            low=0,
            high=0.2,
            source="PyTorch's GradScaler skips about 1 step in 2,000, more at first",
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        pairs = _pairs(case, only_bad=False)
        if not pairs:
            return self.not_applicable("no loss, metric or gradient norm was logged")
        curves = [curve for pair in _pairs(case, only_bad=True) if (curve := case.curve(*pair)) is not None]
        broken = [one for one in map(_look, curves) if one is not None]
        real = [one for one in broken if not _expected(one, broken, limits)]
        if not real:
            return self.clear(_why_clear(broken, len(pairs)))
        worst = max(real, key=lambda one: (reading.is_loss(one.curve.series), one.at_end, one.bad))
        return self.found(
            self.finding(
                _message(worst, [one for one in real if one is not worst]),
                evidence=_evidence(case, worst),
                action=Action(
                    "Restart from the last good checkpoint with a lower learning rate and clipped gradients; check the batch of that step.",
                    owner="ML engineer",
                    effort="an hour",
                ),
                confidence=Confidence.HIGH if reading.is_loss(worst.curve.series) else Confidence.MEDIUM,
                severity=Severity.CRITICAL if _evidence(case, worst)[1].value >= 0.5 else Severity.MAJOR,
                limits=limits,
                waste=reading.waste_after(case, worst.curve, worst.first) if worst.at_end >= 0.5 else None,
                curve=worst.curve,
            )
        )


def _pairs(case: Case, *, only_bad: bool) -> list[tuple[str, str]]:
    frame = case.log.frame
    rows = frame["phase"] != "system"
    if only_bad:
        rows &= (frame["flags"] & NOT_FINITE) > 0
    found = frame.loc[rows, ["series", "phase"]].drop_duplicates()
    pairs = [(str(a), str(b)) for a, b in zip(found["series"], found["phase"], strict=True)]
    return sorted(pair for pair in pairs if direction(pair[0]) or pair[0] == "gradient/norm")


def _look(curve: Curve) -> _Broken | None:
    import numpy as np

    bad = ~np.isfinite(curve.value)
    if not bad.any():
        return None
    at = np.flatnonzero(bad)
    return _Broken(curve, len(at), int(at[0]), bool(at[-1] == len(at) - 1 < len(bad) - 1), _share_at_end(curve))


def _share_at_end(curve: Curve) -> float:
    import numpy as np

    return float(np.mean(~np.isfinite(curve.value[-max(1, round(0.05 * len(curve))) :])))


def _expected(one: _Broken, broken: list[_Broken], limits: NonFiniteValues.Thresholds) -> bool:
    if one.curve.series == "gradient/norm":
        few = one.bad <= max(1.0, limits.skipped_share * len(one.curve)) and one.at_end < 0.5
        return few and not any(reading.is_loss(other.curve.series) for other in broken)
    return one.leading and not reading.is_loss(one.curve.series)


def _message(one: _Broken, others: list[_Broken]) -> str:
    curve, total = one.curve, len(one.curve)
    name = wording.series(curve).capitalize()
    also = f"; also {', '.join(wording.series(other.curve) for other in others[:3])}" if others else ""
    counted = f"{one.bad:,} of {total:,} values ({wording.share(one.bad / total)}) are NaN or infinite"
    good = f"the last good value before it is at {wording.place(curve, one.first - 1)}" if one.first else "there is no good value before it"
    if one.at_end >= 0.5:
        return f"{name} stopped being a number at {wording.place(curve, one.first)} and did not recover: {counted}; {good}{also}."
    return f"{name} was not a number first at {wording.place(curve, one.first)} and recovered: {counted}; {good}{also}."


def _evidence(case: Case, one: _Broken) -> tuple[Evidence, ...]:
    """Return count, state of the end, first step; where losses are logged, they say how the run ended."""
    losses = [curve for phase in ("train", "validation", "test") if (curve := case.curve("loss", phase)) is not None]
    ends = losses or [one.curve]
    method = f"highest of {', '.join(wording.series(curve) for curve in ends)}"
    return (
        reading.evidence(one.curve, "non-finite values", one.bad, "count", unit="1", first=one.first),
        reading.evidence(one.curve, END, max(_share_at_end(curve) for curve in ends), method, unit="1"),
        reading.evidence(
            one.curve, "first step that is not finite", float(one.curve.step[one.first]), "as logged", unit="1", first=one.first
        ),
    )


def _why_clear(broken: list[_Broken], pairs: int) -> str:
    if not broken:
        return f"all values of {pairs} series are finite"
    one = broken[0]
    cause = "skipped by loss scaling, as the losses stayed finite" if one.curve.series == "gradient/norm" else "before the first value"
    return f"{one.bad:,} values of {wording.series(one.curve)} are not finite, {cause}; all others are"


DETECTOR = NonFiniteValues()
