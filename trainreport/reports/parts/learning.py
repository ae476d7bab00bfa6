"""Learning curves: each measure on training and on held-out data, one chart each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.case import HELD_OUT
from trainreport.reports import curves, words
from trainreport.reports.blocks import Figure, Figures, Paragraph, Part
from trainreport.reports.decimate import smooth, smoothing_window
from trainreport.reports.parts.charts import learned_sentence
from trainreport.reports.spec import Axis, Band, FigureSpec, Line, Mark, Moment, Panel

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.reports.blocks import Block
    from trainreport.reports.curves import Shape
    from trainreport.reports.view import View

__all__ = ["build", "overview"]

_MOST = 8
_WIDE_MM, _HALF_MM, _HEIGHT_MM = 172.0, 84.0, 45.0
_WHERE = {"train": "training", "validation": "unseen", "test": "test"}


def build(view: View) -> Part:
    """Return one chart for each measure, or why there is none."""
    pairs = _pairs(view)
    if not pairs:
        text = (
            "The logs hold no loss, accuracy or other measure with a known better direction, so whether the model learned cannot be shown."
        )
        return Part("learning", "Learning", "Nothing was logged that shows learning", (Paragraph(text),), fresh=False)
    once = [(name, pair) for name, pair in pairs if max(len(curve) for curve in pair) == 1]
    pairs = [entry for entry in pairs if entry not in once] or pairs[:1]
    shown = pairs[:_MOST]
    once = [entry for entry in once if entry not in shown]
    width = _WIDE_MM if len(shown) == 1 else _HALF_MM
    figures = [_figure(view, name, pair, width) for name, pair in shown]
    everything = [curve for _, pair in shown for curve in pair]
    blocks: list[Block] = [Paragraph(_how(view, everything), "quiet")]
    blocks += [Figures(tuple(figures[i : i + 2])) for i in range(0, len(figures), 2)]
    if once:
        blocks.append(Paragraph(f"Logged only once, so not drawn: {words.joined([_value(*entry) for entry in once], 12)}.", "quiet"))
    if len(pairs) > _MOST:
        blocks.append(Paragraph(f"Not drawn: {words.joined([words.series_name(name) for name, _ in pairs[_MOST:]])}.", "quiet"))
    return Part("learning", "Learning", _title(view, shown), tuple(blocks), fresh=False)


def _value(name: str, pair: tuple[Curve, ...]) -> str:
    return f"{words.series_name(name)} {curves.shape(pair).said(curves.ends(pair[0])[1])}"


def overview(view: View) -> FigureSpec:
    """Return the curves of up to four measures in one chart, stacked, for a notebook."""
    shown = _pairs(view)[:4]
    stacked = tuple(_panel(view, name, pair) for name, pair in shown) or (Panel((), title="no learning curve was logged"),)
    longest = max((curve for _, pair in shown for curve in pair), key=lambda curve: float(curve.step[-1]), default=None)
    return FigureSpec(stacked, curves.x_axis(longest) if longest is not None else Axis(), _WIDE_MM, 12.0 + 42.0 * len(stacked))


def _pairs(view: View) -> list[tuple[str, tuple[Curve, ...]]]:
    """Return each measure with its curves, held-out first; those with both come first."""
    names = list(dict.fromkeys([*view.case.quality_series(), *view.case.training_series()]))
    found = []
    for name in names:
        group = [view.case.curve(name, phase) for phase in (*HELD_OUT, "train")]
        pair = tuple(curve for curve in group if curve is not None and len(curve))
        if pair:
            found.append((name, pair))
    first = view.progress.series if view.progress is not None else ""
    return sorted(found, key=lambda entry: (entry[0] != first, -len(entry[1]) > -2, names.index(entry[0])))


def _panel(view: View, name: str, pair: tuple[Curve, ...]) -> Panel:
    shape = curves.shape(pair)
    drawn: list[Line] = []
    for curve in pair:
        tone = "second" if curve.phase == "train" else "accent" if curve.phase == "validation" else "good"
        end = shape.said(curves.ends(curve)[1])
        drawn += curves.lines(curve, f"{_WHERE.get(curve.phase, curve.phase)}\n{end}", tone)  # type: ignore[arg-type]
    scale = ", logarithmic" if shape.axis.log else ""
    return Panel(
        lines=tuple(sorted(drawn, key=lambda line: line.weight != "faint")),
        y=shape.axis,
        title=f"{words.series_name(name)}{scale}",
        bands=_after(view, pair),
        marks=_marks(view, pair, shape),
        moments=(*_restarts(view), *_not_finite(pair)),
    )


def _figure(view: View, name: str, pair: tuple[Curve, ...], width: float) -> Figure:
    panel, shape = _panel(view, name, pair), curves.shape(pair)
    spec = FigureSpec((panel,), curves.x_axis(max(pair, key=lambda c: float(c.step[-1]))), width, _HEIGHT_MM)
    return Figure(
        f"curve-{words.series_name(name).replace(' ', '-')}", _sentence(name, pair, shape), spec, _caption(pair), _alt(name, pair, shape)
    )


def _after(view: View, pair: tuple[Curve, ...]) -> tuple[Band, ...]:
    last = max(float(curve.step[-1]) for curve in pair)
    if view.best is None or not view.stopped_improving or last <= view.best.step:
        return ()
    return (Band(float(view.best.step), last, "after the best checkpoint"),)


def _marks(view: View, pair: tuple[Curve, ...], shape: Shape) -> tuple[Mark, ...]:
    import numpy as np

    best, curve = view.best, pair[0]
    if best is None or curve.phase == "train":
        return ()
    value = float(curve.value[int(np.abs(curve.step - best.step).argmin())])
    return (Mark(float(best.step), value, f"best {shape.said(value)}"),) if np.isfinite(value) else ()


def _restarts(view: View) -> tuple[Moment, ...]:
    frame = view.run.log.frame
    later = frame[(frame["attempt"] > 1) & frame["step"].notna()]
    if later.empty:
        return ()
    starts = later.groupby("attempt")["step"].min()
    return tuple(Moment(float(step), "restart") for step in starts.head(12))


def _not_finite(pair: tuple[Curve, ...]) -> tuple[Moment, ...]:
    """Return where the first value that is no number stands."""
    import numpy as np

    first = min((int(curve.step[~np.isfinite(curve.value)].min()) for curve in pair if not np.isfinite(curve.value).all()), default=None)
    return () if first is None else (Moment(float(first), "not a number", "bad"),)


def _sentence(name: str, pair: tuple[Curve, ...], shape: Shape) -> str:
    import numpy as np

    told = {curve.phase: shape.said(curves.ends(curve)[1]) for curve in pair}
    thing = words.capital(words.series_name(name))
    if not any(np.isfinite(curves.ends(curve)[1]) for curve in pair):
        return f"{thing} is no number at the end"
    held = next((phase for phase in HELD_OUT if phase in told), None)
    if held and "train" in told:
        return f"{thing}: {told['train']} in training, {told[held]} {_WHERE[held]}"
    first, last = curves.ends(pair[0])
    if len(pair[0]) == 1:
        return f"{thing} {words.label(f'phase.{pair[0].phase}')}: {shape.said(last)}"
    return f"{thing} {words.label(f'phase.{pair[0].phase}')}: from {shape.said(first)} to {shape.said(last)}"


def _caption(pair: tuple[Curve, ...]) -> str:
    names = " · ".join(f"{words.short(curve.logged, 48)} ({words.plural(len(curve), 'point')})" for curve in pair)
    others = [words.short(other, 40) for curve in pair for other in curve.others]
    return f"{names}. Not used, same meaning: {words.joined(others, 3)}." if others else f"{names}."


def _alt(name: str, pair: tuple[Curve, ...], shape: Shape) -> str:
    said = [f"{_WHERE.get(c.phase, c.phase)} data from {shape.said(curves.ends(c)[0])} to {shape.said(curves.ends(c)[1])}" for c in pair]
    return f"Line chart of {words.series_name(name)}: {words.joined(said)}."


def _how(view: View, drawn: list[Curve]) -> str:
    best = view.best
    text = curves.smoothing_sentence(drawn)
    if best is not None:
        where = words.measure(best.series, best.phase)
        among = words.plural(best.evaluations, "evaluation")
        text += f" Best checkpoint: step {words.count(best.step)}, the best of {among} by {where[:1].lower()}{where[1:]}."
    return text


def _title(view: View, pairs: list[tuple[str, tuple[Curve, ...]]]) -> str:
    if view.progress is not None and view.progress.phase != "train" and view.best is not None:
        return "It got better on what it trained on, and worse on the rest" if _apart(pairs[0][1]) else learned_sentence(view)
    name, pair = pairs[0]
    return _sentence(name, pair, curves.shape(pair))


def _apart(pair: tuple[Curve, ...]) -> bool:
    """Whether held-out quality fell from its best while training quality went on rising."""
    import numpy as np

    if len(pair) < 2 or not pair[0].direction:
        return False
    held, train = pair[0], pair[-1]
    sign = held.direction
    smoothed = smooth(held.value * sign, smoothing_window(len(held)))
    if not np.isfinite(smoothed).any():
        return False
    peak = int(np.nanargmax(smoothed))
    fell = smoothed[peak] - smoothed[np.isfinite(smoothed)][-1] > 0.02 * abs(smoothed[peak])
    at_peak = train.value[np.searchsorted(train.step, held.step[peak]).clip(0, len(train) - 1)]
    return bool(fell and sign * (curves.ends(train)[1] - at_peak) > 0)
