"""One series of a run as plain arrays, in the order of training.

Detectors, criteria and charts see curves, never frames, so that the rules on restarts and on names that
mean the same stand in one place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainreport.model.series import PERCENT_FROM, direction, is_share

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.run import RunLog

__all__ = ["Curve", "curve", "curves"]


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Curve:
    """A series in the order of training; arrays share one length.

    Where a restart repeated steps, the later attempt counts from the step that it rewound to; where several
    processes logged the same, the lowest rank counts. The frame keeps all rows.
    """

    series: str
    phase: str
    logged: str
    unit: str
    step: npt.NDArray[np.int64]
    """Optimizer step; the row number where no step was logged."""
    epoch: npt.NDArray[np.float64]
    """NaN where not logged."""
    time_s: npt.NDArray[np.float64]
    """Seconds since 1970 UTC; NaN where not logged."""
    value: npt.NDArray[np.float64]
    """In `unit`; NaN and infinities as logged."""
    file: str
    device: str | None = None
    node: str | None = None
    others: tuple[str, ...] = ()
    """Other logged names with the same canonical name, not used here."""
    has_step: bool = True

    @property
    def direction(self) -> int:
        """-1 where lower is better, +1 where higher is better, 0 where it is not known."""
        return direction(self.series)

    @property
    def is_share(self) -> bool:
        """Whether it is a share by nature, such as accuracy."""
        return is_share(self.series)

    @property
    def is_percent(self) -> bool:
        """Whether it is a share that was logged in percent."""
        import numpy as np

        return self.is_share and bool(((self.value > PERCENT_FROM) & (self.value < np.inf)).any())

    @property
    def whole(self) -> float:
        """What all is in the unit of a share: 100 where it was logged in percent, else 1."""
        return 100.0 if self.is_percent else 1.0

    def part(self, kept: npt.NDArray[np.bool_] | slice) -> Curve:
        """Return the curve with some of its points only."""
        return replace(self, step=self.step[kept], epoch=self.epoch[kept], time_s=self.time_s[kept], value=self.value[kept])

    def __len__(self) -> int:
        return len(self.value)


def curve(log: RunLog, series: str, phase: str, logged: str | None = None) -> Curve | None:
    """Return the curve of `series` in `phase`, or None where there is none.

    Parameters
    ----------
    log : RunLog
    series : str
        Canonical name, or a name as logged.
    phase : str
    logged : str, optional
        The logged name to use where several mean the same. Without it, the one with most points.
    """
    return log.curves.curve(series, phase, logged)


def curves(log: RunLog, series: str, phase: str = "system") -> list[Curve]:
    """Return one curve for each node and device that logged `series`, in the order of their names."""
    return log.curves.of_devices(series, phase)
