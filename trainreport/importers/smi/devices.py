"""Says which row of an nvidia-smi log is of which GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.smi.numbers import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.smi.table import Column

__all__ = ["Cycle", "Devices", "cycle_of", "devices_of"]

_IDENTITIES = ("uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")
_STEADY = 0.9
"""Share of samples that must have the same number of rows before the order of rows is taken for the GPU."""
_LARGE_GAP = 0.96
"""Quantile of gaps between rows that is surely one between samples, up to 16 GPUs."""
_WITHIN = 0.2
"""Rows closer than this share of the sampling interval belong to one sample."""


class Devices(NamedTuple):
    """The devices of a log, and the position of each row's."""

    names: list[str | None]
    codes: npt.NDArray[np.intp]
    inferred: str = ""
    """How devices were told apart where no column says it."""
    problem: str = ""


class Cycle(NamedTuple):
    """Rows of one sample: how many, the place of each row in its sample, and the sample that it is in."""

    size: int
    places: npt.NDArray[np.intp]
    samples: npt.NDArray[np.intp]


def devices_of(columns: Mapping[str, Column], ns: npt.NDArray[np.int64]) -> Devices:
    """Return the device of each row: from the index, else the identity of the card, else the order within a sample."""
    cycle = cycle_of(ns)
    index = columns.get("index")
    problem = ""
    if index is not None:
        if not _repeats(index, cycle):
            return _by_index(index)
        problem = "column index has the same number twice within one sample, so it does not number the GPUs; not used as such"
    for field in _IDENTITIES:
        if field in columns:
            found = columns[field]
            names: list[str | None] = [f"gpu{place}" for place in range(len(found.texts))]
            return Devices(names, found.codes.astype("intp"), f"no index column; GPUs numbered by {field} in order of appearance", problem)
    names = [f"gpu{place}" for place in range(cycle.size)]
    if cycle.size == 1:
        return Devices(names, cycle.places, problem=problem)
    told = f"no column names the GPU; the {cycle.size} rows of each sample were taken as gpu0 to gpu{cycle.size - 1}, in their order"
    return Devices(names, cycle.places, told, problem)


def cycle_of(ns: npt.NDArray[np.int64]) -> Cycle:
    """Return how rows repeat in time: nvidia-smi writes one row a GPU within milliseconds, then waits."""
    import numpy as np

    single = Cycle(1, np.zeros(len(ns), dtype=np.intp), np.arange(len(ns), dtype=np.intp))
    if len(ns) < 2 or (ns == NO_TIME).any():
        return single
    gaps = np.diff(ns)
    between = np.concatenate([[True], np.abs(gaps) > _WITHIN * np.quantile(gaps, _LARGE_GAP)])
    starts = np.flatnonzero(between)
    sizes = np.diff(starts, append=len(ns))
    common = int(np.bincount(sizes).argmax())
    whole = sizes[:-1] if len(sizes) > 1 else sizes  # the last sample may be cut
    if common == 1 or (whole == common).mean() < _STEADY:
        return single
    samples = np.cumsum(between) - 1
    places = (np.arange(len(ns)) - starts[samples]) % common
    return Cycle(common, places.astype(np.intp), samples.astype(np.intp))


def _by_index(index: Column) -> Devices:
    names: list[str | None] = [f"gpu{int(text)}" if text.isascii() and text.isdigit() else None for text in index.texts]
    odd = next((text for text, name in zip(index.texts, names, strict=True) if name is None), None)
    problem = "" if odd is None else f"column index holds {odd!r}; expected the number of a GPU; its rows have no device"
    return Devices(names, index.codes.astype("intp"), problem=problem)


def _repeats(index: Column, cycle: Cycle) -> bool:
    """Return whether an index appears twice in most samples: then it is no index, whatever its heading says."""
    import numpy as np

    if cycle.size == 1:
        return False
    pairs = cycle.samples * len(index.texts) + index.codes
    return int(np.count_nonzero(np.bincount(pairs))) < _STEADY * len(pairs)
