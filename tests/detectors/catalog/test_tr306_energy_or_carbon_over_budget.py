"""TR306: energy and carbon beside what was agreed."""

from __future__ import annotations

import pytest
from costed import outcome

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

PLAN = "[budget]\nenergy_kwh = 10\ncarbon_kg = 3\n[rates]\npue = 1.5\n"


def used(kwh, basis="measured", carbon=None):
    """Return what a run took; kWh without PUE."""
    return Ledger(energy_j=kwh * 3.6e6, energy_basis=basis, pue=1.5, carbon_kg=carbon, basis={"energy": "trapezoid rule"})


def test_energy_with_pue_passes_the_limit():
    finding = outcome("TR306", PLAN, ledger=used(10)).findings[0]
    assert finding.message == "This run brought energy to 15.0 kWh of the 10.0 kWh agreed (50 % over)."
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert (finding.evidence[0].value, finding.evidence[0].method) == (pytest.approx(1.5), "trapezoid rule")


def test_an_estimate_is_said_to_be_one():
    finding = outcome("TR306", PLAN, ledger=used(10, "estimated", 4.0)).findings[0]
    assert finding.message.endswith("and carbon to 4.0 kg CO₂e of the 3.0 kg CO₂e agreed (33 % over), estimated.")
    assert finding.confidence is Confidence.MEDIUM


def test_what_ran_before_counts():
    assert outcome("TR306", PLAN, ledger=used(4)).reason == "this run: energy at 6.0 kWh of the 10.0 kWh agreed, 60 %"
    finding = outcome("TR306", PLAN, ledger=used(4), others=[(-2, {"energy_j": 3 * 3.6e6}), (2, {"energy_j": 9e9})]).findings[0]
    assert finding.message == "This run and the 1 run before it brought energy to 10.5 kWh of the 10.0 kWh agreed (5 % over)."
    assert finding.severity is Severity.MINOR


def test_not_applicable():
    assert outcome("TR306", ledger=used(10)).reason == "the plan sets no limit on energy or carbon"
    unknown = Ledger(basis={"energy": "not known: no power samples"})
    assert outcome("TR306", PLAN, ledger=unknown).reason == "what was spent is not known: energy not known: no power samples"
    no_grid = outcome("TR306", "[budget]\ncarbon_kg = 3\n", ledger=used(10))
    assert (no_grid.state, no_grid.reason) == (State.NOT_APPLICABLE, "what was spent is not known: carbon not known")


def test_a_limit_changed_by_the_plan():
    assert outcome("TR306", PLAN + "[thresholds]\nTR306.over = 0.5\n", ledger=used(4)).state is State.FOUND
