"""Learning curves: each measure on training and on held-out data, one chart each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.case import HELD_OUT
from trainreport.model.words import series_words
from trainreport.reports import curves, words
from trainreport.reports.blocks import Figure, Figures, Paragraph, Part
from trainreport.reports.decimate import smooth, smoothing_window
from trainreport.reports.parts.charts import learned_sentence
from trainreport.reports.spec import Band, FigureSpec, Line, Mark, Moment, Panel

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.reports.blocks import Block
    from trainreport.reports.curves import Shape
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST = 8
_WIDE_MM, _HALF_MM, _HEIGHT_MM = 172.0, 84.0, 45.0


def build(view: View) -> Part:
    """Return one chart for each measure, or why there is none."""
    pairs = _pairs(view)
    if not pairs:
        text = Paragraph(words.label("learning.nothing"))
        return Part("learning", words.label("short.learning"), words.label("learning.nothing_title"), (text,), fresh=False)
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
        blocks.append(Paragraph(words.label("learning.once", names=words.joined([_value(*entry) for entry in once], 12)), "quiet"))
    if len(pairs) > _MOST:
        names = words.joined([words.series_name(name) for name, _ in pairs[_MOST:]])
        blocks.append(Paragraph(words.label("learning.not_drawn", names=names), "quiet"))
    return Part("learning", words.label("short.learning"), _title(view, shown), tuple(blocks), fresh=False)


def _value(name: str, pair: tuple[Curve, ...]) -> str:
    return f"{words.series_name(name)} {curves.shape(pair).said(curves.ends(pair[0])[1])}"


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
        drawn += curves.lines(curve, f"{_where(curve.phase)}\n{end}", tone)  # type: ignore[arg-type]
    name = words.series_name(name)
    return Panel(
        lines=tuple(sorted(drawn, key=lambda line: line.weight != "faint")),
        y=shape.axis,
        title=words.label("chart.log", name=name) if shape.axis.log else name,
        bands=_after(view, pair),
        marks=_marks(view, pair, shape),
        moments=(*_restarts(view), *_not_finite(pair)),
    )


def _figure(view: View, name: str, pair: tuple[Curve, ...], width: float) -> Figure:
    panel, shape = _panel(view, name, pair), curves.shape(pair)
    spec = FigureSpec((panel,), curves.x_axis(max(pair, key=lambda c: float(c.step[-1]))), width, _HEIGHT_MM)
    return Figure(
        f"curve-{series_words(name).replace(' ', '-')}", _sentence(name, pair, shape), spec, _caption(pair), _alt(name, pair, shape)
    )


def _after(view: View, pair: tuple[Curve, ...]) -> tuple[Band, ...]:
    last = max(float(curve.step[-1]) for curve in pair)
    if view.best is None or not view.stopped_improving or last <= view.best.step:
        return ()
    return (Band(float(view.best.step), last, words.label("chart.after_best")),)


def _marks(view: View, pair: tuple[Curve, ...], shape: Shape) -> tuple[Mark, ...]:
    import numpy as np

    best, curve = view.best, pair[0]
    if best is None or curve.phase == "train":
        return ()
    value = float(curve.value[int(np.abs(curve.step - best.step).argmin())])
    return (Mark(float(best.step), value, words.label("chart.best_value", value=shape.said(value))),) if np.isfinite(value) else ()


def _restarts(view: View) -> tuple[Moment, ...]:
    frame = view.run.log.frame
    later = frame[(frame["attempt"] > 1) & frame["step"].notna()]
    if later.empty:
        return ()
    starts = later.groupby("attempt")["step"].min()
    return tuple(Moment(float(step), words.label("chart.restart")) for step in starts.head(12))


def _not_finite(pair: tuple[Curve, ...]) -> tuple[Moment, ...]:
    """Return where the first value that is no number stands."""
    import numpy as np

    first = min((int(curve.step[~np.isfinite(curve.value)].min()) for curve in pair if not np.isfinite(curve.value).all()), default=None)
    return () if first is None else (Moment(float(first), words.label("chart.not_a_number"), "bad"),)


def _sentence(name: str, pair: tuple[Curve, ...], shape: Shape) -> str:
    import numpy as np

    told = {curve.phase: shape.said(curves.ends(curve)[1]) for curve in pair}
    thing = words.capital(words.series_name(name))
    if not any(np.isfinite(curves.ends(curve)[1]) for curve in pair):
        return words.label("learning.no_number", measure=thing)
    held = next((phase for phase in HELD_OUT if phase in told), None)
    if held and "train" in told:
        return words.label(f"learning.both_{held}", measure=thing, train=told["train"], held=told[held])
    first, last = curves.ends(pair[0])
    measured = words.measure(name, pair[0].phase)
    if len(pair[0]) == 1:
        return f"{measured}: {shape.said(last)}"
    return words.label("learning.from_to", measure=measured, first=shape.said(first), last=shape.said(last))


def _caption(pair: tuple[Curve, ...]) -> str:
    names = " · ".join(f"{words.short(curve.logged, 48)} ({words.counted('learning.points', len(curve))})" for curve in pair)
    others = [words.short(other, 40) for curve in pair for other in curve.others]
    return f"{names}. {words.label('learning.not_used', names=words.joined(others, 3))}" if others else f"{names}."


def _alt(name: str, pair: tuple[Curve, ...], shape: Shape) -> str:
    told = [(_where(curve.phase), *map(shape.said, curves.ends(curve))) for curve in pair]
    said = [words.label("learning.alt_line", data=data, first=first, last=last) for data, first, last in told]
    return words.label("learning.alt", series=words.series_name(name), lines=words.joined(said))


def _where(phase: str) -> str:
    return words.labels("curve").get(phase, phase)


def _how(view: View, drawn: list[Curve]) -> str:
    best = view.best
    text = curves.smoothing_sentence(drawn)
    if best is not None:
        where = words.within(words.measure(best.series, best.phase))
        text += f" {words.counted('learning.best', best.evaluations, step=words.count(best.step), measure=where)}"
    return text


def _title(view: View, pairs: list[tuple[str, tuple[Curve, ...]]]) -> str:
    if view.progress is not None and view.progress.phase != "train" and view.best is not None:
        return words.label("learning.apart") if _apart(pairs[0][1]) else learned_sentence(view)
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
