"""CSV of watched DCGM fields; the forms are those of the corpus."""

from __future__ import annotations

import pytest
from read_logs import meanings, values, written

from trainreport.errors import InputError

LONG = """GPUId,TimeStampUs,Field,Values
0,1718783836956328,power_usage_instant,71.20
0,1718783836956400,current_clock_throttle_reasons,1
1,1718783837193069,power_usage_instant,70.49
1,1718783837193070,gpu_temp,2147483634
0,1718783837193071,throttle_reason_idle,1
"""


def test_a_row_a_field(tmp_path):
    name, log = written(tmp_path, "dmon.csv", LONG)
    assert name == "dcgm-csv"
    assert values(log, "power_usage_instant") == [71.2, 70.49]
    told = meanings(log)
    assert told["power_usage_instant"] == ("gpu/power", "system", "W")
    assert told["current_clock_throttle_reasons"] == ("gpu/throttle_reasons", "system", "1")
    assert told["throttle_reason_idle"] == ("gpu/throttle/idle", "system", "1")
    assert "gpu_temp" not in told, "a blank of DCGM is no temperature"
    assert log.frame["device"].tolist() == ["gpu0", "gpu0", "gpu1", "gpu0"]
    assert log.started_at.isoformat() == "2024-06-19T07:57:16.956328+00:00"
    assert log.kind == "machine"


def test_a_column_of_watts(tmp_path):
    _, log = written(tmp_path, "result.csv", "GPUId,TimeStampUs,Watts\n0,1718369824263312,71.12\n")
    assert meanings(log) == {"Watts": ("gpu/power", "system", "W")}


def test_no_number_at_all(tmp_path):
    with pytest.raises(InputError, match="no number in it"):
        written(tmp_path, "dmon.csv", "GPUId,TimeStampUs,Field,Values\n0,1718783836956328,power_usage_instant,N/A\n")


def test_blanks_are_counted(tmp_path):
    _, log = written(tmp_path, "dmon.csv", LONG)
    assert [one.message for one in log.events] == ["gpu_temp is not supported in 1 samples"]
