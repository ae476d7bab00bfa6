"""The assessment as JUnit XML, so that a pipeline shows criteria, detectors and decision as tests.

One suite a run: a test for each criterion and each detector. The decision is a test of its own, in the run's suite
where there is one run, else in a suite over all of them, with the detectors that judge several runs together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from trainreport.model import words
from trainreport.model.decision import Verdict
from trainreport.model.finding import Severity, State
from trainreport.reports.exports.gate import accepted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.model.decision import Assessment, CriterionResult
    from trainreport.model.finding import Finding, Outcome

__all__ = ["render"]

# What XML 1.0 has no place for, and what turns the direction of writing and could forge what stands beside it.
_NOT_SHOWN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")
_ALL_RUNS = "all runs"


def render(assessment: Assessment, fail_on: Severity = Severity.MAJOR) -> str:
    """Return the XML, with a line end.

    Parameters
    ----------
    assessment : Assessment
    fail_on : Severity
        Findings from this severity on fail their test, unless the plan accepts them.
    """
    root = ET.Element("testsuites", name="trainreport")
    for run in assessment.runs:
        name = run.log.run.id
        cases = [_criterion(name, result) for result in run.criteria]
        cases += [_detector(assessment, name, outcome, fail_on) for outcome in run.outcomes]
        if len(assessment.runs) == 1:
            cases.append(_decision(assessment, name))
        root.append(_suite(name, cases))
    if len(assessment.runs) > 1:
        together = assessment.portfolio.outcomes if assessment.portfolio else ()
        cases = [_detector(assessment, _ALL_RUNS, outcome, fail_on) for outcome in together]
        root.append(_suite(_ALL_RUNS, [*cases, _decision(assessment, _ALL_RUNS)]))
    _count(root, list(root.iter("testcase")))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(name: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=_shown(name))
    _count(suite, cases)
    suite.extend(cases)
    return suite


def _count(holder: ET.Element, cases: list[ET.Element]) -> None:
    holder.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        holder.set(attribute, str(sum(case.find(tag) is not None for case in cases)))


def _criterion(run: str, result: CriterionResult) -> ET.Element:
    value = "not measured" if result.value is None else words.number(result.value)
    text = f"{result.id} {value}, agreed {result.comparator} {words.number(result.threshold)}. {result.reason}"
    case = _case(run, f"criterion {result.id}")
    if result.state == "not-measured":
        _add(case, "skipped", text)
    elif result.state == "missed" and result.mandatory:
        _add(case, "failure", text, kind="missed")
    elif result.state == "missed":
        _add(case, "skipped", f"Missed, and not mandatory. {text}")
    else:
        _add(case, "system-out", text)
    return case


def _detector(assessment: Assessment, run: str, outcome: Outcome, fail_on: Severity) -> ET.Element:
    case = _case(run, f"{outcome.code} {outcome.name}")
    agreed = accepted(assessment, outcome.code)
    worst = max((finding.severity for finding in outcome.findings), default=None)
    if outcome.state is State.NOT_APPLICABLE:
        _add(case, "skipped", outcome.reason)
    elif outcome.state is State.FAILED:
        _add(case, "error", outcome.reason, kind="detector")
    elif worst is None:
        _add(case, "system-out", outcome.reason)
    elif agreed is not None:
        _add(case, "skipped", f"Accepted by {agreed.who} until {agreed.until}: {agreed.why}", _told(outcome.findings))
    elif worst >= fail_on:
        _add(case, "failure", outcome.findings[0].message, _told(outcome.findings), kind=worst.word)
    else:
        _add(case, "system-out", _told(outcome.findings))
    return case


def _told(findings: Iterable[Finding]) -> str:
    return "\n".join(
        f"{finding.severity.word}, {finding.confidence.word} confidence: {finding.message} What to do: {finding.action.text}"
        for finding in findings
    )


def _decision(assessment: Assessment, run: str) -> ET.Element:
    """Return the decision, which fails where the exit code does; without a plan there is nothing that "cannot tell" would fail."""
    decision = assessment.decision
    case = _case(run, "decision")
    lines = [f"{decision.verdict.value}, next step: {decision.next_step.value} (rule {decision.rule}). {decision.headline}", decision.lead]
    text = "\n".join([*lines, *decision.conditions, f"What would change it: {decision.what_would_change_it}"])
    if decision.verdict in (Verdict.NO_GO, Verdict.NOT_YET) or (decision.verdict is Verdict.CANNOT_TELL and assessment.plan.given):
        _add(case, "failure", decision.headline, text, kind=decision.verdict.value)
    elif decision.verdict is Verdict.CANNOT_TELL:
        _add(case, "skipped", decision.headline, text)
    else:
        _add(case, "system-out", text)
    return case


def _case(run: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=_shown(run), name=_shown(name))


def _add(case: ET.Element, tag: str, message: str, text: str = "", *, kind: str = "") -> None:
    """Add how a test ended; ``system-out`` has no attributes, so its message is its text."""
    element = ET.SubElement(case, tag)
    if tag == "system-out":
        element.text = _shown(message)
        return
    element.set("message", _shown(message))
    if kind:
        element.set("type", kind)
    element.text = _shown(text or message)


def _shown(text: str) -> str:
    return _NOT_SHOWN.sub("\ufffd", text)
