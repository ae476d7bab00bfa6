"""Tables that PyTorch's profiler printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_traces import measured
from read_logs import DATA, read, written

from trainreport.errors import InputError

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
ON_GPU = """===== CPU Profile =====
----------------  ------------  ------------  ------------  ------------  ------------  ------------
            Name    Self CPU %     CPU total  CPU time avg     Self CUDA    CUDA total    # of Calls
----------------  ------------  ------------  ------------  ------------  ------------  ------------
   ProfilerStep*        34.67%       4.500ms       1.500ms       0.000us     456.386us             3
enumerate(DataLoader)#_Multi...        1.00%     450.000us     150.000us       0.000us       0.000us             3
cudaLaunchKernel         7.04%     300.000us       3.000us       0.000us       0.000us           100
 cuLaunchKernel          7.04%     100.000us       1.000us       0.000us       0.000us           100
----------------  ------------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 5.408ms
Self CUDA time total: 0.565s

===== GPU Profile =====
            Name    Self CPU %     CPU total  CPU time avg     Self CUDA    CUDA total    # of Calls
   ProfilerStep*         0.00%       0.000us       0.000us     909.028us     909.028us             3
Self CUDA time total: 0.565s
"""


def test_a_table_that_pytorch_printed():
    name, log = read(DATA / "torch_profile" / "key_averages.txt")
    assert name == "torch-averages"
    # ProfilerStep*: 2.921ms in 4; the data loader: 1.283ms in 4
    assert measured(log) == pytest.approx(
        {("time/step", None): 730.334e-6, ("time/data", None): 1.283e-3 / 4, ("profile/input_wait", None): 1.283 / 2.921}
    )


def test_steps_launches_and_the_device(tmp_path):
    _, log = written(tmp_path, "averages.txt", ON_GPU)
    assert measured(log) == pytest.approx(
        {
            ("time/step", None): 1.5e-3,
            ("time/data", None): 150e-6,
            ("profile/input_wait", None): 0.1,
            ("profile/launch_mean", None): 2e-6,
            ("profile/kernel_time", None): 0.565,
        }
    )


def test_a_row_that_was_cut_off_is_not_known(tmp_path):
    text = "".join(line for line in ON_GPU.splitlines(keepends=True) if "DataLoader" not in line and "Launch" not in line)
    _, log = written(tmp_path, "averages.txt", text)
    assert measured(log) == pytest.approx({("time/step", None): 1.5e-3, ("profile/kernel_time", None): 0.565})


def test_torn_rows_are_named(tmp_path):
    _, log = written(tmp_path, "averages.txt", ON_GPU.replace("300.000us       3.000us", "300.000xs       3.000us"))
    assert [one.place for one in log.problems] == ["line 7"]
    assert measured(log)["profile/launch_mean", None] == pytest.approx(1e-6)


def test_nothing_to_measure(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "averages.txt", "\n".join(ON_GPU.splitlines()[:4]))


@pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")
def test_tables_of_the_corpus():
    found = [measured(read(path)[1]) for path in Path(CORPUS or "", "profiler").rglob("key_averages.txt")]
    assert sorted(round(one["time/step", None] * 1e6) for one in found) == [1412, 1477, 5228]  # CPU time avg of ProfilerStep*
    assert sorted(round(one["profile/kernel_time", None] * 1e6) for one in found) == [566, 566, 6411]  # Self CUDA time total
