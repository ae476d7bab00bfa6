"""TR107: spikes of the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.breaks import share_at_end
from trainreport.detectors.course import gain_of
from trainreport.detectors.trained import rewarded, trained_loss
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, Waste
from trainreport.stats.smooth import running_median, thin
from trainreport.stats.spikes import Spike, spikes

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_BENCH = "injected spikes in 200 real losses, problems left out: recall 0.9 and more at 0.5 false in 1,000 points (benchmarks/accuracy)"


class LossSpikes(Detector):
    """The training loss jumps up for a few steps, and mostly comes back.

    What it checks
    --------------
    The loss on training data, point by point as it was logged.

    Why it matters
    --------------
    Each spike costs the steps that it takes to come back, and is the usual forerunner of a divergence. Many spikes
    say that the learning rate is too high for some batches, or that some batches are faulty.

    How it decides
    --------------
    The level is a centred median of 31 points; the deviation is the 90th percentile of the distances from it over
    201 points, as that of a normal. A spike is where two of three neighbours stand 3.4 deviations above the level, three on
    end 2.0, or one point 17. The same is done on the loss thinned by 8 and by 64, for longer spikes.

    So that noise without harm is no finding, a spike counts only when it is at least 10 % of the whole range of the loss. One or two
    that came back and are less than half of the range are lowered to a note. The last rise of a run that diverged
    or ended in values that are not finite is no spike: that is TR105 or TR106.

    What to do
    ----------
    - Clip gradients; lower the learning rate or warm up for longer.
    - Look at the batches of the spikes: the same data each time points to faulty rows.
    - Spikes that set the run back for long: go back to the checkpoint before and skip those batches.

    Limits
    ------
    A loss that is logged seldom, or averaged before it is logged, hides its spikes. Fewer than 62 points are not judged, nor is the loss
    beside rewards (in reinforcement learning its target moves). Spikes on held-out data are noise of the evaluation mostly, and
    are not looked at.

    References
    ----------
    - Chowdhery et al., PaLM: Scaling Language Modeling with Pathways (2022), section 5.1.
    - OLMo Team, 2 OLMo 2 Furious (2024): the share of values far above a rolling mean as a score of spikes.
    """

    code = "TR107"
    name = "loss-spikes"
    severity = Severity.MINOR
    needs = ("a loss on training data, logged often",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR107."""

        deviations: float = threshold(
            3.4, unit="deviations", why="Noise rarely throws two of three so far.", low=1, high=100, source=_BENCH
        )
        height: float = threshold(
            0.10, unit="share", why="Of the loss's range; lower ones do no harm.", low=0, high=10, source="convention"
        )
        grave: float = threshold(0.5, unit="share", why="Of the range; one is minor, not a note.", low=0, high=100, source="convention")
        many: float = threshold(3, unit="spikes", why="So many are minor, not a note.", low=1, high=1e6, source="convention")
        points: float = threshold(62, unit="points", why="Two windows of the level.", low=31, high=1e6, source="the method's window")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if rewarded(case):
            return self.not_applicable("rewards were logged: in reinforcement learning the loss follows a target that moves")
        curve = trained_loss(case)
        if curve is None:
            return self.not_applicable("no loss on training data was logged")
        if len(curve) < limits.points:
            return self.not_applicable(f"{wording.series(curve)} has {len(curve)} finite points; {limits.points:g} are needed")
        extent = _extent(curve)
        every = spikes(reading.turned(curve), limits.deviations) if extent > 0 else []
        lost = _lost(case, curve)
        high = [one for one in every if one.height >= limits.height * extent and (one.back or not lost)]
        if high:
            return self.found(self._finding(case, curve, high, extent, limits))
        if not every:
            return self.clear(f"no spike in {len(curve):,} points of {wording.series(curve)}")
        most = max(one.height for one in every) / extent
        return self.clear(f"{words.plural(len(every), 'spike')} in {wording.series(curve)}, the highest {words.share(most)} of its range")

    def _finding(self, case: Case, curve: Curve, high: list[Spike], extent: float, limits: Thresholds) -> Finding:
        worst = max(high, key=lambda one: one.height)
        size = worst.height / extent
        points = sum(one.last - one.first + 1 for one in high)
        small = len(high) < limits.many and size < limits.grave and all(one.back for one in high)
        whole = reading.waste_after(case, curve)
        part = points / len(curve)
        return self.finding(
            _message(curve, high, worst, size),
            evidence=(
                reading.evidence(curve, "spikes", len(high), "two of three neighbours far above a centred median of 31", unit="1"),
                reading.evidence(
                    curve, "height of the highest spike", size, "of the range of the loss", unit="1", first=worst.first, last=worst.last
                ),
                reading.evidence(curve, "share of points in spikes", part, "count", unit="1"),
            ),
            action=Action(
                "Clip gradients or lower the learning rate, and look at the batches of the spikes.", owner="ML engineer", effort="an hour"
            ),
            confidence=Confidence.HIGH if worst.score >= 2 * limits.deviations else Confidence.MEDIUM,
            severity=Severity.NOTE if small else None,
            limits=limits,
            waste=Waste(
                gpu_s=None if whole.gpu_s is None else whole.gpu_s * part,
                steps=None if whole.steps is None else round(whole.steps * part),
                share_of_run=part,
            ),
            curve=curve,
        )


def _lost(case: Case, curve: Curve) -> bool:
    """Return whether the run ended broken or diverged, so that its last rise is no spike but TR105 or TR106."""
    whole, gain = case.curve(curve.series, curve.phase), gain_of(curve)
    return (whole is not None and share_at_end(whole) >= 0.5) or 2 * (gain.last - gain.best) >= gain.most > 0


def _extent(curve: Curve) -> float:
    """Return the range of the loss without its spikes."""
    import numpy as np

    (coarse,) = thin(curve.value, most=1000)
    return float(np.ptp(running_median(coarse, 7)))


def _message(curve: Curve, high: list[Spike], worst: Spike, size: float) -> str:
    top = float(curve.value[worst.top])
    level, peak = wording.values(curve, top + curve.direction * worst.height, top)
    name, where = words.capital(wording.series(curve)), wording.place(curve, worst.top)
    end = "" if all(one.back for one in high) else "; the log ends in a spike"
    verb = "jumps up" if curve.direction < 0 else "drops"
    if len(high) == 1:
        return f"{name} {verb} once, at {where} from {level} to {peak}, {words.share(size)} of its range{end}."
    return f"{name} {verb} {len(high):,} times, most at {where} from {level} to {peak}, {words.share(size)} of its range{end}."


DETECTOR = LossSpikes()
