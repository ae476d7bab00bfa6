"""How long a run took by what its log tells, where nothing in it has a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trainreport.model import words
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.run import RunLog

    Array = npt.NDArray[np.float64]

__all__ = ["Length", "logged_length"]

_SESSION = re.compile(r"(?:^|.*/)train_runtime$")
"""Hugging Face's Trainer logs it once, when a call of ``train`` ends."""
_COUNTER = re.compile(r"(?:^|.*/)(?:_?runtime|time_elapsed|elapsed(?:_time)?|relative[_ ]time)$", re.IGNORECASE)
_LONGEST_S = 10 * 365 * 86400.0
_FALLS = 0.25
"""Share of the entries at which a counter may fall: one that falls more often counts each epoch or step by itself."""
_ANEW = 0.5
"""A counter that falls below this share of what it had reached began anew; one that stays above was taken up again."""


class Length(NamedTuple):
    """How long a run took."""

    seconds: float
    basis: str
    logged: bool
    """Whether the log tells it; else its times do."""


@remembered
def logged_length(log: RunLog) -> Length | None:
    """Return how long the training took as its log tells, None where it does not.

    The first of: the Trainer's ``train_runtime``, each a session of its own; a counter of seconds, which begins anew
    where the run does, so that the largest value of each session counts; the seconds of all epochs.
    """
    table = _of_training(log.frame)
    for logged in _named(table, table["logged"].astype(str).str.fullmatch(_SESSION)):
        return _length(float(_values(table, logged).sum()), logged)
    runtime = next((float(text) for key, text in sorted(log.run.tags.items()) if _SESSION.fullmatch(key) and _is_number(text)), None)
    if runtime is not None and 0 < runtime <= _LONGEST_S:
        return _length(runtime, "train_runtime")
    for logged in _named(table, (table["series"] == "time/elapsed") | table["logged"].astype(str).str.fullmatch(_COUNTER)):
        counted = _counted(_values(table, logged))
        if counted is not None:
            return _length(counted, logged)
    for logged in _named(table, table["series"] == "time/epoch"):
        return _length(float(_values(table, logged).sum()), f"{logged}, all epochs added up")
    return None


def _length(seconds: float, logged: str) -> Length:
    return Length(seconds, f"length as the log tells it ({logged}: {words.duration(seconds)}, no time of day)", logged=True)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d{1,12}(\.\d{1,20})?", text) is not None


def _of_training(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that can be seconds of training, of several processes those of the lowest rank."""
    good = (frame["phase"] == "train") & (frame["value"] > 0) & (frame["value"] <= _LONGEST_S)
    ranks = frame.loc[good, "rank"]
    return frame[good & (frame["rank"].isna() | (frame["rank"] == ranks.min()))] if ranks.notna().any() else frame[good]


def _named(table: pd.DataFrame, chosen: pd.Series) -> list[str]:
    """Return the names in some rows, the one with most of them first: tools that tell the same are not added up."""
    counts = table.loc[chosen, "logged"].astype(str).value_counts()
    return sorted(counts.index, key=lambda name: (-int(counts[name]), name))


def _values(table: pd.DataFrame, logged: str) -> Array:
    values: Array = table.loc[table["logged"] == logged, "value"].to_numpy(dtype="float64")
    return values


def _counted(values: Array) -> float | None:
    """Return the seconds that a counter counted over all sessions, None where it is no counter."""
    import numpy as np

    falls = np.flatnonzero(np.diff(values) < 0)
    if len(falls) > max(1.0, _FALLS * len(values)):
        return None
    total, reached = 0.0, 0.0
    for part in np.split(values, falls + 1):
        total += float(part[-1]) - (float(part[0]) if part[0] > _ANEW * reached > 0 else 0.0)
        reached = float(part[-1])
    return total
