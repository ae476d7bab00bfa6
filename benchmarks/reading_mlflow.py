"""Time and memory of reading MLflow stores into one frame, beside MLflow's own client.

Run ``python -m benchmarks.reading_mlflow --peer /path/to/python``, where that Python has mlflow (it is no requirement
of trainreport). The bars hold for 200 runs. Each reader gets a process of its own; what its imports take is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

METRICS = 20
POINTS = 1000
BARS = {"files": 25.0, "sqlite": 30.0}
START = 1_700_000_000_000
PEER = {**os.environ, "MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true"}


def main() -> int:
    """Print a table; return 1 where reading is not as many times as fast as MlflowClient as its bar says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--peer", default=sys.executable, help="a Python with mlflow")
    parser.add_argument("--store", choices=["files", "sqlite", "both"], default="both")
    parser.add_argument("--child", nargs=2, metavar=("READER", "STORE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(_READERS[given.child[0]], Path(given.child[1]))))
        return 0
    print(f"{given.runs} runs of {METRICS} metrics with {POINTS} points; CPU seconds and peak MB over imports, median of {given.repeat}")
    pythons = {"trainreport": sys.executable, "api.load": sys.executable, "MlflowClient": given.peer}
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, write in (("files", write_files), ("sqlite", write_sqlite)):
            if given.store not in ("both", kind):
                continue
            store = Path(folder) / ("mlruns" if kind == "files" else "mlflow.db")
            write(store, given.runs, given.peer)
            found = {reader: in_process(python, reader, store, given.repeat) for reader, python in pythons.items()}
            assert all(result["rows"] == given.runs * METRICS * POINTS for result in found.values()), found
            ratios[kind] = found["MlflowClient"]["cpu_s"] / found["trainreport"]["cpu_s"]
            for reader, result in found.items():
                print(f"{kind:8} {reader:14} {result['cpu_s']:8.2f} s {result['peak_mb']:8.1f} MB", flush=True)
            print(f"{kind:8} ratio {ratios[kind]:.1f} (bar: {BARS[kind]:.0f})", flush=True)
    return int(any(ratio < BARS[kind] for kind, ratio in ratios.items()))


def in_process(python: str, reader: str, store: Path, repeat: int) -> dict[str, float]:
    """Return the medians of what `measure` finds in fresh processes."""
    command = [python, "-m", "benchmarks.reading_mlflow", "--child", reader, str(store)]
    found = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=PEER).stdout) for _ in range(repeat)]
    return {key: median(result[key] for result in found) for key in found[0]}


def measure(reader: Callable[[Path], Callable[[], int]], store: Path) -> dict[str, float]:
    """Return rows, CPU seconds and peak memory of one reading, imports left out."""
    import resource
    import time

    read = reader(store)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    rows = read()
    cpu_s = time.process_time() - start
    return {"rows": rows, "cpu_s": cpu_s, "peak_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def trainreport(store: Path) -> Callable[[], int]:
    """Return what reads every run into its frame with trainreport, its imports done."""
    from trainreport.importers.walk import harvest

    loading(store)
    return lambda: sum(len(one.frame) for one in harvest(store).recordings)


def loading(store: Path) -> Callable[[], int]:
    """Return what also joins, hashes every file, marks restarts and makes one frame, its imports done."""
    import numpy
    import pandas
    import pyarrow.csv
    import yaml

    from trainreport import api, importers

    assert numpy
    assert pandas
    assert pyarrow
    assert yaml
    importers.all_importers()
    return lambda: len(api.load(store).frame)


def mlflow_client(store: Path) -> Callable[[], int]:
    """Return what reads every history with MlflowClient into one DataFrame, its imports done."""
    import mlflow.store.tracking.file_store
    import mlflow.store.tracking.sqlalchemy_store
    import pandas as pd
    from mlflow import MlflowClient

    assert mlflow
    client = MlflowClient(f"sqlite:///{store}" if store.is_file() else f"file:{store}")

    def read() -> int:
        experiments = [one.experiment_id for one in client.search_experiments()]
        runs = client.search_runs(experiments, max_results=50_000)
        rows = [
            (run.info.run_id, name, point.step, point.timestamp, point.value)
            for run in runs
            for name in run.data.metrics
            for point in client.get_metric_history(run.info.run_id, name)
        ]
        return len(pd.DataFrame(rows, columns=["run", "name", "step", "timestamp", "value"]))

    return read


_READERS = {"trainreport": trainreport, "api.load": loading, "MlflowClient": mlflow_client}


def runs_of(count: int) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """Yield run ids and the values of their metrics."""
    random = Random(1)
    for _ in range(count):
        run_id = f"{random.getrandbits(128):032x}"
        yield run_id, {f"part{number % 4}_metric_{number}": [random.random() for _ in range(POINTS)] for number in range(METRICS)}


def write_files(store: Path, runs: int, peer: str) -> None:
    """Write a file store as MLflow lays it out."""
    assert peer
    experiment = store / "1"
    experiment.mkdir(parents=True)
    (experiment / "meta.yaml").write_text("artifact_location: ./1\nexperiment_id: '1'\nlifecycle_stage: active\nname: bench\n")
    for run_id, metrics in runs_of(runs):
        folder = experiment / run_id
        for part in ("metrics", "params", "tags", "artifacts"):
            (folder / part).mkdir(parents=True)
        (folder / "meta.yaml").write_text(
            f"artifact_uri: ./1\nend_time: {START + 1_000_000}\nentry_point_name: ''\nexperiment_id: '1'\nlifecycle_stage: active\n"
            f"run_id: {run_id}\nrun_name: {run_id[:6]}\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: {START}\n"
            "status: 3\ntags: []\nuser_id: me\n"
        )
        (folder / "params" / "seed").write_text("1")
        (folder / "tags" / "mlflow.user").write_text("me")
        for name, values in metrics.items():
            lines = (f"{START + step * 1000} {value} {step}\n" for step, value in enumerate(values))
            (folder / "metrics" / name).write_text("".join(lines))


def write_sqlite(store: Path, runs: int, peer: str) -> None:
    """Write a SQLite store: MLflow makes the tables, they are filled here, in the order in which a training logs."""
    make = f"from mlflow import MlflowClient; MlflowClient('sqlite:///{store}').create_experiment('bench')"
    subprocess.run([peer, "-c", make], check=True, env=PEER, stderr=subprocess.DEVNULL)
    database = sqlite3.connect(store)
    for run_id, metrics in runs_of(runs):
        run = (run_id, run_id[:6], "LOCAL", "me", "FINISHED", START, START + 1_000_000, "active", "./1", 1)
        columns = "run_uuid, name, source_type, user_id, status, start_time, end_time, lifecycle_stage, artifact_uri, experiment_id"
        database.execute(f"INSERT INTO runs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", run)
        database.execute("INSERT INTO params (key, value, run_uuid) VALUES ('seed', '1', ?)", (run_id,))
        database.execute("INSERT INTO tags (key, value, run_uuid) VALUES ('mlflow.user', 'me', ?)", (run_id,))
        rows = [(name, metrics[name][step], START + step * 1000, run_id, step, 0) for step in range(POINTS) for name in metrics]
        for table, some in (("metrics", rows), ("latest_metrics", rows[-METRICS:])):
            database.executemany(f"INSERT INTO {table} (key, value, timestamp, run_uuid, step, is_nan) VALUES (?, ?, ?, ?, ?, ?)", some)
    database.commit()
    database.close()


if __name__ == "__main__":
    sys.exit(main())
