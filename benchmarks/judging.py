"""Prints what all detectors take on one long run, beside reading it: ``python -m benchmarks.judging [--scalars 1000000]``.

CPU seconds in one process, imports and the first call left out; each the median of several.
"""

from __future__ import annotations

import argparse
import struct
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.reading.logs import event, write_records
from trainreport import detectors
from trainreport.importers import load
from trainreport.importers.tfevents.wire import framed
from trainreport.model.case import Case
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import RunLog

if TYPE_CHECKING:
    from collections.abc import Callable

BAR = 1.5
NAMES = (
    "train/loss", "train/accuracy", "train/loss_box", "train/loss_class", "val/loss", "val/accuracy", "val/f1", "val/auc", "val/precision",
    "val/recall", "test/loss", "test/accuracy", "lr", "grad_norm", "grad_norm/first", "grad_norm/last", "step_time", "data_time",
    "samples_per_second", "weight_norm",
)  # fmt: skip
"""Every one is looked at by some detector."""


def main() -> int:
    """Print the ratio; return 1 where the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    parser.add_argument("--scalars", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--each", action="store_true", help="list each detector too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        write_log(Path(place) / "events.out.tfevents.1", given.scalars)
        (log,) = load([Path(place)]).logs
        detectors.run(case(log))  # imports
        read = median(cpu_s(lambda: load([Path(place)])) for _ in range(given.repeat))
    fresh = [case(log) for _ in range(given.repeat)]
    judge = median(cpu_s(lambda one=one: detectors.run(one)) for one in fresh)
    print(f"{given.scalars:,} rows: reading {read:.3f} s, all {len(detectors.all_detectors())} detectors {judge:.3f} s of CPU")
    print(f"detectors take {judge / read:.2f} times as long as reading (bar: {BAR})")
    if given.each:
        shared = case(log)
        for one in detectors.all_detectors():
            print(f"  {one.code} {cpu_s(lambda one=one: detectors.run(shared, [one])) * 1000:8.1f} ms")
    return int(judge / read > BAR)


def write_log(path: Path, scalars: int) -> None:
    """Write a log whose curves all fall or rise with noise, each name at each step."""
    rng, steps = np.random.default_rng(5), scalars // len(NAMES)
    fall = np.exp(-np.linspace(0, 3, steps)) + rng.normal(0, 0.01, (len(NAMES), steps)) + 0.05
    rising = np.array([any(word in name for word in ("acc", "f1", "auc", "prec", "recall")) for name in NAMES])
    values = np.where(rising[:, None], 1 - fall / 2, np.abs(fall)).T.tolist()
    heads = [framed(1, name.encode()) for name in NAMES]
    rows = ((step, at, value) for step, row in enumerate(values) for at, value in enumerate(row))
    write_records(
        path, (event(number, step, heads[at] + b"\x15" + struct.pack("<f", value)) for number, (step, at, value) in enumerate(rows))
    )


def case(log: RunLog) -> Case:
    """Return the case of a run whose curves were not cut out yet."""
    fresh = RunLog(log.run, log.frame, log.events, log.problems)
    return Case(fresh, Plan(), Ledger())


def cpu_s(act: Callable[[], object]) -> float:
    """Return the CPU seconds that something takes."""
    start = time.process_time()
    act()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
