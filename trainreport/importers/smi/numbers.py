"""Numbers and times as nvidia-smi writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from trainreport.model.clock import NOT_KNOWN_NS, from_epoch_seconds, local_to_utc
from trainreport.model.units import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["GIVEN", "MISSING", "NO_TIME", "ODD", "Numbers", "Times", "numbers_of", "times_of"]

GIVEN, MISSING, ODD = 0, 1, 2
"""What a cell is: a number, nvidia-smi's word for no number, or neither."""
NO_TIME = NOT_KNOWN_NS

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?(?:nan|inf))\s*([^\d\s].*)?", re.IGNORECASE)
_WORDS = {"active": 1.0, "not active": 0.0}
_MISSING = frozenset({"", "-", "n/a", "not supported", "unknown error", "err!"})
_TEMPLATE = "dddd/dd/dd dd:dd:dd.ddd"


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column's distinct texts as numbers, all in `unit`."""

    values: npt.NDArray[np.float64]
    states: npt.NDArray[np.int8]
    unit: str
    """As written in the header or beside the numbers, or empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """A column's times."""

    ns: npt.NDArray[np.int64]
    """UTC, `NO_TIME` where a text is no time."""
    clock: str


def numbers_of(texts: Sequence[str], header_unit: str) -> Numbers:
    """Return the numbers that texts such as ``83 %``, ``33.09``, ``P0``, ``0x4`` or ``[N/A]`` stand for."""
    import numpy as np

    read = [_number(text) for text in texts]
    beside = (unit for _, state, unit in read if state == GIVEN and unit in FACTORS)
    unit = header_unit if header_unit in FACTORS and header_unit else next((one for one in beside if one), header_unit)
    values = np.array([value for value, _, _ in read], dtype=np.float64)
    states = np.array([state for _, state, _ in read], dtype=np.int8)
    for place, (value, state, own) in enumerate(read):
        if state != GIVEN or own in ("", unit):
            continue
        if own in FACTORS and unit in FACTORS and FACTORS[own][0] == FACTORS[unit][0]:
            values[place] = value * FACTORS[own][1] / FACTORS[unit][1]
        else:
            states[place] = ODD
    return Numbers(values, states, unit)


def times_of(texts: Sequence[str], codes: npt.NDArray[np.int64], zone: str | None) -> Times:
    """Return the times of rows: `texts[codes]`, with `zone` for those that are written without one."""
    import numpy as np

    fixed = _fixed_width(texts)
    if fixed is not None:
        unique, local = fixed, np.ones(len(texts), dtype=np.bool_)
    else:
        read = [_time(text) for text in texts]
        unique = np.array([ns for ns, _ in read], dtype=np.int64)
        local = np.array([is_local for _, is_local in read], dtype=np.bool_)
    local &= unique != NO_TIME
    ns = unique[codes]
    if zone is not None and local.any():
        ns = np.where(local[codes], local_to_utc(ns, zone), ns)
    if not local.any():
        return Times(ns, "UTC, from the offset or epoch seconds written")
    return Times(ns, f"no zone written; read as {zone}, as given" if zone else "no zone written; taken as UTC")


@lru_cache(maxsize=4096)
def _number(text: str) -> tuple[float, int, str]:
    """Return value, state and the unit written beside it."""
    lower = text.lower()
    if re.fullmatch(r"0x[0-9a-f]{1,16}", lower):
        return float(int(lower, 16)), GIVEN, ""
    match = _NUMBER.fullmatch(text)
    if match is not None:
        return float(match.group(1)), GIVEN, (match.group(2) or "").strip()
    if lower in _WORDS:
        return _WORDS[lower], GIVEN, ""
    if re.fullmatch(r"p\d{1,2}", lower):
        return float(lower[1:]), GIVEN, ""
    # nvidia-smi puts every reason for having no number in brackets: [N/A], [Not Supported], [GPU is lost].
    missing = lower in _MISSING or (lower.startswith("[") and lower.endswith("]"))
    return float("nan"), MISSING if missing else ODD, ""


def _fixed_width(texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
    """Return nanoseconds if every text is like ``2024/11/23 12:23:29.950``, else None."""
    import numpy as np

    width = len(_TEMPLATE)
    table = np.array(texts, dtype=np.str_)
    if not len(texts) or table.dtype.itemsize != 4 * width:
        return None
    signs = table.view(np.uint32).reshape(-1, width)
    digit = np.array([sign == "d" for sign in _TEMPLATE])
    fits = np.where(digit, (signs >= ord("0")) & (signs <= ord("9")), signs == [ord(sign) for sign in _TEMPLATE])
    if not fits.all():
        return None
    signs[:, [4, 7]] = ord("-")
    try:
        millis = table.astype("datetime64[ms]").view(np.int64)
    except ValueError:  # a 31st of February
        return None
    if any(from_epoch_seconds(float(end) / 1000) is None for end in (millis.min(), millis.max())):
        return None
    return np.asarray(millis * 1_000_000, dtype=np.int64)


def _time(text: str) -> tuple[int, bool]:
    """Return nanoseconds, and whether they are of a clock without a zone."""
    try:
        if re.fullmatch(r"\d+(\.\d+)?", text):
            seconds = float(text)
            return (NO_TIME if from_epoch_seconds(seconds) is None else round(seconds * 1e6) * 1000), False
        moment = datetime.fromisoformat(text.replace("/", "-"))
    except (ValueError, OverflowError):
        return NO_TIME, False
    since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    if from_epoch_seconds(since.total_seconds()) is None:
        return NO_TIME, False
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000, moment.tzinfo is None
