"""What an importer is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from trainreport.importers.folders import parent
from trainreport.model.run import Hardware, NameMapping, Problem, Status
from trainreport.model.schema import assembled, category_type, code_type, one_label
from trainreport.model.units import FACTORS, to_canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.series import Meaning

__all__ = ["Event", "FileRead", "Importer", "Recording", "Source", "frame_of", "mappings_of"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be read."""

    path: Path
    name: str
    """POSIX path relative to the path that the user gave; this is what frames and problems carry."""
    zone: str | None = None
    """IANA zone for times that are written without one; None: take them as UTC, and say so."""
    strict: bool = False
    """Raise ``StrictError`` on the first bad record instead of listing it."""
    interval_s: float | None = None
    """Seconds between samples of hardware logs that hold no times; None: they stay without times."""
    declared: Path | None = None
    """TOML that declares what this file is (`importers.declared`); None: it is recognised by its content."""

    @property
    def folder(self) -> str:
        """POSIX folder of the file, ``.`` at the top."""
        return parent(self.name)


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was read for a recording; its hash is taken by ``load``."""

    path: Path
    name: str
    rows_read: int
    rows_skipped: int = 0
    clock: str = "UTC, as written"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, in words: a restart, a warning, a status."""

    kind: str
    message: str
    time_s: float | None = None
    """Seconds since 1970 UTC."""
    step: int | None = None
    level: str = "info"
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """All that one importer read from one source, before it is joined with others into runs."""

    importer: str
    kind: Literal["training", "machine", "job"]
    """``machine``: a log of hardware, of the runs that it overlaps; ``job``: one of a scheduler, of the runs within its time."""
    key: str
    """What it belongs to: the POSIX folder of a run (TensorBoard), a run id (MLflow), a folder (machine logs)."""
    name: str
    frame: pd.DataFrame
    """Conforming, rows in the order of the file; run and attempt are set by ``load``."""
    files: tuple[FileRead, ...]
    folder: str = "."
    """POSIX folder that it lies in, for joining sources of one run."""
    covers: tuple[str, ...] = ()
    """Files and folders below that were read with it and are not looked at again."""
    mappings: tuple[NameMapping, ...] = ()
    problems: tuple[Problem, ...] = ()
    events: tuple[Event, ...] = ()
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


@runtime_checkable
class Importer(Protocol):
    """Reads one format. One file, one class, ``IMPORTER = ThatClass()`` at the end of the module."""

    name: str
    """Short, for ``SourceFile.importer`` and ``trainreport formats``: ``tensorboard``."""
    title: str
    """One line for people: what it reads, and from which tools."""

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this reads the file, from its first 4 KiB, before its name."""

    def read(self, source: Source) -> Recording | tuple[Recording, ...]:
        """Read everything; bad records go to ``problems`` with their place.

        A source that holds several runs, such as a database, gives one recording for each.

        Raises
        ------
        StrictError
            On the first bad record, if ``source.strict``.
        InputError
            If the file turns out to hold nothing that can be read.
        """


def mappings_of(names: Sequence[str], meanings: Sequence[Meaning]) -> tuple[NameMapping, ...]:
    """Return how each logged name was understood, for ``Recording.mappings``."""
    return tuple(
        NameMapping(name, meaning.series, meaning.phase, FACTORS[meaning.written_unit][0], meaning.why)
        for name, meaning in zip(names, meanings, strict=True)
    )


def frame_of(
    names: Sequence[str],
    meanings: Sequence[Meaning],
    codes: npt.NDArray[np.intp],
    values: npt.NDArray[np.float64],
    *,
    file: str | Sequence[str],
    steps: npt.NDArray[np.int64] | None = None,
    times_ns: npt.NDArray[np.int64] | None = None,
    epochs: npt.NDArray[np.float64] | None = None,
    devices: Sequence[str | None] | None = None,
    device_codes: npt.NDArray[np.intp] | None = None,
    node: str | None = None,
    flags: npt.NDArray[np.uint8] | None = None,
) -> pd.DataFrame:
    """Return a conforming frame of one source from arrays, with values in canonical units.

    Parameters
    ----------
    names, meanings : sequences of the same length
        The logged names, each once, and what each means.
    codes : ndarray of int, shape (rows,)
        For each row, the position of its name in `names`.
    values : ndarray of float64, shape (rows,)
        As written; converted here by the written unit of each meaning.
    file : str or sequence of str
        ``Source.name``, or the file of each name.
    steps : ndarray of int64, optional
    times_ns : ndarray of int64, optional
        Nanoseconds since 1970 UTC; the smallest int64 stands for not known.
    epochs : ndarray of float64, optional
        NaN where not known.
    devices, device_codes : optional
        Device names and the position of each row's; without them the meaning's own device is used.
    node : str, optional
        Host name.
    flags : ndarray of uint8, optional
        Bits of ``model.schema``.
    """
    import numpy as np
    import pandas as pd

    given = values
    rows = len(values)
    for position, meaning in enumerate(meanings):
        if FACTORS[meaning.written_unit][1] != 1.0:
            mine = codes == position
            values = values.copy() if values is given else values
            values[mine] = to_canonical(values[mine], meaning.written_unit)[0]
    data: dict[str, object] = {
        "logged": _category(names, codes),
        "series": _category([meaning.series for meaning in meanings], codes),
        "phase": _category([meaning.phase for meaning in meanings], codes),
        "unit": _category([FACTORS[meaning.written_unit][0] for meaning in meanings], codes),
        "file": one_label(file, rows) if isinstance(file, str) else _category(file, codes),
        "value": values,
    }
    if device_codes is not None:
        data["device"] = _category(devices or [], device_codes)
    elif any(meaning.device for meaning in meanings):
        data["device"] = _category([meaning.device for meaning in meanings], codes)
    if node is not None:
        data["node"] = one_label(node, rows)
    if steps is not None:
        data["step"] = pd.arrays.IntegerArray(steps, np.zeros(rows, dtype=np.bool_))
    if times_ns is not None:
        data["time"] = pd.DatetimeIndex(times_ns.view("datetime64[ns]"), tz="UTC").array
    if epochs is not None:
        data["epoch"] = pd.arrays.FloatingArray(epochs, np.isnan(epochs))
    if flags is not None:
        data["flags"] = flags
    return assembled(data, rows)


def _category(labels: Sequence[str | None], codes: npt.NDArray[np.signedinteger[Any]]) -> pd.Categorical:
    """Return a categorical from labels that may repeat or be None."""
    import numpy as np
    import pandas as pd

    kind, places = _places(tuple(labels))
    mine = places.take(codes) if len(places) > 1 else np.repeat(places, len(codes))
    return pd.Categorical.from_codes(mine, dtype=kind, validate=False)


@lru_cache(maxsize=256)
def _places(labels: tuple[str | None, ...]) -> tuple[pd.CategoricalDtype, npt.NDArray[np.signedinteger[Any]]]:
    """Return the dtype of sorted labels and the code of each, one code where all are the same; runs mostly share theirs."""
    import numpy as np

    unique = sorted({label for label in labels if label is not None})
    place: dict[str | None, int] = {label: position for position, label in enumerate(unique)} | {None: -1}
    distinct = labels if len(set(labels)) > 1 else (labels or (None,))[:1]
    return category_type(tuple(unique)), np.array([place[label] for label in distinct], dtype=code_type(len(unique)))
