"""Training compute over the whole lineage of a model: the runs given, and those that the plan names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.flop import is_bound, thresholds, two_figures
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.business.flop import Threshold
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Ancestor, Plan
    from trainreport.model.run import Run

__all__ = ["Lineage", "ancestors", "lineage"]


class Lineage(NamedTuple):
    """The sum, and what it stands beside."""

    flop: float
    """Two significant figures."""
    bound: bool
    """Whether a part of it is an upper bound only."""
    runs: int
    """Runs given whose compute is known."""
    unknown: int
    """Runs given whose compute is not known."""
    before: tuple[Ancestor, ...]
    """Named by the plan and not given."""
    method: str

    def beside(self) -> list[tuple[Threshold, float]]:
        """Return each threshold of the dated table with the sum as a share of it."""
        return [(one, self.flop / one.flop) for one in thresholds()]


def ancestors(plan: Plan, given: Iterable[str]) -> tuple[Ancestor, ...]:
    """Return the earlier runs of the plan that are not among those given, by id or name: each counts once."""
    known = set(given)
    return tuple(one for one in plan.lineage if one.name not in known)


def lineage(taken: Sequence[tuple[Run, Ledger]], plan: Plan) -> Lineage | None:
    """Return the compute of the runs given and of those that the plan names, None where nothing is known of either."""
    before = ancestors(plan, (name for run, _ in taken for name in (run.id, run.name)))
    known = [ledger for _, ledger in taken if ledger.flop is not None]
    if not known and not before:
        return None
    total = sum(one.flop or 0.0 for one in known) + sum(one.flop for one in before)
    bound = any(is_bound(one) for one in known)
    methods = list(dict.fromkeys(one.basis.get("flop", "not recorded") for one in known))
    said = [f"{words.plural(len(known), 'run')} given ({words.joined(methods, 2)})"] if known else []
    said += (
        [f"{words.plural(len(before), 'earlier run')} by the plan ({words.joined([one.source for one in before], 3)})"] if before else []
    )
    return Lineage(two_figures(total), bound, len(known), len(taken) - len(known), before, f"sum of {words.joined(said)}")
