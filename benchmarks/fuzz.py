"""Feeds damaged logs to each importer: ``python -m benchmarks.fuzz [--minutes 10] [--corpus FOLDER] [NAME ...]``.

Seeds are the sample runs, and the logs below FOLDER. A seed is damaged (bits turned, bytes cut, repeated, moved or
made up, numbers made huge) and read again and again for the time given. Nothing but the product's own errors may
come out, and memory may not pass 1 GB. What breaks is written to ``fuzz-found/`` with the seed of its random numbers.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport import _resources
from trainreport.errors import TrainreportError
from trainreport.importers.recording import Source
from trainreport.importers.registry import HEAD_BYTES, all_importers

if TYPE_CHECKING:
    from trainreport.importers.recording import Importer

MEMORY_BYTES = 1 << 30
LARGEST_SEED = 300_000
HUGE = (
    b"\xff\xff\xff\xff",
    b"\x00" * 8,
    b"99999999999999999999",
    b"1e308",
    b"-1",
    b"nan",
    b"\xf4\x90\x80\x80",
    b"\r\n",
    b'"',
    b"../../etc/passwd",
)


def main() -> None:
    """Fuzz every importer that was named, or all."""
    parser = argparse.ArgumentParser(description="Feed damaged logs to each importer.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (6 * MEMORY_BYTES, 6 * MEMORY_BYTES))  # a runaway ends as MemoryError, not as a dead machine
    found = 0
    for importer in all_importers():
        if not options.names or importer.name in options.names:
            found += fuzz(importer, seeds(importer, options.corpus), options.minutes * 60, options.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"peak memory {peak / 1e6:,.0f} MB (bar: {MEMORY_BYTES / 1e6:,.0f} MB)")
    sys.exit(1 if found or peak > MEMORY_BYTES else 0)


def seeds(importer: Importer, corpus: Path | None) -> list[Path]:
    """Return the files that the importer recognises, small ones only."""
    roots = [Path(str(_resources.folder("sample_runs"))), *([corpus] if corpus else [])]
    files = (file for root in roots for file in sorted(root.rglob("*")) if file.is_file() and 0 < file.stat().st_size <= LARGEST_SEED)
    return [file for file in files if importer.recognises(file, file.read_bytes()[:HEAD_BYTES])]


def fuzz(importer: Importer, found: list[Path], seconds: float, first: int) -> int:
    """Read damaged copies for `seconds`; return the number of faults."""
    if not found:
        print(f"{importer.name:<16} no seed; give --corpus")
        return 0
    faults, tries, read, begin = 0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() - begin < seconds:
            number = first + tries
            tries += 1
            rng = random.Random(f"{importer.name} {number}")
            path = damaged_copy(rng.choice(found), Path(name), rng)
            try:
                if importer.recognises(path, path.read_bytes()[:HEAD_BYTES]):
                    importer.read(Source(path, path.name))
                    read += 1
            except TrainreportError:
                pass
            except Exception:
                faults += 1
                keep(importer, path, number)
    print(
        f"{importer.name:<16} {tries:>8,} tries, {read:>8,} read, {faults} faults, {len(found)} seeds, {seconds / 60:g} minutes", flush=True
    )
    return faults


def damaged_copy(seed: Path, folder: Path, rng: random.Random) -> Path:
    """Return a damaged copy: of the file, or of one file of the folder of a run where the format is a folder."""
    shutil.rmtree(folder / "copy", ignore_errors=True)
    (folder / "copy").mkdir()
    if seed.name != "meta.yaml":
        path = folder / "copy" / seed.name
        path.write_bytes(damaged(seed.read_bytes(), rng))
        return path
    run = folder / "copy" / seed.parent.name
    shutil.copytree(seed.parent, run, ignore=shutil.ignore_patterns("artifacts"))
    victim = rng.choice(sorted(file for file in run.rglob("*") if file.is_file()))
    victim.write_bytes(damaged(victim.read_bytes(), rng))
    return run / seed.name


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return `content` with one to six faults."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        length = min(rng.choice((1, 2, 8, 64, 1024)), len(data) - at)
        match rng.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))
            case 3:
                data[at : at + length] = rng.randbytes(length)
            case 4:
                data[at : at + rng.choice((0, 1, 4))] = rng.choice(HUGE)
            case 5:
                del data[at:]
            case _:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[other : other + length]
    return bytes(data)


def keep(importer: Importer, path: Path, number: int) -> None:
    """Write down what broke."""
    out = Path("fuzz-found")
    out.mkdir(exist_ok=True)
    (out / f"{importer.name}-{number}.txt").write_text(traceback.format_exc())
    shutil.copy(path, out / f"{importer.name}-{number}{path.suffix}")
    print(f"{importer.name} {number}: {traceback.format_exc().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
