"""What MLflow's sampler of a machine writes, simulated as the GPU logs are: processors, memory, network, GPUs."""

from __future__ import annotations

import numpy as np

from making.writers import Gauge


def ticks(first: float, last: float, interval: float = 60.0) -> np.ndarray:
    """Return the times of a sampler, in seconds since 1970 UTC."""
    return np.arange(first, last, interval) + 0.25


def machine(
    times: np.ndarray, rng: np.random.Generator, *, processors: np.ndarray, received: np.ndarray, sent: np.ndarray
) -> dict[str, Gauge]:
    """Return the gauges of a machine.

    Parameters
    ----------
    times : ndarray
    rng : Generator
    processors : ndarray
        Utilization in percent.
    received, sent : ndarray
        Network traffic in MB a second; the sampler adds it up.
    """
    interval = float(times[1] - times[0])
    values = {
        "system/cpu_utilization_percentage": np.clip(processors + rng.normal(0, 2, len(times)), 0, 100).round(1),
        "system/system_memory_usage_percentage": (38 + rng.normal(0, 0.3, len(times))).round(1),
        "system/network_receive_megabytes": np.cumsum(received * interval).round(1),
        "system/network_transmit_megabytes": np.cumsum(sent * interval).round(1),
    }
    return {name: (times, series) for name, series in values.items()}
