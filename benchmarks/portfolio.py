"""What the report of a whole search costs: ``python -m benchmarks.portfolio [--runs 1000] [--keep DIR]``.

Made-up TensorBoard runs of one search with a plan: 1,000 scalars each, three parameters and a seed, most ended, some
still running. CPU seconds and memory of ``trainreport report`` as a process of its own, HTML and PDF on disk.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.reading.logs import write_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorboard.compat.proto.event_pb2 import Event

BAR_CPU_S, BAR_GB = 60.0, 1.0
NAMES = ("loss/train", "accuracy/train", "loss/validation", "accuracy/validation")
STEPS, VALIDATED_EVERY = 400, 4
_START, _SECONDS_A_STEP = 1_780_984_800.0, 0.9
_RATES, _WIDTHS, _DROPOUTS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2), (64, 128, 256, 512), (0.0, 0.1, 0.2, 0.3, 0.5)
_AT_ONCE, _RUNNING = 8, 40
PLAN = """
[plan]
title = "Search for the churn model"
owner = "Customer analytics"
[[criteria]]
id = "accuracy"
series = "accuracy"
threshold = 0.90
unit = "share"
[budget]
money = "400 EUR"
[rates]
gpu_hour = "3.20 EUR"
[training]
steps = 1600
gpus = 1
"""


class Took(NamedTuple):
    """What a process took."""

    cpu_s: float
    clock_s: float
    peak_gb: float


def main() -> int:
    """Print the figures; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.portfolio", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--keep", type=Path, help="a folder to leave logs and report in")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place)
        if not (folder / "logs").exists():
            write_logs(folder / "logs", given.runs)
        (folder / "plan.toml").write_text(PLAN)
        took = report(folder)
        html, pdf = folder / "out" / "report.html", folder / "out" / "report.pdf"
        print(f"report of {given.runs:,} runs of {STEPS * 2 + 2 * STEPS // VALIDATED_EVERY:,} scalars each, with a plan")
        print(f"  CPU        {took.cpu_s:8.1f} s    ({took.clock_s:.1f} s on the clock)   bar: < {BAR_CPU_S:.0f} s")
        print(f"  memory     {took.peak_gb:8.2f} GB at most   bar: < {BAR_GB:.0f} GB")
        print(f"  HTML       {html.stat().st_size / 1000:8,.0f} kB")
        print(f"  PDF        {pdf.stat().st_size / 1000:8,.0f} kB, {pages(pdf)} pages")
    return int(took.cpu_s > BAR_CPU_S or took.peak_gb > BAR_GB)


def report(folder: Path) -> Took:
    """Write the report of the logs in a folder, in a process of its own."""
    command = [sys.executable, "-m", "trainreport", "report", "logs", "--plan", "plan.toml", "-o", "out"]
    began = time.monotonic()
    started = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in (0, 1):
        raise SystemExit(f"trainreport report: exit code {started.returncode}")
    return Took(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss * 1024 / 1e9)


def pages(pdf: Path) -> int:
    """Return the number of pages of a PDF."""
    from pypdf import PdfReader

    return len(PdfReader(pdf).pages)


def write_logs(root: Path, runs: int) -> None:
    """Write the event files of a search: combinations in turn, then again with the next seed."""
    generator = np.random.default_rng(0)
    grid = [(rate, width, dropout) for rate in _RATES for width in _WIDTHS for dropout in _DROPOUTS]
    for number in range(runs):
        rate, width, dropout = grid[number % len(grid)]
        chosen = {"learning_rate": rate, "width": float(width), "dropout": dropout, "seed": float(number // len(grid))}
        folder = root / f"trial_{number:04}"
        folder.mkdir(parents=True)
        start = _START + number // _AT_ONCE * STEPS * _SECONDS_A_STEP * 1.1
        steps = STEPS if number < runs - _RUNNING else int(generator.integers(STEPS // 4, STEPS))
        events = _events(chosen, steps, start, generator)
        write_records(folder / f"events.out.tfevents.{int(start)}.host", (event.SerializeToString() for event in events))


def _events(chosen: dict[str, float], steps: int, start: float, generator: np.random.Generator) -> Iterator[Event]:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo
    from tensorboard.plugins.hparams.summary_v2 import hparams_pb

    yield Event(wall_time=start, summary=hparams_pb(chosen))
    for step, values in enumerate(zip(*_curves(chosen, steps, generator), strict=True)):
        names = NAMES if step % VALIDATED_EVERY == VALIDATED_EVERY - 1 else NAMES[:2]
        for name, value in zip(names, values, strict=False):  # an event a value, as SummaryWriter.add_scalar writes them
            told = Summary(value=[Summary.Value(tag=name, simple_value=value)])
            yield Event(wall_time=start + step * _SECONDS_A_STEP, step=step * 4, summary=told)
    if steps == STEPS:
        end = Event(wall_time=start + steps * _SECONDS_A_STEP)
        value = end.summary.value.add(tag="_hparams_/session_end_info")
        value.metadata.plugin_data.plugin_name = "hparams"
        value.metadata.plugin_data.content = HParamsPluginData(session_end_info=SessionEndInfo(status="STATUS_SUCCESS")).SerializeToString()
        yield end


def _curves(chosen: dict[str, float], steps: int, generator: np.random.Generator) -> list[list[float]]:
    """Return the values of `NAMES`: too high a rate diverges, too low a one is slow, a wide model without dropout overfits."""
    step = np.arange(steps)
    rate = chosen["learning_rate"]
    pace = 40 * (1 + abs(np.log10(rate / 1e-3)) ** 2 * 2)
    learned = 1 - np.exp(-step / pace)
    overfits = 0.12 * chosen["width"] / 512 * (0.5 - chosen["dropout"]) * step / STEPS
    top = 0.80 + 0.02 * np.log2(chosen["width"] / 64) - 0.1 * abs(chosen["dropout"] - 0.2) + generator.normal(0, 0.006)
    held_out = 0.5 + (top - 0.5) * learned - overfits
    known = 0.5 + (min(top + 0.05, 0.99) - 0.5) * learned + overfits
    worse = np.maximum(0, step - STEPS / 3) * (0.02 if rate > 5e-3 else 0)
    true = [1.2 * (1 - learned) + 0.2 + worse, known - worse / 20, 1.2 * (1 - learned) + 0.35 + overfits * 4 + worse, held_out - worse / 20]
    return [(values + generator.normal(0, 0.008, steps)).tolist() for values in true]


if __name__ == "__main__":
    sys.exit(main())
