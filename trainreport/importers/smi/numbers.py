"""Numbers as nvidia-smi writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport.model.units import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["GIVEN", "MISSING", "ODD", "Numbers", "number_of", "numbers_of", "numbers_of_cells"]

GIVEN, MISSING, ODD = 0, 1, 2
"""What a cell is: a number, nvidia-smi's word for no number, or neither."""

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?(?:nan|inf))\s*([^\d\s].*)?", re.IGNORECASE)
_WORDS = {"active": 1.0, "not active": 0.0}
_MISSING = frozenset({"", "-", "n/a", "not supported", "unknown error", "err!"})
_MANY = 256
"""From so many texts on Arrow is faster."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column's distinct texts as numbers, all in `unit`."""

    values: npt.NDArray[np.float64]
    states: npt.NDArray[np.int8]
    unit: str
    """As written in the header or beside the numbers, or empty."""


def numbers_of(texts: Sequence[str], header_unit: str) -> Numbers:
    """Return the numbers that texts such as ``83 %``, ``33.09``, ``P0``, ``0x4`` or ``[N/A]`` stand for."""
    import numpy as np

    values = np.full(len(texts), np.nan)
    states = np.full(len(texts), GIVEN, dtype=np.int8)
    rest, regular_unit = (_read_regular(texts, values) if len(texts) >= _MANY else None) or (range(len(texts)), "")
    read = {place: number_of(texts[place]) for place in rest}
    for place, (value, state, _) in read.items():
        values[place], states[place] = value, state
    beside = [unit for _, state, unit in read.values() if state == GIVEN and unit in FACTORS]
    unit = header_unit if header_unit in FACTORS and header_unit else next((one for one in (regular_unit, *beside) if one), header_unit)
    regular = np.ones(len(texts), dtype=np.bool_)
    regular[list(rest)] = False
    for own in {regular_unit, *(one for _, _, one in read.values())} - {"", unit}:
        mine = np.array([place for place, (_, state, one) in read.items() if state == GIVEN and one == own], dtype=np.intp)
        mine = np.concatenate([mine, np.flatnonzero(regular)]) if own == regular_unit else mine
        if own in FACTORS and unit in FACTORS and FACTORS[own][0] == FACTORS[unit][0]:
            values[mine] = values[mine] * FACTORS[own][1] / FACTORS[unit][1]
        else:
            states[mine] = ODD
    return Numbers(values, states, unit)


def numbers_of_cells(cells: Any, header_unit: str) -> Numbers | None:
    """Return the numbers of Arrow's cells, row by row, where all of them are digits with one unit, else None."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    first = cells[0].as_py()
    tail, unit = _tail(first.strip()) or ("", None)
    if unit is None or (unit and header_unit not in ("", unit)):
        return None
    # All cells must have the blanks and the unit of the first around their digits; Arrow refuses what else is no digit.
    before, after = first[: len(first) - len(first.lstrip())], f"{tail}{first[len(first.rstrip()) :]}"
    if not (pc.all(pc.starts_with(cells, before)).as_py() and pc.all(pc.ends_with(cells, after)).as_py()):
        return None
    if pc.min(pc.binary_length(cells)).as_py() <= len(before.encode()) + len(after.encode()):
        return None
    digits = pc.utf8_slice_codeunits(cells, len(before), -len(after) if after else None) if before or after else cells
    try:
        values = pc.cast(digits, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    if not np.isfinite(values).all():  # words such as nan and infinity are not the same everywhere
        return None
    return Numbers(values, np.full(len(values), GIVEN, dtype=np.int8), header_unit or unit)


def _read_regular(texts: Sequence[str], values: npt.NDArray[np.float64]) -> tuple[Sequence[int], str] | None:
    """Fill in the values of texts that are plain digits with the first text's unit; return the places of the others, and the unit."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    shape = next((found for found in map(_tail, texts[:16]) if found is not None), None)
    if shape is None:
        return None
    tail, unit = shape
    cells = pa.array(texts, type=pa.string())
    fits = pc.match_substring_regex(cells, r"^[0-9]{1,15}(\.[0-9]{1,15})?" + re.escape(tail) + "$")
    digits = pc.utf8_slice_codeunits(cells.filter(fits), 0, -len(tail) if tail else None)
    taken = fits.to_numpy(zero_copy_only=False)
    values[taken] = pc.cast(digits, pa.float64()).to_numpy(zero_copy_only=False)
    return np.flatnonzero(~taken).tolist(), unit


def _tail(text: str) -> tuple[str, str] | None:
    """Return what follows the digits of a number, as written and as a unit, or None where it is written otherwise."""
    match = _NUMBER.fullmatch(text)
    if match is None or not match.group(1).replace(".", "", 1).isdigit() or number_of(text)[0] != float(match.group(1)):
        return None
    return text[match.end(1) :], (match.group(2) or "").strip()


@lru_cache(maxsize=4096)
def number_of(text: str) -> tuple[float, int, str]:
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
