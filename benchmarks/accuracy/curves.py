"""Overfitting, healthy runs, failed runs and plateaus, on OverfitGuard, DeepOBS and AlgoPerf."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.accuracy.common import (
    DIRECTIONS,
    Figure,
    case,
    columns,
    decades,
    deepobs_curves,
    deepobs_reached,
    healthy_runs,
    macro_f1,
    numbers,
    outcome,
    read,
)
from trainreport.detectors import detector
from trainreport.model.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.model.case import Case

    Example = tuple[Case, bool]
    """The first half of a run, and whether the second brings nothing."""

GRID = tuple((rise, sigmas) for rise in (0.02, 0.03, 0.04, 0.06, 0.08) for sigmas in (3.0, 4.0, 5.0))
"""Limits of TR101 to choose from: rise (of the loss, and of what was gained), and standard errors."""

FLAT = (0.0025, 0.004, 0.005, 0.007, 0.01)
"""Limits of TR104 to choose from, as a share of the range."""

HEALTHY_CODES = ("TR101", "TR103", "TR105", "TR107", "TR108")


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of this module."""
    yield from overfitting(folder)
    yield from healthy(folder)
    yield from failed(folder)
    yield from plateaus(list(deepobs_halves(folder)), list(algoperf_halves(folder)))


def overfitting(folder: Path) -> Iterator[Figure]:
    """O1: macro-F1 of TR101 where its limits are chosen on the other data sets, over all left out in turn."""
    rows = list(read(folder, "overfit_simulated"))
    truth = np.array([bool(row["overfit"]) for row in rows])
    chosen = chosen_limits(folder)
    limits = ", ".join(f"{GRID[at][0]:g} and {GRID[at][1]:g} in {count} folds" for at, count in Counter(chosen.values()).most_common())
    for (name, table), bar in zip(_said(folder).items(), (0.97, 0.94, 0.92), strict=True):
        said = np.array([table[number, chosen[row["group"]]] for number, row in enumerate(rows)])
        wrong = said != truth
        errors = f"{int((wrong & ~truth).sum())} false, {int((wrong & truth).sum())} missed of {len(truth)}"
        note = f"{errors}; limits chosen on the other data sets: {limits}"
        yield Figure(
            "TR101 overfitting, simulated histories (OverfitGuard), data sets left out",
            f"macro-F1, {name}",
            macro_f1(said.tolist(), truth.tolist()),
            bar,
            True,
            note,
        )


@lru_cache(maxsize=1)
def chosen_limits(folder: Path) -> dict[str, int]:
    """Return for each data set the place in `GRID` that is best on all others."""
    rows = list(read(folder, "overfit_simulated"))
    truth = np.array([bool(row["overfit"]) for row in rows])
    groups = np.array([row["group"] for row in rows])
    each, chosen = _said(folder), {}
    for group in sorted(set(groups)):
        others = groups != group
        scores = [
            np.mean([macro_f1(table[others, at].tolist(), truth[others].tolist()) for table in each.values()]) for at in range(len(GRID))
        ]
        chosen[str(group)] = int(np.argmax(scores))
    return chosen


@lru_cache(maxsize=1)
def _said(folder: Path) -> dict[str, Any]:
    """Return for each condition what TR101 says of each history with each of `GRID`."""
    return {name: np.array([told(one) for one in cases]) for name, cases in histories(list(read(folder, "overfit_simulated"))).items()}


def histories(rows: list[dict[str, Any]]) -> dict[str, list[Case]]:
    """Return the histories as they are, with noise, and thinned."""
    return {
        name: [history(row, noise, points, np.random.default_rng([7, number])) for number, row in enumerate(rows)]
        for name, noise, points in (("clean", 0.0, 1000), ("10 % noise", 0.1, 1000), ("40 points", 0.0, 40))
    }


def history(row: dict[str, Any], noise: float, points: int, rng: np.random.Generator) -> Case:
    """Return the case of a history, with noise (as a share of the range) or thinned."""
    held, trained = numbers(row["val_loss"]), numbers(row["train_loss"])
    held = held + rng.normal(0.0, noise * np.ptp(held), len(held)) if noise else held
    at = np.linspace(0, len(held) - 1, points).round().astype(np.int64)
    return case({("loss", "validation"): (at, held[at]), ("loss", "train"): (at, trained[at])})


def told(one: Case) -> list[bool]:
    """Return what TR101 says with each of `GRID`."""
    return [bool(outcome("TR101", one, relative_rise=rise, lost_gain=rise, sigmas=sigmas).findings) for rise, sigmas in GRID]


def healthy(folder: Path) -> Iterator[Figure]:
    """Share of healthy runs with a major finding on their learning: DeepOBS at the best rate, AlgoPerf that reached its target."""
    for name, cases in healthy_runs(folder):
        each = {code: [flagged(code, one) for one in cases] for code in HEALTHY_CODES}
        either = float(np.mean([any(said) for said in zip(*each.values(), strict=True)]))
        counts = ", ".join(f"{code} {sum(said)}" for code, said in each.items())
        yield Figure(f"healthy runs, {name}", "share flagged major", either, 0.02, False, f"of {len(cases)}: {counts}")


def flagged(code: str, one: Case) -> bool:
    """Return whether a detector has a major or critical finding, without a plan."""
    return any(finding.severity >= Severity.MAJOR for finding in outcome(code, one).findings)


def failed(folder: Path) -> Iterator[Figure]:
    """TR103 and TR105 on DeepOBS: precision (a flagged run never reached the target), recall where the rate is far too high."""
    distance = decades(folder)
    hits = wrong = high = caught = broken = best = false = 0
    for row in read(folder, "deepobs"):
        one = case(deepobs_curves(row))
        said = any(outcome(code, one).findings for code in ("TR103", "TR105"))
        hits += said
        wrong += said and deepobs_reached(row)
        if abs(distance(row)) < 0.01:
            best += 1
            false += said
        if distance(row) > 1.15:
            high += 1
            caught += said
            broken += not said and bool(outcome("TR106", one).findings)
    name = "failed runs (TR103, TR105), DeepOBS"
    yield Figure(name, "precision", 1 - wrong / hits, 0.99, True, f"{wrong} of {hits} flagged runs reached the target")
    yield Figure(name, "false at the best rate", false / best, 0.005, False, f"{false} of {best}")
    note = f"{caught} of {high}; {broken} more have TR106"
    yield Figure(name, "recall, rate 1.2 decades too high or more", caught / high, None, True, note)


def plateaus(deepobs: list[Example], algoperf: list[Example]) -> Iterator[Figure]:
    """F1 of TR104 at half of the budget, its limit chosen on the other set.

    Truth: the best gains less than 0.5 % of the range in the half that follows.
    """
    scores = {name: [plateau_f1(examples, flat) for flat in FLAT] for name, examples in (("DeepOBS", deepobs), ("AlgoPerf", algoperf))}
    for name, other, bar, examples in (("DeepOBS", "AlgoPerf", 0.90, deepobs), ("AlgoPerf", "DeepOBS", 0.77, algoperf)):
        best = int(np.argmax(scores[other]))
        share = np.mean([flat for _, flat in examples])
        shipped = scores[name][FLAT.index(detector("TR104").Thresholds().flat)]
        note = (
            f"{len(examples)} runs, {share:.0%} at a plateau; limit {FLAT[best]:g} chosen on {other}; with the shipped limit {shipped:.3f}"
        )
        yield Figure(f"TR104 plateau, {name}", "F1", scores[name][best], bar, True, note)


def plateau_f1(examples: list[Example], flat: float) -> float:
    """Return the F1 of TR104 with one limit."""
    said = [bool(outcome("TR104", one, flat=flat).findings) for one, _ in examples]
    both = sum(one and real for one, (_, real) in zip(said, examples, strict=True))
    return 2 * both / (sum(said) + sum(real for _, real in examples))


def deepobs_halves(folder: Path) -> Iterator[Example]:
    """Yield the first half of each finite run, and whether the second brings nothing."""
    for row in read(folder, "deepobs"):
        values = numbers(row["test_accuracy"] or row["test_loss"])
        name, sign = ("accuracy", 1) if row["test_accuracy"] else ("loss", -1)
        if np.isfinite(values).all() and np.abs(values).max() < 1e8:
            yield from half(name, sign, np.arange(len(values)), values, len(values) - 1)


def algoperf_halves(folder: Path) -> Iterator[Example]:
    """Yield the first half of each run's budget, and whether the second brings nothing."""
    for row in read(folder, "algoperf"):
        table = columns(row)
        if table is not None:
            name, sign = DIRECTIONS[row["metric"]]
            good = np.isfinite(table["val_metric"]) & np.isfinite(table["submission_time_s"])
            yield from half(name, sign, table["submission_time_s"][good], table["val_metric"][good], row["max_runtime_s"])


def half(name: str, sign: int, at: Any, values: Any, budget: float) -> Iterator[Example]:
    """Yield one example where both halves have enough evaluations to know the truth."""
    early, late = at <= budget / 2, (at > budget / 2) & (at <= budget)
    if early.sum() < 8 or late.sum() < 2 or at[late].max() < 0.9 * budget or np.ptp(values[early]) <= 0:
        return
    gain = ((sign * values[late]).max() - (sign * values[early]).max()) / np.ptp(values[early])
    yield case({(name, "validation"): (np.arange(int(early.sum())), values[early])}), bool(gain < 0.005)
