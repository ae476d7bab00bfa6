from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
from read_logs import steps, values, written

START = datetime(2026, 11, 1, tzinfo=UTC)
SCHEMA = pa.schema([
    ("project_id", pa.string()), ("run_id", pa.string()), ("attribute_path", pa.string()), ("attribute_type", pa.string()),
    ("step", pa.decimal128(18, 6)), ("timestamp", pa.timestamp("us", tz="UTC")), ("int_value", pa.int64()), ("float_value", pa.float64()),
    ("string_value", pa.string()), ("bool_value", pa.bool_()), ("datetime_value", pa.timestamp("us", tz="UTC")),
    ("string_set_value", pa.list_(pa.string())),
])  # fmt: skip


def row(path, kind, **given):
    return {"project_id": "team/churn", "run_id": "CH-1", "attribute_path": path, "attribute_type": kind, **given}


ROWS = [
    row("sys/creation_time", "datetime", datetime_value=START),
    row("sys/failed", "bool", bool_value=True),
    row("parameters/lr", "float", float_value=0.001),
    *(row("val/loss", "float_series", step=at, timestamp=START + timedelta(seconds=at), float_value=1 / (at + 1)) for at in range(3)),
    row("val/loss", "float_series", step=2.5, timestamp=START, float_value=9.0),
    row("model", "file"),
]


def test_series_and_configs_of_a_run(tmp_path):
    from decimal import Decimal

    rows = [one | {"step": Decimal(str(one["step"]))} if "step" in one else one for one in ROWS]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), tmp_path / "a.parquet")
    name, (log,) = written(tmp_path, "runs/part_0.parquet", (tmp_path / "a.parquet").read_bytes())
    assert (name, log.key, log.status, log.params["parameters/lr"]) == ("neptune", "CH-1", "failed", "0.001")
    assert values(log, "val/loss") == [1, 0.5, 1 / 3, 9.0]
    assert steps(log, "val/loss")[:3] == [0, 1, 2]
    assert log.started_at == START
    assert {"1 points have steps with decimals; kept without a step", "1 files and histograms passed over"} <= {
        e.message for e in log.events
    }
