"""Curves on the axes of matplotlib, in the reader's own style: what a notebook plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import UsageError, did_you_mean
from trainreport.model.case import HELD_OUT
from trainreport.model.series import direction
from trainreport.reports import words
from trainreport.reports.decimate import smooth, smoothing_window

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from trainreport.model.curve import Curve
    from trainreport.model.decision import Checkpoint
    from trainreport.model.run import RunLog

__all__ = ["first_series", "mark", "plot"]

_PHASES = ("train", "validation", "test", "system")
_MOST_NAMED = 10
_S_PER_H = 3600.0


def plot(logs: Sequence[RunLog], series: str, phase: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a series and return the axes; of one run every phase and device, of several one curve a run.

    Parameters
    ----------
    logs : sequence of RunLog
        At least one.
    series : str
        Canonical name, or as logged.
    phase : str, optional
        Only this phase. Without it, several runs are shown on data not trained on, where they have that.
    ax : Axes, optional
        Where to draw; new axes by default.

    Raises
    ------
    UsageError
        If no run has the series in the phase.
    """
    drawn = [entry for log in logs for entry in _curves(log, series, phase, several=len(logs) > 1)]
    if not drawn:
        known = sorted({name for log in logs for name, where in log.curves.names(*_PHASES) if phase in (None, where)})
        where = f" in phase {phase!r}" if phase else ""
        raise UsageError(f"no run has a series {series!r}{where}{did_you_mean(series, known)}; found: {', '.join(known) or 'none'}")
    axes = _new() if ax is None else ax
    by_step = all(curve.has_step for _, curve in drawn)
    for place, (name, curve) in enumerate(drawn):
        _line(axes, curve, by_step=by_step, name=name if place < _MOST_NAMED else "", colour=f"C{place % 10}")
    curve = drawn[0][1]
    axes.set(xlabel="step" if by_step else "hours", ylabel=series if curve.unit == "1" else f"{series} ({curve.unit})")
    if len(drawn) > 1:
        more = len(drawn) - _MOST_NAMED
        axes.legend(title=f"and {words.count(more)} more" if more > 0 else None, frameon=False)
    return axes


def first_series(logs: Sequence[RunLog]) -> str:
    """Return what is worth seeing first: a loss or other measure of quality on data not trained on, else whatever there is."""
    names = [
        (where not in HELD_OUT, not direction(name), name != "loss", name) for log in logs for name, where in log.curves.names(*_PHASES)
    ]
    return min(names)[-1] if names else "loss"


def mark(axes: Axes, best: Checkpoint) -> None:
    """Mark the best checkpoint of a run."""
    axes.plot(best.step, best.value, "o", color="C3")
    axes.annotate(
        f"best, step {words.count(best.step)}", (best.step, best.value), (0, 8), textcoords="offset points", ha="center", color="C3"
    )


def _new() -> Axes:
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=(7.0, 3.2), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02, y=0.12)
    return axes


def _curves(log: RunLog, series: str, phase: str | None, *, several: bool) -> Iterable[tuple[str, Curve]]:
    """Yield (label, curve) of what is to be shown of a run."""
    wanted = (phase,) if phase else (*HELD_OUT, "train", "system") if several else _PHASES
    for one in wanted:
        devices = log.curves.of_devices(series, one)
        if len(devices) > 1 or (devices and not devices[0].has_step):
            for curve in devices:
                device = "/".join(name for name in (curve.node, curve.device) if name)
                yield " ".join(text for text in (log.run.name if several else "", device) if text) or one, curve
        elif (curve_of := log.curves.curve(series, one)) is not None:
            yield log.run.name if several else one, curve_of
        else:
            continue
        if several:
            return


def _line(axes: Axes, curve: Curve, *, by_step: bool, name: str, colour: str) -> None:
    """Draw a curve as logged, faint where a smoothed line stands over it."""
    x = curve.step if by_step else _hours(curve)
    window = smoothing_window(len(curve))
    label = name or "_"
    if window > 1:
        axes.plot(x, curve.value, color=colour, alpha=0.25, linewidth=0.8)
        axes.plot(x, smooth(curve.value, window), color=colour, linewidth=1.6, label=label)
    else:
        axes.plot(x, curve.value, color=colour, linewidth=1.4, label=label, marker="." if len(curve) <= _MOST_NAMED else "")


def _hours(curve: Curve) -> npt.NDArray[np.float64]:
    import numpy as np

    known = curve.time_s[np.isfinite(curve.time_s)]
    return (curve.time_s - known.min()) / _S_PER_H if len(known) else np.arange(len(curve), dtype=np.float64)
