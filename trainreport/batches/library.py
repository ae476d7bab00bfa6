"""Batches from Python: ``trainreport.batch("runs/", "results/")``."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.batches.dataset import FINDINGS, RUNS
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from trainreport.batches.runner import Summary

__all__ = ["Batch", "batch"]


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of a batch, in their folder."""

    output: Path
    """The folder: ``results.jsonl``, ``portfolio.html``, ``runs.parquet``, ``findings.parquet``."""
    summary: Summary
    """How many were judged now, failed, or were as before."""

    @property
    def frame(self) -> pd.DataFrame:
        """One run a row, folders that could not be judged among them, with the reason in ``error``."""
        import pandas as pd

        return pd.read_parquet(self.output / RUNS)

    @property
    def findings(self) -> pd.DataFrame:
        """One finding a row."""
        import pandas as pd

        return pd.read_parquet(self.output / FINDINGS)

    @property
    def portfolio(self) -> Path:
        """The page that shows all runs together."""
        return self.output / "portfolio.html"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"

    def __repr__(self) -> str:
        told = self.summary
        kept = f", {words.plural(told.skipped, 'folder')} as before" if told.skipped else ""
        return f"<Batch in {self.output}: {words.plural(told.runs, 'run')} judged, {words.plural(told.failed, 'folder')} failed{kept}>"


def batch(
    root: str | Path,
    output: str | Path,
    plan: str | Path | None = None,
    *,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    reports: Sequence[str] = (),
    as_of: str | None = None,
    resume: bool = False,
    replace: bool = False,
    progress: Callable[[Summary], None] | None = None,
) -> Batch:
    """Judge every run below `root`, each in a process of its own, and write what was found into the folder `output`.

    Parameters
    ----------
    root : str or Path
        A folder, or the address of a store such as ``s3://bucket/runs``.
    output : str or Path
        A folder; made where there is none.
    plan : str or Path, optional
        A file: what was agreed before training; it holds for every run.
    jobs, engine, address, reports, as_of, resume, replace, progress
        As in `trainreport.batches.runner.run`.

    Returns
    -------
    Batch
        What was judged: its tables and its page.

    Raises
    ------
    TrainreportError
        As `trainreport.batches.runner.run`.
    """
    from trainreport.batches.runner import run

    summary = run(
        root,
        Path(output),
        plan=None if plan is None else Path(plan),
        jobs=jobs,
        engine=engine,
        address=address,
        reports=reports,
        as_of=as_of,
        resume=resume,
        replace=replace,
        progress=progress,
    )
    return Batch(Path(output), summary)
