"""TR110: exploding gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gradients import gradient_layers, gradient_whole, layer_of
from trainreport.detectors.trained import trained_loss
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity
from trainreport.stats.smooth import running_median, thin
from trainreport.stats.spikes import Spike, spikes

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_NOT_VALIDATED = "convention, not validated on labels; AUTOTRAINER calls a factor of 70 exploding"
_CEILING = 1e-3
"""Values within this share of the largest stand at a ceiling."""


class _Norm(NamedTuple):
    """What became of a norm; all in the curve's own unit."""

    curve: Curve
    start: float
    low: float
    """Lowest running median."""
    end: float
    jumps: list[Spike]
    """In powers of ten."""
    share: float
    """Of the points, in jumps."""

    @property
    def growth(self) -> float:
        """Factor from the lowest level to the end."""
        return self.end / self.low


class ExplodingGradients(Detector):
    """The gradient grows by powers of ten, for good or in jumps.

    What it checks
    --------------
    The norm of the gradient over all parameters; where that was not logged, the norms of layers.

    Why it matters
    --------------
    One step along a gradient that is a hundred times too long can throw away what thousands of steps have learned.

    How it decides
    --------------
    All is judged in powers of ten. The norm exploded when its end (median of the last 5 %) is a hundred times its lowest level and
    ten times its beginning, or when it is usually ten thousand times the loss at the beginning. Jumps are found as spikes are (TR107)
    in the logarithm, and count when they are tenfold. When they take 1 % of all points or more, that is an
    explosion too; fewer are lowered to minor.

    What to do
    ----------
    - Clip the norm of gradients; lower the learning rate or warm up for longer.
    - Look at the batches of the jumps; check initialisation and normalisation.
    - In half precision use loss scaling, or bfloat16.

    Limits
    ------
    Infinite and undefined norms are TR106. A norm that was logged after clipping stands at its ceiling and hides what it
    would have been: that is said. Norms are compared with the run's own, as their size depends on the model.

    References
    ----------
    - Pascanu, Mikolov, Bengio, On the Difficulty of Training Recurrent Neural Networks, ICML 2013.
    - Zhang et al., AUTOTRAINER, ICSE 2021; Amazon SageMaker Debugger, rule ExplodingTensor.
    """

    code = "TR110"
    name = "exploding-gradients"
    severity = Severity.MAJOR
    needs = ("the norm of the gradient, of the whole or of layers",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR110."""

        growth: float = threshold(100, unit="times", why="Of its lowest level.", low=2, high=1e9, source=_NOT_VALIDATED)
        over_start: float = threshold(10, unit="times", why="Growth back to the start is no harm.", low=1, high=1e9, source=_NOT_VALIDATED)
        over_loss: float = threshold(
            1e4, unit="times", why="Of the loss at the start.", low=1, high=1e12, source="29 AlgoPerf runs exceed 1e4"
        )
        jump: float = threshold(10, unit="times", why="Of the level; less is noise.", low=1.5, high=1e9, source=_NOT_VALIDATED)
        often: float = threshold(0.01, unit="share", why="Of points in jumps; fewer are minor.", low=0, high=1, source=_NOT_VALIDATED)
        deviations: float = threshold(3.4, unit="deviations", why="As in TR107.", low=1, high=100, source="benchmark of TR107")
        points: float = threshold(20, unit="points", why="Fewer show no level.", low=10, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        whole = gradient_whole(case)
        curves = [whole] if whole is not None else gradient_layers(case)
        if not curves:
            return self.not_applicable("no norm of the gradient was logged, neither of the whole nor of layers")
        positive = [curve.part(curve.value > 0) for curve in curves]
        norms = [norm for curve in positive if len(curve) >= limits.points and (norm := _norm(curve, limits)) is not None]
        if not norms:
            return self.not_applicable(f"no norm of the gradient has {limits.points:g} finite points above zero")
        at_ceiling = _at_ceiling(norms[0].curve)
        if at_ceiling >= 0.5:
            top = words.number(float(norms[0].curve.value.max()))
            return self.not_applicable(
                f"the norm was logged after clipping: {words.share(at_ceiling)} of its values stand at {top}, so what it was is not known"
            )
        loss = _loss_at_start(case)
        worst = max(norms, key=lambda one: (_exploded(one, loss, limits), one.share, one.growth))
        if _exploded(worst, loss, limits) or worst.jumps:
            return self.found(self._finding(case, worst, loss, limits))
        return self.clear(
            f"{_name(worst.curve)} ends at {words.number(worst.end)}, its lowest level was {words.number(worst.low)}; no tenfold jump"
        )

    def _finding(self, case: Case, one: _Norm, loss: float | None, limits: Thresholds) -> Finding:
        grave = _exploded(one, loss, limits) or one.share >= limits.often
        clipped = any("clip" in key.lower() or "max_grad_norm" in key.lower() for key in case.log.run.params)
        known = "; clipping is among the run's parameters" if clipped else ""
        return self.finding(
            f"{_message(one, loss, limits)}{known}.",
            evidence=_evidence(one),
            action=Action(
                "Clip the norm of gradients and lower the learning rate; look at the batches of the jumps.",
                owner="ML engineer",
                effort="an hour",
            ),
            confidence=Confidence.MEDIUM if len(one.curve) >= 100 else Confidence.LOW,
            severity=None if grave else Severity.MINOR,
            limits=limits,
            curve=one.curve,
        )


def _norm(curve: Curve, limits: ExplodingGradients.Thresholds) -> _Norm | None:
    import numpy as np

    powers = np.log10(curve.value)
    (coarse,) = thin(powers, most=1000)
    size = len(coarse)
    start, end = float(np.median(coarse[: max(3, size // 20)])), float(np.median(coarse[-max(3, size // 20) :]))
    low = float(running_median(coarse, max(5, size // 10)).min())
    jumps = [one for one in spikes(powers, limits.deviations) if one.height >= math.log10(limits.jump)]
    points = sum(one.last - one.first + 1 for one in jumps)
    return _Norm(curve, 10.0**start, 10.0**low, 10.0**end, jumps, points / len(curve))


def _exploded(one: _Norm, loss: float | None, limits: ExplodingGradients.Thresholds) -> bool:
    grown = one.growth >= limits.growth and one.end >= limits.over_start * one.start
    return grown or _always(one, loss, limits)


def _always(one: _Norm, loss: float | None, limits: ExplodingGradients.Thresholds) -> bool:
    """Return whether even the lowest level is far above the loss: it exploded from the beginning."""
    return loss is not None and one.low > limits.over_loss * loss > 0


def _loss_at_start(case: Case) -> float | None:
    import numpy as np

    curve = trained_loss(case)
    return None if curve is None else float(np.abs(np.median(curve.value[:3])))


def _at_ceiling(curve: Curve) -> float:
    """Return the share of values that stand at the largest."""
    import numpy as np

    return float(np.mean(curve.value >= (1 - _CEILING) * curve.value.max()))


def _name(curve: Curve) -> str:
    return "the norm of the gradient" if curve.series == "gradient/norm" else f"the norm of the gradient of {layer_of(curve)}"


def _message(one: _Norm, loss: float | None, limits: ExplodingGradients.Thresholds) -> str:
    name = words.capital(_name(one.curve))
    low, end = words.number(one.low), words.number(one.end)
    if _always(one, loss, limits):
        return f"{name} is never below {low}, {words.number(one.low / (loss or 1.0), 2)} times the loss at the beginning"
    if _exploded(one, loss, limits):
        return f"{name} grew from {low} to {end}, {words.number(one.growth, 2)} times as much"
    worst = max(one.jumps, key=lambda jump: jump.height)
    top = float(one.curve.value[worst.top])
    often = f"jumped once, at {wording.place(one.curve, worst.top)}"
    if len(one.jumps) > 1:
        often = f"jumped {len(one.jumps):,} times, most at {wording.place(one.curve, worst.top)}"
    return f"{name} {often} to {words.number(top)}, {words.number(10**worst.height, 2)} times its level"


def _evidence(one: _Norm) -> tuple[Evidence, ...]:
    curve = one.curve
    return (
        reading.evidence(curve, "growth of the norm", one.growth, "median of the last 5 % over the lowest running median", unit="1"),
        reading.evidence(curve, "jumps of the norm", len(one.jumps), "spikes of its logarithm", unit="1"),
        reading.evidence(curve, "share of points in jumps", one.share, "count", unit="1"),
    )


DETECTOR = ExplodingGradients()
