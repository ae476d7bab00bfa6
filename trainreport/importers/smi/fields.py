"""The fields of ``nvidia-smi --query-gpu``, and the header line that names them."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainreport.model.series import Meaning
from trainreport.model.units import FACTORS

__all__ = ["TEXTS", "Heading", "find_header", "header_of", "is_header", "meaning_of"]

# Field -> (series, unit that nvidia-smi means when it writes none). `nvidia-smi --help-query-gpu` is the source.
FIELDS: dict[str, tuple[str, str]] = {
    "utilization.gpu": ("gpu/utilization", "%"),
    "utilization.memory": ("gpu/memory_utilization", "%"),
    "utilization.encoder": ("gpu/encoder_utilization", "%"),
    "utilization.decoder": ("gpu/decoder_utilization", "%"),
    "utilization.jpeg": ("gpu/jpeg_utilization", "%"),
    "utilization.ofa": ("gpu/ofa_utilization", "%"),
    "memory.used": ("gpu/memory_used", "MiB"),
    "memory.total": ("gpu/memory_total", "MiB"),
    "memory.free": ("gpu/memory_free", "MiB"),
    "memory.reserved": ("gpu/memory_reserved", "MiB"),
    "power.draw": ("gpu/power", "W"),
    "power.draw.instant": ("gpu/power", "W"),
    "power.draw.average": ("gpu/power", "W"),
    "power.limit": ("gpu/power_limit", "W"),
    "enforced.power.limit": ("gpu/power_limit", "W"),
    "power.default_limit": ("gpu/power_limit_default", "W"),
    "power.min_limit": ("gpu/power_limit_min", "W"),
    "power.max_limit": ("gpu/power_limit_max", "W"),
    "temperature.gpu": ("gpu/temperature", "C"),
    "temperature.memory": ("gpu/memory_temperature", "C"),
    "temperature.gpu.tlimit": ("gpu/temperature_margin", "C"),
    "clocks.sm": ("gpu/clock_sm", "MHz"),
    "clocks.current.sm": ("gpu/clock_sm", "MHz"),
    "clocks.mem": ("gpu/clock_memory", "MHz"),
    "clocks.current.memory": ("gpu/clock_memory", "MHz"),
    "clocks.gr": ("gpu/clock_graphics", "MHz"),
    "clocks.current.graphics": ("gpu/clock_graphics", "MHz"),
    "clocks.video": ("gpu/clock_video", "MHz"),
    "clocks.current.video": ("gpu/clock_video", "MHz"),
    "clocks.max.sm": ("gpu/clock_sm_max", "MHz"),
    "clocks.max.mem": ("gpu/clock_memory_max", "MHz"),
    "clocks.max.memory": ("gpu/clock_memory_max", "MHz"),
    "clocks.max.gr": ("gpu/clock_graphics_max", "MHz"),
    "clocks.max.graphics": ("gpu/clock_graphics_max", "MHz"),
    "clocks_throttle_reasons.active": ("gpu/throttle_reasons", "1"),
    "clocks_event_reasons.active": ("gpu/throttle_reasons", "1"),
    "fan.speed": ("gpu/fan", "%"),
    "pstate": ("gpu/pstate", "1"),
}

# Fields that are no measure, though some are written in digits.
TEXTS = frozenset({
    "timestamp", "index", "name", "gpu_name", "uuid", "gpu_uuid", "serial", "gpu_serial", "pci.bus_id", "gpu_bus_id",
    "driver_version", "vbios_version", "count", "compute_cap", "compute_mode", "persistence_mode", "display_mode",
    "display_active", "mig.mode.current", "ecc.mode.current", "power.management",
})  # fmt: skip

# Words that other tools' tables have too: a header needs more than these.
_COMMON = frozenset({"timestamp", "index", "name", "uuid", "serial", "count"})
_LINES_BEFORE = 10
"""A shell may put a few lines before the header, such as ``nohup: ignoring input``."""


class Heading(NamedTuple):
    """One column as the header names it."""

    field: str
    unit: str
    """As in brackets, or empty."""


def header_of(line: str) -> list[Heading]:
    """Return the columns that a header line names: ``power.draw [W]`` is the field power.draw in W."""
    found = (re.fullmatch(r"(.*?)\s*(?:\[(.*)\])?", cell.strip().strip('"')) for cell in line.split(","))
    return [Heading(match.group(1), match.group(2) or "") for match in found if match is not None]


def is_header(line: str) -> bool:
    """Return whether a line names at least two query fields, one of them nvidia-smi's own."""
    fields = {heading.field.lower() for heading in header_of(line)}
    known = {field for field in fields if field in FIELDS or field in TEXTS or field.startswith(_FAMILIES)}
    return len(known) > 1 and not known <= _COMMON


def find_header(lines: list[str]) -> int | None:
    """Return the position of the header among the first lines, or None."""
    return next((place for place, line in enumerate(lines[:_LINES_BEFORE]) if is_header(line)), None)


def meaning_of(field: str, unit: str) -> Meaning:
    """Return what a column of numbers means, written in `unit` (empty: the unit that the field is documented in)."""
    name = field.lower()
    series, documented = FIELDS.get(name, (_own_name(name), "1"))
    source = f"nvidia-smi query field {name}" if name in FIELDS else "name kept, no field with a series of its own"
    if unit in FACTORS and unit:
        return Meaning(series, "system", unit, None, f"{source}; unit {unit} as written")
    odd = f"unit {unit!r} is not known, number kept" if unit else f"no unit written, taken as {documented}"
    return Meaning(series, "system", "1" if unit else documented, None, f"{source}; {odd}")


_FAMILIES = ("clocks_throttle_reasons.", "clocks_event_reasons.", "ecc.errors.", "retired_pages.", "pcie.link.", "remapped_rows.")


def _own_name(name: str) -> str:
    for family, head in (("clocks_throttle_reasons.", "throttle"), ("clocks_event_reasons.", "throttle"), ("ecc.errors.", "ecc_errors")):
        if name.startswith(family):
            return f"gpu/{head}/{name.removeprefix(family).replace('.', '_')}"
    return f"gpu/{name.replace('.', '_')}" if "." in name else name
