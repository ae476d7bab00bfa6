"""The same series from two tools, step by step."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.curve import Curve
    from trainreport.model.run import RunLog

__all__ = ["Pair", "pairs_of_tools"]


class Pair(NamedTuple):
    """A series that two tools logged."""

    series: str
    phase: str
    tools: tuple[str, str]
    differences: npt.NDArray[np.float64]
    """At each common step, as a share of the larger absolute value."""

    def share_over(self, limit: float) -> float:
        """Return the share of common steps at which they differ by more."""
        return float((self.differences > limit).mean()) if len(self.differences) else 0.0


def pairs_of_tools(log: RunLog) -> list[Pair]:
    """Return the series, other than those of the machine, that two tools logged with steps."""
    tools = {file.path: file.importer for file in log.run.files}
    found = []
    for series, phase in log.curves.names("train", "validation", "test"):
        by_tool: dict[str, Curve] = {}
        for curve in log.curves.of_files(series, phase):
            if curve.has_step and len(curve) > len(by_tool.get(tools.get(curve.file, ""), ())):
                by_tool[tools.get(curve.file, "")] = curve
        found += [
            Pair(series, phase, (one, two), _differences(by_tool[one], by_tool[two])) for one, two in combinations(sorted(by_tool), 2)
        ]
    return found


def _differences(one: Curve, two: Curve) -> npt.NDArray[np.float64]:
    """Return how far two curves are apart at common steps where both are finite."""
    import numpy as np

    _, mine, theirs = np.intersect1d(one.step, two.step, return_indices=True)
    a, b = one.value[mine], two.value[theirs]
    good = np.isfinite(a) & np.isfinite(b)
    a, b = a[good], b[good]
    scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.finfo(np.float64).tiny)
    return np.abs(a - b) / scale
