"""Operations of training, by hand."""

from __future__ import annotations

from datetime import date

import pytest
from builders import log_of, machine, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.devices import device_of, devices
from trainreport.business.flop import is_bound, thresholds, two_figures
from trainreport.business.ledger import ledgers, together
from trainreport.model.plan_reader import parse_plan

SIZE = "[training]\nmodel_parameters = 1e9\ntokens = 2e10\n"


def ledger(curves, plan="", *, gpus=(), model="Tesla T4", **facts):
    recordings = [training(curves, seconds_per_step=10, **facts)]
    recordings += [machine({f"gpu{at}": {"gpu/utilization": [share] * 360} for at, share in enumerate(gpus)}, model=model)] if gpus else []
    [found] = ledgers([log_of(*recordings)], parse_plan(plan))
    return found


def test_as_logged_by_the_trainer():
    found = ledger({"train/loss": [1.0] * 361, "train/total_flos": ([360], [1.17e17])}, SIZE, gpus=[0.5])
    assert found.flop == 1.17e17
    # an hour at 65e12 a second is 2.34e17
    assert found.basis["flop"] == "as logged under train/total_flos; 50 % of the dense 16-bit peak over the hours held (MFU)"
    assert not is_bound(found)


def test_as_a_parameter():
    found = ledger({"loss": [1.0] * 9}, params={"trainer.total_flops": "3e18", "flops_per_second": "1e12"})
    assert (found.flop, found.basis["flop"]) == (3e18, "as logged under trainer.total_flops")
    assert ledger({"loss": [1.0] * 9}, params={"total_flos": "0", "total_flops": "unknown"}).flop is None


def test_six_operations_a_parameter_and_token():
    found = ledger({"loss": [1.0] * 100}, SIZE + "steps = 200\n")
    assert found.flop == pytest.approx(6 * 1e9 * 2e10 * 99 / 200)
    assert "50 % of the planned length done" in found.basis["flop"]
    assert ledger({"loss": [1.0] * 100}, SIZE).flop == pytest.approx(1.2e20)
    assert ledger({"loss": [1.0] * 100}, SIZE + "steps = 100\n").flop == pytest.approx(1.2e20)  # counted from 0


def test_tokens_that_were_counted_go_before_planned_ones():
    found = ledger({"loss": [1.0] * 9, "num_input_tokens_seen": [1e9 * n for n in range(9)]}, SIZE)
    assert found.flop == pytest.approx(6 * 1e9 * 8e9)
    assert "as logged under num_input_tokens_seen" in found.basis["flop"]


def test_at_most_what_the_hardware_can_do():
    found = ledger({"loss": [1.0] * 361}, gpus=[0.5, 0.25])
    assert found.flop == pytest.approx(65e12 * 3600 * 0.75)
    assert is_bound(found)


def test_a_total_beyond_the_hardware_is_in_doubt():
    found = ledger({"loss": [1.0] * 361, "total_flos": ([360], [1e18])}, gpus=[0.5])
    assert "in doubt, for the GPUs of this run could have done 2.3e17 at most" in found.basis["flop"]


def test_nothing_is_made_up():
    found = ledger({"loss": [1.0] * 361}, gpus=[0.5], model="NVIDIA A100")
    assert found.flop is None
    assert found.basis["flop"].endswith("the peak of NVIDIA A100 is not in the table")
    [only_gpus] = ledgers([log_of(machine({"gpu0": {"gpu/utilization": [0.5] * 9}}, model="Tesla K80"))], parse_plan(SIZE))
    assert only_gpus.flop is None


def test_runs_add_up():
    logs = [log_of(training({"loss": [1.0] * 9, "total_flos": ([8], [1e17])}, key=name), run_id=name) for name in "ab"]
    assert together(logs, ledgers(logs, parse_plan(""))).flop == 2e17


@pytest.mark.parametrize(
    ("name", "watts", "peak"),
    [
        ("NVIDIA A100-SXM4-80GB", 400, 312e12),
        ("NVIDIA A100-PCIE-40GB", 250, 312e12),
        ("NVIDIA H100 80GB HBM3", 700, 989.4e12),
        ("Tesla V100S-PCIE-32GB", 250, 130e12),
        ("NVIDIA L4", 72, 121e12),
        ("NVIDIA L40S", 350, 362.05e12),
        ("NVIDIA RTX A6000", 300, None),
    ],
)
def test_devices_by_the_names_of_nvidia_smi(name, watts, peak):
    found = device_of(name)
    assert (found.tdp_w, found.peak_flops) == (watts, peak)


def test_parts_of_a_gpu_are_not_taken_for_it():
    for name in (
        None,
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 4090 D",
        "NVIDIA T400",
    ):
        assert device_of(name) is None


def test_every_row_has_a_source_and_is_reached():
    for one in devices():
        assert one.source
        assert device_of(one.pattern.replace("*", "NVIDIA ").replace("?", "8")) == one
        assert 50 <= one.tdp_w <= 1500
        assert one.peak_flops is None or 1e13 < one.peak_flops < 1e16


def test_thresholds_are_dated_and_in_order():
    assert [(one.flop, one.jurisdiction, one.since) for one in thresholds()] == [
        (1e23, "European Union", date(2025, 8, 2)),
        (1e25, "European Union", date(2025, 8, 2)),
        (1e26, "California", date(2026, 1, 1)),
        (1e26, "New York", date(2027, 1, 1)),
    ]


@given(st.floats(1e10, 1e28))
def test_two_figures_are_within_five_percent(flop):
    assert two_figures(flop) == pytest.approx(flop, rel=0.05)
    assert two_figures(two_figures(flop)) == two_figures(flop)
