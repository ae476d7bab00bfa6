"""Checkpoints beside the logs."""

from __future__ import annotations

import pytest

from trainreport.importers.checkpoints import LISTED, attach, is_checkpoint
from trainreport.importers.groups import Group


def groups(*folders):
    return [Group(folder, folder, training=[object()]) for folder in folders]


def noted(paths, *folders):
    found = groups(*folders)
    attach(paths, found)
    return [[(event.message, event.step) for event in one.events] for one in found]


@pytest.mark.parametrize(
    "path",
    [
        "a/last.ckpt",
        "model.safetensors",
        "x/pytorch_model-00001-of-2.bin",
        "m/artifacts/model/MLmodel",
        "best.pt",
        "ckpt-100.index",
        "w.h5",
    ],
)
def test_names_of_checkpoints(path):
    assert is_checkpoint(path)


@pytest.mark.parametrize("path", ["metrics.csv", "events.out.tfevents.1", "model.txt", "checkpoints.md", "pt"])
def test_other_names(path):
    assert not is_checkpoint(path)


def test_they_belong_to_the_run_in_whose_folder_they_lie():
    paths = ["lit/version_0/checkpoints/epoch=3-step=400.ckpt", "lit/version_1/last.ckpt"]
    assert noted(paths, "lit/version_0", "lit/version_1") == [[(paths[0], 400)], [("lit/version_1/last.ckpt", None)]]


def test_a_folder_of_several_files_is_one():
    paths = ["out/checkpoint-500/model.safetensors", "out/checkpoint-500/optimizer.pt", "out/checkpoint-1000/model.safetensors"]
    assert noted(paths, "out/runs/today") == [[("out/checkpoint-1000", 1000), ("out/checkpoint-500", 500)]]


def test_between_several_runs_none_is_guessed():
    assert noted(["models/best.pt"], "a", "b") == [[], []]


def test_very_many_are_counted():
    paths = [f"run/step_{step:04}.pt" for step in range(LISTED + 7)]
    (found,) = noted(paths, "run")
    assert len(found) == LISTED + 1
    assert found[-1][0] == "and 7 more"
