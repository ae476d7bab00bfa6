"""Reads the metric files of one MLflow run: lines of ``milliseconds value step``.

`read_plain` says what such a file means. `read_fast` reads many files in one go and gives up (None) wherever
it could differ from it; `read_metrics` tries the fast one first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport.model.clock import from_epoch_seconds
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["MetricFile", "Points", "read_fast", "read_metrics", "read_plain", "times_ns"]

LONGEST_LINE = 1_000_000
_LINE_END = 10
NOT_KNOWN = -(2**63)
"""Stands for a step or a time that is not written."""


@dataclass(frozen=True, slots=True)
class MetricFile:
    """The content of one metric file; `name` is its ``Source.name``."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The points of several files below each other, each file's in its own order."""

    counts: npt.NDArray[np.int64]
    """Points of each file."""
    millis: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    """`NOT_KNOWN` where the line has no step (MLflow before 1.0)."""
    digests: frozenset[str] = frozenset()
    """Datasets that lines name (MLflow 3)."""
    problems: tuple[Problem, ...] = ()


def read_metrics(files: Sequence[MetricFile]) -> Points:
    """Return the points of `files`: all in one parse, file by file where one is odd, line by line within that one."""
    at_once = read_fast(files)
    if at_once is not None:
        return at_once
    parts = [read_fast([file]) or read_plain(file) for file in files]
    return _joined(parts)


def read_plain(file: MetricFile) -> Points:
    """Return the points of one file, line by line, and what could not be read."""
    rows: list[tuple[int, float, int]] = []
    digests: set[str] = set()
    problems: list[Problem] = []
    for number, line in enumerate(file.content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row, digest = _row(line)
        except (ValueError, OverflowError):
            problems.append(Problem(file.name, f"line {number}", f"{_excerpt(line)}; expected 'milliseconds value step'"))
            continue
        rows.append(row)
        if digest:
            digests.add(digest)
    return _points([len(rows)], rows, frozenset(digests), tuple(problems))


def read_fast(files: Sequence[MetricFile]) -> Points | None:
    """Return the points of regular files in one parse, or None where a line needs `read_plain`."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    whole = [_ended(file.content) for file in files]
    blob = b"".join(whole)
    # Arrow takes 0x10 and nan(1) for numbers, which Python, and so MLflow itself, does not.
    if not blob or any(sign in blob for sign in (b"x", b"X", b"(")):
        return None if blob else _points([0] * len(files), [], frozenset(), ())
    try:
        table = csv.read_csv(
            pa.py_buffer(blob),
            read_options=csv.ReadOptions(column_names=["millis", "value", "step"], use_threads=False, block_size=16 * LONGEST_LINE),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types={"millis": pa.int64(), "value": pa.float64(), "step": pa.int64()}, null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        return None
    counts = np.array([np.count_nonzero(np.frombuffer(content, dtype=np.uint8) == _LINE_END) for content in whole], dtype=np.int64)
    if int(counts.sum()) != table.num_rows:  # blank lines, or old Mac line ends
        return None
    columns: list[Any] = [column.to_numpy() for column in table.columns]
    return Points(counts, *columns)


def times_ns(millis: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return nanoseconds since 1970, and which milliseconds are no plausible wall clock (`NOT_KNOWN` there)."""
    import numpy as np

    if not len(millis) or (_plausible(int(millis.min())) and _plausible(int(millis.max()))):
        return millis * 1_000_000, np.zeros(len(millis), dtype=np.bool_)
    unique, place = np.unique(millis, return_inverse=True)
    odd = np.array([not _plausible(int(one)) for one in unique], dtype=np.bool_)[place]
    return np.where(odd, NOT_KNOWN, np.where(odd, 0, millis) * 1_000_000), odd


@lru_cache(maxsize=1024)
def _plausible(millis: int) -> bool:
    return from_epoch_seconds(millis / 1000) is not None


def _row(line: bytes) -> tuple[tuple[int, float, int], str]:
    """Return (milliseconds, value, step) and the digest of the dataset, if one is named."""
    if len(line) > LONGEST_LINE:
        raise ValueError
    fields = line.decode("utf-8").strip().split(" ")
    if len(fields) not in (2, 3) and len(fields) < 5:
        raise ValueError
    step = int(fields[2]) if len(fields) > 2 else NOT_KNOWN
    millis = int(fields[0])
    if not (abs(millis) < 2**63 and (step == NOT_KNOWN or abs(step) < 2**63)):
        raise OverflowError
    # A dataset's name may hold blanks; its digest is the last field.
    return (millis, float(fields[1]), step), fields[-1] if len(fields) >= 5 else ""


def _excerpt(line: bytes) -> str:
    if len(line) > LONGEST_LINE:
        return f"a line of {len(line)} bytes"
    text = line.decode("utf-8", "replace").strip()
    return f"found {text[:60] + '…' if len(text) > 60 else text!r}"


def _ended(content: bytes) -> bytes:
    return content if not content or content.endswith(b"\n") else content + b"\n"


def _points(counts: list[int], rows: list[tuple[int, float, int]], digests: frozenset[str], problems: tuple[Problem, ...]) -> Points:
    import numpy as np

    return Points(
        np.array(counts, dtype=np.int64),
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.float64),
        np.array([row[2] for row in rows], dtype=np.int64),
        digests,
        problems,
    )


def _joined(parts: Sequence[Points]) -> Points:
    import numpy as np

    return Points(
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.millis for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.steps for part in parts]),
        frozenset[str]().union(*(part.digests for part in parts)),
        tuple(problem for part in parts for problem in part.problems),
    )
