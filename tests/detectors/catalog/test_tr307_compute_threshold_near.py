"""TR307: training compute beside thresholds in law."""

from __future__ import annotations

import pytest
from costed import outcome

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger


def took(flop, basis="as logged under total_flos"):
    return Ledger(flop=flop, basis={"flop": basis})


def test_near_the_lowest():
    finding = outcome("TR307", ledger=took(4.14e22)).findings[0]
    assert finding.message == (
        "This run took about 4.1e22 FLOP of training compute and came near the threshold of 1e23 FLOP: "
        "European Union (indicative criterion for a general-purpose AI model, from 2025-08-02)."
    )
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert [one.value for one in finding.evidence] == [4.1e22, pytest.approx(0.414)]


def test_passed():
    finding = outcome("TR307", ledger=took(1.2e23)).findings[0]
    assert "passed the threshold of 1e23 FLOP" in finding.message
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.MEDIUM)  # within what an estimate is good for


def test_near_a_higher_one_with_a_lower_one_passed():
    finding = outcome("TR307", ledger=took(5e24)).findings[0]
    assert "came near the threshold of 1e25 FLOP: European Union (presumption of systemic risk" in finding.message
    assert finding.message.endswith("; that of 1e23 FLOP is passed.")
    assert finding.severity is Severity.MAJOR


def test_the_highest_is_that_of_two_states():
    message = outcome("TR307", ledger=took(2e26)).findings[0].message
    assert "California (frontier model, from 2026-01-01) and New York (frontier model, from 2027-01-01)." in message


def test_what_ran_before_counts():
    assert outcome("TR307", ledger=took(3e22)).state is State.CLEAR
    finding = outcome("TR307", ledger=took(3e22), others=[(-2, {"flop": 3e22}), (-1, {}), (2, {"flop": 1e25})]).findings[0]
    assert finding.message.startswith("This run and the 1 run before it took about 6e22 FLOP")


def test_an_upper_bound_is_said_to_be_one():
    finding = outcome("TR307", ledger=took(5e22, "at most: dense 16-bit peak")).findings[0]
    assert "took at most 5e22 FLOP" in finding.message
    assert finding.confidence is Confidence.LOW


def test_silent_and_not_applicable():
    assert outcome("TR307", ledger=took(1e20)).reason == "1e20 FLOP, 0.1 % of the lowest threshold of 1e23 FLOP"
    unknown = outcome("TR307", ledger=took(None, "not known: no total was logged"))
    assert (unknown.state, unknown.reason) == (State.NOT_APPLICABLE, "the training compute is not known: no total was logged")


def test_a_limit_changed_by_the_plan():
    assert outcome("TR307", "[thresholds]\nTR307.near = 0.8\n", ledger=took(4e22)).state is State.CLEAR
