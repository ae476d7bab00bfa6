"""Energy estimated by hand, and measured beside an independent integration of a real log."""

from __future__ import annotations

import csv
import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from builders import log_of, machine, training
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from trainreport.business.energy import integrate
from trainreport.business.ledger import ledgers, together
from trainreport.importers.recording import Source
from trainreport.importers.registry import recognise
from trainreport.model.plan_reader import parse_plan

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
PLAN = "[rates]\npue = 1.5\ncarbon_g_per_kwh = 400\n"


def ledger(devices, model="Tesla T4"):
    [found] = ledgers([log_of(training({"loss": [1.0] * 361}, seconds_per_step=10), machine(devices, model=model))], parse_plan(PLAN))
    return found


def test_maximum_power_times_utilization():
    found = ledger({"gpu0": {"gpu/utilization": [0.5] * 360}, "gpu1": {"gpu/utilization": [1.0] * 360}})
    assert found.energy_j == pytest.approx(70 * 1.5 * 3600)
    assert found.energy_kwh == pytest.approx(0.105 * 1.5)
    assert found.carbon_kg == pytest.approx(0.105 * 1.5 * 0.4)
    assert found.energy_basis == "estimated"
    assert found.basis["energy"] == (
        "estimated: maximum power (Tesla T4 at 70 W) times utilization times hours held, idle draw left out; times a PUE of 1.5"
    )


def test_a_gpu_without_utilization_is_taken_as_busy():
    found = ledger({"gpu0": {"gpu/memory_used": [1e9] * 360}})
    assert found.energy_j == pytest.approx(70 * 3600)
    assert "1 GPU without utilization taken as busy throughout" in found.basis["energy"]


def test_power_samples_go_before_an_estimate():
    found = ledger({"gpu0": {"gpu/utilization": [0.5] * 361, "gpu/power": [50.0] * 361}})
    assert (found.energy_j, found.energy_basis) == (pytest.approx(50 * 3600), "measured")


def test_a_model_that_is_not_known_has_no_estimate():
    found = ledger({"gpu0": {"gpu/utilization": [0.5] * 360}}, model="Some GPU")
    assert (found.energy_j, found.energy_basis) == (None, "none")
    assert "the maximum power of Some GPU is not in the table" in found.basis["energy"]


def test_a_total_with_an_estimate_in_it_is_an_estimate():
    measured = machine({"gpu0": {"gpu/power": [50.0] * 361}}, file="a.csv")
    guessed = machine({"gpu0": {"gpu/utilization": [0.5] * 361}}, file="b.csv", model="Tesla T4")
    logs = [
        log_of(training({"loss": [1.0] * 361}, key=one.frame["file"].iloc[0]), one, run_id=str(at))
        for at, one in enumerate((measured, guessed))
    ]
    taken = ledgers(logs, parse_plan(PLAN))
    assert [one.energy_basis for one in taken] == ["measured", "estimated"]
    assert together(logs, taken).energy_basis == "estimated"
    assert together(logs[:1], taken[:1]).energy_basis == "measured"


@pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")
def test_measured_beside_an_independent_integration_of_a_real_log():
    """The log is read here with the csv module alone, and integrated by SciPy."""
    name = "nvidia_smi/01/gpu_log.csv"
    path = Path(CORPUS or "") / name
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream, skipinitialspace=True))
    at, power = rows[0].index("timestamp"), rows[0].index("power.draw [W]")
    time = [datetime.strptime(row[at], "%Y/%m/%d %H:%M:%S.%f").timestamp() for row in rows[1:]]  # noqa: DTZ007
    expected = trapezoid([float(row[power].removesuffix(" W")) for row in rows[1:]], time)
    importer = recognise(path)
    assert not isinstance(importer, str)
    [found] = ledgers([log_of(importer.read(Source(path, name)))], parse_plan(""))
    assert found.energy_j == pytest.approx(expected, rel=1e-9)
    assert found.energy_j > 1e5  # more than a few samples


def test_trapezoid_leaves_real_gaps_out():
    time = np.array([0.0, 10.0, 20.0, 1020.0, 1030.0])
    found = integrate(time, np.array([100.0, 200.0, 100.0, 100.0, 100.0]))
    assert found.joules == pytest.approx(1500 + 1500 + 1000)
    assert found.gap_s == 1000.0


@given(st.lists(st.floats(0, 1000), min_size=2, max_size=50), st.integers(0, 10**6))
def test_energy_does_not_depend_on_when_it_was_or_on_the_order(power, shift):
    time = np.arange(len(power), dtype=float)
    straight = integrate(time, np.array(power)).joules
    shuffled = integrate((time + shift)[::-1], np.array(power)[::-1]).joules
    assert shuffled == pytest.approx(straight, rel=1e-9, abs=1e-6)
