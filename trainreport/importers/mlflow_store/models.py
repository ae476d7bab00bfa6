"""The registered model versions of a SQLite store, so that what a run cost can stand beside what came of it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.importers.mlflow_store.database import text

if TYPE_CHECKING:
    from trainreport.importers.mlflow_store.database import Database

__all__ = ["model_versions"]


def model_versions(database: Database) -> dict[str, str]:
    """Return for each run id the versions registered from it: ``churn v3 (Production, @champion); churn v4``."""
    aliases: dict[tuple[str | None, str | None], list[str]] = defaultdict(list)
    for cells in database.rows("registered_model_aliases", ("name", "version", "alias")):
        name, version, alias = (text(cell) for cell in cells)
        aliases[name, version].append(f"@{alias}")
    found: dict[str, list[str]] = defaultdict(list)
    for cells in database.rows("model_versions", ("name", "version", "current_stage", "run_id")):
        name, version, stage, run = (text(cell) for cell in cells)
        if not run or stage == "Deleted_Internal":  # how MLflow marks a version that was deleted
            continue
        roles = [*([stage] if stage and stage != "None" else []), *sorted(aliases[name, version])]
        found[run].append(f"{name} v{version} ({', '.join(roles)})" if roles else f"{name} v{version}")
    return {run: "; ".join(versions) for run, versions in found.items()}
