"""What energy trackers told, beside the ledger's own figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainreport.business.ledger import ledgers
from trainreport.business.reported import reported_energy
from trainreport.importers import load
from trainreport.model.plan_reader import parse_plan

EMISSIONS = Path(__file__).parents[1] / "importers" / "data" / "emissions" / "emissions.csv"


def test_the_figures_of_a_tracker_stand_beside_ours_and_are_not_added():
    [ledger] = ledgers(load([EMISSIONS]).logs, parse_plan("[rates]\npue = 1.2\n"))
    assert ledger.energy_j is None  # no GPU power, no GPU: nothing of our own
    told = "CodeCarbon 3.3.2 reports 3.73674e-05 kWh and 1.47129e-07 kg CO2e; at 3.937 g/kWh, PUE 1.2 included, quebec, Canada"
    assert ledger.basis["energy"].endswith(f"; beside it, not counted: {told}")


def test_two_processes_that_measured_one_machine_count_once():
    loaded = load([EMISSIONS])
    (log,) = loaded.logs
    assert reported_energy(log, 1.2).count("CodeCarbon") == 1
    assert log.frame.loc[log.frame["series"] == "energy/reported", "value"].tolist() == pytest.approx([3.736738708969214e-05 * 3.6e6])
    assert "measured the same machine at the same time" in loaded.skipped[0].reason


@pytest.mark.parametrize(("pue", "said"), [(1.2, ""), (1.5, "without its PUE 3.11e-5 kWh, with the plan's PUE of 1.5 4.67e-5 kWh")])
def test_the_pue_of_a_tracker_is_taken_off_before_ours_is_put_on(pue, said):
    """3.73674e-05 kWh with a PUE of 1.2 are 3.11e-5 without, and 4.67e-5 with one of 1.5."""
    (log,) = load([EMISSIONS]).logs
    assert reported_energy(log, pue).partition("quebec, Canada")[2].removeprefix("; ") == said
