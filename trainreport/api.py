"""What a notebook uses: load, analyze, report."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport import _files
from trainreport.business.billing import read_invoice
from trainreport.decisions.assess import assess
from trainreport.errors import UsageError
from trainreport.importers import load as load_logs
from trainreport.model import clock, plan_reader, schema
from trainreport.model.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import pandas as pd
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from matplotlib.figure import Figure

    from trainreport.model.decision import Assessment, Decision
    from trainreport.model.finding import Finding

    Paths = str | Path | Sequence[str | Path]

__all__ = ["REPORT_FORMATS", "Analysis", "Comparison", "analyze", "compare", "load", "read_plan", "write_frame"]

REPORT_FORMATS = ("html", "pdf", "markdown", "json")
_SUFFIXES = {".html": "html", ".htm": "html", ".pdf": "pdf", ".md": "markdown", ".json": "json"}


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """What was found and decided on one or more runs; shows itself in a notebook."""

    assessment: Assessment
    """Everything, as data."""

    @property
    def frame(self) -> pd.DataFrame:
        """The unified frame of all runs, one number a row."""
        return schema.concat([run.log.frame for run in self.assessment.runs])

    @property
    def events(self) -> pd.DataFrame:
        """What happened, in words: restarts, warnings, statuses."""
        import pandas as pd

        return pd.concat([run.log.events for run in self.assessment.runs], ignore_index=True)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all runs, gravest first within each run."""
        return tuple(finding for run in self.assessment.runs for finding in run.findings)

    @property
    def decision(self) -> Decision:
        """The recommendation over all runs."""
        return self.assessment.decision

    def plot(self) -> Figure:
        """Return the learning curves of the leading run as a matplotlib figure, best checkpoint marked."""
        from trainreport.reports import plot_learning_curves

        return plot_learning_curves(self.assessment)

    def render(self, form: str, *, audience: str = "all") -> bytes:
        """Return the report in one of `REPORT_FORMATS`, for an audience as in `report`."""
        from trainreport import reports

        return reports.render(self.assessment, form, audience)

    def report(self, path: str | Path, *, replace: bool = True, audience: str = "all") -> Path:
        """Write the report; the suffix says the format: ``.html``, ``.pdf``, ``.md`` or ``.json``.

        Parameters
        ----------
        path : str or Path
        replace : bool
            Replace a file that stands there already.
        audience : str
            Whose parts it holds: ``sponsor``, ``manager``, ``engineer``, ``auditor`` or ``all``. JSON always holds all.

        Returns
        -------
        Path
            The file written.

        Raises
        ------
        UsageError
            If the suffix or the audience is none of these.
        """
        target = Path(path)
        form = _SUFFIXES.get(target.suffix.lower())
        if form is None:
            raise UsageError(f"{target}: the suffix says the format; expected one of {', '.join(_SUFFIXES)}")
        _files.write_whole(target, self.render(form, audience=audience), replace=replace)
        return target

    def pack(
        self,
        path: str | Path,
        paths: Paths,
        *,
        plan_file: Path | None = None,
        key: Ed25519PrivateKey | None = None,
        include_logs: bool = False,
        replace: bool = True,
    ) -> int:
        """File the audit pack, and return how many files its payload has.

        Parameters
        ----------
        path : str or Path
            A folder, or a zip where the name ends with ``.zip``.
        paths : str, Path, or a sequence of these
            What was analyzed, to find the logs again.
        plan_file, key, include_logs, replace
            As in `trainreport.packs.create.create`.

        Raises
        ------
        InputError
            If the pack cannot be written, or a log or the lock changed meanwhile.
        OutputExistsError
            If something stands at `path`.
        """
        from trainreport.packs.create import create

        frame = self.frame
        tables = {"frame.parquet": _parquet(frame), "frame.csv": _csv(frame)}
        return create(
            self.assessment,
            tables,
            Path(path),
            paths=_paths(paths),
            plan_file=plan_file,
            key=key,
            include_logs=include_logs,
            replace=replace,
        )

    def _repr_html_(self) -> str:
        from trainreport.reports import notebook_summary

        return notebook_summary(self.assessment)

    def __repr__(self) -> str:
        decision = self.assessment.decision
        names = ", ".join(finding.code for finding in self.findings) or "no findings"
        return f"<Analysis of {len(self.assessment.runs)} run(s): {decision.verdict.value}, {decision.next_step.value} · {names}>"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several runs side by side, ranked by the plan's criteria; shows itself in a notebook."""

    assessment: Assessment
    """Everything, as data."""

    @property
    def frame(self) -> pd.DataFrame:
        """One run a row, the best first; parameters that differ stand in columns ``param:name``, criteria in ``criterion:id``."""
        import pandas as pd

        from trainreport.reports.comparison import compared
        from trainreport.reports.exports.compared import as_rows

        rows = []
        for row in as_rows(compared(self.assessment)):
            cost, criteria, settings = row.pop("cost"), row.pop("criteria"), row.pop("settings")
            priced = {"cost": None if cost is None else float(cost["amount"]), "currency": cost and cost["currency"]}
            named = {f"criterion:{name}": state for name, state in criteria.items()}
            rows.append({**row, **priced, **named, **{f"param:{name}": value for name, value in settings.items()}})
        return pd.DataFrame(rows).astype({"place": "Int64", "step": "Int64"})

    def render(self, form: str) -> str:
        """Return the comparison as ``text``, ``json``, ``markdown`` or ``html``."""
        from trainreport import reports

        return reports.render_comparison(self.assessment, form)

    def _repr_html_(self) -> str:
        table = self.frame.drop(columns=["run_id", "next_step", "why"]).to_html(index=False, na_rep="–", border=0)
        return f"<p><b>{escape(self.assessment.decision.headline)}</b></p>{table}"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.assessment.runs)} runs: {self.assessment.decision.verdict.value}>"


def load(
    paths: Paths,
    *,
    source_zone: str | None = None,
    interval_s: float | None = None,
    strict: bool = False,
    separate: bool = False,
    experiment: str | Sequence[str] = (),
    run: str | Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Return the unified frame of everything below `paths`, lossless.

    Parameters
    ----------
    paths : str, Path, or a sequence of these
        Files and folders with logs.
    source_zone : str, optional
        IANA zone for times that are written without one (nvidia-smi). By default the one with which the log covers the run
        beside it, if that is one only, else UTC.
    interval_s : float, optional
        Seconds between samples of hardware logs that hold no times, such as dmon's.
    strict : bool
        Raise on the first bad record instead of listing it.
    separate : bool
        Join nothing: every source is a run of its own.
    experiment : str or sequence of str
        Names or ids of MLflow experiments; only their runs are kept.
    run : str or sequence of str
        Ids or names of runs; only these are kept. A run deleted in MLflow is kept only where it is named here.
    progress : callable, optional
        Called with the name of each file before it is read.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    """
    loaded = load_logs(
        _paths(paths),
        source_zone=source_zone,
        interval_s=interval_s,
        strict=strict,
        separate=separate,
        experiments=_words(experiment),
        runs=_words(run),
        progress=progress,
    )
    return schema.concat([log.frame for log in loaded.logs])


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a TOML file.

    Raises
    ------
    PlanError
        If it has faults; all of them are listed with their lines.
    """
    return plan_reader.read_plan(Path(path))


def analyze(
    paths: Paths,
    plan: str | Path | Plan | None = None,
    *,
    source_zone: str | None = None,
    interval_s: float | None = None,
    strict: bool = False,
    separate: bool = False,
    experiment: str | Sequence[str] = (),
    run: str | Sequence[str] = (),
    as_of: str | datetime | None = None,
    billing: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Analysis:
    """Read the logs, run every detector, judge the plan's criteria, and decide.

    Parameters
    ----------
    paths : str, Path, or a sequence of these
        Files and folders with logs.
    plan : str, Path or Plan, optional
        What was agreed before training.
    source_zone, interval_s, strict, separate, experiment, run, progress
        As in `load`.
    as_of : str or datetime, optional
        What stands for now; the last time in the logs by default.
    billing : str or Path, optional
        A cloud invoice as CSV (FOCUS, AWS Cost and Usage Report, Google Cloud billing export). What it charges in a run's time, with
        the plan's tags, is the run's cost in place of the plan's rates.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    PlanError
        If the plan has faults.
    UsageError
        If the invoice is in another currency than the plan.
    """
    agreed = plan if isinstance(plan, Plan) else Plan() if plan is None else read_plan(plan)
    now = clock.parse_instant(as_of) if isinstance(as_of, str) else as_of
    invoice = None if billing is None else read_invoice(Path(billing))
    loaded = load_logs(
        _paths(paths),
        source_zone=source_zone,
        interval_s=interval_s,
        strict=strict,
        separate=separate,
        experiments=_words(experiment),
        runs=_words(run),
        progress=progress,
    )
    return Analysis(assess(loaded.logs, agreed, skipped=loaded.skipped, as_of=now, invoice=invoice))


def compare(paths: Paths, plan: str | Path | Plan | None = None, **reading: Any) -> Comparison:
    """Read the logs of several runs and put them side by side.

    Parameters
    ----------
    paths : str, Path, or a sequence of these
        Files and folders with logs, of two runs or more together.
    plan, **reading
        As in `analyze`.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    PlanError
        If the plan has faults.
    UsageError
        If there are fewer than two runs.
    """
    assessment = analyze(paths, plan, **reading).assessment
    if len(assessment.runs) < 2:
        joined = "; if these are several runs, --separate keeps them apart" if len(_paths(paths)) > 1 else ""
        raise UsageError(f"there is one run only, {assessment.runs[0].log.run.name}; comparing takes two or more{joined}")
    return Comparison(assessment)


def write_frame(frame: pd.DataFrame, path: Path, *, replace: bool) -> None:
    """Write the unified frame as ``.parquet`` or ``.csv``.

    Raises
    ------
    UsageError
        If the suffix is neither.
    """
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".csv"):
        raise UsageError(f"{path}: the suffix says the format; expected .parquet or .csv")
    _files.write_whole(path, _parquet(frame) if suffix == ".parquet" else _csv(frame), replace=replace)


def _parquet(frame: pd.DataFrame) -> bytes:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    place = table.schema.get_field_index("value")
    values = pa.array(frame["value"].to_numpy(), from_pandas=False)  # NaN stays NaN; from_pandas would make it null
    buffer = io.BytesIO()
    pq.write_table(table.set_column(place, "value", values), buffer)
    return buffer.getvalue()


def _csv(frame: pd.DataFrame) -> bytes:
    values = frame["value"].astype(object).where(frame["value"].notna(), "NaN")
    text = frame.assign(value=values).to_csv(index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", lineterminator="\n")
    return str(text).encode()


def _words(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _paths(paths: Paths) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
