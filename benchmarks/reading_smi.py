"""Time and memory of reading an nvidia-smi log, beside pandas with its strings cleaned and a bare pyarrow read.

Run ``python -m benchmarks.reading_smi``: 8 GPUs over 24 hours at 1 Hz. Each reader gets a process of its own; what its
imports take is measured in that process before reading and left out. CPU seconds are those of all threads.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GPUS = 8
PANDAS_BAR = 0.15
"""Of the time of pandas' C parser with its strings cleaned, strings being objects, as they were when the bar was set."""
PYARROW_BAR = 2.0
"""Times a bare pyarrow read into dictionary columns, which parses no number and no time."""

HEADER = (
    "timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
    "power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], pstate"
)


def main() -> int:
    """Print a table; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(_READERS[given.child[0]], Path(given.child[1]))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gpu.csv"
        rows = write_log(path, given.hours)
        print(f"{rows} rows of 12 cells, {path.stat().st_size / 1e6:.0f} MB; CPU s and peak MB over imports, median of {given.repeat}")
        found = in_turn(path, given.repeat)
    for reader, result in found.items():
        print(f"{reader:12} {result['cpu_s']:8.3f} s {result['peak_mb']:8.1f} MB  {result['rows']:.0f} rows")
    by_pandas, by_pyarrow = (found["trainreport"]["cpu_s"] / found[other]["cpu_s"] for other in ("pandas", "pyarrow"))
    print(f"trainreport / pandas  {by_pandas:.3f} (bar: {PANDAS_BAR}, with texts as objects)")
    print(f"trainreport / pyarrow {by_pyarrow:.2f} (bar: {PYARROW_BAR})")
    return int(by_pandas > PANDAS_BAR or by_pyarrow > PYARROW_BAR)


def in_turn(path: Path, repeat: int) -> dict[str, dict[str, float]]:
    """Return by reader the medians of what `measure` finds in fresh processes, the readers one after the other each time."""
    found: dict[str, list[dict[str, float]]] = {reader: [] for reader in _READERS}
    for _ in range(repeat):
        for reader, results in found.items():
            command = [sys.executable, "-m", "benchmarks.reading_smi", "--child", reader, str(path)]
            results.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    return {reader: {key: median(one[key] for one in results) for key in results[0]} for reader, results in found.items()}


def measure(reader: Callable[[Path], Callable[[], int]], path: Path) -> dict[str, float]:
    """Return rows, CPU seconds and peak memory of one reading, imports left out."""
    import resource
    import time

    read = reader(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    rows = read()
    cpu_s = time.process_time() - start
    return {"rows": rows, "cpu_s": cpu_s, "peak_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def trainreport(path: Path) -> Callable[[], int]:
    """Return what reads with trainreport into its long frame, its imports done."""
    import pandas
    import pyarrow.compute
    import pyarrow.csv

    from trainreport.importers.formats.nvidia_smi import IMPORTER
    from trainreport.importers.recording import Source

    assert pandas
    assert pyarrow.compute
    assert pyarrow.csv
    return lambda: len(IMPORTER.read(Source(path, path.name)).frame)


def pandas(path: Path) -> Callable[[], int]:
    """Return what reads with pandas' C parser and makes numbers of ``83 %``, with texts as objects: its default until pandas 3."""
    import warnings

    import pandas as pd

    warnings.simplefilter("ignore")  # the option goes with pandas 4
    pd.options.future.infer_string = False
    return pandas_3(path)


def pandas_3(path: Path) -> Callable[[], int]:
    """Return what does the same with Arrow's texts, the default since pandas 3."""
    import pandas as pd

    def read() -> int:
        table = pd.read_csv(path, skipinitialspace=True)
        table["timestamp"] = pd.to_datetime(table["timestamp"], format="%Y/%m/%d %H:%M:%S.%f")
        for name in [name for name in table if name.endswith("]")]:
            table[name] = pd.to_numeric(table[name].str.replace(r"[^\d.]", "", regex=True), errors="coerce")
        return len(table)

    return read


def pyarrow(path: Path) -> Callable[[], int]:
    """Return what reads with pyarrow into columns of texts, each text once."""
    import pyarrow as pa
    from pyarrow import csv

    names = HEADER.split(", ")
    types = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))

    def read() -> int:
        options = csv.ReadOptions(column_names=names, skip_rows=1)
        return int(csv.read_csv(path, read_options=options, convert_options=csv.ConvertOptions(column_types=types)).num_rows)

    return read


_READERS = {"trainreport": trainreport, "pandas": pandas, "pandas 3": pandas_3, "pyarrow": pyarrow}


def write_log(path: Path, hours: float) -> int:
    """Write a log as ``nvidia-smi -l 1`` does: a row a GPU and second, within some milliseconds."""
    random = Random(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    seconds = int(hours * 3600)
    with path.open("w") as stream:
        stream.write(HEADER + "\n")
        for second in range(seconds):
            moment = start + timedelta(seconds=second * 1.0003)
            for gpu in range(GPUS):
                at = (moment + timedelta(milliseconds=gpu)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
                busy = random.randrange(101)
                stream.write(
                    f"{at}, {gpu}, NVIDIA H100 80GB HBM3, {busy} %, {busy // 2} %, {random.randrange(1000, 81559)} MiB, 81559 MiB, "
                    f"{random.uniform(70, 700):.2f} W, {random.randrange(30, 85)}, {random.randrange(345, 1980)} MHz, 2619 MHz, P0\n"
                )
    return seconds * GPUS


if __name__ == "__main__":
    sys.exit(main())
