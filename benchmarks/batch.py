"""Prints what a batch takes beside judging in a warm process: ``python -m benchmarks.batch [--runs 500] [--scalars 2000]``.

CPU seconds of all processes of the batch, start-up included; memory of the process that spreads the jobs. With
``--lines`` it prints instead what the portfolio of that many made-up results takes, with ``--kill`` whether a batch
killed in the middle and gone on with gives what an undisturbed one does, with ``--engines`` whether they all give the same.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.judging import cpu_s, write_log
from trainreport.batches import runner
from trainreport.batches.holder import Job, Settings
from trainreport.batches.results import KEYS, MORE_KEYS, Blocks
from trainreport.batches.terms import Basis
from trainreport.batches.worker import judge
from trainreport.model.plan import Plan

BAR = 1.3
BAR_JOBS = 1.7
BAR_PORTFOLIO_S, BAR_PORTFOLIO_GB = 60.0, 2.0
_PRINT_AT = (100, 500, 1_000, 5_000, 10_000)


def main() -> int:
    """Print the figures; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch", description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--scalars", type=int, default=2_000)
    parser.add_argument("--two", action="store_true", help="with two jobs as well, to compare the time on the clock")
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--engines", default="", help="by commas: local,dask,ray,spark")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if given.lines:
            return _portfolio(Path(place), given.lines)
        root = Path(place) / "runs"
        _write(root, given.runs, given.scalars)
        if given.kill:
            return _kill(root, Path(place), given.runs)
        if given.engines:
            return _engines(root, Path(place), given.engines.split(","))
        warm = _warm(root / "run_00000")
        clock, cpu = _batch(root, Path(place) / "one", 1)
        warm = (warm + _warm(root / "run_00000")) / 2  # what else the machine does changes it: before and after
        each = cpu / given.runs
        print(
            f"{given.runs:,} runs of {given.scalars:,} scalars: {each * 1000:.1f} ms of CPU a run; in a warm process {warm * 1000:.1f} ms"
        )
        print(f"{each / warm:.2f} times as much (bar: {BAR})")
        missed = each / warm > BAR
        if given.two:
            gain = clock / _batch(root, Path(place) / "two", 2)[0]
            print(f"two jobs are {gain:.2f} times as fast as one (bar: {BAR_JOBS})")
            missed |= gain < BAR_JOBS
    return int(missed)


def _write(root: Path, runs: int, scalars: int) -> None:
    for number in range(runs):
        folder = root / f"run_{number:05}"
        folder.mkdir(parents=True)
        if number:  # the file's date is that of each run's own
            shutil.copy(root / "run_00000" / "events.out.tfevents.1", folder)
        else:
            write_log(folder / "events.out.tfevents.1", scalars)


def _warm(run: Path) -> float:
    """Return the CPU seconds that a run takes in this process, the first ones left out."""
    took = [cpu_s(lambda: judge(str(run), Job("", "run", ""), Basis(Plan()), Settings("1"))) for _ in range(40)]
    return median(took[5:])


def _batch(root: Path, output: Path, jobs: int) -> tuple[float, float]:
    """Return the seconds on the clock and of CPU, and print the memory as it goes."""

    def progress(summary: runner.Summary) -> None:
        if summary.runs in _PRINT_AT:
            print(f"  after {summary.runs:,} runs: this process holds {_resident_mb():.0f} MB")

    began, before = time.monotonic(), _cpu_of_all()
    runner.run(root, output, jobs=jobs, progress=progress)
    return time.monotonic() - began, _cpu_of_all() - before


def _kill(root: Path, place: Path, runs: int) -> int:
    runner.run(root, place / "whole", jobs=2)
    cut = place / "cut"
    with subprocess.Popen(_command(root, cut, "local"), stdout=subprocess.DEVNULL) as process:
        while not (cut / runner.RESULTS).exists() or _lines(cut) < runs // 2:
            time.sleep(0.05)
        process.kill()
    before = _lines(cut)
    summary = runner.run(root, cut, jobs=2, resume=True)
    same = sorted(_results(cut)) == sorted(_results(place / "whole"))
    print(f"killed after {before:,} of {runs:,} runs, gone on with {summary.skipped:,} as they were and {summary.runs:,} judged")
    print("the same lines as undisturbed, none twice and none lost" if same else "NOT the same lines as undisturbed")
    return int(not same or not 0 < before < runs)


def _engines(root: Path, place: Path, engines: list[str]) -> int:
    found = {}
    for engine in engines:
        began = time.monotonic()
        subprocess.run(_command(root, place / engine, engine), check=True, stdout=subprocess.DEVNULL)
        found[engine] = sorted(_results(place / engine))
        print(f"{engine}: {len(found[engine]):,} runs in {time.monotonic() - began:.0f} s")
    same = all(one == found[engines[0]] for one in found.values())
    print("identical results" if same else "NOT identical results")
    return int(not same)


def _command(root: Path, output: Path, engine: str) -> list[str]:
    return [sys.executable, "-m", "trainreport", "batch", str(root), "-o", str(output), "--jobs", "2", "--engine", engine]


def _results(output: Path) -> list[bytes]:
    return (output / runner.RESULTS).read_bytes().splitlines()


def _lines(output: Path) -> int:
    return (output / runner.RESULTS).read_bytes().count(b"\n")


def _portfolio(folder: Path, lines: int) -> int:
    parts = ("productive", "start_up", "input_wait", "evaluation", "checkpoint", "stall", "lost_work", "idle_after_end", "unexplained")
    with (folder / runner.RESULTS).open("w", encoding="utf-8") as stream:
        for number in range(lines):
            cost, hours = {"amount": f"{number % 977}.50", "currency": "EUR"}, number % 97 / 3
            codes = sorted({f"TR{101 + number % 16}", f"TR{201 + number % 21}", "TR503", "TR507"})
            findings = [
                {
                    "code": code,
                    "severity": "minor",
                    "confidence": "high",
                    "gpu_hours": hours / 9,
                    "cost": cost,
                    "message": "what was seen " * 6,
                }
                for code in codes
            ]
            told = (f"team/run_{number}", f"run_{number}", f"{number:064x}", "0.1.0", "no-go", "tune", codes, hours, cost, None)
            day = f"{2020 + number % 6}-{1 + number % 12:02}-{1 + number % 28:02}T08:00:00Z"
            goodput = dict.fromkeys(parts, 0.111111)
            more = (
                f"run {number}",
                f"team {number % 40}",
                f"project {number % 300}",
                day,
                day,
                "finished",
                1.5,
                goodput,
                findings,
                None,
                "terms",
            )
            stream.write(json.dumps(dict(zip((*KEYS, *MORE_KEYS), (*told, *more), strict=True))) + "\n")
    began = time.monotonic()
    cpu = cpu_s(lambda: runner.write_together(folder, Blocks()))
    took = time.monotonic() - began
    size = (folder / runner.RESULTS).stat().st_size / lines
    print(
        f"{lines:,} lines of {size:,.0f} bytes: page and Parquet in {took:.1f} s (bar of the page: {BAR_PORTFOLIO_S:.0f}), {cpu:.1f} s CPU"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(f"at most {peak:.2f} GB of memory (bar: {BAR_PORTFOLIO_GB:.0f})")
    return int(took > BAR_PORTFOLIO_S or peak > BAR_PORTFOLIO_GB)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu_of_all() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    sys.exit(main())
