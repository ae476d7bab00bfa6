"""The forecast on problems that it was not fitted on: AlgoPerf and DeepOBS, whole problems left out, refitted for each."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.accuracy.common import Figure
from benchmarks.boosting import quantile
from benchmarks.fit_forecast import (
    EVENT_CUTS,
    VALUE_CUTS,
    Jackknife,
    event_rows,
    fit_event,
    histories,
    value_rows,
    weights,
    without,
)
from trainreport.business.forecast import Past, bounds, corrected, unlikeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from benchmarks.fit_forecast import History, Rows

    Array = npt.NDArray[np.float64]

_FAR = 100.0
"""Ends further away than this many ranges are a divergence after the forecast: in no interval score."""
_PENALTY = 10.0
"""What a miss by one unit costs in the interval score of an 80 % interval: 2 / 0.2."""
_FITTED = "refitted without each problem; design of the features chosen on these data, nothing else"


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of the forecast."""
    runs = histories(folder)
    yield from _event(runs)
    rows = value_rows(runs)
    for statistic in ("best", "final"):
        yield from _value(runs, rows, statistic)


def reliability(folder: Path) -> list[tuple[float, float, int]]:
    """Return (mean chance said, share that happened, forecasts) for each tenth of the chance, data sets held out."""
    _, rows, chance, _ = _held_out(histories(folder))
    bins = _bins(chance)
    parts = [(chance[bins == one], rows.reached[bins == one]) for one in np.unique(bins)]
    return [(round(float(said.mean()), 3), round(float(happened.mean()), 3), len(said)) for said, happened in parts]


def held_out(folder: Path) -> tuple[Rows, Array]:
    """Return the moments that are scored, and for each the chance told by what the other data sets taught."""
    _, rows, chance, _ = _held_out(histories(folder))
    return rows, chance


def _held_out(every: Sequence[History]) -> tuple[list[History], Rows, Array, Array]:
    """Return AlgoPerf's runs, the moments that are scored, and for each the chance and the base rate of the other data sets."""
    runs = [run for run in every if run.bench == "AlgoPerf"]
    fitted = event_rows(runs)
    rows = fitted.take(np.isin(fitted.cut, EVENT_CUTS))
    chance, plain = np.empty(len(rows.run)), np.empty(len(rows.run))
    for problem in np.unique(rows.problem):
        held = rows.problem == problem
        plain[held] = rows.reached[~held].mean()
        chance[held] = _share(fit_event(without(fitted, [str(problem)])).predict(rows.features[held])[:, 0])
    return runs, rows, chance, plain


def _event(every: Sequence[History]) -> Iterator[Figure]:
    runs, rows, chance, plain = _held_out(every)
    with_past = _with_past(runs, rows, chance)
    base = _brier(plain, rows.reached)
    note = f"{len(rows.run)} forecasts, base data sets held out; {_FITTED}"
    yield Figure("forecast, event", "Brier score of the base rate", base, None, False, note)
    yield Figure("forecast, event", "Brier score", _brier(chance, rows.reached), None, False, note)
    yield Figure("forecast, event", "Brier score over the base rate's", _brier(chance, rows.reached) / base, 0.78, False, note)
    yield Figure("forecast, event", "calibration error, 10 bins", _calibration(chance, rows.reached), 0.05, False, note)
    for cut in EVENT_CUTS:
        at = rows.cut == cut
        yield Figure("forecast, event", f"Brier score at {cut:.0%} of the budget", _brier(chance[at], rows.reached[at]), None, False, note)
    past = "past runs of the same workload by other submissions; " + note
    ratio = _brier(with_past, rows.reached) / base
    yield Figure("forecast, event", "Brier score over the base rate's, with history", ratio, 0.65, False, past)
    yield Figure("forecast, event", "calibration error, with history", _calibration(with_past, rows.reached), 0.05, False, past)


def _with_past(runs: Sequence[History], rows: Rows, chance: Array) -> Array:
    """Return the chances corrected by the other submissions' runs of the same workload; how, is chosen on other problems."""
    ways = list(itertools.product((0.15, 0.3, 0.6), (2.0, 4.0, 8.0)))
    told = [[corrected(own, *pair, *way) for way in ways] for own, pair in zip(chance, _past_pairs(runs, rows), strict=True)]
    every, out = np.array(told), np.empty(len(chance))
    missed = (every - rows.reached[:, None]) ** 2
    for problem in np.unique(rows.problem):
        held = rows.problem == problem
        out[held] = every[held, int(np.argmin(missed[~held].mean(axis=0)))]
    return out


def _past_pairs(runs: Sequence[History], rows: Rows) -> Iterator[tuple[Array, Array]]:
    task = defaultdict(list)
    for run in runs:
        past = Past.of(run.used, run.score, run.target)
        if past.known:
            task[run.workload].append((run.submission, past))
    for place, cut in zip(rows.run, rows.cut, strict=True):
        run = runs[place]
        seen = int(np.searchsorted(run.used, cut + 1e-9, "right"))
        now = Past.of(run.used[:seen], run.score[:seen], run.target)
        yield unlikeness(now, (past for submission, past in task[run.workload] if submission != run.submission))


def _value(runs: Sequence[History], every: Rows, statistic: str) -> Iterator[Figure]:
    rows = every.take(np.isin(every.cut, VALUE_CUTS) & np.isfinite(every.end(statistic)[1]))
    now, end = rows.end(statistic)
    ends = _ours(every, rows, statistic)
    others = {
        "last value and its noise": _noise(now, rows),
        "conformal around the last value": _conformal(rows, statistic),
        "one parametric curve": _power_law(runs, rows),
    }
    near = np.abs(end - now) < _FAR * rows.extent
    name = f"forecast, {'best value' if statistic == 'best' else 'last value'}"
    note = f"{len(end)} forecasts, problems held out; {_FITTED}"
    inside = (end >= ends[:, 0]) & (end <= ends[:, 2])
    yield Figure(name, "coverage of the 80 % interval, at least", float(inside.mean()), 0.75, True, note)
    yield Figure(name, "coverage of the 80 % interval, at most", float(inside.mean()), 0.85, False, note)
    each = {str(problem): float(inside[rows.problem == problem].mean()) for problem in np.unique(rows.problem)}
    listed = ", ".join(f"{problem} {share:.3f}" for problem, share in each.items())
    yield Figure(name, "lowest coverage in a problem", min(each.values()), 0.65, True, listed)
    yield Figure(name, "highest coverage in a problem", max(each.values()), 0.92, False, listed)
    for bench in np.unique(rows.bench):
        at = rows.bench == bench
        error, plain = (float(np.median((np.abs(end - mid) / rows.extent)[at])) for mid in (ends[:, 1], now))
        told = f"{error:.4f} against {plain:.4f} of the range seen so far; {note}"
        yield Figure(name, f"{bench}: median error over that of no change", error / plain, 0.9, False, told)
    scores = {other: _interval_score(given, end, rows)[near].mean() for other, given in others.items()}
    least = min(scores, key=lambda one: scores[one])
    score = float(_interval_score(ends, end, rows)[near].mean())
    told = "; ".join(f"{other} {value:.3f}" for other, value in scores.items()) + f"; {int((~near).sum())} diverged later, left out"
    yield Figure(name, "interval score over the best of three others", score / float(scores[least]), 1.0, False, told)


def _ours(every: Rows, rows: Rows, statistic: str) -> Array:
    jackknife, (now, _) = Jackknife(every, statistic), rows.end(statistic)
    ends = np.empty((len(now), 3))
    for problem in np.unique(rows.problem):
        trees, widen = jackknife.without(str(problem))
        held = rows.problem == problem
        ends[held] = bounds(trees.predict(rows.features[held]), widen, now[held], rows.scale[held], best=statistic == "best")
    return ends


def _noise(now: Array, rows: Rows) -> Array:
    reach = 1.2816 * rows.jitter
    return np.stack([now - reach, now, now + reach], axis=1)


def _conformal(rows: Rows, statistic: str) -> Array:
    """Return the last value with the quantiles of what came after it in the other problems."""
    now, end = rows.end(statistic)
    change, out = (end - now) / rows.extent, np.empty((len(now), 3))
    for problem in np.unique(rows.problem):
        held = rows.problem == problem
        told = [quantile(change[~held], weights(rows.take(~held)), level) for level in (0.1, 0.9)]
        out[held] = now[held, None] + np.array([told[0], 0.0, told[1]]) * rows.extent[held, None]
    return out


def _power_law(runs: Sequence[History], rows: Rows) -> Array:
    """Return the end of a power law with a limit, the best of a grid of powers by least squares, with the error of the fit."""
    out = np.empty((len(rows.run), 3))
    for at, (place, cut) in enumerate(zip(rows.run, rows.cut, strict=True)):
        run = runs[place]
        inside = run.used[run.used <= 1]
        used = inside / inside[-1]
        seen = int(np.searchsorted(used, cut + 1e-9, "right"))
        out[at] = _extrapolated(used[1:seen], run.score[1:seen])  # the first is before training
    return out


def _extrapolated(used: Array, score: Array) -> Array:
    found = []
    for power in (0.1, 0.25, 0.5, 1.0, 2.0):
        line = np.stack([np.ones(len(used)), np.maximum(used, 1e-6) ** -power], axis=1)
        fitted, *_ = np.linalg.lstsq(line, score, rcond=None)
        error = float(np.sqrt(np.mean((line @ fitted - score) ** 2)))
        found.append((error, float(fitted.sum())))
    error, end = min(found)
    return np.array([end - 1.2816 * error, end, end + 1.2816 * error])


def _interval_score(ends: Array, truth: Array, rows: Rows) -> Array:
    """Return Winkler's score in ranges of the values seen so far: width, and a penalty for each unit outside."""
    low, _, high = ends.T
    outside = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
    score: Array = (high - low + _PENALTY * outside) / rows.extent
    return score


def _share(odds: Array) -> Array:
    share: Array = 1 / (1 + np.exp(-odds))
    return share


def _brier(chance: Array, reached: Array) -> float:
    return float(np.mean((chance - reached) ** 2))


def _calibration(chance: Array, reached: Array) -> float:
    """Return the mean distance between what was said and what happened, in ten bins of the chance, by their rows."""
    bins = _bins(chance)
    return float(sum(abs((chance - reached)[bins == one].sum()) for one in range(10)) / len(chance))


def _bins(chance: Array) -> npt.NDArray[np.int64]:
    return np.minimum((chance * 10).astype(np.int64), 9)
