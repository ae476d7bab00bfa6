"""TR307: compute threshold near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.flop import is_bound, thresholds, two_figures
from trainreport.business.lineage import ancestors
from trainreport.detectors import spending
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.business.flop import Threshold
    from trainreport.model.case import Case

_ROUGH = 0.30
"""An estimate of compute is taken to be right within this."""


class ComputeThresholdNear(Detector):
    """The training compute comes near, or passes, an amount from which the law asks for more.

    What it checks
    --------------
    The floating-point operations of this run, of all runs given that began before it, and of the earlier runs that the plan names under
    [[lineage]], beside a dated table of thresholds: 1e23 and 1e25 in the European Union, 1e26 in California and New York.

    Why it matters
    --------------
    Passing a threshold brings duties with deadlines: documentation, notice to an authority within two weeks, safety testing. Cumulative
    means over the lineage of a model: what it was resumed, tuned or distilled from counts.

    How it decides
    --------------
    Compute is as logged, else six operations a parameter and token, else at most what the GPUs could do. Above a threshold is major; above
    a third of one, the share from which the EU counts a modification, is minor. Confidence is low for an upper bound, and medium within
    30 % of the threshold, for no estimate is better.

    What to do
    ----------
    - Have the lawyers check whether the threshold applies to this kind of model before more is trained.
    - Keep the figure, its method and the list of runs with the documentation of the model.

    Limits
    ------
    Runs that are neither given nor named by the plan are not in the sum; runs that are given but are of another model are. A
    resumed run that logs a running total counts what came before twice. This is no legal advice.

    References
    ----------
    - Regulation (EU) 2024/1689, Art. 51 and 52; Commission guidelines on general-purpose AI models, C(2025) 7719.
    - California SB 53; New York RAISE Act, General Business Law 1420.
    """

    code = "TR307"
    name = "compute-threshold-near"
    severity = Severity.MAJOR
    needs = ("total_flos in the logs; or model_parameters and tokens in the plan; or GPUs of a known model",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR307."""

        near: float = threshold(
            1 / 3, unit="share", why="From here on a threshold is near.", low=0.01, high=1, source="EU guidelines: a third makes a modifier"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        own = case.ledger.flop
        if own is None:
            return self.not_applicable(f"the training compute is {case.ledger.basis.get('flop', 'not known')}")
        before = [one.flop for one in spending.earlier(case) if one.flop is not None]
        before += [one.flop for one in ancestors(case.plan, case.family.names | {case.log.run.id, case.log.run.name})]
        total, every = own + sum(before), thresholds()
        reached = [one for one in every if total > limits.near * one.flop]
        if not reached:
            share = words.share(total / every[0].flop)
            return self.clear(f"{_amount(total)}, {share} of the lowest threshold of {_amount(every[0].flop)}")
        return self.found(self._finding(case, _Sum(total, len(before)), reached, limits))

    def _finding(self, case: Case, total: _Sum, reached: list[Threshold], limits: Thresholds) -> Finding:
        highest, bound = reached[-1].flop, is_bound(case.ledger)
        share, below = total.flop / highest, [one.flop for one in reached if one.flop < min(highest, total.flop)]
        whose = "This run" if not total.before else f"This run and the {words.plural(total.before, 'run')} before it"
        names = [f"{one.jurisdiction} ({one.name}, from {one.since.isoformat()})" for one in reached if one.flop == highest]
        also = f"; that of {_amount(max(below))} is passed" if below and share <= 1 else ""
        return self.finding(
            f"{whose} took {'at most' if bound else 'about'} {_amount(total.flop)} of training compute and "
            f"{'passed' if share > 1 else 'came near'} the threshold of {_amount(highest)}: {words.joined(names)}{also}.",
            evidence=(
                Evidence("training compute", two_figures(total.flop), "FLOP", case.ledger.basis.get("flop", ""), total.before + 1),
                Evidence("share of the threshold", share, "1", reached[-1].source, total.before + 1),
            ),
            action=Action("Have it checked which duties apply before more is trained, and keep figure and method.", "Data lead", "a day"),
            confidence=Confidence.LOW if bound else Confidence.MEDIUM if abs(share - 1) <= _ROUGH else Confidence.HIGH,
            limits=limits,
            severity=None if share > 1 or below else Severity.MINOR,
        )


class _Sum(NamedTuple):
    """Training compute up to a run."""

    flop: float
    before: int
    """Runs before it that are in the sum."""


def _amount(flop: float) -> str:
    return f"{words.number(flop, 2)} FLOP"


DETECTOR = ComputeThresholdNear()
