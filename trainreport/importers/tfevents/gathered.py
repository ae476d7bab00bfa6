"""Payloads of a block as rows of bytes, so that what stands at one place in all of them can be taken at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.tfevents.headers import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.parts import Block

__all__ = ["AHEAD", "LONGEST_ROW", "Gathered", "Steps", "alike", "gather", "step_values", "steps_of", "taken"]

LONGEST_ROW = 1024
"""Payload bytes; longer ones are read one by one."""
_WALL_TIME_KEY = 0x09
_STEP_KEY = 0x10

AHEAD = 7
"""Bytes of a row in front of the payload: wall times, behind their key, then stand at whole words."""
_TIME_AT = AHEAD + 1
_STEP_KEY_AT = AHEAD + 9
_STEP_AT = AHEAD + 10
_BEHIND = 4  # the checksum
_WIDTHS = (64, 128, 256, LONGEST_ROW + 64)
_HIGH_BITS = 0x8080808080808080


class Gathered(NamedTuple):
    """Some records of a block."""

    records: npt.NDArray[np.intp]
    """Positions in the block, shape (n,)."""
    rows: npt.NDArray[np.uint8]
    """Shape (n, width): the payload from `AHEAD` on, its checksum, and bytes that do not belong to it."""
    lengths: npt.NDArray[np.int64]
    """Payload bytes, shape (n,)."""

    def where(self, chosen: npt.NDArray[np.intp]) -> Gathered:
        """Return some of them, by number."""
        return Gathered(self.records[chosen], self.rows.take(chosen, axis=0), self.lengths[chosen])

    def payload(self, number: int) -> bytes:
        """Return one payload."""
        return self.rows[number, AHEAD : AHEAD + int(self.lengths[number])].tobytes()

    def wall_times(self) -> npt.NDArray[np.float64]:
        """Return the wall times, as if each payload began with one."""
        times: npt.NDArray[np.float64] = self.rows[:, _TIME_AT : _TIME_AT + 8].view("<f8")[:, 0].copy()
        return times

    def step_words(self) -> npt.NDArray[np.uint64]:
        """Return the eight bytes behind the key of the step, which hold it if it is no longer."""
        found: npt.NDArray[np.uint64] = self.rows[:, _STEP_AT : _STEP_AT + 8].view("<u8")[:, 0].copy()
        return found

    def at(self, positions: npt.NDArray[np.int64], dtype: str) -> npt.NDArray[Any]:
        """Return what stands at a position of each payload, shape (n,)."""
        import numpy as np

        width = self.rows.shape[1]
        places = np.arange(AHEAD, len(self.rows) * width + AHEAD, width)
        places += positions
        return words(self.rows.reshape(-1), places, dtype)


def alike(lengths: npt.NDArray[np.int64]) -> list[npt.NDArray[np.intp]]:
    """Return the records of about the same length, in the order of the file, without those longer than `LONGEST_ROW`."""
    import numpy as np

    if not len(lengths):
        return []
    if int(lengths.max()) <= _WIDTHS[0] - AHEAD - _BEHIND:
        return [np.arange(len(lengths))]
    kinds = np.searchsorted(_WIDTHS, lengths + (AHEAD + _BEHIND))
    kinds[lengths > LONGEST_ROW] = len(_WIDTHS)
    return [np.flatnonzero(kinds == kind) for kind in range(len(_WIDTHS)) if (kinds == kind).any()]


def taken(values: npt.NDArray[Any], chosen: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return the values at different positions in rising order, without a copy where these are all."""
    return values if len(chosen) == len(values) else values[chosen]


def gather(block: Block, records: npt.NDArray[np.intp]) -> Gathered:
    """Return some records of a block, none longer than `LONGEST_ROW`."""
    import numpy as np

    lengths = taken(block.lengths, records)
    width = -(-(int(lengths.max()) + AHEAD + _BEHIND) // 64) * 64
    found = words(block.data, taken(block.starts, records) - AHEAD, f"V{width}")
    return Gathered(records, found.view(np.uint8).reshape(len(records), width), lengths)


class Steps(NamedTuple):
    """The steps of records, shape (n,)."""

    values: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint64]
    """Their bytes as written, behind them zeros."""
    widths: npt.NDArray[np.int64]
    """Bytes of a step, 0 for none, -1 where the record does not begin with a wall time and a step of up to eight bytes, or none."""


def steps_of(gathered: Gathered) -> Steps:
    """Return the steps of records that may be no events."""
    import numpy as np

    rows, found = gathered.rows, gathered.step_words()
    has_step = rows[:, _STEP_KEY_AT] == _STEP_KEY
    ends = ~found & np.uint64(_HIGH_BITS)  # the byte that ends a step has no high bit
    last = ends & (~ends + np.uint64(1))
    is_event = (rows[:, AHEAD] == _WALL_TIME_KEY) & (gathered.lengths >= 9) & ((last > 0) | ~has_step)
    widths = np.where(has_step, np.bitwise_count(last - np.uint64(1)) // 8 + 1, 0).astype(np.int64)
    found &= np.where(has_step, (last << np.uint64(1)) - np.uint64(1), 0).astype(np.uint64)
    return Steps(step_values(found), found, np.where(is_event, widths, -1))


def step_values(found: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the numbers that varints of up to eight bytes stand for, zeros behind them."""
    import numpy as np

    total = found & np.uint64(127)
    for place in range(1, (int(found.max(initial=0)).bit_length() + 7) // 8):
        total |= (found >> np.uint64(place)) & np.uint64(127 << 7 * place)
    return total.view(np.int64)
