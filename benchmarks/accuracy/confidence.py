"""How often findings of high confidence are right, code by code, on rows that their limits were not chosen on or that are simulated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.accuracy.common import (
    FEWEST,
    Figure,
    algoperf_curves,
    case,
    columns,
    deepobs_curves,
    deepobs_reached,
    outcome,
    read,
    target_time,
)
from benchmarks.accuracy.curves import GRID, chosen_limits, histories
from benchmarks.accuracy.forecast import held_out
from trainreport.model.case import Case, Family, Sibling
from trainreport.model.finding import Confidence
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Judged = tuple[Case, bool]
    """A run, and whether a finding is right."""

EACH = 400
"""Simulated curves or experiments, half of them with what is to be found."""
SEED = 90_211
"""Reported on; nothing was chosen with it."""
RIGHT = 0.95
"""Share that a finding of high confidence is to be right."""


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of this module."""
    yield overfitting(folder)
    for code in ("TR103", "TR105"):
        yield precision(code, "DeepOBS, target never reached", _unreached_deepobs(folder))
        yield precision(code, "AlgoPerf, target never reached", _unreached_algoperf(folder))
    yield precision("TR107", "simulated spikes of 10 sigma, half of the losses without", _spiked())
    yield precision("TR108", "simulated swings of 5 to 60 % of the range, half of the losses without", _swung())
    yield unlikely(folder)
    for code in ("TR401", "TR405"):
        yield precision(code, "simulated experiments with repeated runs, half of them with real progress", _experiments())


def precision(code: str, data: str, judged: Iterable[Judged]) -> Figure:
    """Return the share of a code's findings of high confidence that are right."""
    right = [truth for one, truth in judged if any(f.confidence is Confidence.HIGH for f in outcome(code, one).findings)]
    return _figure(code, data, sum(right), len(right), "")


def _figure(code: str, data: str, right: int, found: int, note: str) -> Figure:
    bar = RIGHT if found >= FEWEST else None
    return Figure("high confidence", f"{code}: right, {data}", right / max(1, found), bar, True, f"{right} of {found}{note}")


def overfitting(folder: Path) -> Figure:
    """TR101 on each data set of OverfitGuard's simulated histories, with the limits chosen on the others."""
    rows = list(read(folder, "overfit_simulated"))
    right = found = 0
    for cases, limits in ((each, chosen_limits(folder)) for each in histories(rows).values()):
        for row, one in zip(rows, cases, strict=True):
            rise, sigmas = GRID[limits[row["group"]]]
            said = outcome("TR101", one, relative_rise=rise, lost_gain=rise, sigmas=sigmas).findings
            if any(finding.confidence is Confidence.HIGH for finding in said):
                found, right = found + 1, right + bool(row["overfit"])
    return _figure("TR101", "simulated histories (OverfitGuard), data sets left out", right, found, "; clean, with noise and thinned")


def unlikely(folder: Path) -> Figure:
    """TR308: share of forecasts below 5 % after which the target was indeed not reached, data sets held out."""
    rows, chance = held_out(folder)
    low = chance < 0.05
    missed = int((~rows.reached.astype(bool))[low].sum())
    return _figure("TR308", "forecasts below 5 %, base data sets held out", missed, int(low.sum()), " were followed by a missed target")


def _unreached_deepobs(folder: Path) -> Iterator[Judged]:
    for row in read(folder, "deepobs"):
        yield case(deepobs_curves(row)), not deepobs_reached(row)


def _unreached_algoperf(folder: Path) -> Iterator[Judged]:
    for row in read(folder, "algoperf"):
        table = columns(row)
        if table is not None:
            yield case(algoperf_curves(row, table)), target_time(row, table) is None


def _losses(rng: np.random.Generator) -> Iterator[tuple[Any, float]]:
    """Yield falling losses of 200 to 1,000 points with the standard deviation of their noise, white or of half a step's memory."""
    for _ in range(EACH):
        size, sigma = int(rng.integers(200, 1000)), float(rng.uniform(0.005, 0.05))
        noise = rng.normal(0, sigma, size + 1)
        memory = float(rng.choice([0.0, 0.5]))
        yield np.arange(1, size + 1) ** -rng.uniform(0.1, 0.5) + noise[1:] + memory * noise[:-1], sigma * np.hypot(1, memory)


def _spiked() -> Iterator[Judged]:
    rng = np.random.default_rng([SEED, 1])
    for number, (loss, sigma) in enumerate(_losses(rng)):
        truth = number % 2 == 0
        if truth:
            at = int(rng.integers(40, len(loss) - 40))
            loss[at : at + 3] += 10 * sigma
        yield case({("loss", "train"): (np.arange(len(loss)), loss)}), truth


def _swung() -> Iterator[Judged]:
    rng = np.random.default_rng([SEED, 2])
    for number, (loss, _) in enumerate(_losses(rng)):
        truth = number % 2 == 0
        wave = rng.uniform(0.025, 0.3) * np.ptp(loss) * np.sin(2 * np.pi * (np.arange(len(loss)) / rng.uniform(2.5, 14) + rng.uniform()))
        yield case({("loss", "train"): (np.arange(len(loss)), loss + wave * truth)}), truth


def _experiments() -> Iterator[Judged]:
    """Yield the last run of an experiment: six configurations, three seeds each; progress is true where one gains 5 sigma or more."""
    rng = np.random.default_rng([SEED, 3])
    for number in range(EACH):
        progress = number % 2 == 1
        gains = np.cumsum(rng.uniform(1.0, 3.0, 6)) if progress else np.zeros(6)
        sigma = float(rng.uniform(0.001, 0.02))
        values = 0.7 + sigma * (np.repeat(gains, 3) + rng.normal(0, 1, 18))
        yield _family(values), not progress


def _family(values: Any) -> Case:
    """Return the last of several runs of an hour each, three seeds a configuration."""
    start = datetime(2026, 11, 1, tzinfo=UTC)
    runs = tuple(
        Sibling(
            f"run{at:02}", f"run{at:02}", float(value), 1.0, "accuracy", "validation", wall_s=3600.0,
            params={"lr": str(at // 3)}, seed=str(at % 3), status="finished", started_at=start + timedelta(hours=at),
        )
        for at, value in enumerate(values)
    )  # fmt: skip
    one = case({("accuracy", "validation"): (np.arange(20), np.linspace(0.5, values[-1], 20))})
    return Case(RunLog(Run(runs[-1].run_id, runs[-1].name), one.log.frame, one.log.events), Plan(), Ledger(), Family(runs))
