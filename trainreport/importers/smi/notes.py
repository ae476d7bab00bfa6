"""What a log says besides numbers: cells that are none, texts that do not change, the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.importers.recording import Event
from trainreport.importers.smi.fields import TEXTS
from trainreport.importers.smi.numbers import GIVEN, MISSING, ODD
from trainreport.importers.smi.times import NO_TIME
from trainreport.model.run import Hardware, Problem
from trainreport.model.units import to_canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.smi.devices import Devices
    from trainreport.importers.smi.log import Log, Measure
    from trainreport.importers.smi.table import Column
    from trainreport.importers.smi.times import Times

__all__ = ["cell_problems", "events_of", "hardware_of", "tags_of"]

_RARE = 0.01
"""A name in fewer rows than this share is damage, not a GPU."""
_BROKEN = frozenset({"err!", "[gpu is lost]", "[gpu requires reset]"})


def cell_problems(log: Log, measures: Sequence[Measure], times: Times) -> list[Problem]:
    """Return one problem a column with cells that are neither numbers nor nvidia-smi's words for none."""
    import numpy as np

    problems = []

    def note(field: str, expected: str, column: Column, odd: npt.NDArray[np.intp]) -> None:
        what = f"{field} is {column.texts[column.codes[odd[0]]][:60]!r} ({len(odd)} such cells); expected {expected}"
        row = odd[0] if column.rows is None else column.rows[odd[0]]
        problems.append(Problem(log.name, f"line {log.table.lines[row]}", what))

    for one in measures:
        if (one.numbers.states == ODD).any():
            note(one.heading.logged, "a number or [N/A]", one.column, np.flatnonzero(one.numbers.states[one.codes] == ODD))
    clock = log.columns().get("timestamp")
    unknown = np.flatnonzero(times.ns == NO_TIME) if clock is not None else ()
    if clock is not None and len(unknown):
        note("timestamp", "a time such as 2024/11/23 12:23:29.950; kept without a time", clock, np.asarray(unknown))
    return problems


def events_of(log: Log, every: Sequence[Measure], times: Times, devices: Devices) -> tuple[Event, ...]:
    """Return what is no number but worth knowing: inferred devices, lines above the header, words for missing numbers."""
    import numpy as np

    events = [
        Event("preamble", line.strip()[:200], file=log.name, line=number) for number, line in enumerate(log.before, 1) if line.strip()
    ]
    events += log.events
    if devices.inferred:
        events.append(Event("device-inferred", devices.inferred, file=log.name, line=log.header_line or None))
    for one in every:
        for code in np.flatnonzero(one.numbers.states == MISSING):
            found = np.flatnonzero(one.codes == code)
            if len(found):
                rows = found if one.column.rows is None else one.column.rows[found]
                text = one.column.texts[code]
                message = f"{one.heading.logged} is {text or 'empty'} in {len(rows)} of {len(one.codes)} rows"
                at = None if times.repaired or times.ns[rows[0]] == NO_TIME else int(times.ns[rows[0]]) / 1e9
                event = Event("not-given", message, at, file=log.name, line=int(log.table.lines[rows[0]]))
                events.append(_broken(event, devices, rows) if text.lower() in _BROKEN else event)
    return tuple(events)


def _broken(event: Event, devices: Devices, rows: npt.NDArray[np.intp]) -> Event:
    """Return the event of a GPU that could not be asked, which is no limit of its model but an error."""
    import numpy as np

    names = sorted({devices.names[code] or "?" for code in np.unique(devices.codes[rows]).tolist()})
    return replace(event, kind="gpu-error", level="error", message=f"{event.message}, on {', '.join(names)}")


def tags_of(log: Log, every: Sequence[Measure], devices: Devices) -> dict[str, str]:
    """Return texts that do not change: ``driver_version``, or by GPU ``gpu0.uuid``."""
    import numpy as np

    columns = log.columns()
    words = [one.heading.field for one in every if not (one.numbers.states == GIVEN).any() and (one.numbers.states == ODD).any()]
    tags: dict[str, str] = {}
    for field in [*(name for name in columns if name in TEXTS - {"timestamp", "index"}), *words]:
        column = columns[field]
        if len(column.texts) == 1:
            tags[field] = column.texts[0]
        elif column.rows is None:
            many = len(column.texts)
            pairs = np.unique(devices.codes.astype(np.int64) * many + column.codes)
            whose, count = np.unique(pairs // many, return_counts=True)
            text_of = dict(zip((pairs // many).tolist(), (pairs % many).tolist(), strict=True))
            for code in whose[count == 1].tolist():
                if devices.names[code] is not None:
                    tags[f"{devices.names[code]}.{field}"] = column.texts[text_of[code]]
    return tags


def hardware_of(log: Log, measures: Sequence[Measure], devices: Devices) -> Hardware:
    """Return what the log says of the machine."""
    columns = log.columns()
    names = columns.get("name") or columns.get("gpu_name")
    totals = [
        to_canonical(one.numbers.values[one.numbers.states == GIVEN], one.meaning.written_unit)[0].max()
        for one in measures
        if one.heading.field == "memory.total"
    ]
    own = {one.heading.device for one in measures if one.heading.device}
    known = own or set(devices.names) - {None}
    return Hardware(
        gpu_model=", ".join(_models(names)) or None if names else None,
        gpu_count=len(known) or None,
        gpu_memory_bytes=float(max(totals)) if totals else None,
    )


def _models(names: Column) -> list[str]:
    """Return the names of GPUs; where two loggers wrote one file at once, some rows hold shreds of names."""
    import numpy as np

    if len(names.texts) == 1:
        return [text for text in names.texts if text]
    counts = np.bincount(names.codes, minlength=len(names.texts))
    return sorted({text for text, count in zip(names.texts, counts, strict=True) if count >= _RARE * len(names.codes) and text})
