"""Time and memory of reading a ``.wandb`` file of a million scalars: ``python -m benchmarks.reading_wandb``."""

from __future__ import annotations

import multiprocessing
import resource
import struct
import tempfile
import time
import zlib
from pathlib import Path

from trainreport.importers.formats.wandb import IMPORTER
from trainreport.importers.recording import Source
from trainreport.importers.wandb_store.messages import record_class

SCALARS = 1_000_000
_NAMES = tuple(f"train/metric_{place}" for place in range(8))


def main() -> None:
    """Write the file, read it, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run-bench.wandb"
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(path,))  # its memory is not that of reading
        writer.start()
        writer.join()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begin = time.process_time()
        recording = IMPORTER.read(Source(path, path.name))
        seconds = time.process_time() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = path.stat().st_size / 1e6
    pace, more = size / seconds, (peak - before) / 1e3
    print(f"{len(recording.frame):,} scalars, {size:.0f} MB: {seconds:.2f} CPU s, {pace:.0f} MB/s, {more:.0f} MB more")


def write(path: Path) -> None:
    """Write the file that is read."""
    path.write_bytes(framed(_payloads()))


def framed(payloads: list[bytes]) -> bytes:
    """Return a file of W&B's framing that holds these records."""
    found = bytearray(b":W&B\xe1\xbe\x00")
    for payload in payloads:
        rest, first = payload, True
        while first or rest:
            room = (1 << 15) - len(found) % (1 << 15)
            if room < 7:
                found += bytes(room)
                continue
            part, rest = rest[: room - 7], rest[room - 7 :]
            kind = (1 if not rest else 2) if first else (4 if not rest else 3)
            first = False
            found += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
    return bytes(found)


def _payloads() -> list[bytes]:
    made = []
    for step in range(SCALARS // len(_NAMES)):
        record = record_class()()
        for name, text in (*((name, f"{1 / (step + 1):.17g}") for name in _NAMES), ("_step", str(step)), ("_timestamp", f"{1.7e9 + step}")):
            record.history.item.add(nested_key=[name.encode()], value_json=text.encode())
        made.append(record.SerializeToString())
    return made


if __name__ == "__main__":
    main()
