"""How often the detectors of lost time are right: stragglers and degradation on public data, all of them on simulated runs."""

from __future__ import annotations

import csv
import gzip
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.accuracy.common import FEWEST, Figure, read
from benchmarks.accuracy.pace_runs import CAUSES, simulated
from trainreport import detectors
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.finding import Confidence, Outcome, State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import concat
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["figures"]

CODES = dict(zip(CAUSES, ("TR209", "TR210", "TR211", "TR216", "TR219", "TR220"), strict=True))
EACH = 200
"""Simulated runs of each cause, of pairs, and without any."""
SEED = 77_003
"""Reported on; the limits were chosen with others (1 to 5, 11, 12 and 20261)."""


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of stragglers, degradation, and simulated causes."""
    yield from pai(folder)
    yield from mlperf(folder)
    yield from causes(SEED, EACH)


def pai(folder: Path) -> Iterator[Figure]:
    """Look for stragglers in two jobs of Alibaba PAI: worker 6 in the middle of job 1, nobody in job 2."""
    note = "ratio 1.15 and 20 steps were chosen on the publishers' four jobs, these two among them; truth is their text"
    first, second = (_outcome("TR209", _workers(folder / f"pai_job_{job}_step_times.csv.gz")) for job in (1, 2))
    named = [item.statistic for finding in first.findings for item in finding.evidence]
    right = named == ["step time of process 6 over its peers'"]
    yield Figure("stragglers", "PAI job 1: worker 6 named, and nobody else", float(right), 1.0, True, note)
    yield Figure("stragglers", "PAI job 2: workers named", float(second.state is State.FOUND), 0.0, False, note)


def mlperf(folder: Path) -> Iterator[Figure]:
    """Count false alarms of degradation on throughput of healthy MLPerf runs."""
    wrong = judged = total = 0
    for row in read(folder, "mlperf_throughput"):
        time_ms, rate = np.array(row["throughput"], dtype=np.float64).T
        frame = _frame("throughput/samples", "sample/s", np.arange(len(rate)), time_ms / 1000, rate)
        outcome = _outcome("TR211", _case(frame))
        total += 1
        judged += outcome.state is not State.NOT_APPLICABLE
        wrong += outcome.state is State.FOUND
    note = f"{total} series, {judged} with the 30 points that are needed; that least number was chosen on these series"
    yield Figure("degradation", "MLPerf null set: false alarms", float(wrong), 0.0, False, note)


def causes(seed: int, each: int) -> Iterator[Figure]:
    """Measure recall and precision of each cause on simulated runs: one cause each, pairs, and none."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(CAUSES, 2))
    plans = [(cause,) for cause in CAUSES for _ in range(each)] + [pairs[at % len(pairs)] for at in range(each)] + [()] * each
    said = [(truth, _causes_found(simulated(rng, truth))) for truth in plans]
    note = f"simulated, seed {seed}: {each} runs of each cause, {each} with two, {each} with none"
    for cause in CAUSES:
        hits = sum(cause in truth and cause in found for truth, found in said)
        real, named = sum(cause in truth for truth, _ in said), sum(cause in found for _, found in said)
        yield Figure("lost time", f"{CODES[cause]} {cause}: recall", hits / real, 0.95, True, note)
        yield Figure("lost time", f"{CODES[cause]} {cause}: precision", hits / max(1, named), 0.95, True, note)
    for cause in CAUSES:
        sure = [cause in truth for truth, found in said if found.get(cause)]
        bar = 0.95 if len(sure) >= FEWEST else None
        counted = f"{sum(sure)} of {len(sure)}; {note}"
        yield Figure("high confidence", f"{CODES[cause]}: right, {cause}, simulated", sum(sure) / max(1, len(sure)), bar, True, counted)
    false = sum(bool(found) for truth, found in said if not truth)
    yield Figure("lost time", "clean runs with a false alarm", false / each, 0.01, False, note)


def _causes_found(case: Case) -> dict[str, bool]:
    """Return the causes that are found, and whether with high confidence."""
    every = {cause: _outcome(code, case).findings for cause, code in CODES.items()}
    return {cause: any(one.confidence is Confidence.HIGH for one in findings) for cause, findings in every.items() if findings}


def _outcome(code: str, case: Case) -> Outcome:
    (outcome,) = detectors.run(case, [detectors.detector(code)])
    assert outcome.state is not State.FAILED, outcome.reason
    return outcome


def _workers(path: Path) -> Case:
    """Return the case of a job from its table of worker, time and step time; the n-th row of a worker is its n-th step."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    frames = []
    for worker in sorted({int(row["worker"]) for row in rows}):
        mine = [row for row in rows if int(row["worker"]) == worker]
        minutes, value = (np.array([float(row[name]) for row in mine]) for name in ("time", "batch_time_norm"))
        frames.append(_frame("time/step", "s", np.arange(len(mine)), minutes * 60, value).assign(rank=worker).astype({"rank": "Int32"}))
    return _case(concat(frames))


def _frame(series: str, unit: str, steps: Any, seconds: Any, values: Any) -> Any:
    return frame_of(
        [series],
        [Meaning(series, "train", unit, None, "benchmark")],
        np.zeros(len(values), dtype=np.intp),
        values,
        file="benchmark",
        steps=np.asarray(steps, dtype=np.int64),
        times_ns=((1.7e9 + np.asarray(seconds)) * 1e9).astype(np.int64),
    )


def _case(frame: Any) -> Case:
    return Case(RunLog(Run("run", "run"), frame, frame.iloc[:0]), Plan(), Ledger())
