"""Feeds damaged logs to each importer: ``python -m benchmarks.fuzz [--minutes 10] [--corpus FOLDER] [NAME ...]``.

Seeds are the sample runs, the logs below FOLDER, and made-up ones of the formats that have none there. A seed is
damaged and read again and again for the time given. Nothing but the product's own errors may come out, no warning
either, and memory may not pass 1 GB. What breaks is written to ``fuzz-found/``, once for each place in the code, under
the seed of its random numbers.
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
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fuzz_damage import damaged
from benchmarks.fuzz_seeds import write_seeds
from trainreport import _resources
from trainreport.errors import TrainreportError
from trainreport.importers.recording import Source
from trainreport.importers.registry import HEAD_BYTES, all_importers

if TYPE_CHECKING:
    from trainreport.importers.recording import Importer

MEMORY_BYTES = 1 << 30
LARGEST_SEED = 300_000


def main() -> None:
    """Fuzz every importer that was named, or all."""
    parser = argparse.ArgumentParser(description="Feed damaged logs to each importer.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (6 * MEMORY_BYTES, 6 * MEMORY_BYTES))  # a runaway ends as MemoryError, not as a dead machine
    warnings.simplefilter("error")
    found = 0
    with tempfile.TemporaryDirectory() as name:
        write_seeds(Path(name))
        roots = [Path(name), Path(str(_resources.folder("sample_runs"))), *([options.corpus] if options.corpus else [])]
        for importer in all_importers():
            if not options.names or importer.name in options.names:
                found += fuzz(importer, seeds(importer, roots), options.minutes * 60, options.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"peak memory {peak / 1e6:,.0f} MB (bar: {MEMORY_BYTES / 1e6:,.0f} MB)")
    sys.exit(1 if found or peak > MEMORY_BYTES else 0)


def seeds(importer: Importer, roots: list[Path]) -> list[Path]:
    """Return the files that the importer recognises, small ones only."""
    files = (file for root in roots for file in sorted(root.rglob("*")) if file.is_file() and 0 < file.stat().st_size <= LARGEST_SEED)
    return [file for file in files if importer.recognises(file, file.read_bytes()[:HEAD_BYTES])]


def fuzz(importer: Importer, found: list[Path], seconds: float, first: int) -> int:
    """Read damaged copies for `seconds`; return the number of faults."""
    if not found:
        print(f"{importer.name:<16} no seed; give --corpus")
        return 0
    faults, tries, read, slowest, begin = 0, 0, 0, 0.0, time.monotonic()
    places: set[str] = set()
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() - begin < seconds:
            rng = random.Random(f"{importer.name} {first + tries}")
            folder = Path(name) / "copy"
            path = damaged_copy(rng.choice(found), folder, rng)
            start = time.process_time()
            try:
                if importer.recognises(path, path.read_bytes()[:HEAD_BYTES]):
                    importer.read(Source(path, path.relative_to(folder).as_posix()))
                    read += 1
            except TrainreportError:
                pass
            except Exception as error:
                faults += 1
                keep(f"{importer.name}-{first + tries}", error, folder, places)
            slowest = max(slowest, time.process_time() - start)
            tries += 1
    print(
        f"{importer.name:<16} {tries:>8,} tries, {read:>8,} read, {faults} faults, {len(found)} seeds, {seconds / 60:g} minutes, "
        f"slowest {slowest:.2f} CPU s",
        flush=True,
    )
    return faults


def damaged_copy(seed: Path, folder: Path, rng: random.Random) -> Path:
    """Write a copy of a seed and of what is read with it into `folder`, one file of them damaged; return the seed's."""
    shutil.rmtree(folder, ignore_errors=True)
    files = read_together(seed)
    victim = rng.choice(files)
    for file in files:
        copy = folder / file.relative_to(seed.parents[1])
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(damaged(file.read_bytes(), rng) if file == victim else file.read_bytes())
    return folder / seed.relative_to(seed.parents[1])


def read_together(seed: Path) -> list[Path]:
    """Return the seed and the files that its importer reads with it: the other files of an MLflow run, or those beside it."""
    beside = [seed.with_name("hparams.yaml"), seed.parents[1] / "experiment.json"]
    if seed.name == "meta.yaml":
        run = (file for file in seed.parent.rglob("*") if "artifacts" not in file.relative_to(seed.parent).parts)
        beside = [seed.parents[1] / "meta.yaml", *run]
    return sorted({seed, *(file for file in beside if file.is_file())})


def keep(name: str, error: Exception, folder: Path, places: set[str]) -> None:
    """Write down what broke, unless the same place did before."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} in {last.filename}:{last.lineno}"
    if place in places:
        return
    places.add(place)
    out = Path("fuzz-found")
    out.mkdir(exist_ok=True)
    (out / f"{name}.txt").write_text("".join(traceback.format_exception(error)))
    shutil.copytree(folder, out / name, dirs_exist_ok=True)
    print(f"{name}: {error!r} ({place})", flush=True)


if __name__ == "__main__":
    main()
