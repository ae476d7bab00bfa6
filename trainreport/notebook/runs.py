"""Runs as they were read: one frame, each series, plots, and what other tables take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.errors import UsageError, did_you_mean
from trainreport.model import schema, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    import xarray as xr
    from matplotlib.axes import Axes

    from trainreport.model.decision import Skipped
    from trainreport.model.redaction import Redaction
    from trainreport.model.run import RunLog

__all__ = ["Measures", "Runs", "Shown"]

_LISTED = 20


class Shown(ABC):
    """Shows itself in a notebook as HTML, and as text where there is no HTML."""

    __slots__ = ()

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": str(self)}


class Measures(Shown):
    """What was measured in one run or several: tables, series, plots."""

    __slots__ = ()

    @abstractmethod
    def _all(self) -> tuple[RunLog, ...]: ...

    @property
    def frame(self) -> pd.DataFrame:
        """The unified frame of all runs, one number a row, lossless."""
        return schema.concat([log.frame for log in self._all()])

    @property
    def events(self) -> pd.DataFrame:
        """What happened, in words: restarts, warnings, statuses."""
        import pandas as pd

        return pd.concat([log.events for log in self._all()], ignore_index=True)

    def series(self, name: str, phase: str | None = None, *, run: str | None = None) -> pd.Series:
        """Return one series of one run in the order of training, as the detectors see it.

        Of steps that a restart repeated only the last attempt counts; `frame` has them all.

        Parameters
        ----------
        name : str
            Canonical name, such as ``loss``, or the name as logged.
        phase : str, optional
            ``train``, ``validation``, ``test`` or ``system``. May be left out where the run has the series in one phase.
        run : str, optional
            Id or name of the run. May be left out where there is one run, or one that the decision is about.

        Returns
        -------
        Series
            Indexed by step, by time where no step was logged, and by device where several logged it.

        Raises
        ------
        UsageError
            If there is no such series or run, or several that could be meant.
        """
        from trainreport.reports.exports.frame import as_series

        log = self._one(run)
        phases = sorted({where for series, where in _names(log) if name in series})
        wanted = phase or (phases[0] if len(phases) == 1 else None)
        if wanted is None or wanted not in phases:
            known = sorted({series[0] for series, _ in _names(log)})
            told = f"in {' and '.join(phases)}; expected one of these as phase" if phases else f"nowhere{did_you_mean(name, known)}"
            raise UsageError(f"run {log.run.name} has a series {name!r} {told}")
        return as_series(log, name, wanted)

    def plot(self, series: str | None = None, phase: str | None = None, *, run: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw a series and return the matplotlib axes: of one run each phase and device, of several one curve a run.

        Parameters
        ----------
        series : str, optional
            Canonical name, or as logged; by default what the run is judged by, else its loss.
        phase : str, optional
            Only this phase.
        run : str, optional
            Only this run, by id or name.
        ax : Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        Axes
            For titles, limits and whatever else is to be changed.

        Raises
        ------
        UsageError
            If no run has the series.
        """
        from trainreport.reports import axes

        logs = self._all() if run is None else (self._one(run),)
        return axes.plot(logs, series or self._leading_series(), phase, ax)

    def to_polars(self) -> pl.DataFrame:
        """Return the unified frame as a polars frame.

        Returns
        -------
        DataFrame
            The columns of `frame`; what is not a number stays NaN, what is missing is null.

        Raises
        ------
        MissingDependencyError
            If polars is not installed.
        """
        from trainreport.reports.exports.frame import as_polars

        return as_polars(self.frame)

    def to_xarray(self, *, run: str | None = None) -> xr.Dataset:
        """Return one run as a dataset: ``validation/loss`` along the steps, ``system/gpu/power`` along devices and time.

        Parameters
        ----------
        run : str, optional
            As in `series`.

        Returns
        -------
        Dataset
            One variable a phase and series, NaN where a step or a time has no value, each with its unit.

        Raises
        ------
        MissingDependencyError
            If xarray is not installed.
        UsageError
            If there is no such run, several that could be meant, or the grid would take more than two GiB.
        """
        from trainreport.reports.exports.frame import as_xarray

        return as_xarray(self._one(run))

    def _leading_series(self) -> str:
        """Return what is plotted where no series is named."""
        from trainreport.reports.axes import first_series

        return first_series(self._all())

    def _one(self, run: str | None) -> RunLog:
        """Return the run that is meant."""
        found = [log for log in self._all() if run is None or run in (log.run.id, log.run.name)]
        if len(found) == 1:
            return found[0]
        names = [log.run.id for log in self._all()]
        shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        if not found:
            raise UsageError(f"there is no run {run!r}{did_you_mean(run or '', names)}; found: {shown}")
        raise UsageError(f"there are {len(found)} runs{'' if run is None else f' called {run!r}'}; expected run= one of {shown}")


@dataclass(frozen=True, slots=True, eq=False)
class Runs(Measures):
    """Runs as they were read, before anything is judged; shows itself in a notebook."""

    logs: tuple[RunLog, ...]
    """The runs as data."""
    skipped: tuple[Skipped, ...] = ()
    """Files that were not read, and why."""
    redaction: Redaction | None = None
    """What was removed from the runs, where that was asked for."""

    def __len__(self) -> int:
        return len(self.logs)

    def _all(self) -> tuple[RunLog, ...]:
        return self.logs

    def _repr_html_(self) -> str:
        from trainreport.reports import notebook

        return notebook.runs(self.logs, self.skipped)

    def __repr__(self) -> str:
        numbers = sum(len(log.frame) for log in self.logs)
        return f"<Runs: {words.plural(len(self.logs), 'run')}, {words.plural(numbers, 'number')}>"

    def __str__(self) -> str:
        lines = [f"{log.run.name}: {words.plural(len(log.frame), 'number')}, {log.run.status}" for log in self.logs[:_LISTED]]
        more = [f"… and {len(self.logs) - _LISTED:,} more"] if len(self.logs) > _LISTED else []
        return "\n".join([repr(self), *lines, *more])


def _names(log: RunLog) -> Sequence[tuple[tuple[str, str], str]]:
    """Return ((canonical name, name as logged), phase) of all that a run has."""
    pairs = log.frame[["series", "logged", "phase"]].drop_duplicates()
    return [((str(series), str(logged)), str(phase)) for series, logged, phase in pairs.itertuples(index=False)]
