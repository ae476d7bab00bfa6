"""Adds up results, one table of lines at a time; what it holds grows with the number of teams and months, hardly with that of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from trainreport.batches.courses import Courses
from trainreport.batches.dataset import amounts, each_finding
from trainreport.batches.sums import Month, Parts, Sum, grouped
from trainreport.model.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.float64]

__all__ = ["MOST", "OUTSIDE", "Tally", "amount_of"]

MOST = 50
"""How many runs a list shows."""
OUTSIDE = "TR507"
_COMMON = "4"  # first digit of codes that only several runs show: what they wasted is no single run's


def amount_of(told: dict[str, str]) -> Money:
    """Return the cost that a line tells."""
    return Money(Decimal(told["amount"]), told["currency"])


class _Dearest:
    """The runs of a kind that took most: by cost, then GPU-hours, then the first in the file."""

    def __init__(self) -> None:
        self._best: list[tuple[float, float, int, dict[str, Any]]] = []

    def add(self, found: pa.Table, entry: Callable[[int], dict[str, Any]]) -> None:
        """Add what `found` has in cost, gpu_hours and place; `entry` gives the line of one of its rows."""
        import numpy as np

        cost, hours, place = -_numbers(found["cost"]), -_numbers(found["gpu_hours"]), found["place"].to_numpy()
        for at in np.lexsort((place, hours, cost))[:MOST]:
            rank = (float(cost[at]), float(hours[at]), int(place[at]))
            if len(self._best) == MOST and rank > self._best[-1][:3]:
                break
            self._best = sorted([*self._best, (*rank, entry(int(at)))], key=lambda one: one[:3])[:MOST]

    def listed(self) -> list[dict[str, Any]]:
        """Return their lines, the dearest first."""
        return [entry for *_, entry in self._best]


@dataclass(slots=True)
class Tally:
    """What a portfolio says."""

    all: Sum = field(default_factory=Sum)
    verdicts: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    steps: Counter[str] = field(default_factory=Counter)
    codes: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    """What the runs with a finding took."""
    wasted: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    """What a finding says was wasted; only where it says so."""
    buckets: Parts = field(default_factory=Parts)
    """Where the paid time went."""
    months: dict[str, Month] = field(default_factory=lambda: defaultdict(Month))
    """By ``2026-11``."""
    owners: dict[tuple[str, str], Month] = field(default_factory=lambda: defaultdict(Month))
    """By team and project; empty texts where none is named."""
    series: _Dearest = field(default_factory=_Dearest)
    """The runs that lead a series in which the last runs gained nothing."""
    offenders: _Dearest = field(default_factory=_Dearest)
    """Runs with what their dearest finding says was wasted."""
    refused: _Dearest = field(default_factory=_Dearest)
    """Runs with a no-go."""
    outside: _Dearest = field(default_factory=_Dearest)
    """Runs that no plan covers."""
    courses: Courses = field(default_factory=Courses)
    failed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Path and reason of the first of them."""
    versions: set[str] = field(default_factory=set)
    _seen: int = 0

    def add(self, table: pa.Table) -> None:
        """Add lines, as `lines.tables` gives them."""
        import pyarrow.compute as pc

        self.versions.update(pc.unique(table["version"]).to_pylist())
        self._add_failures(table.filter(pc.is_valid(table["error"])))
        lines = table.filter(pc.is_null(table["error"]))
        runs = _runs(lines, self._seen)
        self._seen += len(lines)
        self._add_judgements(lines, runs)
        self._add_codes(lines, runs)
        self.buckets.add(lines["goodput"], runs)
        self._add_waste(lines, runs)
        self._add_series(lines, runs)
        self.courses.add(lines["path"], runs)

    def _add_failures(self, lines: pa.Table) -> None:
        self.failed += len(lines)
        first = lines.select(["path", "error"]).slice(0, MOST - len(self.failures)).to_pylist()
        self.failures += [(one["path"], one["error"]) for one in first]

    def _add_judgements(self, lines: pa.Table, runs: pa.Table) -> None:
        import pyarrow.compute as pc

        for row in grouped(runs, "verdict"):
            self.all.add(row)
            self.verdicts[row["verdict"]].add(row)
        for one in pc.value_counts(runs["next_step"]).to_pylist():
            self.steps[one["values"]] += one["counts"]
        for row in grouped(runs, "month", "refused"):
            if row["month"]:
                self.months[row["month"]].add(row)
        for row in grouped(runs, "team", "project", "refused"):
            self.owners[row["team"], row["project"]].add(row)
        self._add_dearest(self.refused, lines, runs, runs["refused"])

    def _add_codes(self, lines: pa.Table, runs: pa.Table) -> None:
        import numpy as np
        import pyarrow.compute as pc

        codes = lines["codes"].combine_chunks()
        of_run, each = pc.list_parent_indices(codes), pc.list_flatten(codes)
        for row in grouped(runs.select(["gpu_hours", "cost", "currency"]).take(of_run).append_column("code", each), "code"):
            self.codes[row["code"]].add(row)
        outside = np.zeros(len(lines), dtype=np.bool_)
        outside[of_run.filter(pc.equal(each, OUTSIDE)).to_numpy()] = True
        self._add_dearest(self.outside, lines, runs, outside)

    def _add_waste(self, lines: pa.Table, runs: pa.Table) -> None:
        """Add what each finding says was wasted, and each run by its dearest finding of its own."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        of_run, each = each_finding(lines)
        told = {name: pc.struct_field(each, name) for name in ("code", "gpu_hours")}
        found = pa.table({**told, **amounts(pc.struct_field(each, "cost")), "at": np.arange(len(each)), "run": of_run})
        found = found.filter(pc.or_(pc.is_valid(found["cost"]), pc.greater(pc.fill_null(found["gpu_hours"], 0.0), 0.0)))
        for row in grouped(found, "code"):
            self.wasted[row["code"]].add(row)
        found = found.filter(pc.not_equal(pc.utf8_slice_codeunits(found["code"], 2, 3), _COMMON))
        cost, hours, run = _numbers(found["cost"]), _numbers(found["gpu_hours"]), found["run"].to_numpy()
        order = np.lexsort((-hours, -cost, run))
        order = order[(cost[order] > 0) | ((cost[order] == 0) & (hours[order] > 0))]
        dearest = found.take(order[np.unique(run[order], return_index=True)[1]])
        dearest = dearest.append_column("place", runs["place"].take(dearest["run"]))

        def entry(at: int) -> dict[str, Any]:
            return {**_line(lines, dearest["run"][at].as_py()), "findings": [each[dearest["at"][at].as_py()].as_py()]}

        self.offenders.add(dearest, entry)

    def _add_series(self, lines: pa.Table, runs: pa.Table) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        led = pc.is_valid(lines["series"])
        spent = amounts(pc.struct_field(lines["series"], "spent"))["cost"]
        nothing = pa.nulls(len(lines), pa.float64())
        self._add_dearest(self.series, lines, pa.table({"cost": spent, "gpu_hours": nothing, "place": runs["place"]}), led)

    @staticmethod
    def _add_dearest(among: _Dearest, lines: pa.Table, runs: pa.Table, which: Any) -> None:
        some = lines.filter(which)
        among.add(runs.filter(which), lambda at: _line(some, at))


def _runs(lines: pa.Table, first: int) -> pa.Table:
    """Return what runs are grouped by, and what they took."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    ended = pc.fill_null(lines["ended_at"], "")
    return pa.table(
        {
            **{name: lines[name] for name in ("verdict", "next_step", "gpu_hours")},
            **amounts(lines["cost"]),
            **{name: pc.fill_null(lines[name], "") for name in ("team", "project")},
            "ended": ended,
            "month": pc.utf8_slice_codeunits(ended, 0, 7),
            "refused": pc.fill_null(pc.equal(lines["verdict"], "no-go"), False),
            "place": np.arange(first, first + len(lines)),
        }
    )


def _numbers(column: Any) -> Numbers:
    """Return amounts to sort by; what is not known is nothing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    found: Numbers = np.asarray(pc.fill_null(pc.cast(column, pa.float64()), 0.0).to_numpy())
    return found


def _line(lines: pa.Table, at: int) -> dict[str, Any]:
    found: dict[str, Any] = lines.slice(at, 1).to_pylist()[0]
    return found
