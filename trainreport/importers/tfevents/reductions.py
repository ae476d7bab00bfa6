"""Histograms and precision-recall curves reduced to the few numbers that a detector can use.

Each function returns statistics by name; what a summary does not tell is left out, never guessed.
"""

from __future__ import annotations

from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["HOW", "average_precision", "buckets", "histogram", "of_tensor"]

HOW = {
    ("histogram", "norm"): "root of the sum of squares that the histogram carries",
    ("histogram", "min"): "lowest value, from the histogram",
    ("histogram", "max"): "highest value, from the histogram",
    ("histogram", "zero_share"): "share of values in the histogram's bucket around zero",
    ("buckets", "norm"): "norm estimated from the centres of the histogram's buckets",
    ("buckets", "min"): "lower edge of the histogram's lowest bucket with values",
    ("buckets", "max"): "upper edge of the histogram's highest bucket with values",
    ("buckets", "zero_share"): "share of values in the histogram's bucket around zero",
    ("pr_curve", "average_precision"): "sum of precision over the gains in recall along the precision-recall curve",
}
"""(form of the summary, statistic) -> how it is got, for the mapping of its name."""

_NARROW = 1e-3
"""A bucket around zero counts as zeros only where it spans less than this share of the largest absolute value."""


def of_tensor(plugin: str, table: npt.NDArray[np.float64]) -> tuple[str, dict[str, float]]:
    """Return the form of a table by the plugin of its tag, and its statistics; none where the form is not known."""
    if plugin == "histograms" and table.shape[1] == 3:
        return "buckets", buckets(table)
    if plugin == "pr_curves" and table.shape[0] == 6:
        return "pr_curve", {"average_precision": average_precision(table[4], table[5])}
    return "", {}


def histogram(proto: Any) -> dict[str, float]:
    """Return the statistics of a ``HistogramProto`` (TensorFlow 1, PyTorch, tensorboardX)."""
    import numpy as np

    if not proto.num > 0:
        return {}
    found = {"min": proto.min, "max": proto.max}
    is_zero = proto.min == proto.max == 0
    if proto.sum_squares > 0 or is_zero or proto.sum_squares != proto.sum_squares:
        found["norm"] = sqrt(proto.sum_squares) if proto.sum_squares >= 0 else nan
    limits, counts = np.array(proto.bucket_limit), np.array(proto.bucket)
    if len(limits) == len(counts):  # each limit is the upper end of its bucket, and belongs to the next
        lows = np.concatenate([[proto.min], limits[:-1]]) if len(limits) else limits
        _add_zero_share(found, lows, limits, counts)
    return found


def buckets(table: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return the statistics of buckets as rows of lower edge, upper edge, count (TensorFlow 2); the norm is an estimate."""
    import numpy as np

    filled = table[table[:, 2] > 0]
    if not len(filled):
        return {}
    lows, highs, counts = filled.T
    if len(table) == 1 and highs[0] == lows[0] + 1.0:  # values that are all alike were put into a bucket one wide
        lows = highs = lows / 2 + highs / 2  # halved first: their sum may overflow
    with np.errstate(all="ignore"):  # edges may be infinite
        norm = float(np.sqrt(np.sum(counts * ((lows + highs) / 2) ** 2)))
    found = {"min": float(lows[0]), "max": float(highs[-1]), "norm": norm}
    _add_zero_share(found, lows, highs, counts)
    return found


def average_precision(precision: npt.NDArray[np.float64], recall: npt.NDArray[np.float64]) -> float:
    """Return the average precision: the sum of (R_n - R_(n-1)) P_n, from the highest threshold to the lowest.

    Parameters
    ----------
    precision, recall : ndarray, shape (thresholds,)
        In the order of rising thresholds, as TensorBoard keeps them.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        gains = np.diff(recall[::-1], prepend=0.0)
        moves = gains != 0  # where nothing is recalled the precision may be undefined
        return float(np.sum(gains[moves] * precision[::-1][moves]))


def _add_zero_share(
    found: dict[str, float], lows: npt.NDArray[np.float64], highs: npt.NDArray[np.float64], counts: npt.NDArray[np.float64]
) -> None:
    """Add the share of zeros where the buckets tell it: the one around zero is narrow, or empty."""
    import numpy as np

    largest = max(abs(found["min"]), abs(found["max"]))
    with np.errstate(all="ignore"):
        total = float(counts.sum())
        widths = highs - lows
    if not (isfinite(largest) and isfinite(total) and total > 0):
        return
    reaches = highs > 0
    reaches[-1:] |= highs[-1:] == 0  # an upper edge belongs to the next bucket, but for the last
    around = (lows <= 0) & reaches & (counts > 0)
    if largest == 0 or not (widths[around] > _NARROW * largest).any():
        found["zero_share"] = 1.0 if largest == 0 else float(counts[around].sum()) / total
