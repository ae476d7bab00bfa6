"""Looks a number of a pack up: by what it is called, or as it is printed; on the pack alone."""

from __future__ import annotations

import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError, UsageError
from trainreport.packs.source import Unreadable, blocks, opened
from trainreport.packs.trace import NAME, SCHEMA
from trainreport.packs.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

__all__ = ["Trace", "found", "read"]

_LARGEST = 1 << 30
"""Bytes of a file that is read whole."""
_MOST_ROWS = 1 << 28
_COLUMNS = ("run", "logged", "series", "phase", "step", "epoch", "time", "value", "unit", "node", "device", "file")
_NUMBER = re.compile(r"(<\s*)?([-+−]?\d[\d, ]*(?:\.\d+)?(?:e[-+]?\d+)?)\s*(.*)", re.IGNORECASE)
_SHOWN_AS: Mapping[str, Sequence[float]] = {
    "1": (1, 100),
    "share": (1, 100),
    "s": (1, 1 / 60, 1 / 3600, 1 / 86_400, 1000),
    "h": (1, 60, 1 / 24, 3600),
    "kWh": (1, 1e-3, 1e3, 3.6),
    "kg": (1, 1e3, 1e-3),
    "J": (1, 1 / 3.6e6, 1e-3, 1e-6),
    "W": (1, 1e-3),
    "B": (1, 1e-6, 1e-9, 1e-12, 2.0**-20, 2.0**-30, 2.0**-40),
}
"""Unit of an entry -> factors to the units in which documents show it."""


class Trace:
    """The trace of one pack."""

    def __init__(self, told: Mapping[str, Any], frame: bytes) -> None:
        self.entries: list[dict[str, Any]] = told["entries"]
        self.files: dict[str, dict[str, Any]] = told["files"]
        self._frame = frame

    def rows(self, numbers: Iterable[int]) -> pd.DataFrame:
        """Return rows of the table of numbers, by their number from 1.

        Raises
        ------
        InputError
            If the table cannot be read, or has no such row.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = sorted(set(numbers))
        try:
            file = pq.ParquetFile(io.BytesIO(self._frame))
            if file.metadata.num_rows > _MOST_ROWS:
                raise InputError(f"frame.parquet: refused: {file.metadata.num_rows:,} rows, more than any pack's")
            frame: pd.DataFrame = file.read(columns=list(_COLUMNS)).take(pa.array([one - 1 for one in wanted])).to_pandas()
        except (pa.ArrowException, ValueError, OSError) as error:
            raise InputError(f"frame.parquet: the rows cannot be read: {error}") from None
        frame.index = wanted
        return frame


def read(pack: Path) -> Trace:
    """Return the trace of a pack, folder or zip, after checking that the pack is as its lists say.

    Raises
    ------
    InputError
        If it is no pack, was changed, or has no trace.
    """
    changes = verify(pack).changes
    if changes:
        raise InputError(f"{pack}: the pack is not as it was made, `trainreport verify` says more: {changes[0]}")
    with opened(pack) as entries:
        try:
            content, frame = (b"".join(_bounded(blocks(entries[f"data/{name}"]), name)) for name in (NAME, "frame.parquet"))
        except KeyError as error:
            raise InputError(f"{pack}: {error.args[0]} is missing; packs of trainreport before 0.2 have no trace") from None
        except Unreadable as error:
            raise InputError(f"{pack}: {error}") from None
    try:
        told = json.loads(content)
        sound = told["schema"] == SCHEMA and all({"ref", "value", "unit", "how"} <= set(one) for one in told["entries"])
        return Trace(told if sound else {}, frame)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{pack}: data/{NAME} is no trace that this version reads") from None


def found(trace: Trace, ref: str) -> list[dict[str, Any]]:
    """Return the entries that a reference means: its name, its end, a code or fingerprint, or a number as printed.

    Raises
    ------
    UsageError
        If it means none.
    """
    name = ref.strip().strip("/")
    for means in (_named, _ending, _printed):
        entries = means(trace.entries, name)
        if entries:
            return entries
    raise UsageError(f"nothing in the pack is called {ref!r}, and no number reads so; `trainreport trace PACK` lists what there is")


def _named(entries: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the entry of this name and what belongs to it, or the finding of this fingerprint."""
    folded = name.casefold()
    heads = [one["ref"] for one in entries if one["ref"].casefold() == folded or one.get("fingerprint") == folded]
    return [one for one in entries if any(one["ref"] == head or one["ref"].startswith(f"{head}/") for head in heads)]


def _ending(entries: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return entries of every run that are called so: ``ledger/cost``, ``TR101``."""
    inside = f"/{name.casefold()}/"
    return [one for one in entries if inside in f"/{one['ref'].casefold()}/"]


def _printed(entries: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return entries whose value reads so when rounded, else those whose sentence has it."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return []
    digits = re.sub(r"[, ]", "", match[2]).replace("−", "-")
    exact = [one for one in entries if _reads(one, digits)]
    said = re.compile(rf"(?<![\d.]){re.escape(match[2].strip())}(?!\.?\d)")
    return exact or [one for one in entries if said.search(one["how"])]


def _reads(entry: Mapping[str, Any], digits: str) -> bool:
    """Return whether the entry's value, in a unit that documents use, rounds to these digits."""
    try:
        value, shown = float(entry["value"]), float(digits)
    except (TypeError, ValueError):
        return False
    mantissa, _, power = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    half = 0.5000001 * 10.0 ** ((int(power) if power else 0) - decimals)
    factors = _SHOWN_AS.get(entry["unit"], (1,))
    return math.isfinite(value) and any(abs(abs(value) * factor - abs(shown)) <= half for factor in factors)


def _bounded(content: Iterable[bytes], name: str) -> Iterable[bytes]:
    size = 0
    for block in content:
        size += len(block)
        if size > _LARGEST:
            raise InputError(f"data/{name}: refused: more than {_LARGEST:,} bytes")
        yield block
