"""A run, the files it came from, and its log: numbers, events, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import pandas as pd

    from trainreport.model.curves import Curves

__all__ = ["Hardware", "NameMapping", "Problem", "Run", "RunLog", "SourceFile", "Status"]

Status = Literal["finished", "failed", "killed", "running", "unknown"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that numbers came from."""

    path: str
    """POSIX, relative to the path given by the user."""
    sha256: str
    bytes: int
    importer: str
    rows_read: int
    rows_skipped: int = 0
    clock: str = ""
    """How its times were understood, such as ``UTC, as written`` or ``no zone written; taken as UTC``."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, and where."""

    file: str
    place: str
    """``line 12``, ``byte 4096``, or empty for the whole file."""
    what: str
    about: Literal["content", "clock", "meaning"] = "content"
    """``clock``: the numbers were read, their times are in doubt; ``meaning``: read, but as something else than their name says."""


@dataclass(frozen=True, slots=True)
class NameMapping:
    """How a logged name was understood."""

    logged: str
    series: str
    phase: str
    unit: str
    why: str


@dataclass(frozen=True, slots=True)
class Hardware:
    """What the run had. None where nothing says."""

    gpu_model: str | None = None
    gpu_count: int | None = None
    node_count: int | None = None
    gpu_memory_bytes: float | None = None
    """Memory of one GPU."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run besides its numbers."""

    id: str
    name: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    status: Status = "unknown"
    params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    hardware: Hardware = field(default_factory=Hardware)
    code_version: str | None = None
    data_version: str | None = None
    seed: str | None = None
    parent: str | None = None
    """Run id of the run that this one is nested in."""
    files: tuple[SourceFile, ...] = ()
    mappings: tuple[NameMapping, ...] = ()
    joins: tuple[str, ...] = ()
    """One sentence for each source that was joined: what, and why."""


@dataclass(frozen=True, eq=False)
class RunLog:
    """A run with its frame (`model.schema.COLUMNS`), its events, and what could not be read."""

    run: Run
    frame: pd.DataFrame
    """Must not be changed: `curves` are cut from it once."""
    events: pd.DataFrame
    problems: tuple[Problem, ...] = ()

    @cached_property
    def curves(self) -> Curves:
        """The series of the frame as plain arrays."""
        from trainreport.model.curves import Curves

        return Curves(self.frame)
