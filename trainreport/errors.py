"""Every error that trainreport raises on purpose.

The tree::

    TrainreportError                 anything below; carries the exit code of the command line
    ├── InputError            (4)    a path is missing, or nothing in it can be read
    ├── StrictError           (4)    a bad record, met with ``strict=True``
    ├── PlanError             (2)    the plan file has faults; ``faults`` lists each with its line
    ├── UsageError            (2)    an argument that cannot be meant
    ├── OutputExistsError     (4)    a file stands where the output should go
    └── MissingDependencyError (4)   a library or system part is not installed

A message names the file and place, what was found, what was expected and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "InputError",
    "MissingDependencyError",
    "OutputExistsError",
    "PlanError",
    "PlanFault",
    "StrictError",
    "TrainreportError",
    "UsageError",
    "did_you_mean",
]


class TrainreportError(Exception):
    """Base of all errors that a user can cause and mend."""

    exit_code = 4


class InputError(TrainreportError):
    """A given path does not exist, or nothing in it could be read."""


class StrictError(TrainreportError):
    """A bad record was met while reading with ``strict=True``."""


class UsageError(TrainreportError):
    """An argument that cannot be meant, such as an unknown code."""

    exit_code = 2


class OutputExistsError(TrainreportError):
    """The output file exists already and was not to be replaced."""


class MissingDependencyError(TrainreportError):
    """A library or a system part is missing; the message has the command that installs it."""


@dataclass(frozen=True, slots=True)
class PlanFault:
    """One fault of a plan file: its place, what is wrong, and what is expected."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class PlanError(TrainreportError):
    """The plan file cannot be used; all its faults are listed at once.

    Parameters
    ----------
    faults : sequence of PlanFault
        Every fault found, in the order of the file.
    """

    exit_code = 2

    def __init__(self, faults: Sequence[PlanFault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known word, or an empty text."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
