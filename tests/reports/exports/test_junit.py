from __future__ import annotations

from dataclasses import replace
from datetime import date
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.model.decision import NextStep, Verdict
from trainreport.model.finding import Severity
from trainreport.model.plan import Accepted
from trainreport.reports.exports import junit


def suites(assessment, *fail_on):
    return ET.fromstring(junit.render(assessment, *fail_on).encode())


def ended(root, suite=0):
    """Return name -> how the test ended."""
    return {case.get("name"): case[0].tag for case in root[suite]}


def decided(assessment, verdict, plan):
    decision = replace(assessment.decision, verdict=verdict, next_step=NextStep.COLLECT)
    return replace(assessment, decision=decision, plan=plan)


def test_each_criterion_each_code_and_the_decision_is_a_test(made):
    assert ended(suites(made.exam())) == {
        "criterion accuracy": "failure",
        "criterion loss": "system-out",
        "TR101 overfitting": "failure",
        "TR301 over-budget": "failure",
        "TR202 gpu-allocated-but-idle": "system-out",
        "TR103 not-learning": "system-out",
        "TR104 plateau": "system-out",
        "TR109 vanishing-gradients": "skipped",
        "TR110 exploding-gradients": "skipped",
        "TR212 poor-scaling": "skipped",
        "TR218 queue-wait": "skipped",
        "TR222 network-bottleneck": "error",
        "decision": "failure",
    }


@pytest.mark.parametrize(("name", "count"), [("exam", 1), ("healthy", 1), ("several", 7)])
def test_counts_are_those_of_the_tests(made, name, count):
    root = suites(made.CASES[name]())
    assert len(root) == count
    for holder in (root, *root):
        cases = list(holder.iter("testcase"))
        expected = {"tests": len(cases)}
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            expected[attribute] = sum(case.find(tag) is not None for case in cases)
        assert {key: int(holder.get(key)) for key in expected} == expected
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_several_runs_have_one_decision_with_the_detectors_of_all(made):
    root = suites(made.several())
    assert [suite.get("name") for suite in root] == [*(f"sweep/dropout-0.{i}" for i in range(6)), "all runs"]
    assert ended(root, 6) == {"TR401 sunk-cost": "failure", "decision": "failure"}
    assert all("decision" not in ended(root, i) for i in range(6))


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        (Severity.NOTE, {"TR101", "TR301", "TR202"}),
        (Severity.MINOR, {"TR101", "TR301", "TR202"}),
        (Severity.MAJOR, {"TR101", "TR301"}),
        (Severity.CRITICAL, set()),
    ],
)
def test_findings_fail_from_the_severity_on(made, fail_on, failing):
    found = ended(suites(made.exam(), fail_on))
    assert {name.split()[0] for name, end in found.items() if end == "failure" and name.startswith("TR")} == failing


def test_a_failure_says_what_how_grave_and_what_to_do(made):
    [failure] = [case[0] for case in suites(made.exam())[0] if case.get("name") == "TR101 overfitting"]
    assert failure.get("type") == "major"
    assert failure.get("message") == made.OVERFITTING.message
    assert failure.text.startswith("major, high confidence: After step 20,000")
    assert failure.text.endswith("What to do: Go back to the checkpoint of step 20,000 and decide about the data before another run")


def test_what_the_owner_accepts_does_not_fail(made):
    exam = made.exam()
    agreed = replace(exam.plan, accepted=(Accepted("TR101", date(2026, 12, 31), "Data lead", "New data is ordered"),))
    [skipped] = [case[0] for case in suites(replace(exam, plan=agreed))[0] if case.get("name") == "TR101 overfitting"]
    assert (skipped.tag, skipped.get("message")) == ("skipped", "Accepted by Data lead until 2026-12-31: New data is ordered")


@pytest.mark.parametrize(
    ("state", "value", "mandatory", "end"),
    [
        ("met", 0.92, True, "system-out"),
        ("missed", 0.85, True, "failure"),
        ("missed", 0.85, False, "skipped"),
        ("not-measured", None, True, "skipped"),
    ],
)
def test_how_a_criterion_ends(made, state, value, mandatory, end):
    exam = made.exam()
    result = replace(exam.runs[0].criteria[0], state=state, value=value, mandatory=mandatory)
    run = replace(exam.runs[0], criteria=(result,))
    assert ended(suites(replace(exam, runs=(run,))))["criterion accuracy"] == end


@pytest.mark.parametrize(
    ("verdict", "with_plan", "without"),
    [
        (Verdict.GO, "system-out", "system-out"),
        (Verdict.GO_WITH_CONDITIONS, "system-out", "system-out"),
        (Verdict.NOT_YET, "failure", "failure"),
        (Verdict.NO_GO, "failure", "failure"),
        (Verdict.CANNOT_TELL, "failure", "skipped"),
    ],
)
def test_the_decision_fails_where_the_exit_code_does(made, verdict, with_plan, without):
    from trainreport.cli.outcome import exit_code
    from trainreport.model.plan import Plan

    for plan, end in ((made.plan(), with_plan), (Plan(), without)):
        assessment = decided(made.exam(), verdict, plan)
        assert ended(suites(assessment))["decision"] == end
        assert (exit_code(assessment, None) != 0) == (end == "failure")


def test_any_text_of_a_log_is_xml(made):
    base = made.gpu_only()

    @given(text=st.text(max_size=30))
    @settings(max_examples=50)
    def holds(text):
        log = replace(base.runs[0].log, run=replace(base.runs[0].log.run, id=f"<{text}>&\"'"))
        run = replace(base.runs[0], log=log, outcomes=made.outcomes(replace(made.IDLE, message=text)))
        name = suites(replace(base, runs=(run,)), Severity.NOTE)[0].get("name")
        assert name.startswith("<")
        assert name.endswith(">&\"'")
        assert len(name) == len(text) + 5

    holds()


def test_what_cannot_stand_in_xml_is_marked(made):
    text = junit.render(made.no_plan())
    assert "\u202e" not in text
    assert "\x00" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;,$x^2$,\ufffd\ufffd名前" in text
    assert junit.render(made.no_plan()) == text
