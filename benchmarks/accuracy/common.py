"""What the benches share: reading the histories, making cases of them, and what a figure is."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from trainreport.detectors import detector
from trainreport.detectors.accuracy import Measured as Figure
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import concat
from trainreport.model.series import Meaning

__all__ = [
    "DIRECTIONS", "FEWEST", "Curves", "Figure", "algoperf_curves", "case", "columns", "decades", "deepobs_curves", "deepobs_reached",
    "found", "healthy_runs", "macro_f1", "numbers", "outcome", "read", "target_time",
]  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.detectors import Detector
    from trainreport.model.finding import Outcome

Curves = dict[tuple[str, str], tuple[Any, Any]]
"""(series, phase) -> (steps, values)."""

DIRECTIONS = {"accuracy": ("accuracy", 1), "ssim": ("ssim", 1), "mean_average_precision": ("average_precision", 1), "loss": ("loss", -1)}

DETECTORS: dict[str, Detector] = {}

FEWEST = 20
"""Findings of high confidence below which the share that is right is printed, and held to no bar."""


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


def healthy_runs(folder: Path) -> Iterator[tuple[str, list[Case]]]:
    """Yield the healthy runs of DeepOBS (at the best rate) and of AlgoPerf (that reached their target)."""
    distance = decades(folder)
    yield "DeepOBS at the best rate", [case(deepobs_curves(row)) for row in read(folder, "deepobs") if abs(distance(row)) < 0.01]
    tables = [(row, columns(row)) for row in read(folder, "algoperf")]
    reached = [algoperf_curves(row, table) for row, table in tables if table is not None and target_time(row, table) is not None]
    yield "AlgoPerf that reached the target", [case(one) for one in reached]


def found(code: str, curves: Curves) -> bool:
    """Return whether a detector finds something, without a plan."""
    return bool(outcome(code, case(curves)).findings)


def outcome(code: str, one: Case, **limits: float) -> Outcome:
    """Return what a detector says of a case, with its own limits where none are given."""
    if code not in DETECTORS:
        DETECTORS[code] = detector(code)
    judge = DETECTORS[code]
    return judge.check(one, judge.Thresholds(**limits))


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
