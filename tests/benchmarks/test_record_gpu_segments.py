"""The recorder of real GPU segments: its schedule and arguments; nothing here claims what a GPU would show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "record_gpu_segments.py"
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="benchmarks are not installed")


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import record_gpu_segments

    return record_gpu_segments


def test_help_and_dry_run_need_no_gpu(tmp_path):
    helped = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True, check=False)
    assert helped.returncode == 0
    assert "--dry-run" in helped.stdout
    dry = subprocess.run([sys.executable, SCRIPT, tmp_path / "out", "--dry-run"], capture_output=True, text=True, check=False)
    assert dry.returncode == 0
    assert not (tmp_path / "out").exists()
    assert "1320 s  in all" in dry.stdout  # five of two minutes, five minutes of growth, seven of idling


def test_every_segment_has_its_work_and_known_codes(recorder):
    assert {segment.name for segment in recorder.SEGMENTS} == set(recorder.WORK)
    for segment in recorder.SEGMENTS:
        assert {*segment.expected, *segment.allowed} <= recorder.JUDGED | {"TR203"}


@pytest.mark.parametrize("arguments", [[], ["out", "--minutes", "0"], ["out", "--minutes", "x"], ["out", "--unknown"]])
def test_wrong_arguments(recorder, arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        recorder.main(arguments)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_machine_without_a_gpu_is_told_so(recorder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recorder.shutil, "which", lambda name: None)
    assert recorder.main([str(tmp_path)]) == 2
    assert "nvidia-smi is not here" in capsys.readouterr().err


def test_an_existing_recording_is_not_overwritten(recorder, tmp_path, monkeypatch, capsys):
    (tmp_path / "labels.json").write_text("[]")
    monkeypatch.setattr(recorder, "missing", lambda: None)
    assert recorder.main([str(tmp_path)]) == 2
    assert "holds labels already" in capsys.readouterr().err


def test_check_compares_what_is_found_with_what_is_expected(recorder, tmp_path, capsys):
    row = "2026/06/09 08:{:02d}:{:02d}.000, 0, NVIDIA A100, 0 %, 1200 MiB"
    lines = ["timestamp, index, name, utilization.gpu [%], memory.used [MiB]"]
    lines += [row.format(second // 60, second % 60) for second in range(0, 480, 2)]
    (tmp_path / "idle").mkdir()
    (tmp_path / "idle" / "gpu.csv").write_text("\n".join(lines))
    label = {"name": "idle", "what": "", "expected": ["TR202"], "allowed": ["TR206"]}
    (tmp_path / "labels.json").write_text(json.dumps([label]))
    assert recorder.check(tmp_path) == 0
    (tmp_path / "labels.json").write_text(json.dumps([{**label, "expected": ["TR215"]}]))
    assert recorder.check(tmp_path) == 1
    assert "missing ['TR215'], too much ['TR202']" in capsys.readouterr().out
