"""What the monitors of clouds call their metrics, and how they write moments."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport.importers.gauges.names import gauge_meaning
from trainreport.importers.gauges.samples import NO_TIME
from trainreport.model.clock import from_epoch_seconds, to_utc
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cloud_meaning", "ns_of", "number_in", "table_in", "text_in"]

_KNOWN: Sequence[tuple[re.Pattern[str], str, str]] = tuple(
    (re.compile(pattern), series, unit)
    for pattern, series, unit in (
        # CloudWatch agent: the fields of nvidia-smi; SageMaker adds all GPUs, and all cores, of a machine up
        (r"nvidia_smi_utilization_gpu", "gpu/utilization", "%"),
        (r"nvidia_smi_utilization_memory", "gpu/memory_utilization", "%"),
        (r"nvidia_smi_memory_(used|total|free)", r"gpu/memory_\1", "MiB"),
        (r"nvidia_smi_power_draw", "gpu/power", "W"),
        (r"nvidia_smi_temperature_gpu", "gpu/temperature", "C"),
        (r"nvidia_smi_clocks_current_sm", "gpu/clock_sm", "MHz"),
        (r"GPUUtilization", "gpu/utilization_of_all", "%"),
        (r"GPUMemoryUtilization", "gpu/memory_share_of_all", "%"),
        (r"CPUUtilization", "cpu/utilization", "%"),
        (r"MemoryUtilization|mem_used_percent", "memory/share", "%"),
        (r"DiskUtilization|disk_used_percent", "disk/share", "%"),
        # Azure: virtual machines, and workspaces of Azure Machine Learning
        (r"Percentage CPU|CpuUtilization(?:Percentage)?", "cpu/utilization", "%"),
        (r"GpuUtilization(?:Percentage)?", "gpu/utilization", "%"),
        (r"GpuMemoryUtilization(?:Percentage)?", "gpu/memory_share", "%"),
        (r"GpuEnergyJoules", "gpu/energy_in_interval", "J"),
        # Google: Ops Agent, Compute Engine, Kubernetes Engine
        (r"agent\.googleapis\.com/gpu/utilization", "gpu/utilization", "%"),
        (r"agent\.googleapis\.com/gpu/memory/bytes_used", "gpu/memory_used", "B"),
        (r"compute\.googleapis\.com/instance/cpu/utilization", "cpu/utilization", "1"),
        (r"agent\.googleapis\.com/cpu/utilization", "cpu/utilization", "%"),
        (r"kubernetes\.io/(?:container|node)/accelerator/duty_cycle", "gpu/utilization", "%"),
        (r"kubernetes\.io/(?:container|node)/accelerator/memory_(used|total)", r"gpu/memory_\1", "B"),
    )
)
_UNITS = {
    "percent": "%", "bytes": "B", "by": "B", "megabytes": "MiB", "gigabytes": "GiB", "kilobytes": "KiB", "seconds": "s", "s": "s",
    "milliseconds": "ms", "bytespersecond": "B/s", "bytes/second": "B/s", "by/s": "B/s", "%": "%", "10^2.%": "1", "watts": "W",
}  # fmt: skip


@lru_cache(maxsize=4096)
def cloud_meaning(name: str, unit: str) -> Meaning:
    """Return what a metric means.

    Parameters
    ----------
    name : str
        Of the metric, without statistic or dimensions.
    unit : str
        As the cloud writes it; empty where it does not.
    """
    inner = re.fullmatch(r"prometheus\.googleapis\.com/([^/]{1,200})/\w{1,20}", name)
    if inner is not None:
        return gauge_meaning(inner[1])
    for pattern, series, documented in _KNOWN:
        match = pattern.fullmatch(name)
        if match is not None:
            written = _UNITS.get(unit.lower(), documented)
            return Meaning(match.expand(series), "system", written, None, "known metric of the cloud's monitor")
    known = gauge_meaning(name)
    if not known.series.startswith("prometheus/"):
        return known
    return Meaning(f"cloud/{name.lower()}", "system", _UNITS.get(unit.lower(), "1"), None, "metric of the cloud's monitor, name kept")


def ns_of(value: Any) -> int:
    """Return nanoseconds since 1970 of seconds or ISO 8601, which clouds write with their zone."""
    if isinstance(value, str):
        try:
            moment = to_utc(datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value)))
        except (ValueError, OverflowError):
            return NO_TIME
        seconds = moment.timestamp()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value) if abs(value) < 1e18 else 0.0
    else:
        return NO_TIME
    return NO_TIME if from_epoch_seconds(seconds) is None else round(seconds * 1e6) * 1000


def number_in(value: Any) -> float | None:
    """Return a number of JSON, which Google writes as a text where it is whole."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value):
        return float(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else None


def table_in(value: Any, key: str) -> dict[str, Any]:
    """Return the object under a key, empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def text_in(value: Any, key: str) -> str:
    """Return the text under a key, empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found[:500] if isinstance(found, str) else ""
