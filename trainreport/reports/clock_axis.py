"""Round places on a time axis, in the zone of the plan."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from trainreport.model import clock
from trainreport.reports import words

__all__ = ["clock_places"]

_STEPS_MIN = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7200, 14400, 43200, 129600)
_MOST = 8


def clock_places(start: float, end: float, zone: str) -> tuple[tuple[float, str], ...]:
    """Return (seconds since 1970, label) of at most nine round places between two instants.

    Parameters
    ----------
    start, end : float
        Seconds since 1970 UTC.
    zone : str
        IANA name; places are round in its time of day.
    """
    minutes = max((end - start) / 60, 1 / 60)
    step = next((step for step in _STEPS_MIN if minutes / step <= _MOST), _STEPS_MIN[-1])
    tz = clock.zone(zone)
    first = datetime.fromtimestamp(start, UTC).astimezone(tz)
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    places = []
    for i in range(int(minutes / step) + 1441 // min(step, 1440) + 2):
        local = midnight + timedelta(minutes=i * step)  # wall clock: stays round over a change of summer time
        at = local.timestamp()
        if start <= at <= end:
            places.append((at, _label(local, step)))
    return tuple(places[:16])


def _label(local: datetime, step: int) -> str:
    day = f"{local.day} {words.month(local.month)[:3]}"
    if step >= 1440:
        return day
    return day if local.hour == 0 and local.minute == 0 else f"{local:%H:%M}"
