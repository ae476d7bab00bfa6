"""Oscillation of a series: how much of its variation around the trend swings with one period, and how far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import medians, thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Oscillation", "oscillation"]

_TREND_WINDOW = 15
_LONGEST = 15.0
"""Longest period in points; longer ones are sought in the series thinned by 4, by 16, and so on."""
_THINNED = 4
_LEAST = 40
"""Points that a thinned series needs."""
_MOST = 4096
"""Points looked at, from the end: what swings at the end of a run matters."""
_BEGINNING = 0.2
"""Share of the series left out: the steep fall at the beginning is no swing."""
_CLIP = 3.0


class Oscillation(NamedTuple):
    """The strongest swing of a series."""

    share: float
    """Part of the variation around the trend that swings with this period, 0 to 1."""
    p: float
    """Fisher's p-value: the chance of such a share in white noise."""
    amplitude: float
    """Peak to peak, as a share of the range of the series."""
    period: float
    """In points of the series that was given."""
    first: int
    """Position from which on it was looked at."""
    n: int
    """Number of points looked at."""

    @property
    def score(self) -> float:
        """Fisher's share times the root of the amplitude: large where a swing is both pure and wide."""
        return self.share * math.sqrt(self.amplitude)


NONE = Oscillation(0.0, 1.0, 0.0, math.inf, 0, 0)


def oscillation(values: Array) -> Oscillation:
    """Return the strongest swing of a series around its trend.

    Parameters
    ----------
    values : ndarray, finite
        Evenly spaced, as far as periods are meant.

    Notes
    -----
    The trend is a running median of 15, residuals are clipped at three deviations so that single spikes do not count, and the
    periodogram is read for periods of 2 to 15 points: the largest ordinate with its neighbours, as a period seldom falls on
    one. The series is then thinned by 4 (means without the ends) for longer periods, while 40 points are left.

    References
    ----------
    Fisher, Tests of significance in harmonic analysis, Proc. R. Soc. A 125 (1929).
    """
    import numpy as np

    (coarse,) = thin(values, most=1000)
    extent = float(np.ptp(coarse))
    if extent <= 0 or not math.isfinite(extent):
        return NONE
    found, width, part = NONE, 1, values
    while len(part) >= _LEAST or (width == 1 and len(part) >= 2 * _TREND_WINDOW):
        found = max(found, _strongest(part, extent, width, len(values)), key=lambda one: one.score)
        blocks = part[len(part) % _THINNED :].reshape(-1, _THINNED)
        part, width = (blocks.sum(axis=1) - blocks.max(axis=1) - blocks.min(axis=1)) / (_THINNED - 2), width * _THINNED
    return found


def _strongest(values: Array, extent: float, width: int, count: int) -> Oscillation:
    """Return the strongest swing of one scale."""
    import numpy as np

    kept = values[max(len(values) - _MOST, int(_BEGINNING * len(values))) :]
    rest = kept - _trend(kept)
    deviation = 1.4826 * float(np.median(np.abs(rest)))
    if deviation > 0:
        rest = np.clip(rest, -_CLIP * deviation, _CLIP * deviation)
    size = len(rest)
    power = np.abs(np.fft.rfft(rest - rest.mean())) ** 2
    if size % 2 == 0:
        power[-1] /= 2  # it stands for itself, all others for two
    lowest = math.ceil(size / _LONGEST)
    band = power[lowest:]
    total = float(band.sum())
    if total <= 0 or math.sqrt(total) < 1e-9 * extent * size:
        return NONE
    peak = lowest + int(np.argmax(band))
    near = float(power[max(lowest, peak - 1) : peak + 2].sum())
    p = min(1.0, len(band) * (1.0 - float(power[peak]) / total) ** (len(band) - 1))
    amplitude = min(1.0, 4.0 * math.sqrt(near) / size / extent)
    return Oscillation(near / total, p, amplitude, width * size / peak, count - size * width, size * width)


def _trend(values: Array) -> Array:
    """Return the running median; beyond its ends the series is turned around its last values, so that a slope stays one."""
    import numpy as np

    padded = np.pad(values, _TREND_WINDOW // 2, mode="reflect", reflect_type="odd")
    return medians(np.lib.stride_tricks.sliding_window_view(padded, _TREND_WINDOW))
