"""The rows of an event file: its scalars, and what its histograms and curves were reduced to, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.layers import layer_meaning
from trainreport.importers.tfevents.reductions import HOW
from trainreport.model.series import Meaning, interpret

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.events import Reduced
    from trainreport.importers.tfevents.log import EventLog

__all__ = ["Rows", "rows_of"]

_CURVE_WORDS = frozenset({"pr", "curve", "curves", "precision", "recall"})


class Rows(NamedTuple):
    """Names with their meanings, and numbers; the arrays have one length."""

    names: list[str]
    meanings: list[Meaning]
    codes: npt.NDArray[np.intp]
    """For each number the position of its name."""
    values: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]


def rows_of(log: EventLog, names: Sequence[str], phase: str | None) -> Rows:
    """Return the rows of a file.

    Parameters
    ----------
    log : EventLog
    names : sequence of str
        What each of ``log.tags`` is called.
    phase : str, optional
        Phase told by the folder.
    """
    columns = log.columns
    scalars = Rows(list(names), [interpret(name, phase) for name in names], log.codes, columns.values, columns.steps, columns.wall_times)
    return _merged(scalars, columns.places, log.facts.reduced, phase) if log.facts.reduced else scalars


def _merged(scalars: Rows, places: npt.NDArray[np.int64], reduced: Sequence[Reduced], phase: str | None) -> Rows:
    import numpy as np

    positions: dict[tuple[str, str, str], int] = {}
    codes = [positions.setdefault((one.tag, one.form, one.statistic), len(positions)) for one in reduced]
    taken = set(scalars.names)
    names, meanings = list(scalars.names), list(scalars.meanings)
    for tag, form, statistic in positions:
        name = _free(f"{tag}/{statistic}", taken)
        taken.add(name)
        names.append(name)
        meanings.append(_meaning(tag, form, statistic, phase))
    order = np.argsort(np.concatenate([places, np.array([one.offset for one in reduced], dtype=np.int64)]), kind="stable")
    return Rows(
        names,
        meanings,
        np.concatenate([scalars.codes, np.array(codes, dtype=np.intp) + len(scalars.names)])[order],
        np.concatenate([scalars.values, np.array([one.value for one in reduced], dtype=np.float64)])[order],
        np.concatenate([scalars.steps, np.array([one.step for one in reduced], dtype=np.int64)])[order],
        np.concatenate([scalars.wall_times, np.array([one.time_s for one in reduced], dtype=np.float64)])[order],
    )


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no scalar was logged under."""
    while name in taken:
        name += " (reduced)"
    return name


def _meaning(tag: str, form: str, statistic: str, phase: str | None) -> Meaning:
    how = HOW[form, statistic]
    if form != "pr_curve":
        return layer_meaning(tag, statistic, phase, how)
    own = interpret(tag, phase)
    parts = [part for part in own.series.split("/") if not set(part.split("_")) <= _CURVE_WORDS]
    return Meaning("/".join([statistic, *parts]), own.phase, "1", None, f"{how}; {own.why}")
