"""What the rules look at: one run's findings, criteria and budget, and what the other runs showed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model.finding import Severity, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from trainreport.business.budget import BudgetLine
    from trainreport.decisions.criteria import Judgement
    from trainreport.model.case import Case
    from trainreport.model.decision import Checkpoint, CriterionResult
    from trainreport.model.finding import Finding, Outcome
    from trainreport.model.ledger import Forecast
    from trainreport.model.plan import Criterion

__all__ = ["Facts"]

_BARELY_BEGUN = 0.1
"""A run that did less than a tenth of the planned steps has barely begun."""
_ENDED_NON_FINITE = 0.5
"""More than half of the last points without a number: the run ended broken, it did not stumble."""
_LIKELY = 0.5
"""From here on the target is foretold to be reached."""
_REGULARISERS = ("dropout", "weight_decay", "l2", "augment", "label_smoothing", "early_stopping", "mixup", "cutmix")


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Everything that a rule may ask."""

    case: Case
    judgement: Judgement
    outcomes: tuple[Outcome, ...]
    budget: tuple[BudgetLine, ...]
    as_of: datetime | None
    others: tuple[tuple[Mapping[str, str], frozenset[str]], ...] = ()
    """Of each other run: its parameters, and the codes found on it."""
    common: tuple[Outcome, ...] = ()
    """What was found on several runs together."""

    @property
    def best(self) -> Checkpoint | None:
        """The checkpoint that the run is judged at."""
        return self.judgement.best

    @property
    def findings(self) -> list[Finding]:
        """All findings, gravest first."""
        found = [finding for outcome in (*self.outcomes, *self.common) for finding in outcome.findings]
        return sorted(found, key=lambda one: (-one.severity, one.code, one.node or "", one.device or ""))

    @property
    def open_major(self) -> list[Finding]:
        """Major and critical findings that nobody accepted."""
        return [one for one in self.findings if one.severity >= Severity.MAJOR and not self.accepted(one.code)]

    @property
    def missed(self) -> list[CriterionResult]:
        """Mandatory criteria that were measured and missed."""
        return [one for one in self.judgement.mandatory if one.state == "missed"]

    @property
    def not_measured(self) -> list[CriterionResult]:
        """Mandatory criteria that could not be measured."""
        return [one for one in self.judgement.mandatory if one.state == "not-measured"]

    @property
    def all_met(self) -> bool:
        """Whether there are mandatory criteria and all are met."""
        return self.judgement.all_met

    @property
    def overruns(self) -> list[BudgetLine]:
        """The budget lines that are over."""
        return [line for line in self.budget if line.over]

    @property
    def over_money(self) -> bool:
        """Whether more money was spent than agreed."""
        return any(line.name == "money" for line in self.overruns)

    @property
    def has_held_out(self) -> bool:
        """Whether anything with a known direction was measured on data not trained on."""
        return bool(self.case.quality_series())

    @property
    def only_hardware(self) -> bool:
        """Whether the logs hold nothing but the hardware's."""
        return bool((self.case.log.frame["phase"] == "system").all())

    @property
    def ended_non_finite(self) -> bool:
        """Whether the numbers were broken at the end of the run, by the second evidence of TR106."""
        return any(
            evidence.statistic.startswith("share of non-finite values in the last") and evidence.value > _ENDED_NON_FINITE
            for finding in self.found("TR106")
            for evidence in finding.evidence
        )

    @property
    def forecast(self) -> Forecast | None:
        """What is foretold of the plan's target."""
        return self.case.ledger.forecast

    @property
    def target_likely(self) -> bool | None:
        """Whether the target is more likely reached than not within budget and deadline; None where nothing foretells it."""
        chance = None if self.forecast is None else self.forecast.probability
        return None if chance is None else chance >= _LIKELY

    @property
    def still_improving(self) -> bool:
        """Whether the last third of the run still gained: no plateau where one was looked for, or TR113."""
        flat = next((one for one in self.outcomes if one.code == "TR104"), None)
        return bool(self.found("TR113")) or (flat is not None and flat.state is State.CLEAR)

    @property
    def barely_begun(self) -> bool:
        """Whether the plan foresees far more steps than the run has done."""
        planned, best = self.case.plan.training.steps, self.best
        return planned is not None and best is not None and best.last_step < _BARELY_BEGUN * planned

    @property
    def regularised(self) -> bool:
        """Whether the parameters show that something against overfitting was in place."""
        return any(_is_on(value) for key, value in self.case.log.run.params.items() if any(word in key.lower() for word in _REGULARISERS))

    def found(self, code: str) -> list[Finding]:
        """Return the findings of a code."""
        return [finding for outcome in (*self.outcomes, *self.common) if outcome.code == code for finding in outcome.findings]

    def seen_elsewhere(self, codes: Sequence[str]) -> int:
        """Return the number of other runs with different parameters on which one of the codes was found."""
        mine = dict(self.case.log.run.params)
        return sum(bool(found & set(codes)) and (not mine or dict(params) != mine) for params, found in self.others)

    def accepted(self, code: str) -> bool:
        """Whether the plan accepts a code as of now."""
        return any(one.code == code and (self.as_of is None or self.as_of.date() <= one.until) for one in self.case.plan.accepted)

    def criterion(self, result: CriterionResult) -> Criterion:
        """Return the plan's criterion behind a result."""
        return next(one for one in self.case.plan.criteria if one.id == result.id)


def _is_on(value: str) -> bool:
    text = value.strip().lower()
    try:
        return float(text) != 0.0
    except ValueError:
        return text not in ("", "false", "none", "off", "no", "null")
