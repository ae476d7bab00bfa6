"""dcgmi dmon; short names and the form are those of NVIDIA/DCGM (dcgm_fields.cpp, DeviceMonitor.cpp)."""

from __future__ import annotations

import pytest
from read_logs import meanings, values, written

from trainreport.errors import InputError

LOG = """#Entity   GPUTL   MCUTL   FBUSD   POWER     TMPTR   SMACT
ID
GPU 0     10      20      800     71.20     45      0.512
GPU 1     30      40      900     N/A       46      0.100
#Entity   GPUTL   MCUTL   FBUSD   POWER     TMPTR   SMACT
ID
GPU 0     50      60      850     80.00     47      0.600
GPU 1     70      80      950     90.00     48      0.700
"""


def test_rows_of_two_gpus(tmp_path):
    name, log = written(tmp_path, "dcgm.log", LOG, interval_s=10)
    assert name == "dcgm-dmon"
    assert values(log, "GPUTL") == [0.1, 0.3, 0.5, 0.7]
    assert log.frame["device"].astype(str).unique().tolist() == ["gpu0", "gpu1"]
    assert meanings(log) == {
        "GPUTL": ("gpu/utilization", "system", "1"), "MCUTL": ("gpu/memory_utilization", "system", "1"),
        "FBUSD": ("gpu/memory_used", "system", "B"), "POWER": ("gpu/power", "system", "W"),
        "TMPTR": ("gpu/temperature", "system", "degC"), "SMACT": ("gpu/sm_active", "system", "1"),
    }  # fmt: skip
    assert values(log, "FBUSD")[0] == 800 * 2**20
    assert values(log, "POWER") == [71.2, 80.0, 90.0]
    assert log.kind == "machine"
    assert log.hardware.gpu_count == 2
    assert not log.problems


def test_without_an_interval_there_are_no_times(tmp_path):
    _, log = written(tmp_path, "dcgm.log", LOG)
    assert log.started_at is None
    assert log.files[0].clock == "no time written"


def test_torn_rows_and_parts_of_gpus_are_named(tmp_path):
    odd = LOG + "GPU 0     50\nGPU-I 7   1 2 3 4 5 6\n"
    _, log = written(tmp_path, "dcgm.log", odd)
    assert [one.what for one in log.problems] == [
        "found 'GPU 0     50'; expected a GPU and 6 values (1 such lines)",
        "1 rows are of parts of GPUs, links or CPUs; left out",
    ]
    assert len(values(log, "GPUTL")) == 4


def test_a_header_alone(tmp_path):
    with pytest.raises(InputError, match="no row below it"):
        written(tmp_path, "dcgm.log", "#Entity   GPUTL   FBUSD\nID\n")


def test_what_dcgm_writes_for_nothing_is_no_number(tmp_path):
    _, log = written(tmp_path, "dcgm.log", LOG.replace("800 ", "9223372036854775794 ", 1))
    assert values(log, "FBUSD") == [one * 2**20 for one in (900, 850, 950)]
