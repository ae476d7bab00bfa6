"""Makes the frame of a hardware log: a block of rows for each measure, each block in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.model.schema import UNIT_REPAIRED, assembled, category_type, code_type, one_label
from trainreport.model.units import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.importers.smi.devices import Devices
    from trainreport.model.series import Meaning

__all__ = ["Block", "frame_of_blocks"]


class Block(NamedTuple):
    """All numbers of one column: `values[codes]`, in `rows` of the log."""

    logged: str
    meaning: Meaning
    values: npt.NDArray[np.float64]
    """The distinct ones, in the canonical unit."""
    codes: npt.NDArray[np.int64] | npt.NDArray[np.int32]
    rows: npt.NDArray[np.intp] | None
    """None: every row."""
    repaired: bool = False
    """Whether the unit is not the one that is written."""


def frame_of_blocks(blocks: Sequence[Block], ns: npt.NDArray[np.int64], devices: Devices, file: str, *, time_flag: int = 0) -> pd.DataFrame:
    """Return a conforming frame.

    Parameters
    ----------
    blocks : sequence of Block
    ns : ndarray of int64
        Time of each row of the log.
    devices : Devices
        Device of each row, where a column is not of one device.
    file : str
        ``Source.name``.
    time_flag : int
        Bit of ``model.schema`` for all times.
    """
    import numpy as np
    import pandas as pd

    sizes = np.array([len(block.codes) for block in blocks], dtype=np.int64)
    ends = np.cumsum(sizes)
    total = int(sizes.sum())
    value = np.empty(total, dtype=np.float64)
    time = np.empty(total, dtype=np.int64)
    names, device = _device_codes(blocks, devices)
    device_codes = np.empty(total, dtype=device.dtype)
    for block, start, end in zip(blocks, ends - sizes, ends, strict=True):
        np.take(block.values, block.codes, out=value[start:end], mode="clip")
        time[start:end] = ns if block.rows is None else ns[block.rows]
        own = names.index(block.meaning.device) if block.meaning.device else None
        device_codes[start:end] = own if own is not None else device if block.rows is None else device[block.rows]
    marks = np.array([time_flag | UNIT_REPAIRED * block.repaired for block in blocks], dtype=np.uint8)
    columns = {
        "logged": _repeated([block.logged for block in blocks], sizes),
        "series": _repeated([block.meaning.series for block in blocks], sizes),
        "phase": _repeated([block.meaning.phase for block in blocks], sizes),
        "time": pd.DatetimeIndex(time, dtype="datetime64[ns, UTC]", copy=False).array,
        "value": value,
        "unit": _repeated([FACTORS[block.meaning.written_unit][0] for block in blocks], sizes),
        "device": pd.Categorical.from_codes(device_codes, dtype=category_type(tuple(names)), validate=False),
        "file": one_label(file, total),
        "flags": np.repeat(marks, sizes) if marks.any() else np.zeros(total, dtype=np.uint8),
    }
    return assembled(columns, total)


def _device_codes(blocks: Sequence[Block], devices: Devices) -> tuple[list[str], npt.NDArray[np.signedinteger[Any]]]:
    """Return the names of devices in order, and each row's place among them."""
    import numpy as np

    own = {block.meaning.device for block in blocks if block.meaning.device}
    names = sorted({name for name in devices.names if name is not None and len(own) < len(blocks)} | own)
    places = np.array([names.index(name) if name in names else -1 for name in devices.names] or [-1], dtype=code_type(len(names)))
    return names, places[devices.codes]


def _repeated(labels: Sequence[str], sizes: npt.NDArray[np.int64]) -> pd.Categorical:
    """Return a categorical with each label as often as its block has rows."""
    import numpy as np
    import pandas as pd

    unique = sorted(set(labels))
    if len(unique) == 1:
        return one_label(unique[0], int(sizes.sum()))
    codes = np.array([unique.index(label) for label in labels], dtype=code_type(len(unique)))
    return pd.Categorical.from_codes(np.repeat(codes, sizes), dtype=category_type(tuple(unique)), validate=False)
