"""Headers that people write over numbers of nvidia-smi or NVML: ``gpu_util,memory_used_mb`` for one GPU, ``GPU0,GPU1`` for several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.importers.smi.fields import Heading
from trainreport.importers.smi.numbers import ODD, number_of
from trainreport.importers.smi.table import cells_of
from trainreport.importers.smi.times import is_time

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["alias_of", "find_alias_header", "find_wide_header"]

# Words of a name, in the order of the alphabet, without `gpu` and units -> query field.
_FIELDS = {
    "": "index", "device": "index", "id": "index", "idx": "index", "index": "index", "device id": "index", "device index": "index",
    "time": "timestamp", "timestamp": "timestamp", "datetime": "timestamp", "date time": "timestamp", "ts": "timestamp",
    "name": "name", "model": "name", "uuid": "uuid", "pstate": "pstate",
    "utilization": "utilization.gpu", "util": "utilization.gpu", "usage": "utilization.gpu", "load": "utilization.gpu",
    "utilisation": "utilization.gpu", "rate utilization": "utilization.gpu",
    "memory utilization": "utilization.memory", "mem util": "utilization.memory", "memory util": "utilization.memory",
    "memory used": "memory.used", "mem used": "memory.used", "used vram": "memory.used", "vram": "memory.used",
    "memory total": "memory.total", "mem total": "memory.total", "total vram": "memory.total",
    "free memory": "memory.free", "free mem": "memory.free", "free vram": "memory.free",
    "memory": "memory.used", "mem": "memory.used",
    "temperature": "temperature.gpu", "temp": "temperature.gpu",
    "power": "power.draw", "draw power": "power.draw", "power usage": "power.draw",
    "limit power": "power.limit", "cap power": "power.limit",
    "fan": "fan.speed", "fan speed": "fan.speed",
    "clock sm": "clocks.sm", "clock mem": "clocks.mem", "clock memory": "clocks.mem", "clock graphics": "clocks.gr",
}  # fmt: skip
# nvidia-smi counts memory in MiB; people write MB over it.
_UNITS = {
    "mb": "MiB", "mib": "MiB", "gb": "GiB", "gib": "GiB", "w": "W", "watt": "W", "watts": "W", "mw": "mW", "c": "C", "celsius": "C",
    "percent": "%", "pct": "%", "percentage": "%", "mhz": "MHz",
}  # fmt: skip
_MEASURES = frozenset({"utilization.gpu", "memory.used", "power.draw", "temperature.gpu"})
_LINES_BEFORE = 10
_WIDE = re.compile(r"(?:gpu|cuda)[ _:-]?(\d{1,3})(?:[ _.:-]+(.+?))?", re.IGNORECASE)


def alias_of(name: str) -> Heading | None:
    """Return what a column such as ``gpu_util`` or ``Power (W)`` holds, or None."""
    text = name.strip().strip('"')
    words = [word.lower() for word in re.findall(r"[A-Za-z]+|%|\d+", text)]
    unit = next((_UNITS.get(word, "%") for word in words[1:] if word in _UNITS or word == "%"), "")
    kept = sorted(word for word in words if word not in _UNITS and word not in {"gpu", "%", "in"})
    field = _FIELDS.get(" ".join(kept))
    if unit == "%" and field == "memory.used":
        field = "memory.percent"
    if field is None or not words:
        return None
    return Heading(text, unit, field, f"the words of {text!r} name {field}")


def find_alias_header(path: Path, lines: list[str]) -> tuple[int, list[Heading]] | None:
    """Return the place of a header that people wrote, and its columns, or None where it may be of something else."""
    for place, line in enumerate(lines[:_LINES_BEFORE]):
        if "," not in line:
            continue
        headings = [alias_of(cell) or _own(cell) for cell in cells_of(line)]
        known = [heading for heading in headings if heading is not None]
        if len(known) < 2 or len(known) < len(headings) or not {one.field for one in known} & _MEASURES:
            continue
        told = re.search(r"gpu|vram|nvidia|smi\b", f"{line} {path.name}", re.IGNORECASE)
        if told and any(one.field in {"timestamp", "index"} for one in known) and _fits(known, lines[place + 1 :]):
            return place, known
    return None


def _own(cell: str) -> Heading | None:
    """Return a further column about a GPU, kept under its own name."""
    name = cell.strip('"')
    return Heading(name, "", name.lower()) if re.match(r"gpu[ _.]", name, re.IGNORECASE) else None


def _fits(headings: list[Heading], below: list[str]) -> bool:
    """Return whether the first row has as many cells, numbers where measures are named."""
    row = next((cells_of(line) for line in below if line.strip()), None)
    if row is None or len(row) != len(headings):
        return False
    return all(number_of(cell)[1] != ODD for heading, cell in zip(headings, row, strict=True) if heading.field in _MEASURES)


def find_wide_header(path: Path, lines: list[str]) -> tuple[int, list[Heading]] | None:
    """Return the place of a header with a column a GPU, such as ``timestamp,GPU0,GPU1``, and its columns.

    A column that says nothing but its GPU takes its measure from the name of the file: numbers alone could be anything.
    """
    for place, line in enumerate(lines[:_LINES_BEFORE]):
        cells = cells_of(line)
        clock = alias_of(cells[0])
        if clock is None or clock.field != "timestamp":
            continue
        headings = [_wide(cell.strip('"'), path) for cell in cells[1:]]
        known = [heading for heading in headings if heading is not None]
        if known and len(known) == len(headings):
            below = next((cells_of(one) for one in lines[place + 1 :] if one.strip()), [""])
            if len(below) == len(cells) and (is_time(below[0]) or number_of(below[0])[1] != ODD):
                return place, [clock, *known]
    return None


def _wide(cell: str, path: Path) -> Heading | None:
    match = _WIDE.fullmatch(re.sub(r"\s*[\[(](.*)[\])]", r" \1", cell))
    if match is None:
        return None
    own = alias_of(match.group(2)) if match.group(2) else None
    if match.group(2) and own is not None and own.field != "index":
        return own._replace(logged=cell, device=f"gpu{int(match.group(1))}", why=f"the words of {cell!r} name {own.field}")
    words = [word for word in re.findall(r"[A-Za-z]+", path.stem.replace("_", " ")) if word.lower() not in {"log", "gpu"}]
    named = next((found for word in words if (found := alias_of(word)) is not None and found.field in _MEASURES), None)
    if named is None:
        return None
    unit = _UNITS.get((match.group(2) or "").lower(), "")
    why = f"{path.name} is named for {named.field}, its columns for GPUs"
    return Heading(cell, unit, named.field, why, f"gpu{int(match.group(1))}")
