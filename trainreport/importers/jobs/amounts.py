"""Durations, sizes and resources as schedulers write them."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Resources", "bytes_of", "joules_of", "resources_of", "seconds_of"]

_LASTED = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d{1,9})?)", re.ASCII)
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?([KMGTPE]?)i?[Bb]?(?:ytes)?", re.IGNORECASE | re.ASCII)
_ENERGY = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)([KMGTPE]?)", re.IGNORECASE | re.ASCII)
_NO_VALUE = float(0xFFFFFFFE)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_GPUS = re.compile(r"gres/gpu(?::([^=,]{1,80}))?=(\d{1,6})", re.ASCII)
_OLD_GPUS = re.compile(r"(?:gres:)?gpu(?::([^:,(\d][^:,(]{0,80}))?:(\d{1,6})", re.ASCII)


class Resources(NamedTuple):
    """What a list such as ``cpu=8,mem=64G,node=1,gres/gpu:a100=4`` gives."""

    gpus: int | None
    gpu_model: str | None
    amounts: dict[str, str]
    """Name and amount of each, as written."""


def seconds_of(text: str) -> float | None:
    """Return the seconds of ``2-03:04:05``, ``03:04:05`` or ``04:05.678``; None where nothing is limited or known."""
    match = _LASTED.fullmatch(text.strip())
    if match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def bytes_of(text: str) -> float | None:
    """Return the bytes of ``64G``, ``1234K`` or ``7.84 GB``: the units of schedulers are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else float(match[1]) * 1024.0 ** _POWERS[match[2].upper()]


def joules_of(text: str) -> float | None:
    """Return the energy of ``1500`` or ``423.44K``: Slurm's units of energy are powers of 1000, and two numbers stand for none."""
    match = _ENERGY.fullmatch(text.strip())
    joules = None if match is None else float(match[1]) * 1000.0 ** _POWERS[match[2].upper()]
    return None if joules in (_NO_VALUE, float(2**64)) else joules


def resources_of(text: str) -> Resources:
    """Return the resources of Slurm's TRES, or of the older GRES (``gpu:4``, ``gpu:a100:4``)."""
    found = _GPUS.findall(text) or _OLD_GPUS.findall(text)
    models = sorted({model for model, _ in found if model})
    untyped = [int(count) for model, count in found if not model]
    gpus = max(untyped) if untyped else sum(int(count) for _, count in found) if found else None
    amounts = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    return Resources(gpus, ", ".join(models) or None, amounts)
