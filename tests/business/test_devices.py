"""The table of GPUs."""

from __future__ import annotations

import pytest

from trainreport.business.devices import device_of, devices


@pytest.mark.parametrize(("model", "watt", "peak"), [("NVIDIA A100-SXM4-40GB", 400, 3.12e14), ("Tesla T4", 70, 6.5e13)])
def test_by_the_name_that_nvidia_smi_gives(model, watt, peak):
    found = device_of(model)
    assert (found.tdp_w, found.peak_flops) == (watt, pytest.approx(peak, rel=0.01))  # NVIDIA's data sheets


@pytest.mark.parametrize("model", [None, "", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA GeForce RTX 3080 Laptop GPU", "Abacus"])
def test_a_part_of_a_gpu_and_what_is_not_known_have_no_figures(model):
    assert device_of(model) is None


def test_every_row_can_be_defended():
    for one in devices():
        assert 20 <= one.tdp_w <= 2000
        assert one.peak_flops is None or 1e12 <= one.peak_flops <= 1e16
        assert "." in one.source
