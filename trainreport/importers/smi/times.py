"""Times as nvidia-smi, and the scripts around it, write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from trainreport.model.clock import NOT_KNOWN_NS, from_epoch_seconds, local_to_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.smi.table import Column

__all__ = ["NO_CLOCK", "NO_TIME", "NO_ZONE", "Times", "counted", "is_time", "times_of"]

NO_TIME = NOT_KNOWN_NS
NO_CLOCK = "no time written"
NO_ZONE = "no zone written"
"""What the clock of a file begins with where its times name no zone."""

_TEMPLATE = "dddd/dd/dd dd:dd:dd.ddd"
_MINUTE = 16
"""Characters of it up to the minute."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})[ T,]+(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?(?: ?([AP])M)?", re.IGNORECASE)
# "Sat Jun  7 12:00:01 2025" of nvidia-smi; "Sat Jun 7 12:00:01 UTC 2025" and "Sat 07 Jun 2025 12:00:01 PM CEST" of date.
_WORDED = re.compile(
    r"(?:[A-Za-z]{2,9}\.?,?\s+)?(?:(?P<m1>[A-Za-z]{3})[a-z]*\s+(?P<d1>\d{1,2})|(?P<d2>\d{1,2})\s+(?P<m2>[A-Za-z]{3})[a-z]*)"
    r"(?:\s+(?P<y1>\d{4}))?\s+(?P<h>\d{1,2}):(?P<mi>\d\d):(?P<s>\d\d)(?:\s*(?P<half>[AP])M)?(?:\s+(?P<zone>[A-Z]{2,5}|[-+]\d\d(?::?\d\d)?))?"
    r"(?:\s+(?P<y2>\d{4}))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """A column's times."""

    ns: npt.NDArray[np.int64]
    """UTC, `NO_TIME` where a text is no time."""
    clock: str
    problem: str = ""
    """What about the way of writing is in doubt."""
    repaired: bool = False
    """Times that nobody wrote."""


def times_of(column: Column, zone: str | None) -> Times:
    """Return the times of a column's rows, with `zone` for those that are written without one."""
    import numpy as np

    # A piece fits, with what is computed of it, into a processor's cache.
    fixed = [fixed_width(piece) for piece in column.characters]
    doubt = ""
    known = [piece for piece in fixed if piece is not None]
    if known and len(known) == len(fixed):
        ns, local = np.concatenate(known), np.ones(1, dtype=np.bool_)
    else:
        day_first, doubt = _order_of_dates(column.texts)
        read = [_time(text, day_first=day_first) for text in column.texts]
        ns = np.array([at for at, _ in read], dtype=np.int64)[column.codes]
        local = np.array([is_local and at != NO_TIME for at, is_local in read], dtype=np.bool_)
        local = local[column.codes]
    if not local.any():
        return Times(ns, "UTC, from the offset or epoch seconds written", doubt)
    if zone is not None:
        ns = np.where(local, local_to_utc(ns, zone), ns)
    return Times(ns, f"{NO_ZONE}; read as {zone}, as given" if zone else f"{NO_ZONE}; taken as UTC", doubt)


def counted(places: npt.NDArray[np.intp], interval_s: float | None) -> Times:
    """Return times for rows without any: `interval_s` apart where that is given, from 1970 on, for nobody knows the start."""
    import numpy as np

    if interval_s is None:
        return Times(np.full(len(places), NO_TIME, dtype=np.int64), NO_CLOCK)
    clock = f"{NO_CLOCK}; samples {interval_s:g} s apart, as given, counted from 1970-01-01, for their start is not known"
    return Times((places * round(interval_s * 1e9)).astype(np.int64), clock, repaired=True)


def is_time(text: str) -> bool:
    """Return whether a text is a date with a time; plain numbers are not, they could be anything."""
    return not re.fullmatch(r"[\d.]+", text) and _time(text)[0] != NO_TIME


def fixed_width(characters: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64] | None:
    """Return nanoseconds if every row of characters is like ``2024/11/23 12:23:29.950``, else None.

    Rows mostly repeat the minute of the row before, so that only where it changes is it read.
    """
    import numpy as np

    blanks = int(characters.shape[1]) - len(_TEMPLATE)
    if blanks < 0 or (characters[:, :blanks] != ord(" ")).any():
        return None
    signs = characters[:, blanks:]
    minutes = np.ascontiguousarray(signs[:, :_MINUTE]).view(np.uint64)
    changes = (minutes[1:, 0] != minutes[:-1, 0]) | (minutes[1:, 1] != minutes[:-1, 1])
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    begun = _minutes(signs[starts, :_MINUTE])
    rest = _numbers(signs[:, _MINUTE:], ((17, 19), (20, 23)), _MINUTE)
    if begun is None or rest is None or (rest[0] > 59).any():
        return None
    seconds, millis = rest
    return np.repeat(begun, np.diff(starts, append=len(signs))) + (seconds * 1000 + millis) * 10**6


def _minutes(signs: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64] | None:
    """Return the nanoseconds of minutes such as ``2024/11/23 12:23``."""
    import numpy as np

    numbers = _numbers(signs, ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16)), 0)
    if numbers is None:
        return None
    year, month, day, hour, minute = numbers
    months = ((year - 1970) * 12 + month - 1).view("datetime64[M]")
    days = months.astype("datetime64[D]").view(np.int64) + day - 1
    fits = (month >= 1) & (month <= 12) & (day >= 1) & (days < (months + 1).astype("datetime64[D]").view(np.int64))
    if not (fits & (hour < 24) & (minute < 60)).all():
        return None
    seconds = days * 86_400 + hour * 3600 + minute * 60
    if any(from_epoch_seconds(float(end)) is None for end in (seconds.min(), seconds.max() + 60)):
        return None
    return np.asarray(seconds * 10**9, dtype=np.int64)


def _numbers(signs: npt.NDArray[np.uint8], ends: Sequence[tuple[int, int]], start: int) -> list[npt.NDArray[np.int64]] | None:
    """Return the numbers that stand between `ends` in the template, or None where the characters, from `start` on, do not fit it."""
    import numpy as np

    columns = {start + place: np.ascontiguousarray(signs[:, place]) for place in range(signs.shape[1])}
    for place, sign in enumerate(_TEMPLATE):
        if place in columns and sign != "d" and (columns[place] != ord(sign)).any():
            return None
    digits = {place: column - np.uint8(ord("0")) for place, column in columns.items() if _TEMPLATE[place] == "d"}
    if any((column > 9).any() for column in digits.values()):
        return None
    found = []
    for begin, end in ends:
        total = digits[begin].astype(np.int64)
        for place in range(begin + 1, end):
            total *= 10
            total += digits[place]
        found.append(total)
    return found


def _order_of_dates(texts: Sequence[str]) -> tuple[bool, str]:
    """Return whether dates such as 06/12/2025 begin with the day, and what is in doubt: America begins with the month."""
    dates = [(int(match.group(1)), int(match.group(2))) for match in map(_SLASHED.match, texts) if match]
    if not dates or any(second > 12 for _, second in dates):
        return False, ""
    if any(first > 12 for first, _ in dates):
        return True, ""
    return False, f"dates such as {texts[0][:10]} could begin with the day or the month; read as month/day/year"


def _time(text: str, *, day_first: bool = False) -> tuple[int, bool]:
    """Return nanoseconds, and whether they are of a clock without a zone."""
    try:
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return _epoch(text), False
        moment = _slashed(text, day_first=day_first) or _worded(text) or datetime.fromisoformat(text.replace("/", "-"))
    except (ValueError, OverflowError):
        return NO_TIME, False
    since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    if from_epoch_seconds(since.total_seconds()) is None:
        return NO_TIME, False
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000, moment.tzinfo is None


def _epoch(text: str) -> int:
    """Return the nanoseconds of a count since 1970 in seconds, or in milli-, micro- or nanoseconds, which are far larger."""
    seconds = float(text)
    for factor in (1, 10**3, 10**6, 10**9):
        if from_epoch_seconds(seconds / factor) is not None:
            return round(seconds / factor * 1e6) * 1000
    return NO_TIME


def _slashed(text: str, *, day_first: bool) -> datetime | None:
    match = _SLASHED.fullmatch(text)
    if match is None:
        return None
    first, second, year, hour, minute = (int(match.group(place)) for place in range(1, 6))
    month, day = (second, first) if day_first else (first, second)
    seconds = float(match.group(6) or 0)
    moment = datetime(year, month, day, _hour(hour, match.group(7)), minute)  # noqa: DTZ001  written without a zone
    return moment + timedelta(seconds=seconds)


def _worded(text: str) -> datetime | None:
    match = _WORDED.fullmatch(text)
    if match is None:
        return None
    month = (match["m1"] or match["m2"])[:3].lower()
    year = match["y1"] or match["y2"]
    if month not in _MONTHS or year is None:
        return None
    day = int(match["d1"] or match["d2"])
    hour = _hour(int(match["h"]), match["half"])
    return datetime(int(year), _MONTHS.index(month) + 1, day, hour, int(match["mi"]), int(match["s"]), tzinfo=_zone(match["zone"]))


def _zone(written: str | None) -> timezone | None:
    """Return the zone of ``UTC`` or ``+0200``; names such as CST mean several zones and say nothing."""
    if written is None:
        return None
    if written.upper() in {"UTC", "GMT"}:
        return UTC
    match = re.fullmatch(r"([-+])(\d\d):?(\d\d)?", written)
    if match is None:
        return None
    offset = timedelta(hours=int(match.group(2)), minutes=int(match.group(3) or 0))
    return timezone(-offset if match.group(1) == "-" else offset)


def _hour(hour: int, half: str | None) -> int:
    """Return the hour of the day from one that may say AM or PM."""
    return hour if half is None else hour % 12 + (12 if half.upper() == "P" else 0)
