"""What is known of real logs comes out of them; skipped where TRAINREPORT_CORPUS does not say where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainreport.importers.recording import Recording, Source
from trainreport.importers.registry import recognise

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
pytestmark = pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")


def read(name: str) -> Recording:
    path = Path(CORPUS or "") / name
    importer = recognise(path)
    assert not isinstance(importer, str), importer
    return importer.read(Source(path, name))


def mean(recording: Recording, series: str = "gpu/utilization", device: str | None = None) -> float:
    frame = recording.frame
    kept = (frame["series"] == series) & (frame["device"] == device if device else True)
    return float(frame.loc[kept, "value"].mean())


@pytest.mark.parametrize(
    ("name", "share", "gpus"),
    [
        ("nvidia_smi/01/gpu_log.csv", 0.83, 1),
        ("nvidia_smi/04/gpu_log.csv", 0.037, 1),
        ("nvidia_smi/06/gpu_utilization.csv", 0.385, 1),
        ("nvidia_smi/06/gpu_utilization_async.csv", 0.806, 1),
        ("nvidia_smi/09/gpu_usage.log", 0.0, 1),
        ("nvidia_smi/16/gpu_usage.log", 0.031, 4),
        ("nvidia_smi/16/bash/gpu_usage.log", 0.09, 1),
        ("nvidia_smi/13/nvidia_smi.csv", 0.0, 8),
        ("nvidia_smi/19/gpu_monitor.log", 0.22, 1),
    ],
)
def test_mean_utilization(name: str, share: float, gpus: int) -> None:
    recording = read(name)
    assert mean(recording) == pytest.approx(share, abs=0.006)
    assert recording.hardware.gpu_count == gpus


def test_idle_gpu_beside_busy_ones() -> None:
    two = read("nvidia_smi/03/gpu_usage.csv")
    assert mean(two, device="gpu1") < 0.001
    assert mean(two, device="gpu0") > 0.9
    eight = read("nvidia_smi/24/gpustat-5.csv")
    assert mean(eight, device="gpu0") == 0.0
    assert all(mean(eight, device=f"gpu{place}") >= 0.6 for place in range(1, 8))


def test_gpu_in_error_state() -> None:
    errors = [event.message for event in read("nvidia_smi/17/nvidia_gpu_exporter-393.txt").events if event.level == "error"]
    assert errors == ["Fan is ERR! in 1 of 2 rows, on gpu14"]


def test_milliwatts_of_a_jetson() -> None:
    recording = read("codecarbon/01/gpu_log.csv")
    assert 4 < mean(recording, "gpu/power") < 7
    assert "read as mW" in recording.problems[0].what


@pytest.mark.parametrize("name", ["nvidia_smi/21/gpu_monitor.log", "nvidia_smi/22/gpu_monitor.log", "nvidia_smi/10/job.log"])
def test_logs_of_other_things_are_refused(name: str) -> None:
    found = recognise(Path(CORPUS or "") / name)
    assert isinstance(found, str) or not found.name.startswith("nvidia")


def test_nothing_of_other_tools_is_taken_for_a_log_of_gpus() -> None:
    root = Path(CORPUS or "")
    taken = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        importer = recognise(path)
        if not isinstance(importer, str) and importer.name.startswith("nvidia"):
            taken.append(path.relative_to(root).as_posix())
    assert [name for name in taken if not name.startswith("nvidia_smi/")] == ["codecarbon/01/gpu_log.csv"]
    assert len(taken) == 29
