"""What a run took up to its marks (convergence, best checkpoint), and what it will have taken at its planned end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.detectors import spending
from trainreport.model import words
from trainreport.model.ledger import Completion, Course, Taken
from trainreport.model.series import direction

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.decision import Checkpoint
    from trainreport.model.ledger import Ledger

__all__ = ["course", "share_to_best"]

_CONVERGED = 0.99
"""A curve has converged where its best value so far has this share of all that it gained."""
_FEWEST = 5
"""Evaluations from which on a curve shows where it converged."""
_LEAST_DONE = 0.05
"""Less of the planned length foretells no end, as in TR302."""


def course(case: Case, best: Checkpoint | None) -> Course:
    """Return what the run took and will take; time and cost are even over its length."""
    to_best, best_why = _to_best(case, best)
    converged, converged_why = _to_convergence(case, best)
    whole, whole_why = _at_completion(case)
    why = {"to_convergence": converged_why, "to_best": best_why, "at_completion": whole_why}
    return Course(converged, to_best, whole, why)


def share_to_best(case: Case, best: Checkpoint) -> float | None:
    """Return how much of the run lay before its best checkpoint, None where nothing places it."""
    return _share(case, best.time_s, best.step, best.last_step)


def _to_best(case: Case, best: Checkpoint | None) -> tuple[Taken | None, str]:
    if best is None:
        return None, "nothing was measured on unseen data that has a best value"
    share = share_to_best(case, best)
    if share is None:
        return None, "the log has no steps and no times to place it by"
    return _part(case.ledger, share), f"step {words.count(best.step)}, at {words.share(share)} of the run; cost even over its time"


def _to_convergence(case: Case, best: Checkpoint | None) -> tuple[Taken | None, str]:
    """Return what it took until the best value so far had nearly all of the gain over the first."""
    import numpy as np

    found = None if best is None else case.curve(best.series, best.phase)
    if best is None or found is None or len(found) < _FEWEST:
        return None, f"fewer than {_FEWEST} evaluations on unseen data"
    kept = np.isfinite(found.value)
    step, time, value = found.step[kept], found.time_s[kept], found.value[kept]
    sign = 1 if direction(found.series) >= 0 else -1
    so_far = np.maximum.accumulate(sign * value)
    gain = float(so_far[-1] - so_far[0]) if len(so_far) >= _FEWEST else 0.0
    if gain <= 0:
        return None, "it gained nothing over its first evaluation"
    at = int(np.argmax(so_far - so_far[0] >= _CONVERGED * gain))
    share = _share(case, float(time[at]) if np.isfinite(time[at]) else None, int(step[at]), best.last_step)
    if share is None:
        return None, "the log has no steps and no times to place it by"
    what = words.series_words(found.series, found.phase)
    return _part(case.ledger, share), (
        f"step {words.count(int(step[at]))}, at {words.share(share)} of the run: from there on {what} has "
        f"{words.share(_CONVERGED)} of all that it gained; cost even over its time"
    )


def _at_completion(case: Case) -> tuple[Completion | None, str]:
    ahead = spending.ahead(case, _LEAST_DONE)
    if isinstance(ahead, str):
        return None, ahead
    low, high = (_part(case.ledger, ahead.low), _part(case.ledger, ahead.high)) if ahead.paced else (None, None)
    paced = "; from the pace of its quickest third to that of its slowest" if ahead.paced else "; its pace is not known"
    return Completion(ahead.done.words, low, _part(case.ledger, ahead.whole), high), f"{ahead.done.words}, at its pace so far{paced}"


def _share(case: Case, time_s: float | None, step: int, last_step: int) -> float | None:
    """Return how much of the run lay before a moment: by time where it is known, else by steps."""
    start, wall = case.log.run.started_at, case.ledger.wall_s
    if time_s is not None and start is not None and wall:
        return min(max((time_s - start.timestamp()) / wall, 0.0), 1.0)
    return min(step / last_step, 1.0) if last_step > 0 else None


def _part(ledger: Ledger, share: float) -> Taken:
    return Taken(
        None if ledger.wall_s is None else share * ledger.wall_s,
        None if ledger.gpu_hours is None else share * ledger.gpu_hours,
        None if ledger.cost is None else ledger.cost.times(round(share, 9)),
    )
