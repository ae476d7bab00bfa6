"""The fields of ``nvidia-smi --query-gpu``, and the header line that names them."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainreport.importers.smi.table import cells_of
from trainreport.model.series import Meaning
from trainreport.model.units import FACTORS

__all__ = ["FIELDS", "SHARES", "TEXTS", "Heading", "find_header", "header_of", "is_header", "meaning_of"]

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
    # Of dmon, of the table and of the XML, under names in the manner of the query's.
    "memory.percent": ("gpu/memory_share", "%"),
    "bar1.used": ("gpu/bar1_used", "MiB"),
    "bar1.total": ("gpu/bar1_total", "MiB"),
    "pcie.rx": ("gpu/pcie_received", "MB/s"),
    "pcie.tx": ("gpu/pcie_sent", "MB/s"),
    "violation.power": ("gpu/violation_power", "%"),
    "violation.thermal": ("gpu/violation_thermal", "1"),
    "process.sm": ("gpu/process_utilization", "%"),
    "process.mem": ("gpu/process_memory_utilization", "%"),
    "process.enc": ("gpu/process_encoder_utilization", "%"),
    "process.dec": ("gpu/process_decoder_utilization", "%"),
    "process.jpg": ("gpu/process_jpeg_utilization", "%"),
    "process.ofa": ("gpu/process_ofa_utilization", "%"),
    "process.fb": ("gpu/process_memory_used", "MiB"),
    "process.ccpm": ("gpu/process_protected_memory_used", "MiB"),
}

# Fields that are no measure, though some are written in digits.
TEXTS = frozenset({
    "timestamp", "index", "name", "gpu_name", "uuid", "gpu_uuid", "serial", "gpu_serial", "pci.bus_id", "gpu_bus_id",
    "driver_version", "vbios_version", "count", "compute_cap", "compute_mode", "persistence_mode", "display_mode",
    "display_active", "mig.mode.current", "ecc.mode.current", "power.management",
})  # fmt: skip

SHARES = frozenset(field for field, (_, unit) in FIELDS.items() if unit == "%" and field != "fan.speed")
"""Fields that never exceed 100 %; a fan may."""

# Words that other tools' tables have too: a header needs more than these.
_COMMON = frozenset({"timestamp", "index", "name", "uuid", "serial", "count"})
_FAMILIES = ("clocks_throttle_reasons.", "clocks_event_reasons.", "ecc.errors.", "retired_pages.", "pcie.link.", "remapped_rows.")
_LINES_BEFORE = 10
"""A shell may put a few lines before the header, such as ``nohup: ignoring input``."""


class Heading(NamedTuple):
    """One column: as it is named, and what it holds."""

    logged: str
    """As written, without its unit."""
    unit: str
    """As in brackets, or empty."""
    field: str
    """The query field that it holds, in lower case."""
    why: str = ""
    """How that is known, where the name itself is not the field."""
    device: str | None = None
    """Whose it is, where a column is of one GPU."""


def header_of(line: str) -> list[Heading]:
    """Return the columns that a header line names: ``power.draw [W]`` is the field power.draw in W."""
    found = (re.fullmatch(r"(.*?)\s*(?:\[(.*)\])?", cell.strip('"')) for cell in cells_of(line))
    return [Heading(match.group(1), match.group(2) or "", match.group(1).lower()) for match in found if match is not None]


def is_header(line: str) -> bool:
    """Return whether a line names query fields: at least two, one of them nvidia-smi's own, or a single one with its dot."""
    if "," not in line and "." not in line:  # spares most lines of other files the rest
        return False
    fields = {heading.field for heading in header_of(line)}
    known = {field for field in fields if field in FIELDS or field in TEXTS or field.startswith(_FAMILIES)}
    if len(fields) == 1:
        return any("." in field for field in known & FIELDS.keys())
    return len(known) > 1 and not known <= _COMMON


def find_header(lines: list[str]) -> int | None:
    """Return the position of the header among the first lines, or None."""
    return next((place for place, line in enumerate(lines[:_LINES_BEFORE]) if is_header(line)), None)


def meaning_of(heading: Heading, unit: str) -> Meaning:
    """Return what a column of numbers means, written in `unit` (empty: the unit that the field is documented in)."""
    series, documented = FIELDS.get(heading.field, (_own_name(heading.field), "1"))
    source = f"nvidia-smi query field {heading.field}" if heading.field in FIELDS else "name kept, no field with a series of its own"
    source = heading.why or source
    if unit in FACTORS and unit:
        return Meaning(series, "system", unit, heading.device, f"{source}; unit {unit} as written")
    odd = f"unit {unit!r} is not known, number kept" if unit else f"no unit written, taken as {documented}"
    return Meaning(series, "system", "1" if unit else documented, heading.device, f"{source}; {odd}")


def _own_name(name: str) -> str:
    for family, head in (("clocks_throttle_reasons.", "throttle"), ("clocks_event_reasons.", "throttle"), ("ecc.errors.", "ecc_errors")):
        if name.startswith(family):
            return f"gpu/{head}/{name.removeprefix(family).replace('.', '_')}"
    return f"gpu/{name.replace('.', '_')}" if "." in name else name
