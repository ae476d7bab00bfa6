"""How logs are read and judged, as every function of the library takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from trainreport.notebook.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

__all__ = ["Reading", "without_names"]


class Reading(TypedDict, total=False):
    """How logs are read and judged: the options of `analyze`."""

    source_zone: str | None
    interval_s: float | None
    map_file: str | Path | None
    strict: bool
    separate: bool
    experiment: str | Sequence[str]
    run: str | Sequence[str]
    as_of: str | datetime | None
    billing: str | Path | None
    grid: str | Path | None
    redact: bool
    progress: bool | Callable[[str], None] | None


def without_names(runs: Runs, roots: Sequence[Path] = ()) -> Runs:
    """Return runs with pseudonyms for users, hosts, directories and addresses; `roots` are the paths that they were read from."""
    from trainreport.model.redaction import redacted

    cleaned = redacted(runs.logs, runs.skipped, [root.as_posix() for root in roots])
    return Runs(cleaned.logs, cleaned.skipped, cleaned.redaction)
