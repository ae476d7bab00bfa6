"""Time and memory of reading a TensorBoard log, beside TensorBoard's own EventAccumulator.

Run ``python -m benchmarks.reading``. Each reader gets a process of its own; what its imports take is measured in
that process before reading and left out.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TAGS = 20
BAR = 20.0


def main() -> int:
    """Print a table; return 1 where reading is not `BAR` times as fast as EventAccumulator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scalars", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(_READERS[given.child[0]], Path(given.child[1]))))
        return 0
    print(f"{given.scalars} scalars of {TAGS} tags in one file; CPU seconds and peak MB over imports, median of {given.repeat}")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for order in ("cyclic", "random"):
            path = Path(folder) / f"events.out.tfevents.{order}"
            write_log(path, given.scalars, shuffled=order == "random")
            found = {reader: in_process(reader, path, given.repeat) for reader in _READERS}
            assert all(result["rows"] == given.scalars for result in found.values()), found
            ratios.append(found["EventAccumulator"]["cpu_s"] / found["trainreport"]["cpu_s"])
            for reader, result in found.items():
                print(f"{order:8} {reader:18} {result['cpu_s']:8.3f} s {result['peak_mb']:8.1f} MB")
            print(f"{order:8} ratio {ratios[-1]:.1f} (bar: {BAR:.0f})")
    return int(min(ratios) < BAR)


def in_process(reader: str, path: Path, repeat: int) -> dict[str, float]:
    """Return the medians of what `measure` finds in fresh processes."""
    command = [sys.executable, "-m", "benchmarks.reading", "--child", reader, str(path)]
    found = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(repeat)]
    return {key: median(result[key] for result in found) for key in found[0]}


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
    """Return what reads with trainreport, its imports done."""
    import google.protobuf.message_factory
    import numpy
    import pandas

    from trainreport.importers.formats.tensorboard import IMPORTER
    from trainreport.importers.recording import Source

    assert numpy
    assert pandas
    assert google
    return lambda: len(IMPORTER.read(Source(path, path.name)).frame)


def event_accumulator(path: Path) -> Callable[[], int]:
    """Return what reads with TensorBoard into one DataFrame, its imports done."""
    import pandas as pd
    from tensorboard.backend.event_processing.event_accumulator import SCALARS, TENSORS, EventAccumulator

    def read() -> int:
        log = EventAccumulator(str(path), size_guidance={SCALARS: 0, TENSORS: 0})
        log.Reload()
        rows = [(tag, point.step, point.wall_time, point.value) for tag in log.Tags()["scalars"] for point in log.Scalars(tag)]
        return len(pd.DataFrame(rows, columns=["tag", "step", "wall_time", "value"]))

    return read


_READERS = {"trainreport": trainreport, "EventAccumulator": event_accumulator}


def write_log(path: Path, scalars: int, *, shuffled: bool) -> None:
    """Write a log of scalars as PyTorch writes them, tags in turn or in random order."""
    random = Random(1)
    tags = [f"part{number % 4}/metric_{number}{'_long' * (number % 3)}".encode() for number in range(TAGS)]
    with path.open("wb") as stream:
        for number in range(scalars):
            tag = random.choice(tags) if shuffled else tags[number % TAGS]
            stream.write(b"".join(_record(tag, number // TAGS, 1.7e9 + number * 0.01, random.random())))


def _record(tag: bytes, step: int, wall_time: float, value: float) -> Iterator[bytes]:
    from trainreport.importers.tfevents.checksum import masked_crc32c
    from trainreport.importers.tfevents.wire import framed

    summary = framed(1, framed(1, tag) + b"\x15" + struct.pack("<f", value))
    payload = b"\x09" + struct.pack("<d", wall_time) + (b"\x10" + _varint(step) if step else b"") + framed(5, summary)
    header = struct.pack("<Q", len(payload))
    for part in (header, payload):
        yield part
        yield struct.pack("<I", masked_crc32c(part))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


if __name__ == "__main__":
    sys.exit(main())
