"""What is known of GPU models: maximum power and peak throughput, from ``devices.toml``."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Device", "device_of", "devices"]

_TABLE = files("trainreport.business") / "devices.toml"
_NOT_WHOLE = re.compile(r"\b(mig|laptop|mobile|max-q)\b", re.IGNORECASE)
"""A slice of a GPU, or a part of the same name that is held to less power."""


class Device(NamedTuple):
    """One GPU model."""

    pattern: str
    """On the whole name, as nvidia-smi gives it."""
    tdp_w: float
    """Maximum power in watts."""
    peak_flops: float | None
    """Dense 16-bit floating-point operations a second; None where no source was found."""
    source: str
    memory_b: float | None = None
    """Bytes; None where parts of this name have several sizes, or no source was found."""


@cache
def devices() -> tuple[Device, ...]:
    """Return the table, in its order."""
    rows = tomllib.loads(_TABLE.read_text("utf-8"))["device"]
    return tuple(
        Device(
            row["pattern"],
            float(row["tdp_w"]),
            row.get("peak_flops"),
            row["source"],
            row["memory_gb"] * 1e9 if "memory_gb" in row else None,
        )
        for row in rows
    )


def device_of(model: str | None) -> Device | None:
    """Return what is known of a GPU model, None where it is not in the table or only a part of a GPU."""
    if model is None or _NOT_WHOLE.search(model):
        return None
    return next((one for one in devices() if fnmatchcase(model.strip(), one.pattern)), None)
