"""Small made-up logs of the formats for which neither the sample runs nor the corpus have one: seeds of the fuzzer."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

__all__ = ["write_seeds"]

_START = 1_700_000_000_000
_RUNS = ("a" * 32, "b" * 32)

# The tables that are read, as MLflow 0.9 and 3 have them.
_OLD = """
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256) UNIQUE, lifecycle_stage VARCHAR(32));
CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), source_name VARCHAR(500), user_id VARCHAR(256),
  status VARCHAR(20), start_time BIGINT, end_time BIGINT, source_version VARCHAR(50), lifecycle_stage VARCHAR(20), experiment_id INTEGER);
CREATE TABLE metrics ("key" VARCHAR(250), value FLOAT, timestamp BIGINT, run_uuid VARCHAR(32));
CREATE TABLE params ("key" VARCHAR(250), value VARCHAR(250), run_uuid VARCHAR(32));
CREATE TABLE tags ("key" VARCHAR(250), value VARCHAR(250), run_uuid VARCHAR(32));
"""
_NEW = f"""{_OLD}
ALTER TABLE metrics ADD COLUMN step BIGINT DEFAULT '0' NOT NULL;
ALTER TABLE metrics ADD COLUMN is_nan BOOLEAN DEFAULT '0' NOT NULL;
ALTER TABLE runs ADD COLUMN deleted_time BIGINT;
CREATE INDEX index_metrics ON metrics (run_uuid, "key", step);
CREATE TABLE datasets (dataset_uuid VARCHAR(36), name VARCHAR(500), digest VARCHAR(36));
CREATE TABLE inputs (source_type VARCHAR(36), source_id VARCHAR(36), destination_type VARCHAR(36), destination_id VARCHAR(36));
CREATE TABLE model_versions (name VARCHAR(256), version INTEGER, current_stage VARCHAR(20), run_id VARCHAR(32));
CREATE TABLE registered_model_aliases (alias VARCHAR(256), version INTEGER, name VARCHAR(256));
INSERT INTO datasets VALUES ('d', 'wine', 'beef');
INSERT INTO inputs VALUES ('DATASET', 'd', 'RUN', '{_RUNS[0]}');
INSERT INTO model_versions VALUES ('churn', 3, 'Production', '{_RUNS[0]}');
INSERT INTO registered_model_aliases VALUES ('champion', 3, 'churn');
"""

_RUN = """
INSERT INTO runs (run_uuid, name, source_name, user_id, status, start_time, end_time, source_version, lifecycle_stage, experiment_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

_INFO = {
    "run_id": "abc",
    "run_name": "first try",
    "experiment_id": "1",
    "status": "FINISHED",
    "start_time": _START,
    "end_time": _START + 60_000,
    "lifecycle_stage": "active",
}
_TEXTS = {"params": {"seed": "7", "lr": "0.1"}, "tags": {"mlflow.source.git.commit": "f00", "mlflow.parentRunId": "p"}}
_HISTORY = {name: [{"value": 1 / step, "timestamp": _START + step, "step": step} for step in range(1, 9)] for name in ("loss", "val_loss")}
_DATASETS = {"dataset_inputs": [{"dataset": {"name": "wine", "digest": "beef"}}]}
_EXPORT = {"system": {"package_version": "1.2.0"}, "mlflow": {"info": _INFO, "metrics": _HISTORY, "inputs": _DATASETS, **_TEXTS}}
_REST = {
    "run": {
        "info": _INFO,
        "data": {
            "metrics": [{"key": "loss", "value": "NaN", "timestamp": _START, "step": "20"}],
            **{kind: [{"key": key, "value": value} for key, value in texts.items()] for kind, texts in _TEXTS.items()},
        },
    }
}

_DOCUMENT = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Sat Jun  7 12:00:{second:02} 2025</timestamp>
	<driver_version>550.54.15</driver_version>
	<attached_gpus>2</attached_gpus>
{gpus}</nvidia_smi_log>
"""
_GPU = """	<gpu id="00000000:0{place}:00.0">
		<product_name>NVIDIA A100-SXM4-80GB</product_name>
		<uuid>GPU-{place}</uuid>
		<fan_speed>N/A</fan_speed>
		<performance_state>P0</performance_state>
		<clocks_event_reasons><clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap></clocks_event_reasons>
		<fb_memory_usage><total>81920 MiB</total><used>10{second} MiB</used></fb_memory_usage>
		<utilization><gpu_util>9{place} %</gpu_util><memory_util>[Unknown Error]</memory_util></utilization>
		<temperature><gpu_temp>61 C</gpu_temp></temperature>
		<gpu_power_readings><power_draw>250.50 W</power_draw><current_power_limit>400.00 W</current_power_limit></gpu_power_readings>
		<clocks><sm_clock>1410 MHz</sm_clock></clocks>
	</gpu>
"""


_MADE = Path(__file__).resolve().parent.parent / "tests" / "importers" / "data"
"""Written by the libraries themselves."""
_STEPS = range(1, 40)
_LIGHTNING = "epoch,step,train_loss,val_loss\n" + "".join(f"{n // 9},{n},{1 / n},{n % 3 or ''}\n" for n in _STEPS)
_YOLO = "  epoch,   train/box_loss,  metrics/mAP50(B), lr/pg0\n" + "".join(f"  {n},  {1 / n},  0.5, 1e-3\n" for n in _STEPS)
_FACTORY = [{"current_steps": n, "total_steps": 40, "loss": 1 / n, "elapsed_time": "1 day, 0:00:07", "throughput": "0.5"} for n in _STEPS]
_LOOP = "[2026-06-01 10:00:{n:02},5] Epoch [{epoch}/5], Step [{n}/9], Loss: {loss:.4f}, acc {n}%\n"
_LOGS = {
    "lightning_logs/version_0/metrics.csv": _LIGHTNING,
    "lightning_logs/version_0/hparams.yaml": "lr: 0.1\nseed: 7\n",
    "results.csv": _YOLO,
    "args.yaml": "epochs: 40\nseed: 0\n",
    "trainer_log.jsonl": "".join(f"{json.dumps(one)}\n" for one in _FACTORY),
    "own.csv": "Epoch;Batch;time;Loss\n" + "".join(f"{n // 8};{n % 8};2026-06-01 10:00:{n:02};0,{n}\n" for n in _STEPS),
    "own.jsonl": "".join(json.dumps({"iteration": n, "loss": {"a": 1 / n}, "nan": float("nan")}) + "\n" for n in _STEPS),
    "train.log": "".join(_LOOP.format(n=n, epoch=n // 9, loss=1 / n) for n in _STEPS),
}


def write_seeds(folder: Path) -> None:
    """Write every log into `folder`."""
    for name, schema, page, points in (("old", _OLD, 512, 60), ("new", _NEW, 512, 300), ("usual", _NEW, 4096, 300)):
        (folder / name).mkdir()
        _write_store(folder / name / "mlflow.db", schema, page, points)
    (folder / "1" / "abc").mkdir(parents=True)
    (folder / "1" / "abc" / "run.json").write_text(json.dumps(_EXPORT, indent=2))
    (folder / "1" / "experiment.json").write_text(json.dumps({"mlflow": {"experiment": {"experiment_id": "1", "name": "churn"}}}))
    (folder / "rest.json").write_text(json.dumps(_REST))
    loop = "".join(
        _DOCUMENT.format(second=second, gpus="".join(_GPU.format(place=place, second=second) for place in (0, 1))) for second in (0, 10, 20)
    )
    (folder / "gpu.xml").write_text(loop)
    shutil.copytree(_MADE, folder / "made")
    for name, text in _LOGS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    _write_parquet(folder / "own.parquet")
    (folder / "gpu_powershell.xml").write_text(loop, encoding="utf-16")


def _write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"step": list(range(40)), "loss": [1 / (n + 1) for n in range(40)], "model": ["a"] * 40}), path)


def _write_store(path: Path, schema: str, page: int, points: int) -> None:
    """Write a store with two runs; small pages make a tree of several levels, of which damage hits each."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size = {page}")
    connection.executescript(schema)
    connection.execute("INSERT INTO experiments VALUES (1, 'churn', 'active')")
    for run in _RUNS:
        row = (run, "first", "train.py", "ada", "FINISHED", _START, _START + 60_000, "f00", "active", 1)
        connection.execute(_RUN, row)
        connection.executemany(f"INSERT INTO params VALUES (?, ?, '{run}')", [("seed", "7"), ("lr", "0.1")])
        connection.executemany(f"INSERT INTO tags VALUES (?, ?, '{run}')", [("mlflow.runName", "try"), ("mlflow.parentRunId", "p")])
    rows = [(("loss", "val_loss")[nth % 2], 1 / (nth + 1), _START + nth, _RUNS[nth % 3 == 0]) for nth in range(points)]
    connection.executemany('INSERT INTO metrics ("key", value, timestamp, run_uuid) VALUES (?, ?, ?, ?)', rows)
    connection.commit()
    connection.close()
