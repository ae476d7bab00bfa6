"""TR106: values that are not numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.breaks import Broken, broken, share_at_end, watched_series
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

END = "share of non-finite values in the last 5 % of points"
"""Name of the second evidence; the decision policy reads it."""


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
        watched = watched_series(case)
        if not watched:
            return self.not_applicable("no loss, metric or gradient norm was logged")
        found = broken(case)
        real = [one for one in found if not _expected(one, found, limits)]
        if not real:
            return self.clear(_why_clear(found, len(watched)))
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


def _expected(one: Broken, every: list[Broken], limits: NonFiniteValues.Thresholds) -> bool:
    if one.curve.series == "gradient/norm":
        few = one.bad <= max(1.0, limits.skipped_share * len(one.curve)) and one.at_end < 0.5
        return few and not any(reading.is_loss(other.curve.series) for other in every)
    return one.leading and not reading.is_loss(one.curve.series)


def _message(one: Broken, others: list[Broken]) -> str:
    curve, total = one.curve, len(one.curve)
    name = words.capital(wording.series(curve))
    also = f"; also {', '.join(wording.series(other.curve) for other in others[:3])}" if others else ""
    counted = f"{one.bad:,} of {total:,} values ({words.share(one.bad / total)}) are NaN or infinite"
    good = f"the last good value before it is at {wording.place(curve, one.first - 1)}" if one.first else "there is no good value before it"
    if one.at_end >= 0.5:
        return f"{name} stopped being a number at {wording.place(curve, one.first)} and did not recover: {counted}; {good}{also}."
    return f"{name} was not a number first at {wording.place(curve, one.first)} and recovered: {counted}; {good}{also}."


def _evidence(case: Case, one: Broken) -> tuple[Evidence, ...]:
    """Return count, state of the end, first step; where losses are logged, they say how the run ended."""
    losses = [curve for phase in ("train", "validation", "test") if (curve := case.curve("loss", phase)) is not None]
    ends = losses or [one.curve]
    method = f"highest of {', '.join(wording.series(curve) for curve in ends)}"
    return (
        reading.evidence(one.curve, "non-finite values", one.bad, "count", unit="1", first=one.first),
        reading.evidence(one.curve, END, max(share_at_end(curve) for curve in ends), method, unit="1"),
        reading.evidence(
            one.curve, "first step that is not finite", float(one.curve.step[one.first]), "as logged", unit="1", first=one.first
        ),
    )


def _why_clear(found: list[Broken], watched: int) -> str:
    if not found:
        return f"all values of {watched} series are finite"
    one = found[0]
    cause = "skipped by loss scaling, as the losses stayed finite" if one.curve.series == "gradient/norm" else "before the first value"
    return f"{one.bad:,} values of {wording.series(one.curve)} are not finite, {cause}; all others are"


DETECTOR = NonFiniteValues()
