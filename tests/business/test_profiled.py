"""What profiles told of a run, by process and GPU: the trace computed by hand, and slower copies of it."""

from __future__ import annotations

import pytest
from builders import log_of, training
from made_traces import EVENTS, document
from read_logs import DATA, read, written

from trainreport.business.profiled import MEASURES, STEP_TIME, profiled
from trainreport.importers.profiles.totals import TOTALS


def on_rank(tmp_path, rank, events=None):
    """Return the recording of a trace of one process."""
    info = {"backend": "nccl", "rank": rank, "world_size": 8}
    return written(tmp_path, f"rank{rank}.pt.trace.json", document(events, distributedInfo=info))[1]


def test_every_measure_that_importers_write_is_known_here():
    assert set(MEASURES) == set(TOTALS)
    assert len(MEASURES) == len(set(MEASURES))


def test_a_run_without_a_profile_has_none():
    assert profiled(log_of(training({"train_loss": [2.0, 1.0]}))) is None


def test_medians_over_the_steps(tmp_path):
    found = profiled(log_of(on_rank(tmp_path, 5)))
    assert found is not None
    assert found.steps == 2
    assert found.seconds == pytest.approx(1400e-6)
    assert [one.name for one in found.measures] == list(MEASURES[:11])
    busy = found.named("profile/gpu_busy")
    assert busy.unit == "1"
    [told] = busy.told
    assert (told.node, told.device, told.rank, told.n) == (None, "gpu3", 5, 2)
    assert (told.median, told.low, told.high) == pytest.approx((0.225, 0.0, 0.45), abs=1e-9)  # of 45 % and nothing
    [told] = found.named("profile/input_wait").told
    assert (told.device, told.median) == (None, pytest.approx(0.25, abs=1e-9))  # of nothing and half
    [told] = found.named("profile/short_kernels").told
    assert (told.n, told.median) == (1, pytest.approx(1 / 3))  # no kernel began in the second step
    assert found.named("profile/kernel_time") is None


def test_the_worst_comes_first_and_ranks_stay_apart(tmp_path):
    idle = [one for one in EVENTS if one.get("name") != "gemm"]  # its second kernel, 50 us of the first step
    found = profiled(log_of(on_rank(tmp_path, 1), on_rank(tmp_path, 2, idle)))
    assert [(one.rank, round(one.median, 9)) for one in found.named("profile/gpu_busy").told] == [(2, 0.2), (1, 0.225)]
    assert [(one.rank, round(one.median * 1e6)) for one in found.named("profile/idle").told] == [(2, 475), (1, 450)]
    assert [one.rank for one in found.named(STEP_TIME).told] == [1, 2], "equal ones in the order of their ranks"
    assert found.steps == 2, "each process recorded the same two steps"


def test_a_trace_without_steps_is_one_value(tmp_path):
    unmarked = [one for one in EVENTS if "ProfilerStep" not in str(one.get("name"))]
    found = profiled(log_of(on_rank(tmp_path, 0, unmarked)))
    assert (found.steps, found.seconds) == (0, None)
    [busy] = found.named("profile/gpu_busy").told
    assert busy.n == 1


def test_a_profile_of_processors_alone_tells_nothing_of_gpus():
    found = profiled(log_of(read(DATA / "torch_profile" / "torch.pt.trace.json.gz")[1]))
    assert [one.name for one in found.measures] == [STEP_TIME, "profile/input_wait", "time/data (profiled)"]
    assert found.seconds == pytest.approx(3493.212e-6)  # 1701.392 + 717.292 + 610.447 + 464.081


def test_the_mean_step_of_a_table_is_no_window():
    found = profiled(log_of(read(DATA / "torch_profile" / "key_averages.txt")[1]))
    assert (found.steps, found.seconds) == (0, None)
    assert found.named(STEP_TIME).told[0].median == pytest.approx(730.334e-6)  # as the table says
