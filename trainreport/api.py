"""What a notebook uses: load, analyze, compare, batch, report, pack, explain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainreport import detectors
from trainreport.batches.library import Batch, batch
from trainreport.business.billing import read_invoice
from trainreport.business.grid import read_grid
from trainreport.decisions.assess import assess
from trainreport.errors import UsageError
from trainreport.importers import load as load_logs
from trainreport.model import clock, plan_reader
from trainreport.model.decision import Skipped
from trainreport.model.plan import Plan
from trainreport.notebook.analysis import Analysis, Comparison
from trainreport.notebook.progress import watching
from trainreport.notebook.reading import without_names
from trainreport.notebook.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Unpack

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from trainreport.detectors.explain import Explanation
    from trainreport.notebook.reading import Reading

    Paths = str | Path | Sequence[str | Path]

__all__ = [
    "Analysis",
    "Batch",
    "Comparison",
    "Plan",
    "Runs",
    "analyze",
    "batch",
    "compare",
    "explain",
    "load",
    "pack",
    "read_plan",
    "report",
]


def load(
    paths: Paths,
    *,
    source_zone: str | None = None,
    interval_s: float | None = None,
    map_file: str | Path | None = None,
    strict: bool = False,
    separate: bool = False,
    experiment: str | Sequence[str] = (),
    run: str | Sequence[str] = (),
    redact: bool = False,
    progress: bool | Callable[[str], None] | None = None,
) -> Runs:
    """Read everything below `paths`, lossless, and judge nothing.

    Parameters
    ----------
    paths : str, Path, or a sequence of these
        Files and folders with logs.
    source_zone : str, optional
        IANA zone for times that are written without one (nvidia-smi). By default the one with which the log covers the run
        beside it, if that is one only, else UTC.
    interval_s : float, optional
        Seconds between samples of hardware logs that hold no times, such as dmon's.
    map_file : str or Path, optional
        A TOML that declares the columns or lines of logs of your own making; ``trainreport-map.toml`` beside logs is read without it.
    strict : bool
        Raise on the first bad record instead of listing it.
    separate : bool
        Join nothing: every source is a run of its own.
    experiment : str or sequence of str
        Names or ids of MLflow experiments; only their runs are kept.
    run : str or sequence of str
        Ids or names of runs; only these are kept. A run deleted in MLflow is kept only where it is named here.
    redact : bool
        Put pseudonyms in place of users, hosts, directories and e-mail addresses: everything made of the runs is without them.
    progress : bool or callable, optional
        Whether to show a bar; by default in a notebook, where reading takes longer than a moment. A function is called with the
        name of each file before it is read.

    Returns
    -------
    Runs
        The runs; `Runs.frame` has all numbers in one table.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    StrictError
        On the first bad record, if `strict`.
    """
    with watching(progress) as watched:
        loaded = load_logs(
            _paths(paths),
            source_zone=source_zone,
            interval_s=interval_s,
            declared=None if map_file is None else Path(map_file),
            strict=strict,
            separate=separate,
            experiments=_words(experiment),
            runs=_words(run),
            progress=watched,
        )
    runs = Runs(loaded.logs, loaded.skipped)
    return without_names(runs, _paths(paths)) if redact else runs


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a TOML file.

    Parameters
    ----------
    path : str or Path
        The file; `trainreport plan new` writes one to fill in.

    Returns
    -------
    Plan
        What was agreed before training.

    Raises
    ------
    PlanError
        If it has faults; all of them are listed with their lines.
    """
    return plan_reader.read_plan(Path(path))


def analyze(
    paths: Paths | Runs,
    plan: str | Path | Plan | None = None,
    *,
    source_zone: str | None = None,
    interval_s: float | None = None,
    map_file: str | Path | None = None,
    strict: bool = False,
    separate: bool = False,
    experiment: str | Sequence[str] = (),
    run: str | Sequence[str] = (),
    as_of: str | datetime | None = None,
    billing: str | Path | None = None,
    grid: str | Path | None = None,
    redact: bool = False,
    progress: bool | Callable[[str], None] | None = None,
) -> Analysis:
    """Read the logs, run every detector, judge the plan's criteria, and decide.

    Parameters
    ----------
    paths : str, Path, a sequence of these, or Runs
        Files and folders with logs, or the runs that `load` gave, which are not read again.
    plan : str, Path or Plan, optional
        What was agreed before training.
    source_zone, interval_s, map_file, strict, separate, experiment, run
        As in `load`.
    as_of : str or datetime, optional
        What stands for now; the last time in the logs by default.
    billing : str or Path, optional
        A cloud invoice as CSV (FOCUS, AWS Cost and Usage Report, Google Cloud billing export). What it charges in a run's time, with
        the plan's tags, is the run's cost in place of the plan's rates.
    grid : str or Path, optional
        The grid's carbon factors by time and region as CSV (Electricity Maps, Carbon Intensity API, ENTSO-E, or a time and ``g_per_kwh``),
        in place of the plan's average; its times without a zone are in `source_zone`, else in UTC.
    redact : bool
        As in `load`; the report lists what was removed by kind, the plan's texts stay.
    progress : bool or callable, optional
        As in `load`.

    Returns
    -------
    Analysis
        Findings and decision; shows itself in a notebook.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    PlanError
        If the plan has faults.
    UsageError
        If the invoice is in another currency than the plan, or the grid has several regions and the plan names none.
    """
    agreed = plan if isinstance(plan, Plan) else Plan() if plan is None else read_plan(plan)
    now = clock.parse_instant(as_of) if isinstance(as_of, str) else as_of
    invoice = None if billing is None else read_invoice(Path(billing))
    factors = None if grid is None else read_grid(Path(grid), source_zone)
    runs = (
        paths
        if isinstance(paths, Runs)
        else load(
            paths,
            source_zone=source_zone,
            interval_s=interval_s,
            map_file=map_file,
            strict=strict,
            separate=separate,
            experiment=experiment,
            run=run,
            redact=redact,
            progress=progress,
        )
    )
    if redact and runs.redaction is None:
        runs = without_names(runs)
    broken = tuple(Skipped(str(plugged), plugged.fault) for plugged in detectors.plug_ins() if plugged.fault)
    skipped = (*runs.skipped, *(broken if runs.redaction is None else runs.redaction.skipped(broken)))
    return Analysis(assess(runs.logs, agreed, skipped=skipped, as_of=now, invoice=invoice, grid=factors, redaction=runs.redaction))


def compare(paths: Paths | Runs, plan: str | Path | Plan | None = None, **reading: Unpack[Reading]) -> Comparison:
    """Read the logs of several runs and put them side by side.

    Parameters
    ----------
    paths : str, Path, a sequence of these, or Runs
        Files and folders with logs, of two runs or more together.
    plan : str, Path or Plan, optional
        What was agreed before training; its criteria rank the runs.
    **reading
        As in `analyze`.

    Returns
    -------
    Comparison
        The runs, the best first; shows itself in a notebook.

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
        several = not isinstance(paths, Runs) and len(_paths(paths)) > 1
        joined = "; if these are several runs, --separate keeps them apart" if several else ""
        raise UsageError(f"there is one run only, {assessment.runs[0].log.run.name}; comparing takes two or more{joined}")
    return Comparison(assessment)


def report(
    paths: Paths | Runs,
    path: str | Path,
    plan: str | Path | Plan | None = None,
    *,
    audience: str = "all",
    language: str = "en",
    brand: str | Path | None = None,
    **reading: Unpack[Reading],
) -> Path:
    """Write the report on runs; the suffix of `path` says the format.

    Parameters
    ----------
    paths : str, Path, a sequence of these, or Runs
        As in `analyze`.
    path : str or Path
        Where to write: ``.html``, ``.pdf``, ``.md``, ``.json``, or the suffix of a plug-in. A file that stands there is replaced.
    plan : str, Path or Plan, optional
        What was agreed before training.
    audience, language, brand
        As in `Analysis.report`.
    **reading
        As in `analyze`.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    PlanError
        If the plan has faults.
    UsageError
        If the suffix, the audience or the language is not known.
    """
    return analyze(paths, plan, **reading).report(path, audience=audience, language=language, brand=brand)


def pack(
    paths: Paths,
    path: str | Path,
    plan: str | Path | None = None,
    *,
    key: str | Path | Ed25519PrivateKey | None = None,
    timestamp: str | Path | None = None,
    parents: Sequence[str | Path] = (),
    include_logs: bool = False,
    replace: bool = False,
    **reading: Unpack[Reading],
) -> Path:
    """File the audit pack of runs: report, data, control matrix and decision record, in a bag that any tool can check.

    Parameters
    ----------
    paths : str, Path, or a sequence of these
        Files and folders with logs.
    path : str or Path
        A folder, or a zip where the name ends with ``.zip``.
    plan : str or Path, optional
        The file with what was agreed before training; its lock file is filed too.
    key : str, Path or Ed25519PrivateKey, optional
        Signs the pack; a path is that of a PEM file. Takes the extra ``sign``.
    timestamp : str or Path, optional
        An RFC 3161 time stamp of this pack's ``tagmanifest-sha256.txt``, as an earlier build from the same inputs gave it. Takes the
        extra ``sign``.
    parents : sequence of str or Path
        Packs of earlier training that the model comes from; compute is added up over all of them, each run once.
    include_logs : bool
        File the logs themselves, not their digests only.
    replace : bool
        Replace an earlier pack.
    **reading
        As in `analyze`.

    Returns
    -------
    Path
        The pack written.

    Raises
    ------
    InputError
        If a path is missing, nothing can be read, or the pack cannot be written.
    OutputExistsError
        If something stands at `path`.
    PlanError
        If the plan has faults.
    UsageError
        If both `include_logs` and `redact` are asked for: the logs would show what is removed.
    """
    from trainreport.packs import bag, create, lineage, signing, stamp

    target = Path(path)
    bag.may_write(target, replace=replace)
    if include_logs and reading.get("redact"):
        raise UsageError(create.LOGS_TELL)
    signer = signing.load_private(Path(key)) if isinstance(key, str | Path) else key
    analyze(paths, plan, **reading).pack(
        target,
        _paths(paths),
        key=signer,
        token=None if timestamp is None else stamp.read(Path(timestamp)),
        parents=[lineage.read_parent(Path(one)) for one in parents],
        include_logs=include_logs,
        replace=replace,
    )
    return target


def explain(code: str) -> Explanation:
    """Return what a finding means: what is checked, why it matters, how it decides, what to do.

    Parameters
    ----------
    code : str
        Such as ``TR101``.

    Returns
    -------
    Explanation
        Shows itself in a notebook.

    Raises
    ------
    UsageError
        If there is no such code; the nearest one is named.
    """
    from trainreport.detectors.explain import explain as explained

    return explained(detectors.detector(code))


def _words(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _paths(paths: Paths) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
