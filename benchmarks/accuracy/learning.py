"""Spikes, oscillation and stopping too early on real curves: what was injected counts as true, all else as false."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.accuracy.common import (
    Curves,
    Figure,
    algoperf_curves,
    columns,
    deepobs_curves,
    healthy_runs,
    numbers,
    outcome,
    read,
)
from benchmarks.accuracy.curves import algoperf_halves, deepobs_halves
from trainreport.detectors import detector
from trainreport.model.finding import Confidence
from trainreport.stats.fisher import oscillation
from trainreport.stats.spikes import spikes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIMITS = tuple(float(one) for one in np.arange(2.8, 4.01, 0.2))
"""Deviations to choose from."""
FALSE = 0.5
"""False spikes in 1,000 points that are allowed."""
QUIET = ("TR105", "TR107", "TR108", "TR113", "TR114", "TR115", "TR116")
"""Codes whose findings on healthy runs are counted; the others need series that these histories do not have."""


class Series(NamedTuple):
    """A real curve, and the problem that it is of."""

    problem: str
    values: Any


class Counts(NamedTuple):
    """What was found of what was injected, and what else was found, with each of `LIMITS`."""

    hits: Any
    injected: int
    false: Any
    points: int


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of this module."""
    yield from spiky(folder)
    yield from swinging(folder)
    yield from stopped(folder)
    yield from silence(folder)


def spiky(folder: Path) -> Iterator[Figure]:
    """Spikes of 3 points and 10 sigma in 200 training losses; the limit is chosen on other problems, left out in turn."""
    pool = [one for one in losses(folder) if len(one.values) >= 300 and sound(one.values) and learned(one.values)]
    rng = np.random.default_rng(11)
    chosen = [pool[at] for at in rng.permutation(len(pool))[:200]]
    for name, sigma in (("standard deviation", np.std), ("median absolute deviation", robust)):
        each = [(one.problem, count(one.values, sigma, rng)) for one in chosen]
        yield spike_figure(name, each)


def spike_figure(name: str, each: list[tuple[str, Counts]]) -> Figure:
    """Return recall over all problems, each with the limit that the others allow."""
    problems = sorted({problem for problem, _ in each})
    hits = injected = false = points = 0
    limits = []
    for problem in problems:
        others = total([counts for named, counts in each if named != problem])
        mine = total([counts for named, counts in each if named == problem])
        allowed = np.flatnonzero(1000 * others.false / others.points <= FALSE)
        at = int(allowed[0]) if len(allowed) else len(LIMITS) - 1
        limits.append(LIMITS[at])
        hits, false = hits + int(mine.hits[at]), false + int(mine.false[at])
        injected, points = injected + mine.injected, points + mine.points
    rate = 1000 * false / points
    shipped = total([counts for _, counts in each])
    at = int(np.argmin(np.abs(np.array(LIMITS) - detector("TR107").Thresholds().deviations)))
    at_shipped = f"{shipped.hits[at] / shipped.injected:.3f} at {1000 * shipped.false[at] / shipped.points:.2f}"
    note = (
        f"{hits} of {injected} in {len(each)} series at {rate:.2f} false in 1,000 points; limit chosen on the other problems "
        f"of {len(problems)}: {min(limits):.1f} to {max(limits):.1f}; as shipped ({LIMITS[at]:.1f}) {at_shipped}; "
        "spikes are simulated, losses real"
    )
    return Figure("TR107 spikes, 10 sigma over 3 points", f"recall, sigma by {name}", hits / injected, 0.90, True, note)


def count(values: Any, sigma: Any, rng: np.random.Generator) -> Counts:
    """Inject a spike in about every 200 points of a loss, and count what is found with each of `LIMITS`."""
    size = 10 * float(sigma(values - level(values)))
    places = np.sort(rng.choice(np.arange(20, len(values) - 23), max(1, len(values) // 200), replace=False))
    places = places[np.append(True, np.diff(places) >= 20)]
    spiked = values.copy()
    for place in places:
        spiked[place : place + 3] += size
    hits, false = [], []
    for limit in LIMITS:
        found = [(one.first, one.last) for one in spikes(spiked, limit)]
        hits.append(sum(any(first <= place + 2 and last >= place for first, last in found) for place in places))
        false.append(sum(not any(first <= place + 5 and last >= place - 3 for place in places) for first, last in found))
    return Counts(np.array(hits), len(places), np.array(false), len(values))


def total(each: list[Counts]) -> Counts:
    """Return counts added up."""
    return Counts(
        np.sum([one.hits for one in each], axis=0),
        sum(one.injected for one in each),
        np.sum([one.false for one in each], axis=0),
        sum(one.points for one in each),
    )


def swinging(folder: Path) -> Iterator[Figure]:
    """AUC of the score of TR108 for sinusoids in 800 real curves; nothing is fitted."""
    pool = [one for one in every_curve(folder) if len(one.values) >= 40 and sound(one.values)]
    rng = np.random.default_rng(12)
    chosen = [pool[at].values for at in rng.permutation(len(pool))[:800]]
    waves = [np.sin(2 * np.pi * (np.arange(len(one)) / rng.uniform(2.5, 14) + rng.uniform())) / 2 for one in chosen]
    plain = [oscillation(one).score for one in chosen]
    for size, bar in ((0.02, None), (0.05, 0.94), (0.10, None)):
        swung = [oscillation(one + size * np.ptp(one) * wave).score for one, wave in zip(chosen, waves, strict=True)]
        note = f"{len(chosen)} curves of DeepOBS and AlgoPerf with and without a simulated sinusoid, period 2.5 to 14"
        yield Figure("TR108 oscillation", f"AUC, {size:.0%} of the range", auc(swung, plain), bar, True, note)


def stopped(folder: Path) -> Iterator[Figure]:
    """Share of TR113's findings at half of the budget after which the best did gain 0.5 % of the range or more."""
    for name, halves in (("DeepOBS", deepobs_halves(folder)), ("AlgoPerf", algoperf_halves(folder))):
        right = wrong = 0
        for one, flat in halves:
            findings = outcome("TR113", one).findings
            if findings and findings[0].confidence is Confidence.HIGH:
                right, wrong = right + (not flat), wrong + flat
        note = f"{right} of {right + wrong} findings of high confidence at half of the budget went on to gain in the second half"
        yield Figure(f"TR113 stopped while improving, {name}", "precision", right / max(1, right + wrong), 0.95, True, note)


def silence(folder: Path) -> Iterator[Figure]:
    """Share of healthy runs on which each of the other learning detectors says something, of whatever severity."""
    for name, cases in healthy_runs(folder):
        for code in QUIET:
            said = sum(bool(outcome(code, one).findings) for one in cases)
            bar = 0.005 if code in ("TR105", "TR108", "TR114") else None
            yield Figure(f"healthy runs, {name}", f"share with {code}", said / len(cases), bar, False, f"{said} of {len(cases)}")


def losses(folder: Path) -> Iterator[Series]:
    """Yield the training losses, step by step where they were logged so."""
    for row in read(folder, "nanogpt"):
        for kind in ("train_loss", "loss"):
            yield Series("nanogpt", numbers([float(one[3]) for one in row["rows"] if one[2] == kind]))
    for row in read(folder, "deepobs"):
        yield Series(row["problem"], numbers(row["minibatch_train_loss"]))
    for row, curves in algoperf(folder):
        values = curves.get(("loss", "train"), (None, np.zeros(0)))[1]
        yield Series(base(row), values[np.isfinite(values)])


def every_curve(folder: Path) -> Iterator[Series]:
    """Yield all curves of DeepOBS and AlgoPerf but for the training metrics."""
    for row in read(folder, "deepobs"):
        for _, values in deepobs_curves(row).values():
            yield Series(row["problem"], values)
    for row, curves in algoperf(folder):
        for (series, phase), (_, values) in curves.items():
            if series == "loss" or phase != "train":
                yield Series(base(row), values[np.isfinite(values)])


def algoperf(folder: Path) -> Iterator[tuple[dict[str, Any], Curves]]:
    """Yield the runs of AlgoPerf with enough evaluations."""
    for row in read(folder, "algoperf"):
        table = columns(row)
        if table is not None:
            yield row, algoperf_curves(row, table)


def base(row: dict[str, Any]) -> str:
    """Return the base data set of a workload, so that its variants are held out together."""
    return str(row["workload"]).split("_", maxsplit=1)[0]


def sound(values: Any) -> bool:
    """Return whether a curve is finite, not blown up, and not constant."""
    return bool(len(values) and np.isfinite(values).all() and np.abs(values).max() < 1e8 and np.ptp(values) > 0)


def learned(values: Any) -> bool:
    """Return whether a loss ended below its start."""
    return bool(np.median(values[-max(3, len(values) // 20) :]) < np.median(values[:3]))


def level(values: Any) -> Any:
    """Return the centred median of 31 points that sigma is measured around, by its definition."""
    padded = np.pad(values, 15, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 31), axis=1)


def robust(values: Any) -> float:
    """Return the deviation of a normal with the same median absolute deviation."""
    return float(1.4826 * np.median(np.abs(values - np.median(values))))


def auc(higher: list[float], lower: list[float]) -> float:
    """Return the chance that one of `higher` is above one of `lower`; ties count half."""
    mine, others = np.array(higher)[:, None], np.array(lower)[None, :]
    return float(np.mean((mine > others) + 0.5 * (mine == others)))
