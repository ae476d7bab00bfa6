"""Shares and percent under names that leave it open."""

from __future__ import annotations

import pytest
from builders import log_of, training

from trainreport.model.schema import UNIT_REPAIRED


def read(**curves):
    """Return values and flags by series of a run that logged these; two underscores stand for a slash."""
    frame = log_of(training({name.replace("__", "/"): values for name, values in curves.items()})).frame
    assert (frame["unit"] == "1").all()
    system = frame[frame["series"] != "loss"]
    assert (system["phase"] == "system").all()
    return {str(name): (part["value"].tolist(), set(part["flags"])) for name, part in system.groupby("series", observed=True)}


def test_percent_is_told_by_the_largest_value_of_the_run():
    assert read(cpu__utilization=[97.0, 50.0], cpu__iowait=[0.5, 1.0], loss=[250.0, 1.0]) == {
        "cpu/utilization": ([0.97, 0.5], {UNIT_REPAIRED}),
        "cpu/iowait": ([0.005, 0.01], {UNIT_REPAIRED}),
    }


def test_shares_stay():
    found = read(cpu__utilization=[0.97, 1.02], cpu__iowait=[0.25, 0.3], loss=[250.0, 1.0])
    assert found == {"cpu/utilization": ([0.97, 1.02], {0}), "cpu/iowait": ([0.25, 0.3], {0})}


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_both_ways_of_writing_say_the_same(scale):
    values = [0.25, 0.5, 0.9]
    found = read(gpu__utilization=[value * scale for value in values], disk__busy=[value * scale for value in values])
    assert found["gpu/utilization"][0] == found["disk/busy"][0] == pytest.approx(values)


def test_waiting_for_the_disk_alone_is_percent_as_tools_write_it():
    assert read(cpu__iowait=[0.5, 1.2])["cpu/iowait"][0] == pytest.approx([0.005, 0.012])


def test_values_that_are_no_numbers_tell_nothing():
    assert read(cpu__utilization=[float("inf"), 0.5])["cpu/utilization"][0] == [float("inf"), 0.5]
