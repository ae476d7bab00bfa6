"""Says which row of an nvidia-smi log is of which GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.smi.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.smi.table import Column

__all__ = ["Cycle", "Devices", "cycle_of", "devices_of", "places_of", "repeats"]

_IDENTITIES = ("uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")
_STEADY = 0.9
"""Share of samples that must have the same number of rows before the order of rows is taken for the GPU."""
_LARGE_GAP = 0.96
"""Quantile of gaps between rows that is surely one between samples, up to 16 GPUs."""
_WITHIN = 0.2
"""Rows closer than this share of the sampling interval belong to one sample."""
_ENOUGH = 20_000
"""Rows that are looked at to find out whether a column numbers the GPUs: what it holds does not change on the way."""


class Devices(NamedTuple):
    """The devices of a log, and the position of each row's."""

    names: list[str | None]
    codes: npt.NDArray[np.intp] | npt.NDArray[np.int64] | npt.NDArray[np.int32]
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
    import numpy as np

    index = columns.get("index")
    problem = ""
    if index is not None:
        if _whole_seconds(ns) or not repeats(index, ns):
            return _by_index(index)
        problem = "column index does not number the rows of a sample, so it does not number the GPUs; not used as such"
    for field in _IDENTITIES:
        if field in columns:
            found = columns[field]
            names: list[str | None] = [f"gpu{place}" for place in range(len(found.texts))]
            return Devices(names, found.codes, f"no index column; GPUs numbered by {field} in order of appearance", problem)
    cycle = cycle_of(ns)
    names = [f"gpu{place}" for place in range(cycle.size)]
    if cycle.size == 1:
        return Devices(names, cycle.places, problem=problem)
    if _whole_seconds(ns):
        what = f"{cycle.size} rows have the same second and none names its GPU: {cycle.size} GPUs, or one sampled {cycle.size} times"
        return Devices(["gpu0"], np.zeros(len(ns), dtype=np.intp), problem=f"{what}; all taken as gpu0; log the index")
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


def repeats(column: Column, ns: npt.NDArray[np.int64]) -> bool:
    """Return whether a column numbers no GPUs, whatever its heading says.

    Then a text appears twice in most samples, or there are many more texts than rows of a sample.
    """
    import numpy as np

    cycle = cycle_of(ns[:_ENOUGH])
    if cycle.size == 1:
        return False
    codes = column.codes[:_ENOUGH]
    pairs = cycle.samples * len(column.texts) + codes
    often = np.sort(np.bincount(codes))[-cycle.size :].sum()
    return min(int(np.count_nonzero(np.bincount(pairs))), int(often)) < _STEADY * len(codes)


def _whole_seconds(ns: npt.NDArray[np.int64]) -> bool:
    """Return whether times are too coarse to tell one sample of several GPUs from several samples of one."""
    return not (ns[:_ENOUGH] % 10**9).any()


def places_of(devices: Devices) -> npt.NDArray[np.intp]:
    """Return for each row how many rows its device had before it."""
    import numpy as np

    places = np.zeros(len(devices.codes), dtype=np.intp)
    for code in range(len(devices.names)):
        mine = np.flatnonzero(devices.codes == code)
        places[mine] = np.arange(len(mine))
    return places


def _by_index(index: Column) -> Devices:
    names: list[str | None] = [f"gpu{int(text)}" if text.isascii() and text.isdigit() else None for text in index.texts]
    odd = next((text for text, name in zip(index.texts, names, strict=True) if name is None), None)
    problem = "" if odd is None else f"column index holds {odd!r}; expected the number of a GPU; its rows have no device"
    return Devices(names, index.codes, problem=problem)
