"""Short upward spikes of a series: how far each point stands above its surroundings, in local deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import medians

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Spike", "Standing", "spikes", "spikes_of", "standing"]

_LEVEL_WINDOW = 31
_SCALE_WINDOW = 201
_SHARE = 0.90
_NORMAL = 1.645
"""90 % of a normal lie within so many deviations."""
_SINGLE = 5.0
"""A point alone must stand so many times higher than two of three neighbours must: single losses have heavy tails."""
_LASTING = 1.7
"""Three points on end need not stand as high as two of three."""
_GAP = 5
"""Points closer than this belong to one spike."""
_BLOCK, _WIDEST = 8, 64
_LEVELS, _SCALES = 10_000, 2_000
"""Windows at most: between them is interpolated, so that a million points cost a tenth of a second."""


class Standing(NamedTuple):
    """Where each point of a series stands against its surroundings."""

    level: Array
    """Centred median of 31 points."""
    score: Array
    """Local deviations above the level: of the middle of three neighbours, 1.7 times their lowest, or a fifth of the point's own."""


class Spike(NamedTuple):
    """Consecutive points that stand out."""

    first: int
    last: int
    """Included."""
    top: int
    """Position of the highest."""
    height: float
    """Of the highest above the level."""
    score: float
    back: bool
    """Whether the series goes on after it; False for one that it ends in."""


def spikes(values: Array, deviations: float) -> list[Spike]:
    """Return the spikes of a series, short ones and those of up to some hundred points.

    Parameters
    ----------
    values : ndarray, finite
        Higher is worse.
    deviations : float
        Score from which on a point stands out.

    Notes
    -----
    Longer spikes are those of the series thinned by 8 and by 64 (block medians, which short ones do not enter).
    """
    found: list[Spike] = []
    part, width = values, 1
    while len(part) >= 2 * _LEVEL_WINDOW and width <= _WIDEST:
        for one in spikes_of(part, standing(part), deviations):
            first, last = one.first * width, min(len(values), (one.last + 1) * width) - 1
            if not any(other.first <= last and first <= other.last for other in found):
                found.append(Spike(first, last, first + _top(values, first, last), one.height, one.score, last < len(values) - 1))
        part, width = _thinned(part), width * _BLOCK
    return sorted(found)


def standing(values: Array) -> Standing:
    """Return how far each point stands above its surroundings.

    Parameters
    ----------
    values : ndarray, finite, at least 3 points
        Higher is worse.

    Notes
    -----
    The deviation is the 90th percentile of the residuals' size over 201 points, as a normal's. Losses have heavy tails, which
    a median absolute deviation does not see. Three neighbours are judged together: noise rarely throws two of three far up.
    """
    import numpy as np

    level = _rolling(values, _LEVEL_WINDOW, _LEVELS, medians)
    level[: _LEVEL_WINDOW // 2] = np.maximum(level[: _LEVEL_WINDOW // 2], values[: _LEVEL_WINDOW // 2])  # a steep start is no spike
    residual = values - level
    width = min(_SCALE_WINDOW, 2 * len(values) - 1)
    place = round(_SHARE * (width - 1))
    scale = _rolling(np.abs(residual), width, _SCALES, lambda view: np.partition(view, place, axis=1)[:, place]) / _NORMAL
    scale = np.maximum(scale, 1e-9 * max(float(np.abs(values).max()), 1e-300))
    own = residual / scale
    return Standing(level, np.maximum(_together(own), own / _SINGLE))


def spikes_of(values: Array, seen: Standing, deviations: float) -> list[Spike]:
    """Return the spikes whose score is above `deviations`, in the order of the series."""
    import numpy as np

    at = np.flatnonzero(seen.score > deviations)
    if not len(at):
        return []
    groups = np.split(at, np.flatnonzero(np.diff(at) > _GAP) + 1)
    above = values - seen.level
    # two high neighbours make a low point between them stand out: the highest may lie beside it
    starts = [max(0, int(one[0]) - 1) for one in groups]
    tops = [start + _top(above, start, min(len(values) - 1, int(one[-1]) + 1)) for start, one in zip(starts, groups, strict=True)]
    return [
        Spike(int(one[0]), int(one[-1]), top, float(above[top]), float(seen.score[one].max()), one[-1] < len(values) - 1)
        for one, top in zip(groups, tops, strict=True)
    ]


def _thinned(values: Array) -> Array:
    """Return the medians of blocks that follow each other; what is left over at the end is left out."""
    return medians(values[: len(values) // _BLOCK * _BLOCK].reshape(-1, _BLOCK))


def _top(values: Array, first: int, last: int) -> int:
    import numpy as np

    return int(np.argmax(values[first : last + 1]))


def _together(values: Array) -> Array:
    """Return the median of each point and its two neighbours, or more where all three are high; the ends have one neighbour twice."""
    import numpy as np

    before, after = np.append(values[1:2], values[:-1]), np.append(values[1:], values[-2:-1])
    low, high = np.minimum(before, values), np.maximum(before, values)
    return np.maximum(np.maximum(low, np.minimum(high, after)), _LASTING * np.minimum(low, after))


def _rolling(values: Array, window: int, most: int, statistic: Callable[[Array], Array]) -> Array:
    """Return a centred rolling statistic, taken at `most` places at most and interpolated between them; the ends are mirrored."""
    import numpy as np

    half, count = window // 2, len(values)
    padded = np.pad(values, half, mode="reflect")
    stride = -(-count // most)
    view = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)[::stride]
    taken = statistic(view)
    return taken if stride == 1 else np.interp(np.arange(count), np.arange(0, count, stride), taken)
