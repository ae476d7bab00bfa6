"""Runs, plan and ledgers to an assessment: the last arrow before the outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport import _version, detectors
from trainreport.business.budget import budget_lines
from trainreport.business.ledger import ledgers, together
from trainreport.decisions import what_ifs
from trainreport.decisions.course import course
from trainreport.decisions.criteria import judge
from trainreport.decisions.facts import Facts, Told
from trainreport.decisions.family import families, leading_run
from trainreport.decisions.impact import priced
from trainreport.decisions.verdict import decide
from trainreport.errors import PlanError, UsageError
from trainreport.model.case import Case
from trainreport.model.decision import Assessment, Portfolio, RunAssessment
from trainreport.model.digest import inputs_digest
from trainreport.model.finding import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from trainreport.business.billing import Invoice
    from trainreport.business.grid import Grid
    from trainreport.detectors import Detector
    from trainreport.model.decision import Skipped
    from trainreport.model.finding import Outcome
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Plan
    from trainreport.model.redaction import Redaction
    from trainreport.model.run import RunLog

__all__ = ["assess", "check_currency", "last_time"]


def assess(
    logs: Sequence[RunLog],
    plan: Plan,
    *,
    skipped: Sequence[Skipped] = (),
    as_of: datetime | None = None,
    invoice: Invoice | None = None,
    grid: Grid | None = None,
    redaction: Redaction | None = None,
) -> Assessment:
    """Return what was found and decided on the runs.

    Parameters
    ----------
    logs : sequence of RunLog
        At least one.
    plan : Plan
    skipped : sequence of Skipped
        Files that were not read, passed on.
    as_of : datetime, optional
        What stands for now; the last time in the logs by default.
    invoice : Invoice, optional
        What was charged, in place of the plan's rates.
    grid : Grid, optional
        The grid's carbon factor of each hour, in place of the plan's average.
    redaction : Redaction, optional
        What was removed from the logs. The digest of the inputs stays that of the files as they were read.

    Raises
    ------
    PlanError
        If the plan sets thresholds that no detector has.
    UsageError
        If the invoice is in another currency than the plan, or the grid has several regions and the plan names none.
    """
    import numpy as np

    faults = detectors.faulty_limits(plan)
    if faults:
        raise PlanError(faults)
    check_currency(plan, invoice)
    # Values may lie near the largest float: infinities are dealt with, not warned of.
    with np.errstate(over="ignore", invalid="ignore"):
        fitted = plan if redaction is None else redaction.fitted(plan)
        assessed = _assessed(logs, fitted, skipped, as_of or last_time(logs), (invoice, grid))
    if redaction is None:
        return replace(assessed, inputs_digest=_digest(_files_of(logs), plan, invoice, grid))
    runs = tuple(replace(run, outcomes=_redacted(run.outcomes, redaction)) for run in assessed.runs)
    whole = assessed.portfolio and replace(assessed.portfolio, outcomes=_redacted(assessed.portfolio.outcomes, redaction))
    digest = _digest(redaction.inputs, plan, invoice, grid)
    return replace(assessed, runs=runs, portfolio=whole, inputs_digest=digest, redaction=redaction)


def _redacted(outcomes: Sequence[Outcome], redaction: Redaction) -> tuple[Outcome, ...]:
    """Return outcomes; where a detector broke off, what it says may name a file of this machine."""
    return tuple(replace(one, reason=redaction.text(one.reason)) if one.state is State.FAILED else one for one in outcomes)


def _assessed(
    logs: Sequence[RunLog],
    plan: Plan,
    skipped: Sequence[Skipped],
    as_of: datetime | None,
    beside: tuple[Invoice | None, Grid | None],
) -> Assessment:
    """Return the assessment without its digest; `beside` the logs and the plan there may be an invoice and the factors of a grid."""
    taken = ledgers(logs, plan, as_of, *beside)
    cases = [Case(log, plan, ledger) for log, ledger in zip(logs, taken, strict=True)]
    judged = [judge(case) for case in cases]
    cases = families(cases, judged, as_of)
    several = len(cases) > 1
    which = detectors.of_one_run() if several else detectors.all_detectors()
    checked = [_outcomes(case, which, case.ledger) for case in cases]
    total = together(logs, taken)
    budget = tuple(budget_lines(total, plan, as_of))
    leading = leading_run(judged, plan)
    common = _outcomes(cases[leading], detectors.of_several_runs(), total) if several else ()
    facts = [Facts(case, one, outcomes, budget, as_of) for case, one, outcomes in zip(cases, judged, checked, strict=True)]
    told = Told(tuple(one.own for one in facts if one.best is not None))  # a parent of nested runs trained nothing
    facts = [replace(one, told=told) for one in facts]
    runs = tuple(_run(one) for one in facts)
    portfolio = Portfolio(len(runs), runs[leading].log.run.id, total, common, cases[leading].family) if several else None
    decision = runs[leading].decision
    if several:
        decision = replace(decide(replace(facts[leading], common=common)), what_ifs=decision.what_ifs)
    return Assessment(runs, decision, portfolio, plan, "", _version.__version__, tuple(skipped), as_of)


def _run(facts: Facts) -> RunAssessment:
    taken = course(facts.case, facts.best)
    decision = replace(decide(facts), what_ifs=what_ifs.for_run(facts, taken))
    return RunAssessment(facts.case.log, facts.case.ledger, facts.outcomes, facts.judgement.results, facts.best, decision, taken)


def check_currency(plan: Plan, invoice: Invoice | None) -> None:
    """Refuse an invoice that cannot be set against the plan's amounts, or against itself.

    Raises
    ------
    UsageError
        If there is more than one currency.
    """
    found = {charge.cost.currency for charge in invoice.charges} if invoice is not None else set()
    agreed = {plan.currency} - {None}
    if invoice is not None and len(found | agreed) > 1:
        named = ", ".join(sorted(found))
        raise UsageError(
            f"{invoice.file}: charges in {named}{f', the plan in {plan.currency}' if agreed else ''}: amounts are never converted"
        )


def _outcomes(case: Case, which: Sequence[Detector], paid: Ledger) -> tuple[Outcome, ...]:
    """Return the outcomes of detectors on a case, priced by what was paid for what they judge: one run, or all."""
    return priced(detectors.run(case, which), paid, case.plan)


def last_time(logs: Sequence[RunLog]) -> datetime | None:
    """Return the last time in the logs."""
    return max((log.run.ended_at for log in logs if log.run.ended_at is not None), default=None)


def _files_of(logs: Sequence[RunLog]) -> list[tuple[str, str]]:
    return [(file.path, file.sha256) for log in logs for file in log.run.files]


def _digest(read: Iterable[tuple[str, str]], plan: Plan, *beside: Invoice | Grid | None) -> str:
    files = [*read]
    if plan.source is not None:
        files.append((plan.source.file, plan.source.sha256))
    files += [(one.file, one.sha256) for one in beside if one is not None]
    return inputs_digest(files)
