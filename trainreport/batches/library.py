"""Batches from Python: ``trainreport.batch("runs/", "results/")``."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.batches.dataset import FINDINGS, RUNS
from trainreport.batches.terms import Terms
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    import pandas as pd

    from trainreport.batches.runner import Summary
    from trainreport.batches.terms import Given

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
    resume: bool = False,
    replace: bool = False,
    progress: Callable[[Summary], None] | None = None,
    **given: Unpack[Given],
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
    jobs, engine, address, resume, replace, progress
        As in `trainreport.batches.runner.run`.
    **given
        ``as_of``, ``source_zone``, ``interval_s``, ``map_file``, ``redact``, ``billing`` and ``grid`` as in `analyze`, for every run; with
        ``billing`` the logs are read twice, so that runs of several folders split what was charged while they ran. ``reports``: formats in
        which the report on each folder is written, below ``reports`` in `output`, with ``language`` and ``brand`` as in `report`.

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
        Terms.of(plan, **given),
        jobs=jobs,
        engine=engine,
        address=address,
        resume=resume,
        replace=replace,
        progress=progress,
    )
    return Batch(Path(output), summary)
