"""Fits what `trainreport.business.forecast` ships: ``python -m benchmarks.fit_forecast FOLDER`` writes the model file.

Three models of one make on one set of features: the chance that the target is reached within the budget, and three quantiles of
what is still to come until its end, once for the best and once for the last value. `benchmarks.accuracy.forecast` refits
them with the functions here, leaving whole problems out. Problems weigh the same, however many rows they have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.accuracy.common import DIRECTIONS, columns, numbers, read
from benchmarks.boosting import fit_chance, fit_quantiles, quantile
from trainreport.business.forecast import FLOOR, LEVELS, STEEPNESS
from trainreport.stats.progress import FEATURES, FEWEST, progress
from trainreport.stats.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import numpy.typing as npt

    from benchmarks.accuracy.common import Figure

    Array = npt.NDArray[np.float64]

FILE = Path(__file__).resolve().parent.parent / "trainreport" / "business" / "forecast_model.json"
EVENT_CUTS = (0.10, 0.20, 0.35, 0.50, 0.70, 0.85)
VALUE_CUTS = (0.10, 0.25, 0.50, 0.75)
"""Shares of the budget at which forecasts are scored; the fit also sees the edges below."""
EDGES = (0.05, 0.95)
COVERAGE = 0.8
CARD = {
    "what": "Chance that a training run reaches its target within its budget, and an 80 % interval of its value at the end.",
    "fitted_on": "AlgoPerf v0.5 and v0.6 submissions, base data sets criteo1tb, fastmri, imagenet and ogbg (chance and value); DeepOBS "
    "baselines, problems cifar10_3c3d, fmnist_2c2d, mnist_vae, quadratic_deep and svhn_wrn164 (value).",
    "how": "40 boosted trees of depth 3 with one question a level, on 20 features measured by the curve's own range. Value: the mean of "
    "models that each leave one problem out; their misses on it set the width (conformalized quantile regression). Problems weigh alike.",
    "calibration_of": "Chance said, share that happened, forecasts; AlgoPerf, base data sets held out.",
    "limits": "Four data sets and five small problems, image, click, graph and reconstruction tasks: no language model, no learning-rate "
    "schedule in the logs, so its phase is no feature. At least 4 evaluations and 5 % of the budget. Coverage differs between problems. "
    "The design was chosen while looking at the held-out figures; coefficients and widths never saw the problem they are scored on. "
    "The chance and the interval are fitted apart and need not agree to the digit. No time of arrival is given.",
    "licence": "Only fitted numbers are shipped, no curve. AlgoPerf logs (mlcommons/submissions_algorithms): Apache-2.0. DeepOBS baselines "
    "(fsschneider/DeepOBS_Baselines): MIT.",
    "made_by": "python -m benchmarks.fit_forecast FOLDER",
}
ROWS_A_PROBLEM = 900
"""Runs are left out evenly so that no problem brings more rows into a fit: time, and one problem is one witness."""


class History(NamedTuple):
    """A training run with known end."""

    bench: str
    problem: str
    """What is left out as a whole."""
    workload: str
    submission: str
    used: Array
    """Share of the budget at each evaluation."""
    score: Array
    """Higher is better."""
    target: float

    @property
    def reached_at(self) -> float:
        """Share of the budget at which the target was reached; infinite where it was not."""
        met = self.used[(self.score >= self.target) & (self.used <= 1)]
        return float(met[0]) if len(met) else np.inf


class Rows(NamedTuple):
    """Moments in runs, as arrays of one length."""

    features: Array
    run: npt.NDArray[np.int64]
    """Position of the run."""
    cut: Array
    problem: npt.NDArray[np.str_]
    bench: npt.NDArray[np.str_]
    reached: Array
    """1 where the target is reached later within the budget; NaN where it is not known."""
    best: Array
    last: Array
    scale: Array
    extent: Array
    """Range of the values seen so far, which errors are measured by."""
    jitter: Array
    best_at_end: Array
    last_at_end: Array

    def take(self, keep: Any) -> Rows:
        """Return some of the rows."""
        return Rows(*(column[keep] for column in self))

    def end(self, statistic: str) -> tuple[Array, Array]:
        """Return where the quantity stands and where it ends."""
        return (self.best, self.best_at_end) if statistic == "best" else (self.last, self.last_at_end)

    def to_come(self, statistic: str) -> Array:
        """Return what is still to come, on the scale on which quantiles are fitted."""
        now, end = self.end(statistic)
        return np.arcsinh((end - now) / (STEEPNESS * self.scale))


def histories(folder: Path) -> list[History]:
    """Return the runs of AlgoPerf and DeepOBS."""
    return [*_algoperf(folder), *_deepobs(folder)]


def _algoperf(folder: Path) -> Iterator[History]:
    for row in read(folder, "algoperf"):
        table = columns(row) if len(row["evals"]) > FEWEST else _few(row)
        if table is None:
            continue
        good = np.isfinite(table["val_metric"]) & np.isfinite(table["submission_time_s"])
        order = np.argsort(table["submission_time_s"][good], kind="stable")
        used = table["submission_time_s"][good][order] / row["max_runtime_s"]
        sign = DIRECTIONS[row["metric"]][1]
        if len(used) >= FEWEST:
            score = sign * table["val_metric"][good][order]
            yield History(
                "AlgoPerf", row["workload"].split("_")[0], row["workload"], row["submission"], used, score, sign * row["val_target"]
            )


def _few(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the columns of a run with just enough evaluations."""
    if len(row["evals"]) < FEWEST:
        return None
    return dict(zip(row["eval_cols"].split(","), np.array([numbers(one) for one in row["evals"]]).T, strict=True))


def _deepobs(folder: Path) -> Iterator[History]:
    for row in read(folder, "deepobs"):
        sign, values = (1, row["test_accuracy"]) if row["test_accuracy"] else (-1, row["test_loss"])
        score = sign * numbers(values)
        used = np.maximum(np.arange(len(score)) / (len(score) - 1), 1e-6)
        yield History("DeepOBS", row["problem"], row["problem"], row["optimizer"], used, score, sign * row["target"])


def event_rows(runs: Sequence[History], cuts: tuple[float, ...] = (*EVENT_CUTS, *EDGES)) -> Rows:
    """Return the moments at which the target is not reached yet, of runs whose outcome is known."""
    return _rows(runs, cuts, event=True)


def value_rows(runs: Sequence[History], cuts: tuple[float, ...] = (*VALUE_CUTS, *EDGES)) -> Rows:
    """Return moments in runs; the budget is what the run took, at most that of the task."""
    return _rows(runs, cuts, event=False)


def _rows(runs: Sequence[History], cuts: tuple[float, ...], *, event: bool) -> Rows:
    found = [(at, cut, run, row) for at, run in enumerate(runs) for cut in cuts if (row := _moment(run, cut, event=event)) is not None]
    features = np.array([row[0].features for _, _, _, row in found])
    numbers_of = [(p.best, p.last, p.scale, *rest) for _, _, _, (p, *rest) in found]
    best, last, scale, reached, extent, best_at_end, last_at_end = np.array(numbers_of).T
    place, cut_of, history, _ = zip(*found, strict=True)
    jitter = np.exp(features[:, FEATURES.index("noise")]) * extent
    names = (np.array([run.problem for run in history]), np.array([run.bench for run in history]))
    return Rows(features, np.array(place), np.array(cut_of), *names, reached, best, last, scale, extent, jitter, best_at_end, last_at_end)


def _moment(run: History, cut: float, *, event: bool) -> tuple[Any, float, float, float, float] | None:
    """Return (progress, reached later, range so far, best at the end, last at the end), or None where nothing is asked."""
    inside = run.used <= 1
    used, score = run.used[inside], run.score[inside]
    if len(used) < FEWEST:
        return None
    whole = 1.0 if event else float(used[-1])
    seen = int(np.searchsorted(used, cut * whole + 1e-9, "right"))
    early = score[:seen]
    if seen < FEWEST or not np.isfinite(early).all() or np.ptp(early) == 0:
        return None
    known = np.isfinite(run.reached_at) or run.used[-1] >= 0.9
    if event and (not known or run.reached_at <= cut):
        return None
    if not event and seen == len(used):
        return None
    finite = score[np.isfinite(score)]
    standing = progress(used[:seen] / whole, early, run.target)
    reached = float(np.isfinite(run.reached_at)) if known else np.nan
    return standing, reached, float(np.ptp(early)), float(finite.max()), float(score[-1])


def weights(rows: Rows) -> Array:
    """Return a weight for each row, so that every problem weighs the same."""
    _, at, count = np.unique(rows.problem, return_inverse=True, return_counts=True)
    return np.asarray(1 / count[at], dtype=np.float64)


def thinned(rows: Rows) -> Rows:
    """Return the rows of evenly chosen runs, at most `ROWS_A_PROBLEM` for each problem."""
    kept: list[int] = []
    for problem in np.unique(rows.problem):
        runs = np.unique(rows.run[rows.problem == problem])
        each = (rows.problem == problem).sum() / len(runs)
        kept += list(runs[np.linspace(0, len(runs) - 1, min(len(runs), int(ROWS_A_PROBLEM / each))).astype(np.int64)])
    return rows.take(np.isin(rows.run, kept))


def without(rows: Rows, problems: Collection[str]) -> Rows:
    """Return the rows of all other problems."""
    return rows.take(~np.isin(rows.problem, list(problems)))


def fit_event(rows: Rows) -> Trees:
    """Return the model of the chance."""
    return fit_chance(rows.features, rows.reached, weights(rows))


def fit_value(rows: Rows, statistic: str) -> Trees:
    """Return the model of three quantiles of what is still to come."""
    rows = rows.take(np.isfinite(rows.end(statistic)[1]))
    return fit_quantiles(rows.features, rows.to_come(statistic), weights(rows), LEVELS)


class Jackknife:
    """Models of the value, each fitted without one problem (jackknife+, Barber and others 2021), fitted once and kept."""

    def __init__(self, rows: Rows, statistic: str) -> None:
        self.statistic = statistic
        self.rows = thinned(rows)
        self.problems = frozenset(np.unique(rows.problem).tolist())
        self._fitted: dict[frozenset[str], Trees] = {}

    def without(self, *problems: str) -> tuple[Trees, float]:
        """Return the mean of the models that leave out `problems` and one more, and the width that they take."""
        fits = {one: self._fit(frozenset([*problems, one])) for one in sorted(self.problems - {*problems})}
        scored = self.rows.take(np.isin(self.rows.cut, VALUE_CUTS) & np.isin(self.rows.problem, list(fits)))
        return _mean(list(fits.values())), widening(fits, scored, self.statistic)

    def _fit(self, left_out: frozenset[str]) -> Trees:
        if left_out not in self._fitted:
            self._fitted[left_out] = fit_value(without(self.rows, left_out), self.statistic)
        return self._fitted[left_out]


def _mean(models: Sequence[Trees]) -> Trees:
    """Return the mean of several models as one."""
    join = np.concatenate
    return Trees(
        np.mean([one.start for one in models], axis=0),
        join([one.feature for one in models]),
        join([one.threshold for one in models]),
        join([one.leaf for one in models]) / len(models),
    )


def widening(fits: dict[str, Trees], rows: Rows, statistic: str) -> float:
    """Return by how much the quantiles are moved apart so that the interval holds 80 % of problems not fitted on.

    Parameters
    ----------
    fits : dict
        For each problem, a model fitted without it.
    rows : Rows
        Of these problems.
    statistic : str
        ``best`` or ``final``.

    Notes
    -----
    Conformalized quantile regression (Romano, Patterson and Candès 2019) with problems as groups of the same weight.
    Rows whose lower end is "no further gain" set no width: their interval has one end only.
    """
    rows = rows.take(np.isfinite(rows.end(statistic)[1]))
    said = np.empty((len(rows.run), len(LEVELS)))
    for problem, model in fits.items():
        said[rows.problem == problem] = np.sort(model.predict(rows.features[rows.problem == problem]), axis=1)
    truth = rows.to_come(statistic)
    miss = np.maximum(said[:, 0] - truth, truth - said[:, 2])
    two_ended = (said[:, 0] >= FLOOR) | (statistic != "best")
    return quantile(miss[two_ended], weights(rows)[two_ended], COVERAGE)


def fit(folder: Path) -> dict[str, Any]:
    """Return the model file's content, without its card."""
    runs = histories(folder)
    algoperf = [run for run in runs if run.bench == "AlgoPerf"]
    model: dict[str, Any] = {"features": list(FEATURES), "event": _written(fit_event(event_rows(algoperf)))}
    rows = value_rows(runs)
    for statistic in ("best", "final"):
        trees, widen = Jackknife(rows, statistic).without()
        model[statistic] = {**_written(trees), "widen": round(widen, 4)}
    return model


def _written(trees: Trees) -> dict[str, Any]:
    def short(values: Array, digits: int) -> Any:
        return np.vectorize(lambda value: float(f"{value:.{digits}g}"))(values).tolist()

    return {
        "start": short(trees.start, 4),
        "feature": trees.feature.tolist(),
        "threshold": short(trees.threshold, 4),
        "leaf": short(trees.leaf, 3),
    }


def main(folder: Path) -> None:
    """Write the model file with its card."""
    from benchmarks.accuracy.forecast import figures, reliability  # they refit with the functions above

    card = {**CARD, "calibration": reliability(folder), "held_out": [_told(figure) for figure in figures(folder)]}
    text = json.dumps({"card": card, **fit(folder)}, separators=(",", ":"))
    FILE.write_text(text + "\n", encoding="utf-8")
    print(f"{FILE}: {len(text)} bytes")


def _told(figure: Figure) -> dict[str, Any]:
    return {"bench": figure.bench, "measure": figure.measure, "value": round(figure.value, 4), "bar": figure.bar, "note": figure.note}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
