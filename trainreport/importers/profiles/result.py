"""The recording that is made of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.profiles.measures import MEANINGS, measured
from trainreport.importers.recording import Event, FileRead, Recording, frame_of, mappings_of
from trainreport.model.clock import NOT_KNOWN_NS, span
from trainreport.model.run import Hardware
from trainreport.model.schema import one_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from trainreport.importers.profiles.measures import Measure
    from trainreport.importers.profiles.profile import Profile
    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.model.series import Meaning

__all__ = ["MODEL_LENGTH", "recording_of_measures", "recording_of_profile"]

MODEL_LENGTH = 120
"""Letters of a GPU's name that are kept."""
_LATEST_NS = 1 << 62


def recording_of_profile(
    importer: str,
    source: Source,
    profile: Profile,
    troubles: Troubles,
    *,
    origin_ns: int | None,
    rank: int | None = None,
    model: str | None = None,
    node: str | None = None,
) -> Recording:
    """Return the recording of a trace: a log of hardware, of the runs that it overlaps, for it shows a window of one.

    Parameters
    ----------
    importer : str
    source : Source
    profile : Profile
    troubles : Troubles
    origin_ns : int, optional
        Nanoseconds since 1970 of its first event; None: its clock has another beginning.
    rank : int, optional
        Process that was profiled.
    model : str, optional
        Name of the GPU.
    node : str, optional
        Host name.

    Raises
    ------
    InputError
        If it has no step and no work on a GPU.
    """
    if profile.left_out:
        troubles.add("", f"more intervals than are kept; {profile.left_out:,} were left out")
    measures = measured(profile)
    if not measures:
        raise InputError("no step, no wait for data and no work on a GPU in it; nothing of that can be measured")
    window = profile.windows
    seconds = max(one.end for one in window) - min(one.start for one in window)
    steps = f"{len(profile.steps):,} steps" if profile.steps else "no steps marked: one value for the whole of it"
    note = Event("profile", f"a profiler recorded {seconds:.3g} s ({steps}): a window of the run, not the whole of it", file=source.name)
    ends = [None if origin_ns is None else origin_ns + round(one.step.end * 1e9) for one in measures]
    return recording_of_measures(
        importer, source, measures, troubles, MEANINGS, ends=ends, events=(note,), rank=rank, node=node, hardware=Hardware(gpu_model=model)
    )


def recording_of_measures(
    importer: str,
    source: Source,
    measures: Sequence[Measure],
    troubles: Troubles,
    meanings: dict[str, Meaning],
    *,
    ends: Sequence[int | None] | None = None,
    rank: int | None = None,
    node: str | None = None,
    **facts: Any,
) -> Recording:
    """Return the recording of measures, whose names are keys of `meanings`; `ends`: when the step of each ended, in ns since 1970."""
    import numpy as np

    names = list(dict.fromkeys(one.name for one in measures))
    told = [meanings[name] for name in names]
    times = np.array([NOT_KNOWN_NS if one is None or one > _LATEST_NS else one for one in ends or [None] * len(measures)], dtype=np.int64)
    frame = _frame(source.name, measures, names, told, times).assign(**_owners(len(measures), rank, node))
    first, last = span(times[times != NOT_KNOWN_NS])
    return Recording(
        importer=importer,
        kind="machine",
        key=source.folder,
        name=source.path.stem,
        frame=frame,
        files=(FileRead(source.path, source.name, len(measures), troubles.count, "UTC, as written" if first else "no time since 1970"),),
        folder=source.folder,
        mappings=mappings_of(names, told),
        problems=troubles.all(),
        started_at=first,
        ended_at=last,
        **facts,
    )


def _frame(file: str, measures: Sequence[Measure], names: list[str], told: list[Meaning], times: Any) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    devices = list(dict.fromkeys(one.device for one in measures))
    frame = frame_of(
        names, told,
        np.array([names.index(one.name) for one in measures], dtype=np.intp),
        np.array([one.value for one in measures], dtype=np.float64),
        file=file, times_ns=times.copy(),
        devices=devices, device_codes=np.array([devices.index(one.device) for one in measures], dtype=np.intp),
    )  # fmt: skip
    unknown = np.array([one.step.number is None for one in measures])
    numbers = np.array([one.step.number or 0 for one in measures], dtype=np.int64)
    return frame.assign(step=pd.arrays.IntegerArray(numbers, unknown))


def _owners(rows: int, rank: int | None, node: str | None) -> dict[str, Any]:
    """Return the columns that tell whose numbers these are, as far as that is known."""
    import pandas as pd

    found: dict[str, Any] = {} if rank is None else {"rank": pd.array([rank] * rows, dtype="Int32")}
    return found if node is None else found | {"node": one_label(node, rows)}
