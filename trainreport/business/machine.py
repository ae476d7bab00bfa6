"""What the GPUs of a run did in a stretch of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.model import words
from trainreport.model.curve import curves

if TYPE_CHECKING:
    from trainreport.model.run import RunLog

__all__ = ["Meanwhile", "meanwhile"]

_IDLE = 0.10
"""GPUs below this mean did nothing for the run."""
_WORK, _SPIN = 0.20, 0.95
"""Between these they worked for it. A process that spins in a collective operation shows full utilization."""


class Meanwhile(NamedTuple):
    """What the GPUs did between two moments."""

    mean: float | None
    """Mean utilization of all; None where the log has no sample then."""
    logged: bool
    """Whether there is a GPU log at all."""

    @property
    def idle(self) -> bool:
        """Whether they did nothing."""
        return self.mean is not None and self.mean < _IDLE

    @property
    def worked(self) -> bool:
        """Whether they worked, as in an evaluation."""
        return self.mean is not None and _WORK <= self.mean < _SPIN

    @property
    def words(self) -> str:
        """The second half of a sentence."""
        if not self.logged:
            return ""
        if self.mean is None:
            return "; the GPU log has a hole there too"
        return "; the GPUs stood idle" if self.idle else f"; the GPUs showed {words.share(self.mean)} utilization"


def meanwhile(log: RunLog, from_s: float, to_s: float) -> Meanwhile:
    """Return what the GPUs did between two moments, in seconds since 1970."""
    import numpy as np

    gauges = [one for one in curves(log, "gpu/utilization") if np.isfinite(one.time_s).all()]
    inside = [one.value[(one.time_s > from_s) & (one.time_s < to_s) & np.isfinite(one.value)] for one in gauges]
    values = np.concatenate(inside) if inside else np.empty(0)
    return Meanwhile(float(values.mean()) if len(values) else None, bool(gauges))
