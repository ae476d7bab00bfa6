"""experiment-impact-tracker's ``data.json``: one line a sample with the power of processor and GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.energy_reports import J_PER_KWH, EnergyReport, recording_of
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import first_object, objects_in_lines
from trainreport.model import clock
from trainreport.model.run import Hardware

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CPU, _GPU = ("rapl_power_draw_absolute", "nvidia_draw_absolute")
_MARKS = ("rapl_power_draw_absolute", "nvidia_draw_absolute", "rapl_estimated_attributable_power_draw")
_INTENSITY = "realtime_carbon_intensity"
_NO_INFO = "region, versions and carbon intensity are in info.pickle, which is never opened: the product runs no pickles"


class ImpactTracker:
    """Integrates the power of the samples; what the tool keeps as a pickle is not read."""

    name = "impact-tracker"
    title = "experiment-impact-tracker data.json: power of processor and GPUs over time"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first line is a sample of the tool."""
        first = first_object(head)
        return first is not None and "timestamp" in first and any(mark in first for mark in _MARKS)

    def read(self, source: Source) -> Recording:
        """Read all samples."""
        from dataclasses import replace

        troubles = Troubles(source)
        samples = [one for _, one in objects_in_lines(content_of(source), troubles)]
        parts = {part: _kwh(samples, name) for part, name in (("cpu", _CPU), ("gpu", _GPU))}
        known = {part: value for part, value in parts.items() if value is not None}
        times = sorted(one for sample in samples if (one := _number(sample, "timestamp")) is not None)
        if not known or len(times) < 2:
            raise InputError("fewer than two samples with a time and a power; expected lines with timestamp and rapl_power_draw_absolute")
        report = EnergyReport(
            tool="experiment-impact-tracker",
            key=source.folder if source.folder != "." else source.name,
            name=source.path.absolute().parent.name.replace("impacttracker", "") or source.path.absolute().parent.parent.name or "run",
            energy_kwh=sum(known.values()),
            parts_kwh=known,
            scope="machine",
            started_at=clock.from_epoch_seconds(times[0]),
            ended_at=clock.from_epoch_seconds(times[-1]),
            tags={"energy.machine": source.folder},
        )
        found = recording_of(
            source, report, clock="UTC, written as epoch seconds", hardware=Hardware(), problems=troubles.all(), importer=self.name
        )
        return replace(found, events=(*found.events, Event("notice", _NO_INFO, file=source.name)))


def _number(sample: Mapping[str, object], name: str) -> float | None:
    value = sample.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None


def _kwh(samples: list[dict[str, object]], name: str) -> float | None:
    """Return the energy under the samples of one power by the trapezoid rule, None where there are none."""
    import numpy as np

    pairs = [
        (time, power) for one in samples if (time := _number(one, "timestamp")) is not None and (power := _number(one, name)) is not None
    ]
    if len(pairs) < 2:
        return None
    time, power = np.array(sorted(pairs)).T
    return float(np.trapezoid(power, time)) / J_PER_KWH


IMPORTER: Importer = ImpactTracker()
