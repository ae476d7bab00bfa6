"""Pages of metrics: dcgm-exporter in both spellings of labels, MIG, blanks, and a page of Python's own client."""

from __future__ import annotations

import math

import pytest
from read_logs import meanings, values, written

from trainreport.importers import load
from trainreport.importers.gauges.exposition import samples_in
from trainreport.importers.recording import Source
from trainreport.importers.tables.found import Troubles

OWN = 'gpu="{gpu}",UUID="GPU-{gpu}",device="nvidia{gpu}",modelName="NVIDIA A100",Hostname="node-a"'
DCGM = f"""# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{{{OWN.format(gpu=0)}}} 83
DCGM_FI_DEV_GPU_UTIL{{{OWN.format(gpu=1)},container="",namespace="",pod=""}} 7
# HELP DCGM_FI_DEV_FB_USED Framebuffer memory used (in MiB).
# TYPE DCGM_FI_DEV_FB_USED gauge
DCGM_FI_DEV_FB_USED{{{OWN.format(gpu=0)}}} 1024
DCGM_FI_DEV_MEMORY_TEMP{{{OWN.format(gpu=0)}}} 9223372036854775794
DCGM_FI_DEV_POWER_USAGE{{gpu="0", UUID="GPU-0", hostname="node-a"}} 250.5
"""


def test_dcgm_exporter(tmp_path):
    name, log = written(tmp_path, "gpu.prom", DCGM)
    assert name == "prometheus-text"
    assert values(log, "DCGM_FI_DEV_GPU_UTIL") == [0.83, 0.07]
    assert meanings(log)["DCGM_FI_DEV_FB_USED"] == ("gpu/memory_used", "system", "B")
    assert values(log, "DCGM_FI_DEV_FB_USED") == [2**30]
    assert values(log, "DCGM_FI_DEV_MEMORY_TEMP") == []
    assert log.frame["device"].tolist() == ["gpu0", "gpu1", "gpu0", "gpu0"]
    assert log.frame["node"].tolist() == ["node-a"] * 4
    assert (log.kind, log.hardware.gpu_model, log.hardware.gpu_count) == ("machine", "NVIDIA A100", 2)
    assert [one.message for one in log.events] == ["DCGM_FI_DEV_MEMORY_TEMP is not supported in 1 samples"]


def test_parts_of_a_gpu_are_not_the_gpu(tmp_path):
    part = 'DCGM_FI_DEV_FB_USED{gpu="0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",modelName="NVIDIA H100"} 10\n'
    _, log = written(tmp_path, "gpu.prom", part)
    assert log.frame["series"].tolist() == ["gpu/mig/memory_used"]
    assert log.frame["device"].tolist() == ["gpu0/mig7"]
    assert log.hardware.gpu_count == 1


def test_an_xid_is_told(tmp_path):
    line = 'DCGM_FI_DEV_XID_ERRORS{gpu="1"} 79 1780984800000\n'
    _, log = written(tmp_path, "gpu.prom", line + line)
    (event,) = log.events
    assert (event.kind, event.message, event.time_s) == ("gpu-error", "Xid 79 on gpu1", 1780984800)


def test_identities_are_numbered_by_the_info_metric(tmp_path):
    page = """nvidia_smi_utilization_gpu_ratio{uuid="b"} 0.25
nvidia_smi_utilization_gpu_ratio{uuid="a"} 1
nvidia_smi_gpu_info{uuid="a",index="0",name="NVIDIA H200"} 1
nvidia_smi_gpu_info{uuid="b",index="1",name="NVIDIA H200"} 1
"""
    _, log = written(tmp_path, "gpu.metrics", page)
    assert log.frame["device"].tolist() == ["gpu1", "gpu0"]
    assert log.hardware.gpu_model == "NVIDIA H200"


def test_what_pythons_client_writes(tmp_path):
    client = pytest.importorskip("prometheus_client")
    registry = client.CollectorRegistry()
    client.Gauge("train_loss", 'with a "quote" and a \\', ["job_name"], registry=registry).labels('a"\\\nb,c}').set(math.pi)
    client.Counter("samples_seen_total", "n", registry=registry).inc(3)
    client.Histogram("step_seconds", "s", registry=registry).observe(0.5)
    name, log = written(tmp_path, "metrics.txt", client.generate_latest(registry))
    assert name == "prometheus-text"
    assert log.kind == "training"
    assert not log.problems
    losses = log.frame[log.frame["series"] == "loss"]
    assert losses["value"].tolist() == [math.pi]
    assert losses["logged"].tolist() == ['train_loss{job_name="a"\\\nb,c}"}']
    assert values(log, "samples_seen_total") == [3]
    assert meanings(log)["step_seconds_sum"][2] == "s"


def test_torn_lines_are_named(tmp_path):
    _, log = written(tmp_path, "gpu.prom", DCGM + 'DCGM_FI_DEV_GPU_UTIL{gpu="0\n')
    assert (log.problems[0].place, log.problems[0].what) == (
        "line 10", "found 'DCGM_FI_DEV_GPU_UTIL{gpu=\"0'; expected a metric with its value",
    )  # fmt: skip


def test_times_that_are_written(tmp_path):
    (tmp_path / "a.prom").write_text('DCGM_FI_DEV_GPU_UTIL{gpu="0"} 83 1780984800123\nDCGM_FI_DEV_GPU_UTIL{gpu="0"} 83 1780984860123\n')
    (log,) = load([tmp_path]).logs
    assert log.run.started_at.isoformat() == "2026-06-09T06:00:00.123000+00:00"


def test_each_line_is_what_pythons_client_reads(tmp_path):
    """The parser of prometheus_client says what the lines hold."""
    parser = pytest.importorskip("prometheus_client.parser")
    page = (
        "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
        'DCGM_FI_DEV_POWER_USAGE{gpu="0", UUID="GPU-a",} 250.5 1780984800000\n'
        'DCGM_FI_DEV_GPU_UTIL { gpu = "1" , Hostname = "n" } +Inf\n'
        'app_temp{path="C:\\\\DIR\\\\",text="a\\nb \\"c\\" {d},e=1"} -1.5e-07\nplain -Inf\nplain_nan NaN\n'
    )
    _, log = written(tmp_path, "gpu.prom", page)
    theirs = [one for family in parser.text_string_to_metric_families(page) for one in family.samples]
    given = Source(tmp_path / "gpu.prom", "gpu.prom")
    ours = list(samples_in(page, Troubles(given)))
    assert [(one.name, one.labels) for one in ours] == [(one.name, one.labels) for one in theirs]
    assert [repr(one.value) for one in ours] == [repr(one.value) for one in theirs]
    assert [repr(value) for value in log.frame["value"]] == ["250.5", "inf", "-1.5e-07", "-inf", "nan"]
    assert not log.problems


@pytest.mark.parametrize("blank", ["9223372036854775792", "9223372036854775794", "2147483632", "2147483635", "140737488355328"])
def test_what_dcgm_writes_for_nothing_is_no_number(tmp_path, blank):
    """dcgm_structs.h: blank, not found, not supported, not permitted of int64, int32 and double."""
    _, log = written(tmp_path, "gpu.prom", f'DCGM_FI_DEV_GPU_TEMP{{gpu="0"}} {blank}\nDCGM_FI_DEV_GPU_TEMP{{gpu="1"}} 45\n')
    assert log.frame["value"].tolist() == [45]
    assert [one.message for one in log.events] == ["DCGM_FI_DEV_GPU_TEMP is not supported in 1 samples"]


def test_errors_that_dcgm_exporter_counts_are_told(tmp_path):
    """Which error is a label, its value how often it was in the window (dcgm-exporter, DCGM_EXP_XID_ERRORS_COUNT)."""
    line = 'DCGM_EXP_XID_ERRORS_COUNT{{gpu="{gpu}",window_size_in_ms="300000",xid="{xid}"}} {count}\n'
    page = line.format(gpu=0, xid=79, count=2) + line.format(gpu=1, xid=0, count=1) + line.format(gpu=2, xid=13, count=0)
    _, log = written(tmp_path, "gpu.prom", page)
    assert [one.message for one in log.events] == ["Xid 79 on gpu0"]
