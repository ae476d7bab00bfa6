"""Workers beside their peers: who takes longer than the others for the same step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["against_peers", "slow_share"]

_MANY = 16
"""From this many workers on the median of all stands for that of the others: one more or less does not move it."""


def against_peers(table: Array) -> Array:
    """Return each value divided by the median of the other workers at the same step.

    The spread is not used on purpose: with several slow workers it grows, and hides them.

    Parameters
    ----------
    table : ndarray of shape (workers, steps)
        Positive; NaN where a worker did not log the step. At least two workers at each step.
    """
    import numpy as np

    if len(table) >= _MANY:
        return np.asarray(table / np.nanmedian(table, axis=0))
    others = [np.nanmedian(np.delete(table, worker, axis=0), axis=0) for worker in range(len(table))]
    return np.asarray(table / np.array(others))


def slow_share(ratios: Array, window: int, limit: float) -> Array:
    """Return for each worker and each window of steps the share of steps above `limit`; above a half the median is, too.

    Parameters
    ----------
    ratios : ndarray of shape (workers, steps)
    window : int
        Steps; at most as many as there are.
    limit : float

    Returns
    -------
    ndarray, shape (workers, steps - window + 1)
    """
    import numpy as np

    with np.errstate(invalid="ignore"):
        above = (ratios > limit).astype(np.int64)
    total = np.cumsum(np.pad(above, ((0, 0), (1, 0))), axis=1)
    return np.asarray((total[:, window:] - total[:, :-window]) / window)
