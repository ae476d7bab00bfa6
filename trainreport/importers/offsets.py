"""The distances of clocks to UTC, and a log that is moved by one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trainreport.importers.smi.times import NO_ZONE
from trainreport.model.clock import iso
from trainreport.model.run import Problem
from trainreport.model.schema import CLOCK_REPAIRED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.recording import Recording
    from trainreport.importers.spans import Span

__all__ = ["OFFSETS", "QUARTER_S", "doubted", "moved", "told"]

QUARTER_S = 900
_BROKEN_H = (-9.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75, 13.75)
OFFSETS = tuple(sorted({*range(-48, 57, 4), *(int(4 * hours) for hours in _BROKEN_H)}))
"""In quarters of an hour, all that zones have had since 2000 (IANA): no clock is set to another one."""


def moved(one: Recording, quarters: int, why: str) -> Recording:
    """Return a log whose clock showed the time so many quarters of an hour east of UTC, with the reason to think so."""
    import numpy as np

    delta = timedelta(seconds=quarters * QUARTER_S)
    frame = one.frame
    timed = frame["time"].notna().to_numpy()
    flags: npt.NDArray[np.uint8] = frame["flags"].to_numpy() | np.where(timed, CLOCK_REPAIRED, 0).astype(np.uint8)
    clock = f"{NO_ZONE}; taken as {_name(quarters)}, {why}"
    return replace(
        one,
        frame=frame.assign(time=frame["time"] - delta, flags=flags),
        files=tuple(replace(file, clock=clock) if file.clock.startswith(NO_ZONE) else file for file in one.files),
        events=tuple(each if each.time_s is None else replace(each, time_s=each.time_s - delta.total_seconds()) for each in one.events),
        started_at=None if one.started_at is None else one.started_at - delta,
        ended_at=None if one.ended_at is None else one.ended_at - delta,
    )


def doubted(one: Recording, why: str) -> Recording:
    """Return a log as it is, with the doubt about its clock and what to do about it."""
    what = f"its clock names no zone; {why}; give --source-zone"
    return replace(one, problems=(*one.problems, Problem(one.files[0].name, "", what, about="clock")))


def told(span: Span) -> str:
    """Return a span such as ``2026-06-09 06:00–12:00``."""
    begin, end = (datetime.fromtimestamp(round(second), UTC) for second in span)
    first, last = ((iso(one) or "").replace("T", " ")[:16] for one in (begin, end))
    return f"{first}–{last[11:] if first[:10] == last[:10] else last}"


def _name(quarters: int) -> str:
    hours, rest = divmod(abs(quarters), 4)
    return f"UTC{'-' if quarters < 0 else '+'}{hours:02d}:{rest * 15:02d}"
