"""What the hardware did: utilization, memory and power under the curve, on one time axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.reports import curves, words
from trainreport.reports.blocks import Cell, Column, Figure, Paragraph, Part, Row, Section, Table
from trainreport.reports.clock_axis import clock_places
from trainreport.reports.decimate import decimate, smooth, smoothing_window
from trainreport.reports.parts import goodput, profile
from trainreport.reports.retold import retold
from trainreport.reports.spec import Axis, Band, FigureSpec, Level, Line, Panel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.curve import Curve
    from trainreport.reports.blocks import Block
    from trainreport.reports.spec import Tone
    from trainreport.reports.view import View

__all__ = ["build"]

_TONES: tuple[Tone, ...] = ("accent", "second", "good", "warn")
_WIDTH_MM = 172.0
_COMMAND = "nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw --format=csv -l 10"
_MOST_DEVICES = 60
_PART = 60  # hardware changes fast: a narrower average than for learning curves


@dataclass(frozen=True, slots=True)
class _Measure:
    series: str
    form: str
    unit: str
    scale: float

    @property
    def title(self) -> str:
        return words.label(f"hardware.{self.series.rpartition('/')[2]}")


_MEASURES = (
    _Measure("gpu/utilization", "share", "", 1.0),
    _Measure("gpu/memory_used", "number", "GiB", 1 / 2**30),
    _Measure("gpu/power", "number", "W", 1.0),
)


def build(view: View) -> Part:
    """Return the stacked chart and the table of devices, or why there is none."""
    found = [(measure, devices) for measure in _MEASURES if (devices := _timed(view, measure.series))]
    profiles = profile.section(view)
    if not found:
        text = words.label("hardware.no_log", command=_COMMAND)
        blocks: tuple[Block, ...] = (Paragraph(text), *profiles, goodput.section(view), *_device_table(view))
        title = words.label("hardware.only_profiled" if profiles else "hardware.not_logged")
        return Part("machine", words.label("short.machine"), title, blocks, fresh=False)
    blocks = (_figure(view, found), *profiles, goodput.section(view), *_device_table(view))
    return Part("machine", words.label("short.machine"), _title(view, found), blocks, fresh=False)


def _timed(view: View, series: str) -> list[Curve]:
    import numpy as np

    return [curve for curve in view.case.devices(series) if np.isfinite(curve.time_s).any() and np.isfinite(curve.value).any()]


def _mean(devices: list[Curve]) -> float:
    import numpy as np

    return float(np.mean([np.nanmean(np.where(np.isfinite(c.value), c.value, np.nan)) for c in devices]))


def _title(view: View, found: list[tuple[_Measure, list[Curve]]]) -> str:
    measure, devices = found[0]
    if measure.series == "gpu/utilization":
        return words.counted("hardware.busy", len(devices), share=words.share(_mean(devices)))
    if measure.series == "gpu/power":
        return words.counted("hardware.drew", len(devices), watts=words.number(_mean(devices)))
    return words.label("hardware.memory_only")


def _figure(view: View, found: list[tuple[_Measure, list[Curve]]]) -> Figure:
    import numpy as np

    everything = [curve for _, devices in found for curve in devices]
    progress = view.progress if view.progress is not None and np.isfinite(view.progress.time_s).sum() > 1 else None
    times = [curve.time_s for curve in everything] + ([progress.time_s] if progress is not None else [])
    start, end = min(float(np.nanmin(t)) for t in times), max(float(np.nanmax(t)) for t in times)
    bands = _bands(view, start, end)
    panels = [_learning(progress, bands)] if progress is not None else []
    panels += [
        _panel(view, measure, devices, bands if not panels and i == 0 else tuple(_unnamed(bands)))
        for i, (measure, devices) in enumerate(found)
    ]
    places = clock_places(start, end, view.plan.display_zone)
    spec = FigureSpec(tuple(panels), Axis(low=start, high=end, places=places), _WIDTH_MM, 14.0 + sum(27.0 * p.height for p in panels))
    return Figure(
        "hardware",
        words.label("hardware.one_clock" if progress is not None else "hardware.over_time"),
        spec,
        _caption(view, everything, bands),
        _alt(found),
    )


def _unnamed(bands: tuple[Band, ...]) -> list[Band]:
    return [Band(band.start, band.end, "", band.tone) for band in bands]


def _learning(curve: Curve, bands: tuple[Band, ...]) -> Panel:
    shape = curves.shape([curve])
    name = words.phase_series(curve.series, curve.phase)
    return Panel(curves.lines(curve, shape.said(curves.ends(curve)[1]), "ink", curve.time_s), shape.axis, title=name, bands=bands)


def _panel(view: View, measure: _Measure, devices: list[Curve], bands: tuple[Band, ...]) -> Panel:
    import numpy as np

    few = len(devices) <= len(_TONES)
    raw = [
        Line(*decimate(c.time_s, c.value * measure.scale, _raw_columns(len(devices))), "", _tone(i, few=few), "faint")
        for i, c in enumerate(devices[:16])
    ]
    strong = [_smoothed(c, measure, _TONES[i]) for i, c in enumerate(devices)] if few else [_average(devices, measure)]
    top = max(float(np.nanmax(np.where(np.isfinite(c.value), c.value, np.nan))) for c in devices) * measure.scale
    limit = view.run.log.run.hardware.gpu_memory_bytes if measure.series == "gpu/memory_used" else None
    levels = (Level(limit * measure.scale, words.label("hardware.all_memory", size=words.memory(limit)), "quiet"),) if limit else ()
    high = 1.0 if measure.form == "share" and top <= 1 else 1.12 * max(top, *(level.value for level in levels), 1e-9)
    return Panel((*raw, *strong), Axis(measure.form, measure.unit, 0.0, high), measure.title, levels, bands)  # type: ignore[arg-type]


def _raw_columns(devices: int) -> int:
    """Return how finely raw samples are drawn: the more devices, the coarser, so that pages stay small."""
    return 1000 if devices == 1 else max(110, 480 // devices)


def _tone(place: int, *, few: bool) -> Tone:
    return _TONES[place] if few else "second"


def _device(curve: Curve) -> str:
    return curve.device or "gpu"


def _smoothed(curve: Curve, measure: _Measure, tone: str) -> Line:
    value = smooth(curve.value, smoothing_window(len(curve), _PART)) * measure.scale
    return Line(*decimate(curve.time_s, value, 150), f"{_device(curve)} {_said(_mean([curve]), measure)}", tone)  # type: ignore[arg-type]


def _said(mean: float, measure: _Measure) -> str:
    return words.share(mean) if measure.form == "share" else f"{words.number(mean * measure.scale)}{words.GAP}{measure.unit}"


def _average(devices: list[Curve], measure: _Measure) -> Line:
    """Return the mean over devices, on 300 points of their common time."""
    import numpy as np

    start, end = max(float(np.nanmin(c.time_s)) for c in devices), min(float(np.nanmax(c.time_s)) for c in devices)
    grid = np.linspace(start, max(end, start + 1.0), 300)
    rows = [np.interp(grid, c.time_s[ok], c.value[ok]) for c in devices if (ok := np.isfinite(c.time_s) & np.isfinite(c.value)).any()]
    mean: npt.NDArray[np.float64] = np.mean(rows, axis=0)
    return Line(
        grid, smooth(mean, 5) * measure.scale, words.label("hardware.mean", n=len(devices), value=_said(_mean(devices), measure)), "accent"
    )


def _bands(view: View, start: float, end: float) -> tuple[Band, ...]:
    """Return the spans that findings name in time, longest first, at most three, and what came after the best."""
    spans = []
    for finding in view.run.findings:
        for evidence in finding.evidence:
            a, b = evidence.from_time_s, evidence.to_time_s
            if a is not None and b is not None and start <= a < b <= end + 1 and (b - a) < 0.9 * (end - start):
                spans.append(Band(a, b, words.finding_name(finding.name), "warn"))
                break
    spans = sorted({(s.start, s.end): s for s in spans}.values(), key=lambda band: band.start - band.end)[:3]
    if view.best is not None and view.best.time_s is not None and view.stopped_improving and start < view.best.time_s < end and not spans:
        return (Band(view.best.time_s, end, words.label("chart.after_best")),)
    return tuple(spans)


def _caption(view: View, everything: list[Curve], bands: tuple[Band, ...]) -> str:
    zone = words.city(view.plan.display_zone)
    files = words.joined([words.short(name, 50) for name in dict.fromkeys(curve.file for curve in everything)], 3)
    said = [words.label("hardware.zone", zone=zone), curves.smoothing_sentence(everything, _PART)]
    said += [words.label("hardware.shaded", names=words.joined(list(dict.fromkeys(band.label for band in bands))))] if bands else []
    return " ".join([*said, words.label("evidence.files", files=files)])


def _alt(found: list[tuple[_Measure, list[Curve]]]) -> str:
    said = [
        words.counted("hardware.alt_line", len(devices), measure=measure.title, mean=_said(_mean(devices), measure))
        for measure, devices in found
    ]
    return words.label("hardware.alt", lines=words.joined(said))


def _device_table(view: View) -> tuple[Block, ...]:
    uses = view.ledger.devices
    if not uses:
        return ()
    rows = tuple(
        Row((
            Cell(use.device, note=use.node or ""),
            Cell(use.model or words.label("hardware.no_model")),
            Cell(words.hours(use.hours)),
            Cell(words.money(use.cost) if use.cost is not None else words.label("hardware.not_priced")),
        ))
        for use in uses[:_MOST_DEVICES]
    )  # fmt: skip
    columns = (
        Column(words.label("column.device"), 2.0),
        Column(words.label("column.model"), 3.0),
        Column(words.label("column.held"), 1.2, "right"),
        Column(words.label("column.cost"), 1.4, "right"),
    )
    more = len(uses) - _MOST_DEVICES
    hours = words.capital(view.ledger.basis.get("hours", "").rstrip("."))
    basis = retold(f"{hours}.") if hours else ""
    note = " ".join(part for part in (words.label("more.any", n=more) if more > 0 else "", basis) if part)
    return (Section("devices", words.label("hardware.held"), (Table(columns, rows, note, dense=True),)),)
