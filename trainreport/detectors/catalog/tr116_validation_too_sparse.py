"""TR116: validation too sparse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.trained import trained_loss
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

_NULL = "AlgoPerf's and DeepOBS's runs evaluate 77 and 101 times in the median; a fifth of the run is the patience of TR112"


class _Sparse(NamedTuple):
    """How the evaluations lie over the run."""

    best: int
    gap: float
    """Wider of the two gaps beside the best evaluation, as a share of the run."""
    change: float | None
    """What training gained in that gap, as a share of all that it gained; None where it is not known."""


class ValidationTooSparse(Detector):
    """The model was measured on held-out data too seldom to know its best checkpoint.

    What it checks
    --------------
    The evaluations of the held-out curve of the plan's first criterion (else the held-out loss, else a held-out metric) against the
    length of the run, and what training did between them.

    Why it matters
    --------------
    The best checkpoint lies somewhere between two evaluations. Where these are far apart, a better one was never measured and
    mostly not saved; overfitting shows late, and noise cannot be told from a turn.

    How it decides
    --------------
    It is a finding when there were fewer than five evaluations, or when one of the gaps beside the best evaluation takes a fifth of
    the run or more. Where the training loss is known and changed by less than 5 % of all its gain within that gap, little can
    have been missed there: that is clear. Evaluations are placed by step, else by time.

    What to do
    ----------
    - Evaluate ten to twenty times in a run, more often at the beginning and the end.
    - Where evaluation is dear, use a fixed part of the validation data in between, and all of it at the end.

    Limits
    ------
    Without a training curve the run is taken to begin and end with its first and last evaluation.

    References
    ----------
    - Prechelt, Early Stopping - But When? (1998): strips of a few epochs between evaluations.
    - Dahl et al., Benchmarking Neural Network Training Algorithms (AlgoPerf), arXiv 2306.07179.
    """

    code = "TR116"
    name = "validation-too-sparse"
    severity = Severity.MINOR
    needs = ("a loss or metric on held-out data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR116."""

        evaluations: float = threshold(5, unit="evaluations", why="Fewer show no turn (TR101).", low=2, high=1000, source="limit of TR101")
        gap: float = threshold(0.2, unit="share", why="Of the run, beside the best.", low=0.01, high=1, source=_NULL)
        change: float = threshold(0.05, unit="share", why="Of training's gain; less hides little.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        curve = next(iter(reading.held_out_first(case)), None)
        if curve is None:
            return self.not_applicable("no loss or metric was logged on held-out data: see TR004")
        name = wording.series(curve)
        if len(curve) < limits.evaluations:
            if not _long_enough(case, curve, limits):
                return self.not_applicable(f"the run has fewer than {limits.evaluations:g} points of any loss or metric")
            return self.found(self._few(curve, limits))
        seen = _placed(case, curve)
        if seen is None:
            return self.not_applicable(f"{name} has neither steps nor times to place its evaluations by")
        calm = seen.change is not None and seen.change < limits.change
        if seen.gap >= limits.gap and not calm:
            return self.found(self._apart(curve, seen, limits))
        return self.clear(f"{len(curve):,} evaluations of {name}; the widest gap beside the best takes {words.share(seen.gap)} of the run")

    def _few(self, curve: Curve, limits: Thresholds) -> Finding:
        return self.finding(
            f"The run was evaluated {_times(len(curve))} on held-out data ({wording.series(curve)}): "
            "neither its best checkpoint nor overfitting can be told.",
            evidence=(reading.evidence(curve, "evaluations", len(curve), "count", unit="1"),),
            action=_ACTION,
            confidence=Confidence.HIGH,
            limits=limits,
            curve=curve,
        )

    def _apart(self, curve: Curve, seen: _Sparse, limits: Thresholds) -> Finding:
        gained = "" if seen.change is None else f", in which training made {words.share(seen.change)} of its gain"
        (best,) = wording.values(curve, float(curve.value[seen.best]))
        return self.finding(
            f"The best {wording.series(curve)} ({best} at {wording.place(curve, seen.best)}) stands beside a gap of "
            f"{words.share(seen.gap)} of the run without evaluation{gained}: the best checkpoint may lie in it.",
            evidence=(
                reading.evidence(curve, "gap beside the best evaluation", seen.gap, "share of the run", unit="1", first=seen.best),
                reading.evidence(curve, "evaluations", len(curve), "count", unit="1"),
            ),
            action=_ACTION,
            confidence=Confidence.MEDIUM,
            limits=limits,
            curve=curve,
        )


_ACTION = Action("Evaluate ten to twenty times in a run, on a fixed part of the data where it is dear.", "ML engineer", "an hour")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _long_enough(case: Case, curve: Curve, limits: ValidationTooSparse.Thresholds) -> bool:
    """Return whether there was a run to evaluate: some other curve has more points than the held-out one."""
    return any(len(one) >= limits.evaluations and len(one) > len(curve) for one in reading.training(case))


def _placed(case: Case, curve: Curve) -> _Sparse | None:
    import numpy as np

    loss = trained_loss(case)
    axis = next((name for name in ("step", "time_s") if _usable(curve, name)), None)
    if axis is None:
        return None
    loss = loss if loss is not None and _usable(loss, axis) else None
    at: Array = getattr(curve, axis).astype(np.float64)
    whole = at if loss is None else np.concatenate([at, getattr(loss, axis).astype(np.float64)])
    first, last = float(whole.min()), float(whole.max())
    best = int(reading.turned(curve).argmin())
    before = at[best - 1] if best else first
    after = at[best + 1] if best + 1 < len(at) else last
    ends = (before, at[best]) if at[best] - before >= after - at[best] else (at[best], after)
    return _Sparse(best, float(ends[1] - ends[0]) / (last - first), None if loss is None else _change(loss, axis, *ends))


def _usable(curve: Curve, name: str) -> bool:
    import numpy as np

    values = getattr(curve, name)
    return (curve.has_step or name != "step") and bool(np.isfinite(values).all()) and float(np.ptp(values)) > 0


def _change(loss: Curve, axis: str, first: float, last: float) -> float | None:
    """Return what training gained between two places, as a share of its range; None with fewer than three values on a side."""
    import numpy as np

    from trainreport.stats.smooth import span

    at, values = getattr(loss, axis), loss.value
    inside = np.flatnonzero((at >= first) & (at <= last))
    if len(inside) < 6 or not (whole := span(values)):
        return None
    return abs(float(np.median(values[inside[:3]]) - np.median(values[inside[-3:]]))) / whole


DETECTOR = ValidationTooSparse()
