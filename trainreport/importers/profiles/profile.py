"""What is kept of a trace: when the GPUs worked and on what, when that was launched, when steps ran and when they waited for data."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.profiles.intervals import Intervals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["COMMUNICATION", "COMPUTE", "COPY", "STEP_RANGE", "Profile", "Step", "kind_of_kernel"]

COMPUTE, COMMUNICATION, COPY = 0, 1, 2
STEP_RANGE = re.compile(r"(ProfilerStep#|(?:train(?:ing)?[ _]?)?(?:step|iter(?:ation)?)[ _:#=]*)(\d{1,18})", re.IGNORECASE)
"""Ranges that PyTorch or a loop marks by itself: ``ProfilerStep#7``, ``iteration 7``, ``step_7``; the number is the second group."""
_MOST = 1 << 22
"""Intervals kept: with all that belongs to them some 200 MB."""
_MOST_STEPS = 100_000
_COLLECTIVE = re.compile(
    r"nccl|rccl|all[-_]?reduce|all[-_]?gather|reduce[-_]?scatter|all[-_]?to[-_]?all|collective[-_]permute", re.IGNORECASE
)
_NO_LINK = -1
_LARGEST_LINK = 1 << 62


class Step(NamedTuple):
    """A step as the profiler marked it, in seconds; `number` is None where the whole trace stands for it."""

    number: int | None
    start: float
    end: float


class Work(NamedTuple):
    """What ran on one GPU, in the order of writing."""

    spans: Intervals
    kind: npt.NDArray[np.int8]
    launched: npt.NDArray[np.float64]
    """When the call began that launched it; NaN where that is not known."""
    call_s: npt.NDArray[np.float64]
    """How long that call took; NaN where it is not known or launched several."""


@lru_cache(maxsize=4096)
def kind_of_kernel(name: str) -> int:
    """Return whether a kernel exchanges data among GPUs, by the names of NCCL, RCCL and XLA, or computes."""
    return COMMUNICATION if _COLLECTIVE.search(name) else COMPUTE


class Profile:
    """Intervals of one trace; times in seconds since its first event, for seconds since 1970 have no room for nanoseconds."""

    def __init__(self) -> None:
        self.devices: dict[str, int] = {}
        self.steps: list[Step] = []
        self.left_out = 0
        self._start, self._end, self._link = array("d"), array("d"), array("q")
        self._kind, self._device = array("b"), array("h")
        self._call_link, self._call_start, self._call_s = array("q"), array("d"), array("d")
        self._wait_start, self._wait_end = array("d"), array("d")

    def work(self, device: str, kind: int, start: float, seconds: float, link: int | None = None) -> None:
        """Add what ran on a GPU; `link` is the number that it shares with the call that launched it."""
        if self._takes(len(self._start), start, seconds) and (device in self.devices or len(self.devices) < 1 << 12):
            self._start.append(start)
            self._end.append(start + seconds)
            self._kind.append(kind)
            self._device.append(self.devices.setdefault(device, len(self.devices)))
            self._link.append(_NO_LINK if link is None or not 0 <= link < _LARGEST_LINK else link)

    def launch(self, link: int, start: float, seconds: float, *, several: bool = False) -> None:
        """Add a call that launched what has the same `link`; `several`: a graph of kernels, not one."""
        if self._takes(len(self._call_link), start, seconds) and 0 <= link < _LARGEST_LINK:
            self._call_link.append(link)
            self._call_start.append(start)
            self._call_s.append(float("nan") if several else seconds)

    def wait(self, start: float, seconds: float) -> None:
        """Add a time in which the loop waited for its next batch."""
        if self._takes(len(self._wait_start), start, seconds):
            self._wait_start.append(start)
            self._wait_end.append(start + seconds)

    def step(self, number: int, start: float, seconds: float) -> None:
        """Add a step."""
        if self._takes(len(self.steps), start, seconds, _MOST_STEPS) and 0 <= number < 1 << 62:
            self.steps.append(Step(number, start, start + seconds))

    @property
    def waits(self) -> Intervals:
        """When the loop waited for data."""
        import numpy as np

        return Intervals(np.array(self._wait_start), np.array(self._wait_end))

    @property
    def windows(self) -> list[Step]:
        """The steps in the order of time; where none was marked, the time from the first to the last of what was kept."""
        if self.steps:
            return sorted(self.steps, key=lambda one: (one.start, one.end))
        begun = [min(times) for times in (self._start, self._wait_start, self._call_start) if times]
        ended = [max(times) for times in (self._end, self._wait_end) if times]
        return [Step(None, min(begun), max(ended))] if ended else []

    def work_of(self, device: str) -> Work:
        """Return what ran on a GPU."""
        import numpy as np

        mine = np.array(self._device) == self.devices[device]
        start, end = np.array(self._start)[mine], np.array(self._end)[mine]
        launched, call_s = self._launches(np.array(self._link)[mine])
        return Work(Intervals(start, end), np.array(self._kind)[mine], launched, call_s)

    def _launches(self, links: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return start and length of the call that launched each; of several with one number the first in time."""
        import numpy as np

        calls, starts, seconds = np.array(self._call_link), np.array(self._call_start), np.array(self._call_s)
        if not len(calls):
            return np.full(len(links), np.nan), np.full(len(links), np.nan)
        order = np.lexsort((starts, calls))
        at = order[np.minimum(np.searchsorted(calls[order], links), len(calls) - 1)]
        same = calls[at] == links
        return np.where(same, starts[at], np.nan), np.where(same, seconds[at], np.nan)

    def _takes(self, held: int, start: float, seconds: float, most: int = _MOST) -> bool:
        """Return whether an interval is kept: a negative or endless one is none."""
        if not (isfinite(start) and isfinite(seconds) and seconds >= 0):
            return False
        self.left_out += held >= most
        return held < most
