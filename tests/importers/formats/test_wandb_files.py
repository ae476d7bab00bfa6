from __future__ import annotations

import json

from read_logs import read, values

METADATA = {
    "startedAt": "2026-11-01T10:00:00.000000Z",
    "host": "node1",
    "gpu": "NVIDIA A100-SXM4-80GB",
    "gpu_count": 2,
    "git": {"commit": "a" * 40},
}
CONFIG = "wandb_version: 1\n\nlr:\n  desc: null\n  value: 0.001\nseed:\n  value: 7\n"


def folder(tmp_path):
    files = tmp_path / "run-20261101_100000-abc123" / "files"
    files.mkdir(parents=True)
    (files / "wandb-metadata.json").write_text(json.dumps(METADATA))
    (files / "wandb-summary.json").write_text(json.dumps({"loss": 0.25, "val/accuracy": 0.9, "_step": 40, "_runtime": 60.0}))
    (files / "config.yaml").write_text(CONFIG)
    return files


def test_the_folder_is_one_run_with_its_last_values(tmp_path):
    files = folder(tmp_path)
    name, log = read(files / "config.yaml", "run-20261101_100000-abc123/files/config.yaml")
    assert (name, log.key, log.seed, log.params["lr"]) == ("wandb-files", "abc123", "7", "0.001")
    assert values(log, "val/accuracy") == [0.9]
    assert (log.hardware.gpu_model, log.hardware.gpu_count, log.code_version) == ("NVIDIA A100-SXM4-80GB", 2, "a" * 40)
    assert log.started_at.isoformat() == "2026-11-01T10:00:00+00:00"
    assert any("last value" in event.message for event in log.events)


def test_a_config_of_somebody_else_is_none_of_wandb(tmp_path):
    from trainreport.importers.registry import recognise

    (tmp_path / "config.yaml").write_text("lr: 0.1\nepochs: 3\n")
    assert isinstance(recognise(tmp_path / "config.yaml"), str)
