"""How full memory was: of each GPU, and of the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import wording
from trainreport.detectors.gauges import Gauge, gauges, of_same_device

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["Memory", "gpu_memory", "host_memory", "memory_of"]


class Memory(NamedTuple):
    """A memory as a share of its size."""

    gauge: Gauge
    """Values are shares."""
    total: float | None
    """Bytes, where known."""

    @property
    def name(self) -> str:
        """In words: ``the memory of GPU 1 on node-a``."""
        curve = self.gauge.curve
        if curve.series.startswith("gpu"):
            return f"the memory of {wording.device(curve)}"
        return f"the main memory of {curve.node}" if curve.node else "the machine's main memory"


def gpu_memory(case: Case) -> list[Memory]:
    """Return each GPU's memory in use as a share of its size, where the size is known.

    The size is that of the log, else what the machine is said to have; a share that was logged is taken as it is.
    """
    curves = {(one.node, one.device): one for name in ("gpu/memory_share", "gpu/memory_used") for one in case.devices(name)}
    return [memory for curve in curves.values() if (memory := memory_of(case, curve)) is not None]


def memory_of(case: Case, curve: Curve) -> Memory | None:
    """Return the memory in use of the device of a curve as a share of its size; None where that is not known."""
    import numpy as np

    total = of_same_device(case, "gpu/memory_total", curve)
    size = float(np.median(total.curve.value)) if total is not None else case.log.run.hardware.gpu_memory_bytes
    used = of_same_device(case, "gpu/memory_used", curve)
    if used is not None and size:
        return Memory(used._replace(curve=replace(used.curve, value=used.curve.value / size, unit="1")), size)
    share = of_same_device(case, "gpu/memory_share", curve)
    return None if share is None else Memory(share, size)


def host_memory(case: Case) -> list[Memory]:
    """Return each machine's main memory in use as a share of its size; caches that can be given back are not in it."""
    return [Memory(one, None) for one in gauges(case, "memory/share")]
