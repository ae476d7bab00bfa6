"""TR109: vanishing gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gradients import gradient_layers, gradient_whole, layer_of
from trainreport.detectors.trained import loss_gained
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_AUTOTRAINER = "AUTOTRAINER's defaults: ratio of layers 1e-3, least norm 1e-4; not validated on labels"


class _Level(NamedTuple):
    curve: Curve
    start: float
    """Median of the first tenth."""
    end: float
    """Median of the last fifth."""
    zero: bool
    """Whether every value is zero."""


class VanishingGradients(Detector):
    """Gradients are so small that the weights, or those of some layers, no longer change.

    What it checks
    --------------
    The norm of the gradient over all parameters, and the norms of layers where they were logged (as numbers or as histograms).

    Why it matters
    --------------
    A layer without gradient does not learn, whatever is spent on the run; the cause (saturated or dead units, a depth
    without residual paths, a detached part) does not go away by waiting.

    How it decides
    --------------
    The norm of the whole vanished when its median over the last fifth is below 1e-7, or has fallen ten-thousandfold since the first tenth,
    while the loss has lost less than half of its start: a run that has converged has small gradients by right.

    A layer vanished when its norm over the last fifth is below 1e-4 and below a thousandth of the middle layer's. Biases are left out.
    Where the loss did fall by half or more, or where the layers had no gradient from the beginning (they may be frozen on purpose),
    this is lowered to minor.

    What to do
    ----------
    - Check that the layers are part of the loss: nothing detached, nothing frozen by mistake.
    - Change what saturates: activation (ReLU kinds for sigmoid and tanh), initialisation, normalisation, residual paths.
    - In half precision use loss scaling, or bfloat16: small gradients become zero there.

    Limits
    ------
    Norms depend on the scale of the loss. The order of layers is not known, so that early layers are not compared with late ones, but
    each with the middle of all. Norms taken after clipping look the same as before it while they are small.

    References
    ----------
    - Glorot and Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks, AISTATS 2010.
    - Zhang et al., AUTOTRAINER, ICSE 2021; Amazon SageMaker Debugger, rule VanishingGradient (1e-7).
    """

    code = "TR109"
    name = "vanishing-gradients"
    severity = Severity.MAJOR
    needs = ("the norm of the gradient, of the whole or of layers",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR109."""

        least: float = threshold(
            1e-7, unit="1", why="Below it nothing moves.", low=0, high=1, source="SageMaker Debugger, VanishingGradient"
        )
        fall: float = threshold(1e-4, unit="share", why="Of the first tenth; no usual course.", low=0, high=1, source="convention")
        converged: float = threshold(0.5, unit="share", why="Of the loss; then small is right.", low=0, high=1, source="convention")
        layer_ratio: float = threshold(1e-3, unit="share", why="Of the middle layer's norm.", low=0, high=1, source=_AUTOTRAINER)
        layer_least: float = threshold(1e-4, unit="1", why="A larger norm still moves.", low=0, high=1e6, source=_AUTOTRAINER)
        points: float = threshold(10, unit="points", why="Fewer show no level.", low=5, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        whole, layers = gradient_whole(case), gradient_layers(case)
        if whole is None and not layers:
            return self.not_applicable("no norm of the gradient was logged, neither of the whole nor of layers")
        level = _level(whole) if whole is not None and len(whole) >= limits.points else None
        levels = [_level(curve) for curve in layers if len(curve) >= limits.points]
        if level is None and not levels:
            return self.not_applicable(f"no norm of the gradient has {limits.points:g} finite points")
        gained = loss_gained(case)
        learned = gained is not None and gained >= limits.converged
        gone = _vanished_layers(levels, limits)
        if gone:
            return self.found(self._of_layers(gone, levels, learned, limits))
        tiny = level is not None and (level.end < limits.least or level.end < limits.fall * level.start)
        if level is not None and tiny and not learned:
            return self.found(self._of_whole(case, level, gained, limits))
        return self.clear(_why_clear(level, levels, gained if tiny else None))

    def _of_whole(self, case: Case, one: _Level, gained: float | None, limits: Thresholds) -> Finding:
        start, end = words.number(one.start), words.number(one.end)
        loss = "; no loss tells whether the run converged" if gained is None else f" while the loss fell by {words.share(max(0.0, gained))}"
        moved = f"fell from {start} to {end}" if one.end < one.start else f"stayed at {end}"
        return self.finding(
            f"The norm of the gradient {moved}{loss}: the weights hardly change any more.",
            evidence=(
                reading.evidence(one.curve, "norm of the gradient at the end", one.end, "median of the last fifth", first=_last_fifth(one)),
                reading.evidence(one.curve, "norm of the gradient at the beginning", one.start, "median of the first tenth"),
            ),
            action=_ACTION,
            confidence=Confidence.LOW if gained is None else Confidence.MEDIUM,
            limits=limits,
            waste=reading.waste_after(case, one.curve, _last_fifth(one)),
            curve=one.curve,
        )

    def _of_layers(self, gone: list[_Level], levels: list[_Level], learned: bool, limits: Thresholds) -> Finding:
        names = words.joined([layer_of(one.curve) for one in gone], 3)
        zero = all(one.zero for one in gone)
        lowest, middle = min(one.end for one in gone), _middle(levels)
        what = "have" if len(gone) > 1 else "has"
        text = f"{words.plural(len(gone), 'layer')} of {len(levels)} ({names}) {what} "
        if zero:
            text += "no gradient at all, from the first point to the last: frozen on purpose, or cut off."
        else:
            text += f"a vanishing gradient: its norm is down to {words.number(lowest)}, that of the middle layer is {words.number(middle)}."
        return self.finding(
            text,
            evidence=tuple(
                reading.evidence(
                    one.curve, f"norm of the gradient of {layer_of(one.curve)}", one.end, "median of the last fifth", first=_last_fifth(one)
                )
                for one in gone[:5]
            ),
            action=_ACTION,
            confidence=Confidence.LOW if zero else Confidence.MEDIUM,
            severity=Severity.MINOR if zero or learned else None,
            limits=limits,
            curve=gone[0].curve,
        )


_ACTION = Action(
    "Check that nothing is frozen or detached by mistake; then change activations, initialisation or normalisation.",
    owner="ML engineer",
    effort="a day",
)


def _level(curve: Curve) -> _Level:
    import numpy as np

    values, size = np.abs(curve.value), len(curve)
    start, end = float(np.median(values[: max(3, size // 10)])), float(np.median(values[-max(3, size // 5) :]))
    return _Level(curve, start, end, not values.any())


def _last_fifth(one: _Level) -> int:
    return len(one.curve) - max(3, len(one.curve) // 5)


def _middle(levels: list[_Level]) -> float:
    import numpy as np

    return float(np.median([one.end for one in levels]))


def _vanished_layers(levels: list[_Level], limits: VanishingGradients.Thresholds) -> list[_Level]:
    """Return the layers whose norm is small in itself and against the others; one layer alone cannot be compared."""
    if len(levels) < 2:
        return []
    line = min(limits.layer_least, limits.layer_ratio * _middle(levels))
    return sorted((one for one in levels if one.end < line), key=lambda one: one.end)


def _why_clear(level: _Level | None, levels: list[_Level], gained: float | None) -> str:
    if level is None:
        lowest = min(levels, key=lambda one: one.end)
        return f"the least norm of {len(levels)} layers is {words.number(lowest.end)} ({layer_of(lowest.curve)})"
    if gained is not None:
        return (
            f"the norm of the gradient is down to {words.number(level.end)}, as the run converged: the loss fell by {words.share(gained)}"
        )
    return f"the norm of the gradient ends at {words.number(level.end)}, it began at {words.number(level.start)}"


DETECTOR = VanishingGradients()
