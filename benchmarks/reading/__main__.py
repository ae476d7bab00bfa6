"""Prints what reading takes, beside TensorBoard's EventAccumulator and tensorboard-data-server.

Each reader gets a process of its own; what its imports take is measured there before reading and left out. Times are
CPU seconds of all processes. "trainreport" is the importer up to the frame, "load" all that a command does with it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from math import inf
from pathlib import Path
from statistics import median

from benchmarks.reading import readers
from benchmarks.reading.logs import WRITERS

# Job -> how many times as fast as each peer, at least.
BARS = {
    "fixed order": {"EventAccumulator": 250, "data server": 8},
    "random order": {"EventAccumulator": 100, "data server": 3},
    "interleaved": {"EventAccumulator": 100, "data server": 3},
    "tensors": {"EventAccumulator": 100},
    "200 runs": {"EventAccumulator": 60, "data server": 8},
    "pictures": {"data server": 4},
}
# Job -> how many times as long reading may take with the checksums of payloads as without.
CHECKSUM_BARS = {"fixed order": 2.5, "random order": 1.4, "interleaved": 1.4}
PEAK_MB = 200
OURS = ("trainreport", "unchecked", "load", "hashing")


def main() -> int:
    """Print a table for each job; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--scalars", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5, help="readings by trainreport; peers read once")
    parser.add_argument("--job", action="append", choices=[*BARS, "growth"], help="all but growth by default")
    parser.add_argument("--full", action="store_true", help="growth up to 10,000,000 rows")
    parser.add_argument("--child", nargs=2, metavar=("READER", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(given.child[0], Path(given.child[1]))))
        return 0
    print(f"{given.scalars:,} scalars; CPU seconds and peak MB over imports, trainreport the median of {given.repeat}")
    missed = [job for job in given.job or BARS if job != "growth" and not compare(job, given.scalars, given.repeat)]
    if given.full or "growth" in (given.job or ()):
        growth(7 if given.full else 6)
    return int(bool(missed))


def compare(job: str, scalars: int, repeat: int) -> bool:
    """Print what each reader takes for a job; return whether the bars are met."""
    with tempfile.TemporaryDirectory() as place:
        WRITERS[job](Path(place), scalars)
        found = {reader: in_process(reader, Path(place), repeat if reader in OURS else 1) for reader in (*OURS, *BARS[job])}
    own = found["trainreport"]
    counts = {result["rows"] for reader, result in found.items() if reader != "hashing"}
    assert len(counts) == 1 or (job == "pictures" and max(counts) == own["rows"]), found  # we keep something of histograms
    met = own["peak_mb"] <= PEAK_MB
    for reader, result in found.items():
        text = f"{job:13} {reader:18} {result['cpu_s']:8.3f} s {result['peak_mb']:8.1f} MB"
        if reader in BARS[job]:
            ratio = result["cpu_s"] / own["cpu_s"]
            met = met and ratio >= BARS[job][reader]
            text += f"  {ratio:6.1f} times as long (bar: {BARS[job][reader]})"
        if reader == "unchecked":
            price = own["cpu_s"] / result["cpu_s"]
            met = met and price <= CHECKSUM_BARS.get(job, inf)
            text += f"  {price:6.2f} times as long with checksums (bar: {CHECKSUM_BARS.get(job, 'none')})"
        print(text, flush=True)
    return met


def growth(largest: int) -> None:
    """Print time and memory a row for growing logs."""
    for power in range(5, largest + 1):
        with tempfile.TemporaryDirectory() as place:
            WRITERS["fixed order"](Path(place), 10**power)
            found = in_process("trainreport", Path(place), 3)
        rows = 10**power
        print(f"growth {rows:>10,} rows {found['cpu_s'] / rows * 1e9:8.0f} ns a row {found['peak_mb'] * 1e6 / rows:8.0f} B a row")


def in_process(reader: str, folder: Path, repeat: int) -> dict[str, float]:
    """Return the medians of what `measure` finds in fresh processes."""
    command = [sys.executable, "-m", "benchmarks.reading", "--child", reader, str(folder)]
    found = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(repeat)]
    return {key: median(result[key] for result in found) for key in found[0]}


def measure(reader: str, folder: Path) -> dict[str, float]:
    """Return rows, CPU seconds and peak memory of one reading, imports left out."""
    read = readers.READERS[reader](folder)
    before = memory_mb("VmRSS")
    start = time.process_time()
    rows = read()
    cpu_s = time.process_time() - start + readers.SERVER_CPU
    return {"rows": rows, "cpu_s": cpu_s, "peak_mb": memory_mb("VmHWM") - before}


def memory_mb(what: str) -> float:
    """Return a figure of ``/proc/self/status``; unlike the resource module's it does not know the process before this one."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:"))


if __name__ == "__main__":
    sys.exit(main())
