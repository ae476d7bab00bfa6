"""Measures how often the detectors are right, on public training histories with known truth.

    python benchmarks/accuracy.py FOLDER

`FOLDER` holds ``overfit_simulated.jsonl.gz``, ``deepobs.jsonl.gz`` and ``algoperf.jsonl.gz`` (OverfitGuard, DeepOBS and
AlgoPerf; see README.md there). Nothing is fitted here and the noise is seeded, but the limits of TR101 and the rule of
TR104 were chosen on these same histories: the figures are not of unseen problems. Prints one line a figure.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trainreport.detectors import detector
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import concat
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.detectors import Detector

Curves = dict[tuple[str, str], tuple[Any, Any]]
"""(series, phase) -> (steps, values)."""

DIRECTIONS = {"accuracy": ("accuracy", 1), "ssim": ("ssim", 1), "mean_average_precision": ("average_precision", 1), "loss": ("loss", -1)}


def main(folder: Path) -> None:
    """Print every figure."""
    overfitting(folder)
    healthy(folder)
    failed(folder)
    for name, runs in (("DeepOBS", deepobs_halves(folder)), ("AlgoPerf", algoperf_halves(folder))):
        plateaus(name, runs)


def overfitting(folder: Path) -> None:
    """O1: macro-F1 of TR101 on labelled simulated histories, as they are, with noise, and thinned."""
    rows = list(read(folder, "overfit_simulated"))
    truth = [bool(row["overfit"]) for row in rows]
    rng = np.random.default_rng(7)
    for name, noise, points in (
        ("clean", 0.0, 1000),
        ("noise 3 %", 0.03, 1000),
        ("noise 10 %", 0.1, 1000),
        ("40 points", 0.0, 40),
        ("20 points", 0.0, 20),
    ):
        said = []
        for row in rows:
            held, trained = numbers(row["val_loss"]), numbers(row["train_loss"])
            held = held + rng.normal(0.0, noise * np.ptp(held), len(held)) if noise else held
            at = np.linspace(0, len(held) - 1, points).round().astype(np.int64)
            said.append(found("TR101", {("loss", "validation"): (at, held[at]), ("loss", "train"): (at, trained[at])}))
        wrong = Counter((one, real) for one, real in zip(said, truth, strict=True))
        report(
            f"O1 overfitting, {name}: macro-F1", macro_f1(said, truth), f"{wrong[True, False]} false, {wrong[False, True]} missed of 419"
        )


def healthy(folder: Path) -> None:
    """Share of healthy runs that TR101 or TR103 flags: DeepOBS at the best rate, AlgoPerf that reached its target."""
    distance = decades(folder)
    best = [row for row in read(folder, "deepobs") if abs(distance(row)) < 0.01]
    flagged(f"DeepOBS at the best rate, {len(best)} runs", [deepobs_curves(row) for row in best])
    reached = [(row, columns(row)) for row in read(folder, "algoperf")]
    curves = [algoperf_curves(row, table) for row, table in reached if table is not None and target_time(row, table) is not None]
    flagged(f"AlgoPerf that reached the target, {len(curves)} runs", curves)


def flagged(name: str, runs: list[Curves]) -> None:
    """Print the share of runs that either detector flags."""
    each = {code: [found(code, curves) for curves in runs] for code in ("TR101", "TR103")}
    either = np.mean([any(pair) for pair in zip(*each.values(), strict=True)])
    report(f"healthy, {name}: flagged", float(either), ", ".join(f"{code} {sum(said)}" for code, said in each.items()))


def failed(folder: Path) -> None:
    """TR103 on DeepOBS: precision (a flagged run never reached the target), and recall where the rate is far too high."""
    distance = decades(folder)
    hits = wrong = high = caught = broken = 0
    for row in read(folder, "deepobs"):
        curves = deepobs_curves(row)
        said = found("TR103", curves)
        hits += said
        wrong += said and deepobs_reached(row)
        if distance(row) > 1.15:
            high += 1
            caught += said
            broken += not said and found("TR106", curves)
    report("TR103 on DeepOBS: precision", 1 - wrong / hits, f"{wrong} of {hits} flagged runs reached the target")
    report("TR103 on DeepOBS: recall, rate >= 1.2 decades too high", caught / high, f"{caught} of {high}; {broken} more have TR106")


def plateaus(name: str, halves: Iterator[tuple[Curves, bool]]) -> None:
    """F1 of TR104 at half of the budget; truth: the best gains less than 0.5 % of the range in the half that follows."""
    said, truth = zip(*((found("TR104", curves), flat) for curves, flat in halves), strict=True)
    both = sum(one and real for one, real in zip(said, truth, strict=True))
    report(f"TR104 plateau, {name}: F1", 2 * both / (sum(said) + sum(truth)), f"{len(truth)} runs, {np.mean(truth):.0%} at a plateau")


def deepobs_halves(folder: Path) -> Iterator[tuple[Curves, bool]]:
    """Yield the first half of each finite run, and whether the second brings nothing."""
    for row in read(folder, "deepobs"):
        values = numbers(row["test_accuracy"] or row["test_loss"])
        name, sign = ("accuracy", 1) if row["test_accuracy"] else ("loss", -1)
        if np.isfinite(values).all() and np.abs(values).max() < 1e8:
            yield from half(name, sign, np.arange(len(values)), values, len(values) - 1)


def algoperf_halves(folder: Path) -> Iterator[tuple[Curves, bool]]:
    """Yield the first half of each run's budget, and whether the second brings nothing."""
    for row in read(folder, "algoperf"):
        table = columns(row)
        if table is not None:
            name, sign = DIRECTIONS[row["metric"]]
            good = np.isfinite(table["val_metric"]) & np.isfinite(table["submission_time_s"])
            yield from half(name, sign, table["submission_time_s"][good], table["val_metric"][good], row["max_runtime_s"])


def half(name: str, sign: int, at: Any, values: Any, budget: float) -> Iterator[tuple[Curves, bool]]:
    """Yield one example where both halves have enough evaluations to know the truth."""
    early, late = at <= budget / 2, (at > budget / 2) & (at <= budget)
    if early.sum() < 8 or late.sum() < 2 or at[late].max() < 0.9 * budget or np.ptp(values[early]) <= 0:
        return
    gain = ((sign * values[late]).max() - (sign * values[early]).max()) / np.ptp(values[early])
    yield {(name, "validation"): (np.arange(int(early.sum())), values[early])}, bool(gain < 0.005)


def deepobs_curves(row: dict[str, Any]) -> Curves:
    """Return loss on training and test data, and test accuracy where there is one."""
    steps = np.arange(len(row["train_loss"]))
    curves = {("loss", "train"): (steps, numbers(row["train_loss"])), ("loss", "test"): (steps, numbers(row["test_loss"]))}
    if row["test_accuracy"]:
        curves["accuracy", "test"] = (steps, numbers(row["test_accuracy"]))
    return curves


def deepobs_reached(row: dict[str, Any]) -> bool:
    """Return whether the run met the acceptance target at any time."""
    if row["test_accuracy"]:
        return bool(np.nanmax(numbers(row["test_accuracy"])) >= row["target"])
    losses = numbers(row["test_loss"])
    return bool((losses[np.isfinite(losses)] <= row["target"]).any())


def decades(folder: Path) -> Any:
    """Return a function: decades from the best rate of a run's problem and optimizer (the one run with many seeds)."""
    rates: dict[tuple[str, str], Counter[float]] = {}
    for row in read(folder, "deepobs"):
        rates.setdefault((row["problem"], row["optimizer"]), Counter())[row["learning_rate"]] += 1
    best = {key: counts.most_common(1)[0][0] for key, counts in rates.items()}
    return lambda row: float(np.log10(row["learning_rate"] / best[row["problem"], row["optimizer"]]))


def columns(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return an AlgoPerf run's evaluations by column, or None where there are too few."""
    if len(row["evals"]) < 5:
        return None
    table = dict(zip(row["eval_cols"].split(","), np.array([numbers(one) for one in row["evals"]]).T, strict=True))
    return table if "val_metric" in table else None


def target_time(row: dict[str, Any], table: dict[str, Any]) -> float | None:
    """Return when the target was reached within the budget, or None."""
    sign = DIRECTIONS[row["metric"]][1]
    met = (sign * table["val_metric"] >= sign * row["val_target"]) & (table["submission_time_s"] <= row["max_runtime_s"])
    return float(table["submission_time_s"][met][0]) if met.any() else None


def algoperf_curves(row: dict[str, Any], table: dict[str, Any]) -> Curves:
    """Return loss and metric on training and validation data."""
    names = {"val_loss": ("loss", "validation"), "train_loss": ("loss", "train")}
    metric = DIRECTIONS[row["metric"]][0]
    names |= {"val_metric": (metric, "validation"), "train_metric": (metric, "train")}
    steps = table["step"].astype(np.int64)
    return {names[name]: (steps, values) for name, values in table.items() if name in names and not np.isnan(values).all()}


def found(code: str, curves: Curves) -> bool:
    """Return whether a detector finds something, without a plan."""
    one = DETECTORS.setdefault(code, detector(code))
    outcome = one.check(case(curves), one.Thresholds())
    return outcome.state is State.FOUND


DETECTORS: dict[str, Detector] = {}


def case(curves: Curves) -> Case:
    """Return a case of one run from arrays; values that were not logged (null) are left out."""
    parts = []
    for (series, phase), (steps, values) in curves.items():
        meaning = Meaning(series, phase, "1", None, "benchmark")
        parts.append(frame_of([series], [meaning], np.zeros(len(values), dtype=np.intp), values, file="benchmark", steps=np.asarray(steps)))
    frame = concat(parts)
    return Case(RunLog(Run("run", "run"), frame, frame.iloc[:0]), Plan(), Ledger())


def read(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def numbers(values: list[float | None]) -> Any:
    """Return an array; null becomes NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def macro_f1(said: list[bool], truth: list[bool]) -> float:
    """Return the mean of the F1 of both classes."""

    def one(kind: bool) -> float:
        both = sum(a is kind and b is kind for a, b in zip(said, truth, strict=True))
        return 2 * both / (said.count(kind) + truth.count(kind))

    return (one(True) + one(False)) / 2


def report(what: str, value: float, note: str) -> None:
    """Print one figure."""
    print(f"{what:<75} {value:.3f}   ({note})", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
