"""Whether utilization that people logged by themselves is a share or in percent: its values tell, all of a run together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.schema import UNIT_REPAIRED
from trainreport.model.series import interpret, is_share_or_percent

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_shares"]

_ABOVE = 1.5
"""No share is above it; a utilization summed over cores is taken for percent."""


def as_shares(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of a run with such values as shares: one loop writes them all in one way.

    Time that processors wait for a disk is small in both. Where it stands alone it is percent, as system tools write it.
    """
    import numpy as np

    names = [name for name in frame["logged"].cat.categories if is_share_or_percent(name)]
    if not names:
        return frame
    mine = frame["logged"].isin(names).to_numpy()
    values = frame["value"].to_numpy()
    finite = values[mine & np.isfinite(values)]
    alone = all(interpret(name).series == "cpu/iowait" for name in names)
    if not len(finite) or not (alone or finite.max() > _ABOVE):
        return frame
    flags = frame["flags"].to_numpy()
    return frame.assign(value=np.where(mine, values / 100, values), flags=np.where(mine, flags | UNIT_REPAIRED, flags).astype(np.uint8))
