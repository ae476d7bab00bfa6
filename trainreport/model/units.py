"""Canonical units, and the conversion into them. Done once, in the importers.

Shares are fractions 0..1 with unit ``1``, memory is bytes, power is watt. Words for people are made
in ``model/words.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["FACTORS", "to_canonical"]

# written unit -> (canonical unit, factor). Binary prefixes are 1024-based, decimal ones 1000-based.
# A factor below 1 is divided by its whole reciprocal, so that 83 % is 0.83 and not 0.8300000000000001.
FACTORS: dict[str, tuple[str, float]] = {
    "": ("1", 1.0),
    "1": ("1", 1.0),
    "%": ("1", 0.01),
    "percent": ("1", 0.01),
    "B": ("B", 1.0),
    "KiB": ("B", 1024.0),
    "MiB": ("B", 1024.0**2),
    "GiB": ("B", 1024.0**3),
    "kB": ("B", 1e3),
    "MB": ("B", 1e6),
    "GB": ("B", 1e9),
    "B/s": ("B/s", 1.0),
    "KiB/s": ("B/s", 1024.0),
    "KB/s": ("B/s", 1e3),
    "MB/s": ("B/s", 1e6),
    "W": ("W", 1.0),
    "mW": ("W", 1e-3),
    "kW": ("W", 1e3),
    "J": ("J", 1.0),
    "mJ": ("J", 1e-3),
    "kWh": ("J", 3.6e6),
    "degC": ("degC", 1.0),
    "C": ("degC", 1.0),
    "kg": ("kg", 1.0),
    "g": ("kg", 1e-3),
    "Hz": ("Hz", 1.0),
    "MHz": ("Hz", 1e6),
    "GHz": ("Hz", 1e9),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "min": ("s", 60.0),
    "h": ("s", 3600.0),
    "token/s": ("token/s", 1.0),
    "sample/s": ("sample/s", 1.0),
    "step/s": ("step/s", 1.0),
}


def to_canonical(values: npt.NDArray[np.float64], written: str) -> tuple[npt.NDArray[np.float64], str]:
    """Return `values` in the canonical unit of `written`, and that unit.

    Parameters
    ----------
    values : ndarray of float64
        Numbers in the unit `written`.
    written : str
        A key of `FACTORS`, such as ``"MiB"``.
    """
    import numpy as np

    unit, factor = FACTORS[written]
    if factor == 1.0:
        return values, unit
    with np.errstate(over="ignore"):  # 1e308 MiB is infinite in bytes, and flagged as such in the frame
        return (values * factor if factor > 1.0 else values / round(1.0 / factor)), unit
