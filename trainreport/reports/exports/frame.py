"""The unified frame for other tools: Parquet, CSV, polars, xarray. Lossless, NaN stays NaN."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from trainreport import _files, _optional
from trainreport.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import xarray as xr

    from trainreport.model.curve import Curve
    from trainreport.model.run import RunLog

__all__ = ["as_csv", "as_parquet", "as_polars", "as_series", "as_xarray", "write"]

_MOST_CELLS = 1 << 28
"""Of one dataset, two GiB: a grid of all steps by all series may be far larger than the frame."""


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Return the frame as a Parquet file."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(_table(frame), buffer)
    return buffer.getvalue()


def as_csv(frame: pd.DataFrame) -> bytes:
    """Return the frame as text; a value that is not a number is written as NaN, one that is missing as nothing."""
    values = frame["value"].astype(object).where(frame["value"].notna(), "NaN")
    text = frame.assign(value=values).to_csv(index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", lineterminator="\n")
    return str(text).encode()


def write(frame: pd.DataFrame, path: Path, *, replace: bool) -> None:
    """Write the frame as ``.parquet`` or ``.csv``.

    Raises
    ------
    UsageError
        If the suffix is neither.
    """
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".csv"):
        raise UsageError(f"{path}: the suffix says the format; expected .parquet or .csv")
    _files.write_whole(path, as_parquet(frame) if suffix == ".parquet" else as_csv(frame), replace=replace)


def as_polars(frame: pd.DataFrame) -> pl.DataFrame:
    """Return the frame as a polars frame.

    Raises
    ------
    MissingDependencyError
        If polars is not installed.
    """
    polars = _optional.require("polars", "to_polars()")
    converted: pl.DataFrame = polars.from_arrow(_table(frame))
    return converted


def as_series(log: RunLog, name: str, phase: str) -> pd.Series:
    """Return a series of a run by step, by time where no step was logged, and by device where several logged it."""
    import pandas as pd

    devices = log.curves.of_devices(name, phase)
    if len(devices) > 1:
        return pd.concat({_device(one): _one_series(one, name) for one in devices}, names=["device"])
    curve = log.curves.curve(name, phase)
    assert curve is not None, "callers know the phases of a series"
    return _one_series(curve, name)


def _one_series(curve: Curve, name: str) -> pd.Series:
    import pandas as pd

    if curve.has_step:
        return pd.Series(curve.value, pd.Index(curve.step, name="step"), name=name)
    return pd.Series(curve.value, pd.DatetimeIndex(_instants(curve.time_s), tz="UTC", name="time"), name=name)


def as_xarray(log: RunLog) -> xr.Dataset:
    """Return a run as a dataset: ``validation/loss`` along the steps, ``system/gpu/power`` along devices and time.

    Raises
    ------
    MissingDependencyError
        If xarray is not installed.
    UsageError
        If the grid would take more than two GiB.
    """
    xarray = _optional.require("xarray", "to_xarray()")
    along_steps: dict[str, Curve] = {}
    by_device: dict[str, list[Curve]] = {}
    for series, phase in log.curves.names("train", "validation", "test", "system"):
        curve = log.curves.curve(series, phase)
        if curve is not None and curve.has_step:
            along_steps[f"{phase}/{series}"] = curve
        else:
            by_device[f"{phase}/{series}"] = log.curves.of_devices(series, phase)
    data = {**_over_steps(along_steps), **_over_time(by_device)}
    variables = {name: xarray.DataArray(values, coords, attrs={"unit": unit}) for name, (values, coords, unit) in data.items()}
    found: xr.Dataset = xarray.Dataset(
        variables, attrs={"run": log.run.id, **{f"param:{key}": text for key, text in log.run.params.items()}}
    )
    return found


def _table(frame: pd.DataFrame) -> pa.Table:
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    place = table.schema.get_field_index("value")
    values = pa.array(frame["value"].to_numpy(), from_pandas=False)  # NaN stays NaN; from_pandas would make it null
    return table.set_column(place, "value", values)


def _over_steps(curves: dict[str, Curve]) -> dict[str, Any]:
    """Return (values, coordinates, unit) of each curve on the steps of all of them."""
    import numpy as np

    if not curves:
        return {}
    steps = np.unique(np.concatenate([curve.step for curve in curves.values()]))
    _must_fit(len(steps) * len(curves))
    found = {}
    for name, curve in curves.items():
        values = np.full(len(steps), np.nan)
        values[np.searchsorted(steps, curve.step)] = curve.value
        found[name] = (values, {"step": steps}, curve.unit)
    return found


def _over_time(curves: dict[str, list[Curve]]) -> dict[str, Any]:
    """Return (values, coordinates, unit) of each hardware series by device; what has no time is left out."""
    import numpy as np

    timed = {name: [one for one in some if np.isfinite(one.time_s).all()] for name, some in curves.items()}
    timed = {name: some for name, some in timed.items() if some}
    if not timed:
        return {}
    every = [one for some in timed.values() for one in some]
    times = np.unique(np.concatenate([one.time_s for one in every]))
    devices = sorted({_device(one) for one in every})
    _must_fit(len(times) * len(devices) * len(timed))
    coordinates = {"device": devices, "time": _instants(times)}
    found = {}
    for name, some in timed.items():
        values = np.full((len(devices), len(times)), np.nan)
        for one in some:
            values[devices.index(_device(one)), np.searchsorted(times, one.time_s)] = one.value
        found[name] = (values, coordinates, some[0].unit)
    return found


def _instants(time_s: npt.NDArray[np.float64]) -> npt.NDArray[np.datetime64]:
    """Return seconds since 1970 as instants, to the microsecond: that is what a float holds of them."""
    import numpy as np

    known = np.isfinite(time_s)
    instants = np.round(np.where(known, time_s, 0.0) * 1e6).astype("datetime64[us]").astype("datetime64[ns]")
    instants[~known] = np.datetime64("NaT")
    return instants


def _device(curve: Curve) -> str:
    return "/".join(_given((curve.node, curve.device)))


def _given(names: Iterable[str | None]) -> list[str]:
    return [name for name in names if name]


def _must_fit(cells: int) -> None:
    if cells > _MOST_CELLS:
        raise UsageError(
            f"the dataset would hold {cells:,} numbers, most of them empty; expected {_MOST_CELLS:,} at most: use .frame or .series()"
        )
