"""The only place that knows time zones and text forms of time.

Inside the product every instant is UTC. A source without a zone is read with the zone given by the
user, else as UTC, and the assumption is recorded beside the file. Nothing here asks the machine's
clock: "now" is passed in.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from trainreport.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

__all__ = [
    "NOT_KNOWN_NS",
    "from_epoch_seconds",
    "iso",
    "local_to_utc",
    "nanoseconds",
    "parse_duration",
    "parse_instant",
    "span",
    "to_utc",
    "zone",
]

NOT_KNOWN_NS = -(2**63)
"""Stands for a time that is not known, in arrays of nanoseconds; pandas reads it as NaT."""

_UNITS_S = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
# Beyond these a float is not a plausible wall clock (1980 and 2100): it is a counter or garbage.
_EARLIEST_S = 315_532_800.0
_LATEST_S = 4_102_444_800.0
_AT_ONCE = 1 << 14  # numbers that fit, with what is computed of them, into a processor's cache


def zone(name: str) -> ZoneInfo:
    """Return the IANA time zone called `name`.

    Raises
    ------
    UsageError
        If there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"time zone {name!r} is not known; expected an IANA name such as 'Europe/Berlin' or 'UTC'") from None


def parse_instant(text: str) -> datetime:
    """Return the UTC instant that an ISO 8601 text names; a text without an offset is UTC.

    Raises
    ------
    UsageError
        If the text is not an ISO 8601 date or time.
    """
    try:
        return to_utc(datetime.fromisoformat(text))
    except ValueError:
        raise UsageError(f"{text!r} is not a time; expected ISO 8601 such as 2026-12-01T09:00:00Z") from None


def to_utc(moment: datetime) -> datetime:
    """Return `moment` in UTC; a moment without a zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def from_epoch_seconds(seconds: float) -> datetime | None:
    """Return the instant of `seconds` since 1970, or None where it is no plausible wall clock."""
    if not _EARLIEST_S <= seconds <= _LATEST_S:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def nanoseconds(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return seconds since 1970 as whole nanoseconds; what is no plausible wall clock is `NOT_KNOWN_NS`.

    Whole seconds are converted apart, so that no digit that was written is lost.
    """
    import numpy as np

    unknown = ~((seconds >= 0) & (seconds <= _LATEST_S))
    if unknown.any():
        return np.where(unknown, NOT_KNOWN_NS, nanoseconds(np.where(unknown, 0.0, seconds)))
    total = np.empty(len(seconds), dtype=np.int64)
    for start in range(0, len(seconds), _AT_ONCE):
        some = seconds[start : start + _AT_ONCE]
        whole = np.floor(some)
        rest = np.rint((some - whole) * 1e9)
        total[start : start + _AT_ONCE] = whole.astype(np.int64) * 1_000_000_000 + rest.astype(np.int64)
    return total


def span(ns: npt.NDArray[np.int64]) -> tuple[datetime | None, datetime | None]:
    """Return the first and last plausible instant of an array of nanoseconds, None where there is none."""
    if not len(ns) or ns.min() < _EARLIEST_S * 1e9 or ns.max() > _LATEST_S * 1e9:
        ns = ns[(ns >= _EARLIEST_S * 1e9) & (ns <= _LATEST_S * 1e9)]
    if not len(ns):
        return None, None
    return from_epoch_seconds(int(ns.min()) / 1e9), from_epoch_seconds(int(ns.max()) / 1e9)


def local_to_utc(ns: npt.NDArray[np.int64], zone_name: str) -> npt.NDArray[np.int64]:
    """Return the UTC of local times, in nanoseconds, in the order in which they were written.

    In the hour that a clock shows twice, a row is in summer time until the clock has gone back by about an hour.
    """
    import numpy as np
    import pandas as pd

    steps = np.diff(ns, prepend=ns[:1])
    summer = np.cumsum((steps < -1800 * 10**9) & (steps >= -3600 * 10**9)) == 0
    local = pd.DatetimeIndex(ns.view("datetime64[ns]"))
    aware = local.tz_localize(zone_name, ambiguous=summer, nonexistent="shift_forward")
    return np.asarray(aware.tz_convert("UTC").tz_localize(None).as_unit("ns").asi8, dtype=np.int64)


def iso(moment: datetime | pd.Timestamp | None) -> str | None:
    """Return ISO 8601 with a Z and only as many digits of a second as are needed."""
    if moment is None:
        return None
    text = moment.isoformat()
    head, _, fraction = text.removesuffix("+00:00").partition(".")
    fraction = fraction.rstrip("0")
    return f"{head}.{fraction}Z" if fraction else f"{head}Z"


def parse_duration(text: str) -> timedelta:
    """Return the duration of a text such as ``72 h``, ``90 min``, ``3 d`` or ``30 s``.

    Raises
    ------
    ValueError
        If the text is not a number and one of these units.
    """
    number, _, unit = text.strip().partition(" ")
    return timedelta(seconds=float(number) * _UNITS_S[unit.strip()]) if unit.strip() in _UNITS_S else _no_duration(text)


def _no_duration(text: str) -> timedelta:
    raise ValueError(f"{text!r} is not a duration such as '72 h', '90 min' or '3 d'")
