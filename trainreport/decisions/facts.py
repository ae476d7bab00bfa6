"""What the rules look at: one run's findings, criteria and budget, and what the other runs showed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from trainreport.decisions.troubles import TROUBLES, holds_back
from trainreport.detectors.facts_of_run import progress_of_plan
from trainreport.detectors.family import settings
from trainreport.model.finding import Severity, State
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trainreport.business.budget import BudgetLine
    from trainreport.decisions.criteria import Judgement
    from trainreport.detectors.facts_of_run import PlanProgress
    from trainreport.model.case import Case
    from trainreport.model.decision import Checkpoint, CriterionResult
    from trainreport.model.finding import Finding, Outcome
    from trainreport.model.ledger import Forecast
    from trainreport.model.plan import Criterion

__all__ = ["Facts", "Told", "Trained"]

_BARELY_BEGUN = 0.1
"""A run that did less than a tenth of the planned steps or epochs has barely begun."""
_RISING = 5
"""Evaluations from which on a best value at the very end says that a run still improves."""
_ENDED_NON_FINITE = 0.5
"""More than half of the last points without a number: the run ended broken, it did not stumble."""
_LIKELY = 0.5
"""From here on the target is foretold to be reached."""
_REGULARISERS = ("dropout", "weight_decay", "l2", "augment", "label_smoothing", "early_stopping", "mixup", "cutmix")


class Trained(NamedTuple):
    """What one run that trained shows to the others."""

    params: Mapping[str, str]
    codes: frozenset[str]
    """Found on it, without learning trouble too small to explain a missed target."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Told:
    """What all runs of an assessment that trained show, for each of them to be set against."""

    every: tuple[Trained, ...] = ()

    def settings_with(self, codes: tuple[str, ...]) -> Counter[frozenset[tuple[str, str]]]:
        """Return with which settings one of the codes was found, and on how many runs; a seed is no setting."""
        return _settings_with(self, codes)


@remembered
def _settings_with(told: Told, codes: tuple[str, ...]) -> Counter[frozenset[tuple[str, str]]]:
    return Counter(frozenset(settings(one.params).items()) for one in told.every if not one.codes.isdisjoint(codes))


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Everything that a rule may ask."""

    case: Case
    judgement: Judgement
    outcomes: tuple[Outcome, ...]
    budget: tuple[BudgetLine, ...]
    as_of: datetime | None
    told: Told = field(default_factory=Told)
    """What the runs show to each other, this one among them."""
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
    def broke_down(self) -> bool:
        """Whether the run ended broken or diverged: plain enough without a target, and however short it was."""
        return self.ended_non_finite or bool(self.found("TR105"))

    @property
    def trouble(self) -> Finding | None:
        """What explains most why the target was missed. A simple model not beaten yet is none while the run is on its way."""
        grave = (one for code in TROUBLES for one in self.found(code) if holds_back(one))
        return next((one for one in grave if one.code != "TR403" or not self.on_its_way), None)

    @property
    def forecast(self) -> Forecast | None:
        """What is foretold of the plan's target."""
        return self.case.ledger.forecast

    @property
    def target_likely(self) -> bool | None:
        """Whether the target is more likely reached than not within budget and deadline; None where nothing foretells it."""
        chance = None if self.forecast is None else self.forecast.probability
        if chance is None:
            return False if self.plan_used_up else None
        return chance >= _LIKELY

    @property
    def still_improving(self) -> bool:
        """Whether the last third of the run still gained (no plateau, or TR113); where it is too short for that, its end is its best."""
        flat = next((one for one in self.outcomes if one.code == "TR104"), None)
        if flat is not None and flat.state is State.NOT_APPLICABLE:
            best = self.best
            return best is not None and best.evaluations >= _RISING and best.step == best.last_step
        return bool(self.found("TR113")) or (flat is not None and flat.state is State.CLEAR)

    @property
    def on_its_way(self) -> bool:
        """Whether the target is missed as yet, and on course to be reached within budget and deadline."""
        return bool(self.missed and self.still_improving and self.target_likely and not self.overruns)

    @property
    def plan_progress(self) -> PlanProgress | None:
        """How much of the planned steps or epochs was done; None where no length was planned."""
        return progress_of_plan(self.case)

    @property
    def plan_used_up(self) -> bool:
        """Whether all planned steps or epochs are done."""
        return self.plan_progress is not None and self.plan_progress.share >= 1

    @property
    def barely_begun(self) -> bool:
        """Whether the plan foresees far more steps or epochs than the run has done."""
        return self.plan_progress is not None and self.plan_progress.share < _BARELY_BEGUN

    @property
    def broke_off(self) -> bool:
        """Whether the run ended before it was done: failed, killed, or stopped without a word."""
        return self.case.log.run.status in ("failed", "killed") or (self.case.log.run.status == "unknown" and bool(self.found("TR006")))

    @property
    def regularised(self) -> bool:
        """Whether the parameters show that something against overfitting was in place."""
        return any(_is_on(value) for key, value in self.case.log.run.params.items() if any(word in key.lower() for word in _REGULARISERS))

    def found(self, code: str) -> list[Finding]:
        """Return the findings of a code."""
        return [finding for outcome in (*self.outcomes, *self.common) if outcome.code == code for finding in outcome.findings]

    @property
    def own(self) -> Trained:
        """What this run shows to the others."""
        findings = [finding for outcome in self.outcomes for finding in outcome.findings]
        return Trained(self.case.log.run.params, frozenset(one.code for one in findings if one.code not in TROUBLES or holds_back(one)))

    def settings_elsewhere(self, codes: tuple[str, ...]) -> int:
        """Return with how many other settings one of the codes was found; a run of unknown settings counts as one, a seed as none."""
        found, mine = self.told.settings_with(codes), frozenset(settings(self.own.params).items())
        unknown = found[frozenset()]
        if not mine and unknown and not self.own.codes.isdisjoint(codes):
            unknown -= 1  # itself
        return sum(1 for one in found if one and one != mine) + unknown

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
