"""TR404: unpruned search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.family import runs_of, spend, varied
from trainreport.detectors.search import kind_of_search, replay
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case, Sibling


class UnprunedSearch(Detector):
    """A search over settings ran every trial to its end.

    What it checks
    --------------
    Runs with different parameters that are judged by the same series: whether any was ended early, and what the median stopping rule
    would have spared.

    Why it matters
    --------------
    Most trials of a search are clearly behind after a third of their length. Ending them there frees a good part of the money, at
    little risk for the best one.

    How it decides
    --------------
    The rule is replayed: from three tenths of the longest run on, at each tenth, a run ends when its best value so far is worse than
    the median of the others' at the same step. It is a finding when no more than a quarter of the runs was ended early in fact, the
    rule would have spared at least 20 % of the spending, and the best run would have survived it. A grid is told from the values: all
    combinations of few of them.

    What to do
    ----------
    - Use a pruner: Optuna's MedianPruner or Hyperband, Ray Tune's ASHA.
    - Begin with a small pilot: fewer steps, less data, several settings.

    Limits
    ------
    The rule is replayed on the past; another search may have late winners. Runs of different length on purpose look pruned.

    References
    ----------
    - Golovin et al., Google Vizier: A Service for Black-Box Optimization, KDD 2017 (median stopping rule).
    - Li et al., Hyperband, JMLR 18 (2018).
    """

    code = "TR404"
    name = "unpruned-search"
    severity = Severity.MINOR
    needs = ("five or more runs with different parameters",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR404."""

        runs: float = threshold(5, unit="runs", why="Fewer are no search.", low=4, high=10000, source="convention")
        from_share: float = threshold(
            0.3, unit="share", why="Of the longest run; before it curves cross.", low=0.1, high=0.9, source="Hyperband keeps a third"
        )
        saved: float = threshold(0.2, unit="share", why="Of the spending; less is not worth a rule.", low=0, high=1, source="convention")
        pruned: float = threshold(0.25, unit="share", why="Of the runs; more ended early is pruned.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge all runs."""
        found = runs_of(case)
        runs = [] if found is None else [one for one in found.every if one.course]
        settings = varied(runs)
        if found is None or len(runs) < limits.runs or not settings:
            return self.not_applicable(
                f"{words.plural(len(runs), 'run')} with a curve; a search has at least {limits.runs:g} that differ in a parameter"
            )
        costs = [spend(one) for one in runs]
        if None in costs or not sum(cost or 0.0 for cost in costs):
            return self.not_applicable("what each run took is not known")
        kind, longest = kind_of_search(runs, settings), max(one.course[-1][0] for one in runs)
        early = sum(one.course[-1][0] < 0.75 * longest for one in runs) / len(runs)
        if early > limits.pruned:
            return self.clear(f"{words.share(early)} of the {len(runs)} runs of this {kind} ended early")
        replayed = replay(runs, found.sign, limits.from_share)
        saved = sum((cost or 0.0) * (1 - share) for cost, share in zip(costs, replayed, strict=True)) / sum(cost or 0.0 for cost in costs)
        if replayed[max(range(len(runs)), key=lambda at: found.sign * (runs[at].best_value or 0.0))] < 1:
            return self.clear(f"the median stopping rule would have ended the best of the {len(runs)} runs of this {kind}")
        if saved < limits.saved:
            return self.clear(f"the median stopping rule would have spared {words.share(saved)} of this {kind}")
        return self.found(self._finding(runs, replayed, kind, saved, limits))

    def _finding(self, runs: list[Sibling], replayed: list[float], kind: str, saved: float, limits: Thresholds) -> Finding:
        ended = sum(share < 1 for share in replayed)
        hours = [one.gpu_hours for one in runs]
        spared = None if None in hours else sum((one or 0.0) * 3600 * (1 - share) for one, share in zip(hours, replayed, strict=True))
        method = f"replayed from {limits.from_share:g} of the length on"
        return self.finding(
            f"The {words.count(len(runs))} runs of this {kind} went to their end; the median stopping rule would have ended "
            f"{words.count(ended)} of them early, spared {words.share(saved)} of the spending, and kept the best.",
            evidence=(
                Evidence("spending spared by the median stopping rule", saved, "1", method, len(runs)),
                Evidence("runs that it would have ended", float(ended), "1", "best so far worse than the median of the others", len(runs)),
            ),
            action=Action("Use a pruner in the next search, after a small pilot.", "ML engineer", "a day"),
            confidence=Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=spared),
        )


DETECTOR = UnprunedSearch()
