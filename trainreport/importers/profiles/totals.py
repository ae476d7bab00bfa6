"""Totals of a profile that tell no times: how long kernels, copies and calls took together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.profiles.measures import MEANINGS, Measure
from trainreport.importers.profiles.profile import COMMUNICATION, Step, kind_of_kernel
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LAUNCH", "TOTALS", "UNKNOWN_STEP", "Total", "of_copies", "of_kernels", "of_launches"]

LAUNCH = re.compile(r"cu(?:da)?(?:[A-Z]\w*)?Launch\w*")
"""Calls of CUDA that launch kernels or graphs of kernels."""
UNKNOWN_STEP = Step(None, 0.0, 0.0)
_WHOLE = "of the whole profile, which is a window of the run"
TOTALS = {
    **MEANINGS,
    "profile/kernel_time": Meaning("profile/kernel_time", "system", "s", None, f"time of all kernels together {_WHOLE}"),
    "profile/kernel_mean": Meaning("profile/kernel_mean", "system", "s", None, f"mean time of a kernel {_WHOLE}"),
    "profile/communication_of_kernels": Meaning(
        "profile/communication_of_kernels", "system", "1", None, f"share of kernel time in which data was exchanged among GPUs {_WHOLE}"
    ),
    "profile/copy_time": Meaning("profile/copy_time", "system", "s", None, f"time of all copying and setting of memory {_WHOLE}"),
    "profile/launch_mean": Meaning("profile/launch_mean", "system", "s", None, f"mean time of a call that launches kernels {_WHOLE}"),
    "profile/kernel_launch": Meaning(
        "profile/kernel_launch",
        "system",
        "1",
        None,
        "share of the step in which the host prepared and launched kernels, as XProf counts it",
    ),
    "profile/device_idle": Meaning("profile/device_idle", "system", "1", None, f"share of time in which devices were idle {_WHOLE}"),
}


class Total(NamedTuple):
    """What all kernels or calls of one name took."""

    name: str
    seconds: float
    times: float
    """How often it ran."""


def of_kernels(totals: Sequence[Total]) -> list[Measure]:
    """Return the measures of all kernels."""
    seconds, count = sum(one.seconds for one in totals), sum(one.times for one in totals)
    if not seconds > 0 or not count > 0:
        return []
    exchanged = sum(one.seconds for one in totals if kind_of_kernel(one.name) == COMMUNICATION)
    return [
        Measure("profile/kernel_time", seconds, UNKNOWN_STEP),
        Measure("profile/kernel_mean", seconds / count, UNKNOWN_STEP),
        Measure("profile/communication_of_kernels", exchanged / seconds, UNKNOWN_STEP),
    ]


def of_copies(totals: Sequence[Total]) -> list[Measure]:
    """Return the measure of all operations on memory."""
    return [Measure("profile/copy_time", sum(one.seconds for one in totals), UNKNOWN_STEP)] if totals else []


def of_launches(totals: Sequence[Total]) -> list[Measure]:
    """Return the mean time of a launch."""
    launches = [one for one in totals if LAUNCH.match(one.name) and one.times > 0]
    count = sum(one.times for one in launches)
    return [Measure("profile/launch_mean", sum(one.seconds for one in launches) / count, UNKNOWN_STEP)] if launches else []
