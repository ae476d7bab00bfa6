"""Parallel parameters: each set of settings as a line through its values to what it gave, the best ones set off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Figure
from trainreport.reports.parts import ranking
from trainreport.reports.spec import Axis, FigureSpec, Line, Mark, Panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.reports.comparison import Comparison, Group
    from trainreport.reports.spec import Tone
    from trainreport.reports.view import View

__all__ = ["build"]

_FEWEST_GROUPS, _FEWEST_SETTINGS = 5, 2
_MOST_SETTINGS = 5
_BEST_SHARE, _MOST_BEST = 0.1, 12
_MOST_LINES = 120
_WIDTH_MM, _HEIGHT_MM = 172.0, 58.0


def build(view: View, found: Comparison) -> Figure | None:
    """Return the chart; None where too few settings differ to see a pattern."""
    groups = found.groups
    if len(groups) < _FEWEST_GROUPS or len(found.differing) < _FEWEST_SETTINGS or view.best is None:
        return None
    axes = _axes(groups)
    named = [words.label("parallel.axis", name=words.short(name, 16), low=low, high=high) for name, low, high in _ends(view, groups, axes)]
    best = min(_MOST_BEST, max(2, round(_BEST_SHARE * len(groups))))
    drawn = _spread([*range(len(groups))][best:], _MOST_LINES)
    lines = [_line(axes, at, "second") for at in reversed(drawn)] + [_line(axes, at, "accent") for at in reversed(range(best))]
    panel = Panel(
        (*_rules(len(axes)), *lines),
        Axis(low=0.0, high=1.0, places=((0.0, words.label("parallel.lowest")), (1.0, words.label("parallel.highest")))),
        marks=tuple(Mark(float(x), places[0]) for x, (_, places) in enumerate(axes)),
    )
    spec = FigureSpec((panel,), Axis(places=tuple(enumerate(named)), low=0.0, high=len(axes) - 1.0), _WIDTH_MM, _HEIGHT_MM)
    left_out = len(groups) - best - len(drawn)
    more = f" {words.counted('parallel.left_out', left_out)}" if left_out else ""
    unnamed = len(found.differing) - len(axes) + 1
    more += f" {words.counted('parallel.fewer', unnamed)}" if unnamed else ""
    return Figure(
        "parallel",
        _title(groups, best),
        spec,
        f"{words.label('parallel.caption', best=words.count(best), n=words.count(len(groups)), first=_first(view, groups[0]))}{more}",
        words.label("parallel.alt", n=words.count(len(groups)), names=words.joined([name for name, _ in axes[:-1]])),
    )


def _axes(groups: Sequence[Group]) -> list[tuple[str, list[float]]]:
    """Return the settings that tell most of the outcome, and the outcome last, each with the place of each group from 0 to 1."""
    outcome = [1.0 - at / (len(groups) - 1) for at in range(len(groups))]  # they come best first
    found = [(name, _places([dict(group.settings)[name] for group in groups])) for name, _ in groups[0].settings]
    telling = sorted(found, key=lambda one: -_told(one[1], outcome))[:_MOST_SETTINGS]
    return [*telling[::-1], ("", outcome)]


def _places(values: Sequence[str]) -> list[float]:
    """Return where each value stands among the different ones, at even distances from 0 to 1."""
    order = _ordered(values)
    at = {value: place / max(len(order) - 1, 1) for place, value in enumerate(order)}
    return [at[value] for value in values]


def _ordered(values: Sequence[str]) -> list[str]:
    """Return the different values: numbers by size, and words by the alphabet after them."""

    def key(value: str) -> tuple[bool, float, str]:
        try:
            return False, float(value), ""
        except ValueError:
            return True, 0.0, value

    return sorted(set(values), key=key)


def _told(places: Sequence[float], outcome: Sequence[float]) -> float:
    """Return which share of the outcome's variation lies between the values of a setting, many values taken in five steps."""
    import numpy as np

    by, result = np.round(np.asarray(places) * 4) if len(set(places)) > 5 else np.asarray(places), np.asarray(outcome)
    between = sum((by == value).sum() * (result[by == value].mean() - result.mean()) ** 2 for value in np.unique(by))
    whole = float(((result - result.mean()) ** 2).sum())
    return float(between) / whole if whole else 0.0


def _ends(view: View, groups: Sequence[Group], axes: Sequence[tuple[str, list[float]]]) -> list[tuple[str, str, str]]:
    """Return the name of each axis with what stands at its two ends."""
    assert view.best is not None
    told = []
    for name, _ in axes[:-1]:
        order = _ordered([dict(group.settings)[name] for group in groups])
        told.append((name, words.short(order[0], 10), words.short(order[-1], 10)))
    return [*told, (words.series_name(view.best.series), ranking.said(view, groups[-1].mean), ranking.said(view, groups[0].mean))]


def _line(axes: Sequence[tuple[str, list[float]]], at: int, tone: Tone) -> Line:
    import numpy as np

    return Line(np.arange(len(axes), dtype=np.float64), np.array([places[at] for _, places in axes]), "", tone, "faint")


def _rules(n: int) -> tuple[Line, ...]:
    """Return the axes themselves."""
    import numpy as np

    return tuple(Line(np.array([x, x], dtype=np.float64), np.array([0.0, 1.0]), "", "ink", "faint") for x in range(n))


def _first(view: View, group: Group) -> str:
    return f"{ranking.settings_text(group.settings)}: {ranking.said(view, group.mean)}"


def _spread(places: list[int], most: int) -> list[int]:
    """Return at most so many of the places, evenly taken."""
    return places if len(places) <= most else [places[at * len(places) // most] for at in range(most)]


def _title(groups: Sequence[Group], best: int) -> str:
    """Return what the best settings share that not all do."""
    top = [dict(group.settings) for group in groups[:best]]
    shared = [(name, value) for name, value in groups[0].settings if all(one[name] == value for one in top)]
    if shared:
        return words.label(
            "parallel.share", best=words.count(best), n=words.count(len(groups)), settings=ranking.settings_text(tuple(shared))
        )
    return words.label("parallel.share_none", best=words.count(best), n=words.count(len(groups)))
