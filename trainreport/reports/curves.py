"""From the curves of a run to charts: how a series is scaled, smoothed, labelled and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.decimate import smooth, smoothing_window
from trainreport.reports.spec import Axis, Line
from trainreport.reports.ticks import nice_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.model.curve import Curve
    from trainreport.reports.spec import Tone

__all__ = ["Shape", "ends", "lines", "scale", "shape", "smoothing_sentence", "x_axis"]

_LOG_FROM = 1000.0  # a range of three decades cannot be read on a linear axis
_LARGEST = 1e100  # what diverged beyond stands at the edge: sums and logarithms of larger floats overflow


@dataclass(frozen=True, slots=True)
class Shape:
    """How the values of some curves are written and scaled."""

    axis: Axis
    shares: bool

    def said(self, value: float) -> str:
        """Return a value in words."""
        return words.share(value) if self.shares else words.number(value)


def shape(curves: Sequence[Curve], also: Sequence[float] = ()) -> Shape:
    """Return the y axis that shows `curves` and the values `also` honestly; see `scale`."""
    import numpy as np

    return scale(curves[0].series, np.concatenate([*(curve.value for curve in curves), np.asarray(also, dtype=np.float64)]))


def scale(series: str, values: npt.NDArray[np.float64]) -> Shape:
    """Return the y axis that shows values of a series.

    Shares and losses that come near zero start at zero; a positive range of three decades is logarithmic.
    """
    import numpy as np

    values = _drawable(values[np.isfinite(values)])
    if not len(values):
        return Shape(Axis(low=0.0, high=1.0), shares=False)
    low, high = float(values.min()), float(values.max())
    shares = words.is_share(series, high) and low >= 0
    if not shares and low > 1 / _LARGEST and high / low > _LOG_FROM:
        return Shape(Axis("number", log=True, low=low, high=high), shares=False)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    step = nice_step(high + room - (low - room), 5)
    bottom = 0.0 if 0 <= low < 0.4 * high else np.floor((low - room / 2) / step) * step
    top = min(high + room, 1.0) if shares and high <= 1 else high + room
    return Shape(Axis("share" if shares else "number", low=float(bottom), high=top), shares=shares)


def lines(curve: Curve, label: str, tone: Tone, x: npt.NDArray[np.float64] | None = None) -> tuple[Line, ...]:
    """Return the raw points, faint, and the smoothed line, strong; one strong line where nothing is smoothed."""
    import numpy as np

    x = curve.step.astype(np.float64) if x is None else x
    window, value = smoothing_window(len(curve)), _drawable(curve.value)
    if window <= 1:
        return (Line(x, value, label, tone),)
    return (Line(x, value, "", tone, "faint"), Line(x, smooth(value, window), label, tone))


def _drawable(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the values, finite ones within what can be drawn; a gap stays where there is no number."""
    import numpy as np

    return np.where(np.isfinite(values), np.clip(values, -_LARGEST, _LARGEST), np.nan)


def x_axis(curve: Curve) -> Axis:
    """Return the axis of steps, or of logged points where no step was logged."""
    return Axis("count", words.label("axis.steps" if curve.has_step else "axis.points"))


def smoothing_sentence(curves: Sequence[Curve], part: int = 20) -> str:
    """Return how the strong lines were made; `part` as in `smoothing_window`."""
    widths = sorted({smoothing_window(len(curve), part) for curve in curves})
    smoothed = [width for width in widths if width > 1]
    if not smoothed:
        return words.label("smoothing.none")
    said = words.label("smoothing.how", n=words.label("list.or").join(words.count(width) for width in smoothed))
    return said if len(smoothed) == len(widths) else f"{said} {words.label('smoothing.rest')}"


def ends(curve: Curve) -> tuple[float, float]:
    """Return the first finite value and the last value, which may be none; NaN where there is none."""
    import numpy as np

    finite = curve.value[np.isfinite(curve.value)]
    return (float(finite[0]), float(curve.value[-1])) if len(finite) else (float("nan"), float("nan"))
