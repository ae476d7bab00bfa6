"""Energy and emissions that a tool of its own measured or estimated: one recording each, under the same names.

``energy/reported`` (J) and ``emissions/reported`` (kg of CO2 equivalent) are the tool's totals, one point at the end;
parts such as ``energy/reported/gpu`` stand beside them. How the tool got there is told by tags: ``energy.tool``,
``energy.pue``, ``energy.grid_g_per_kwh``, ``energy.place``, ``energy.scope``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainreport.importers.points import NO_STEP, Points
from trainreport.importers.recording import Event, FileRead, Recording, mappings_of
from trainreport.importers.spans import Spans, overlap_share, span_of
from trainreport.model import words
from trainreport.model.clock import from_epoch_seconds
from trainreport.model.decision import Skipped
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from trainreport.importers.recording import Source
    from trainreport.importers.spans import Span
    from trainreport.model.run import Hardware, Problem

__all__ = ["J_PER_KWH", "EnergyReport", "recording_of", "without_ranks"]

J_PER_KWH = 3.6e6
_MACHINE = "machine"
_TOGETHER = 0.8
"""Share of the longer span that two trackers of one machine must share to have measured the same energy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyReport:
    """What a tool says of one run; None where it does not say."""

    tool: str
    key: str
    name: str
    energy_kwh: float | None = None
    parts_kwh: Mapping[str, float] = field(default_factory=dict)
    """By ``cpu``, ``gpu``, ``ram``."""
    emissions_kg: float | None = None
    pue: float | None = None
    """Power usage effectiveness that is in its energy."""
    place: str = ""
    scope: str = ""
    """``machine`` where it measured all that the machine drew, whoever used it."""
    started_at: datetime | None = None
    seconds: float | None = None
    ended_at: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    line: int | None = None

    @property
    def grid_g_per_kwh(self) -> float | None:
        """The carbon intensity of the electricity that its figures imply."""
        if not self.energy_kwh or self.emissions_kg is None:
            return None
        return self.emissions_kg * 1000 / self.energy_kwh

    @property
    def words(self) -> str:
        """The figures in a sentence."""
        said = [
            f"{self.energy_kwh:.6g} kWh" if self.energy_kwh is not None else "",
            f"{self.emissions_kg:.6g} kg CO2e" if self.emissions_kg is not None else "",
        ]
        factor = self.grid_g_per_kwh
        more = [
            f"at {factor:.4g} g/kWh" if factor is not None else "",
            f"PUE {self.pue:g} included" if self.pue is not None else "",
            self.place,
        ]
        return (
            f"{self.tool} reports {' and '.join(one for one in said if one)}; {', '.join(one for one in more if one) or 'no factor told'}"
        )


def recording_of(
    source: Source, report: EnergyReport, *, clock: str, hardware: Hardware, problems: Sequence[Problem] = (), importer: str
) -> Recording:
    """Return the recording of one report."""
    points = Points()
    started, ended = report.started_at, report.ended_at
    if ended is None and started is not None and report.seconds is not None:
        ended = from_epoch_seconds(started.timestamp() + report.seconds)
    if started is None and ended is not None and report.seconds is not None:
        started = from_epoch_seconds(ended.timestamp() - report.seconds)
    values = {"energy": report.energy_kwh, **{f"energy/{part}": value for part, value in report.parts_kwh.items()}}
    for name, value in values.items():
        if value is not None:
            series = name.replace("energy", "energy/reported", 1)
            points.put(points.code(f"{report.tool} {name}", Meaning(series, "system", "kWh", None, f"as {report.tool} reports it")), value)
    if report.emissions_kg is not None:
        told = Meaning("emissions/reported", "system", "kg", None, f"as {report.tool} reports it")
        points.put(points.code(f"{report.tool} emissions", told), report.emissions_kg)
    points.end_row(NO_STEP, float("nan") if ended is None else ended.timestamp())
    factor = report.grid_g_per_kwh
    own = {
        "energy.tool": report.tool,
        "energy.pue": "" if report.pue is None else f"{report.pue:g}",
        "energy.grid_g_per_kwh": "" if factor is None else f"{factor:.6g}",
        "energy.place": report.place,
        "energy.scope": report.scope,
    }
    moment = None if ended is None else ended.timestamp()
    return Recording(
        importer=importer,
        kind="training",
        key=report.key,
        name=report.name,
        frame=points.frame(source.name),
        files=(FileRead(source.path, source.name, len(points), len(problems), clock),),
        folder=source.folder,
        mappings=mappings_of(*points.meanings),
        problems=tuple(problems),
        events=(Event("energy-report", report.words, moment, file=source.name, line=report.line),),
        started_at=started,
        ended_at=ended,
        tags={**{key: text for key, text in own.items() if text}, **report.tags},
        hardware=hardware,
    )


def without_ranks(sources: Sequence[Sequence[Recording]]) -> tuple[list[list[Recording]], list[Skipped]]:
    """Return the recordings of each path, of trackers that measured one whole machine at the same time only the one that ran longest.

    Each process of a distributed run that starts a tracker measures the machine, not its own share of it. A run that
    is reported in several files counts once too.
    """
    reports = [one for recordings in sources for one in recordings if "energy.tool" in one.tags and span_of([one])]
    spans = [span_of([one]) for one in reports]
    index = Spans(spans)
    kept: dict[Recording, list[Recording]] = {}
    twins: dict[Recording, Recording] = {}
    for place in sorted(range(len(reports)), key=lambda place: _length(spans[place]), reverse=True):
        one, span = reports[place], spans[place]
        near = index.touching(span) if span is not None else []
        found = (reports[other] for other in near if reports[other] in kept and _same_energy(one, reports[other], span, spans[other]))
        twin = next(found, None)
        if twin is None:
            kept[one] = []
        else:
            kept[twin].append(one)
            twins[one] = twin
    ranks = {one: twin for one, twin in twins.items() if one.key != twin.key}
    copies = Counter((one.files[0].name, twin.files[0].name) for one, twin in twins.items() if one not in ranks)
    skipped = [Skipped(one.files[0].name, _why_left_out(one, twin)) for one, twin in ranks.items()]
    skipped += [
        Skipped(file, f"{words.plural(n, 'run')} of it stand{'s' if n == 1 else ''} in {other} too, which counts")
        for (file, other), n in copies.items()
    ]
    return [[_told_twice(one, kept.get(one, ())) for one in recordings if one not in twins] for recordings in sources], skipped


def _why_left_out(one: Recording, twin: Recording) -> str:
    return f"{one.tags['energy.tool']} {one.key}: measured the same machine at the same time as {twin.key}, which counts"


def _told_twice(one: Recording, others: Sequence[Recording]) -> Recording:
    ranks = [other for other in others if other.key != one.key]
    if not ranks:
        return one
    more = "1 more tracker" if len(ranks) == 1 else f"{len(ranks)} more trackers"
    what = f"{more} measured the same machine at the same time; this one, which ran longest, counts alone"
    return replace(one, events=(*one.events, Event("notice", what, file=one.files[0].name)))


def _same_energy(one: Recording, other: Recording, own: Span | None, others: Span | None) -> bool:
    if any(one.tags.get(name) != other.tags.get(name) for name in ("energy.tool", "energy.machine", "energy.scope")):
        return False
    if one.key == other.key:  # a copy, maybe one that was made while the run went on
        return True
    return one.tags.get("energy.scope") == _MACHINE and overlap_share(own, others, max) >= _TOGETHER


def _length(span: Span | None) -> float:
    return 0.0 if span is None else span[1] - span[0]
