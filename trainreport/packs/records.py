"""The small machine-readable files of a pack: runs, compute, environment, calibration, methods, digests of the logs."""

from __future__ import annotations

import csv
import io
import json
import platform
import re
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING, Any

from trainreport.business.flop import two_figures
from trainreport.detectors import all_detectors
from trainreport.detectors.accuracy import measured
from trainreport.detectors.explain import as_text, explain
from trainreport.model import clock
from trainreport.packs.names import as_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.decision import Assessment
    from trainreport.model.ledger import Ledger
    from trainreport.model.redaction import Redaction
    from trainreport.model.run import Run, SourceFile

__all__ = ["as_json", "calibration", "compute", "environment", "log_files", "logs_table", "methods", "redactions", "runs"]


def as_json(value: object) -> bytes:
    """Return readable JSON, the same for the same value."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def log_files(assessment: Assessment) -> list[SourceFile]:
    """Return every file that numbers came from, once, by path."""
    return sorted({(one.path, one.sha256): one for run in assessment.runs for one in run.log.run.files}.values(), key=lambda one: one.path)


def runs(assessment: Assessment) -> bytes:
    """Return what is known of each run besides its numbers."""
    return as_json([_run(one.log.run) for one in assessment.runs])


def compute(total: Ledger) -> bytes:
    """Return what all runs took together, each figure with its unit in its name and its basis beside it."""
    cost = None if total.cost is None else {"amount": total.cost.plain(), "currency": total.cost.currency}
    figures = {
        "wall_s": total.wall_s,
        "gpu_hours": total.gpu_hours,
        "tpu_hours": total.tpu_hours,
        "cpu_hours": total.cpu_hours,
        "energy_kwh": total.energy_kwh,
        "pue": total.pue,
        "carbon_kg": total.carbon_kg,
        "flop": None if total.flop is None else two_figures(total.flop),
    }
    rounded = {name: None if value is None else float(f"{value:.12g}") for name, value in figures.items()}
    return as_json({**rounded, "energy_basis": total.energy_basis, "cost": cost, "basis": dict(total.basis)})


def environment(made_by: str) -> bytes:
    """Return the versions of the tools that judged; nothing of the machine's or its user's name."""
    names = sorted({_package(one) for one in requires("trainreport") or () if "extra ==" not in one})
    packages = {name: _version(name) for name in names}
    return as_json({"trainreport": made_by, "python": platform.python_version(), "packages": packages})


def calibration() -> bytes:
    """Return how often the checks were right when last measured."""
    return as_json([asdict(one) for one in measured()])


def methods() -> bytes:
    """Return what every check does: method, limits, thresholds with their sources."""
    return "\n\n".join(as_text(explain(one)) for one in all_detectors()).encode()


def redactions(redaction: Redaction) -> bytes:
    """Return each pseudonym with its kind and how often it stands for something that was removed."""
    return as_json({"redactions": [one._asdict() for one in redaction.removed]})


def logs_table(files: list[SourceFile], filed: Mapping[str, str]) -> bytes:
    """Return path, digest and size of every log, and where in the pack it lies."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("path", "sha256", "bytes", "read_as", "rows_read", "rows_skipped", "in_pack"))
    for one in files:
        writer.writerow((as_cell(one.path), one.sha256, one.bytes, one.importer, one.rows_read, one.rows_skipped, filed.get(one.path, "")))
    return out.getvalue().encode()


def _run(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "name": run.name,
        "status": run.status,
        "started_at": clock.iso(run.started_at),
        "ended_at": clock.iso(run.ended_at),
        "parent": run.parent,
        "code_version": run.code_version,
        "data_version": run.data_version,
        "seed": run.seed,
        "params": dict(run.params),
        "tags": dict(run.tags),
        "hardware": asdict(run.hardware),
        "joins": list(run.joins),
        "names": [asdict(one) for one in run.mappings],
    }


def _package(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
