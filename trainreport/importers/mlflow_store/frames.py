"""From the points of a run's metrics to its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, times_ns
from trainreport.importers.recording import frame_of
from trainreport.model.run import Problem
from trainreport.model.series import interpret

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.importers.mlflow_store.metrics import Points

__all__ = ["as_logged", "frame_of_points"]

_LARGEST = 1.7976931348623157e308


def as_logged(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return values of a database as they were logged: MLflow writes the largest float there for an infinity."""
    import numpy as np

    large = np.abs(values) >= _LARGEST
    return np.where(large, np.copysign(np.inf, values), values) if large.any() else values


def frame_of_points(names: Sequence[str], files: Sequence[str] | str, points: Points) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the frame of all metrics, in the order given, and a problem for each metric with odd times.

    Parameters
    ----------
    names : sequence of str
        The metrics, each once.
    files : sequence of str, or str
        The file of each metric, or the one that all lie in.
    points : Points
    """
    import numpy as np
    import pandas as pd

    codes = np.repeat(np.arange(len(names), dtype=np.intp), points.counts)
    times, odd = times_ns(points.millis)
    meanings = [interpret(name) for name in names]
    frame = frame_of(names, meanings, codes, points.values, file=files, steps=points.steps, times_ns=times)
    missing = points.steps == NOT_KNOWN
    if missing.any():
        frame["step"] = pd.arrays.IntegerArray(points.steps, missing)
    if not odd.any():
        return frame, []
    places = [(files, f"metric {name}") for name in names] if isinstance(files, str) else [(file, "") for file in files]
    return frame, _odd_times(places, codes[odd], points.millis[odd])


def _odd_times(places: Sequence[tuple[str, str]], codes: npt.NDArray[np.intp], millis: npt.NDArray[np.int64]) -> list[Problem]:
    import numpy as np

    found = [
        (*places[int(code)], count, millis[first])
        for code, first, count in zip(*np.unique(codes, return_index=True, return_counts=True), strict=True)
        if millis[first] != NOT_KNOWN
    ]
    return [
        Problem(file, place, f"{count} times such as {example}; expected milliseconds since 1970; kept without a time", about="clock")
        for file, place, count, example in found
    ]
