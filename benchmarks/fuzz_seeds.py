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


_REPORT = "| GPU ID: {gpu} |\n|-----  Execution Stats  -----|\n| Start Time   | Wed Oct 25 11:51:37 2023 |\n| End Time | Still Running |\n"
_REPORT += "| Energy Consumed (Joules)  | 12.5 |\n| SM Utilization (%)   | Avg: 76, Max: 100, Min: N/A |\n| Critical XID Errors | 2 |\n"
_SEFF = "Job ID: {n}\nState: OUT_OF_MEMORY (exit code 0)\nNodes: 2\nCPU Utilized: 00:02:37\n"
_SEFF += "CPU Efficiency: 35.68% of 1-00:07:20 core-walltime\nJob Wall-clock time: 00:03:40\n"
_SEFF += "Memory Utilized: 137.64 MB\nMemory Efficiency: 1.71% of 7.84 GB (3.92 GB/core)\n\n"
_GAUGE = 'DCGM_FI_DEV_GPU_UTIL{{gpu="{n}",UUID="GPU-{n}",Hostname="a\\"b",GPU_I_ID="{n}"}} 9.5e1 1780984800{n:03d}\n'
_METRIC = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "1", "Hostname": "node-a"}
_RANGE = {"resultType": "matrix", "result": [{"metric": _METRIC, "values": [[1780984800 + n, f"{n}"] for n in _STEPS]}]}
_SLURM_JOB = {
    "association": {}, "job_id": 7, "name": "train", "state": {"current": ["TIMEOUT"]},
    "exit_code": {"return_code": {"set": True, "number": 1}},
    "time": {"submission": 1780980000, "start": 1780984800, "end": 1780992000, "elapsed": 7200, "limit": {"set": True, "number": 60}},
    "tres": {"allocated": [{"type": "gres", "name": "gpu:a100", "count": 4}, {"type": "mem", "count": 65536}]},
    "steps": [{"step": {"name": "batch"}, "state": "FAILED", "tres": {"requested": {"max": [{"type": "mem", "count": 9}]}}}],
}  # fmt: skip
_AZURE = {"id": "/x/vm1/providers/Microsoft.Insights/metrics/c", "name": {"value": "Percentage CPU"}, "unit": "Percent",
    "timeseries": [{"metadatavalues": [{"name": {"value": "DeviceId"}, "value": "0"}],
    "data": [{"timeStamp": "2026-06-09T06:00:00Z", "average": 1, "count": 2}],
}]}  # fmt: skip
_GOOGLE = {"metric": {"type": "agent.googleapis.com/gpu/utilization", "labels": {"gpu_number": "1", "uuid": "b"}}, "points": [
    {"interval": {"endTime": "2026-06-09T06:00:00.123456789Z"}, "value": {"int64Value": "83"}},
]}  # fmt: skip
_EVENTS = [
    {"ph": "X", "cat": cat, "name": name.format(n=n), "pid": 0, "tid": 7, "ts": 100 * n, "dur": 90, "args": {"device": 0, "correlation": n}}
    for n in _STEPS
    for cat, name in (("user_annotation", "ProfilerStep#{n}"), ("kernel", "nccl\\{n}"), ("cuda_runtime", "cudaLaunchKernel"))
]  # fmt: skip
_ROWS = [("process_name", {}, "/device:GPU:0"), ("thread_name", {"tid": 1}, "Steps"), ("thread_name", {"tid": 2}, "Stream #2(Compute)")]
_TRACE = {"metadata": {"highres-ticks": True}, "traceEvents": [
    *({"ph": "M", "pid": 1, "name": what, **row, "args": {"name": name}} for what, row, name in _ROWS),
    *({"ph": "X", "pid": 1, "tid": 1 + n % 2, "ts": 100.5 * n, "dur": 190, "name": f"{n}"} for n in _STEPS),
]}  # fmt: skip
_IDS = ("stepnum", "stepTimeMs", "infeedTimeMs", "kernel_name", "occurrences", "total_duration_us")
_TABLE = {"cols": [{"id": name} for name in _IDS], "rows": [{"c": [{"v": f"{n}"}, {"v": 9.5}, {"v": n / 9}]} for n in _STEPS]}
_NSYS = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, globalPid INT, correlationId INT, shortName INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, globalTid INT, text TEXT, textId INT);
INSERT INTO StringIds VALUES (1, 'ncclKernel'), (2, 'cudaLaunchKernel'), (3, 'step 7');
"""
_SYSTEMS = {
    "sacct.txt": "JobID|JobName|Submit|Start|End|State|ExitCode|MaxRSS|AllocTRES\n" + "".join(
        f"{n}|train|2026-06-09T05:00:00|2026-06-09T08:00:{n:02}|Unknown|CANCELLED by 1|0:9||cpu=1,gres/gpu:a100=4,mem=6G\n"
        f"{n}.batch|b||||FAILED|0:125|9K|\n"
        for n in _STEPS
    ),
    "sacct.json": json.dumps({"jobs": [_SLURM_JOB] * 3}, indent=1),
    "seff.txt": "".join(_SEFF.format(n=n) for n in _STEPS),
    "dcgm_dmon.log": "#Entity   GPUTL   FBUSD   SMACT\nID\n" + "".join(f"GPU {n % 2}   {n}   N/A   0.5\nGPU-I 3   1 2 3\n" for n in _STEPS),
    "dcgm_stats.txt": "".join(_REPORT.format(gpu=n) for n in range(4)),
    "dcgm_watch.csv": "GPUId,TimeStampUs,Field,Values\n" + "".join(f"{n % 2},17187838369563{n:02},power_usage,{n}.5\n" for n in _STEPS),
    "gpu.prom": "# HELP DCGM_FI_DEV_GPU_UTIL u\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n" + "".join(_GAUGE.format(n=n) for n in _STEPS),
    "range.json": json.dumps({"status": "success", "data": _RANGE}),
    "panel.csv": 'sep=;\n"Time";"GPU 0";"x{gpu=""1""}"\n' + "".join(f'"2026-06-09 06:00:{n:02}";{n}.5 %;null\n' for n in _STEPS),
    "azure.json": json.dumps({"interval": "PT1M", "timespan": "a/b", "value": [_AZURE] * 2}),
    "google.json": json.dumps({"timeSeries": [_GOOGLE] * 3}),
    "nsys.csv": "Time (%),Total Time (ns),Instances,Avg (ns),Name\n" + "".join(f'5.0,{n}000,{n},1000.0,"k<{n}, 4>"\n' for n in _STEPS),
    "kernel_stats.json": json.dumps([_TABLE, _TABLE | {"p": {"steptime_ms_average": "9.3", "device_idle_time_percent": "12.5%"}}]),
    "gpu.trace.json": json.dumps(_TRACE),
    "gpu.pt.trace.json": json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": _EVENTS, "baseTimeNanoseconds": 10**18}),
    "lsf.out": "Sender: LSF System <a@b>\nSubject: Job 12: <train> in cluster <c> Exited\n\n"
    "Job <train> was submitted from host <a> by user <u> in cluster <c> at Wed Feb  9 11:41:10 2022\n"
    "Job was executed on host(s) <4*a>, in queue <q>, as user <u>\nStarted at Wed Feb  9 11:41:12 2022\n"
    "Terminated at Wed Feb  9 11:41:12 2022\n\nTERM_MEMLIMIT: job killed.\nExited with exit code 126.\n\n"
    "    CPU time :                                   0.23 sec.\n    Max Memory :                                 10.5 MB\n",
}  # fmt: skip


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
    for name, text in {**_LOGS, **_SYSTEMS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    _write_parquet(folder / "own.parquet")
    _write_report(folder / "nsys.sqlite")
    (folder / "gpu_powershell.xml").write_text(loop, encoding="utf-16")


def _write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"step": list(range(40)), "loss": [1 / (n + 1) for n in range(40)], "model": ["a"] * 40}), path)


def _write_report(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 512")
    connection.executescript(_NSYS)
    rows = [(100 * nth, 100 * nth + 90, nth) for nth in range(200)]
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 16777216, ?, 1)", rows)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 16777217, ?, 2)", rows)
    connection.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 16777217, 'step ' || ?, 3)", rows[:20])
    connection.commit()
    connection.close()


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
