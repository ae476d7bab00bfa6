"""Which run an event file belongs to, and what its series are called there."""

from __future__ import annotations

import pytest
from event_files import POINTER, VERSION, scalar, session, source

from trainreport.importers import load
from trainreport.importers.formats.tensorboard import IMPORTER
from trainreport.model.curve import curve


def test_keras_folders_tell_the_phase(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("epoch_loss", 0, 0.5), name="logs/validation/events.out.tfevents.1.v2"))
    assert recording.key == "logs/validation"
    assert recording.frame["phase"].tolist() == ["validation"]


def test_catboost_names_its_folders_learn_and_test(tmp_path):
    event = scalar("RMSE", 0, 0.5)
    event.wall_time = 1.7e9
    recording = IMPORTER.read(source(tmp_path, event, name="catboost_info/learn/events.out.tfevents"))
    assert (recording.frame["series"].tolist(), recording.frame["phase"].tolist()) == (["rmse"], ["train"])


def test_without_a_file_of_the_writer_above_a_folder_is_a_run_of_its_own(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name="runs/loss_lr0.1/events.out.tfevents.1"))
    assert (recording.key, recording.frame["logged"].tolist()) == ("runs/loss_lr0.1", ["loss"])


@pytest.mark.parametrize(
    ("tag", "folder"),
    [
        ("run_14h", "logs/run_14h_xsinx"),
        ("curves/run_14h", "logs/curves_run_14h_xsinx"),
        ("run_14h", "logs/run_14h/xsinx"),  # tensorboardX
        ("curves/run_14h", "logs/curves/run_14h/xsinx"),
    ],
)
def test_add_scalars_children_belong_to_the_parent(tmp_path, tag, folder):
    source(tmp_path, VERSION, name="logs/events.out.tfevents.0")
    recording = IMPORTER.read(source(tmp_path, scalar(tag, 0, 0.5), name=f"{folder}/events.out.tfevents.1"))
    assert (recording.key, recording.name, recording.folder) == ("logs", "logs", folder)
    assert recording.frame["logged"].tolist() == [f"{tag}/xsinx"]


def test_add_scalars_in_the_given_folder(tmp_path):
    source(tmp_path, VERSION, name="events.out.tfevents.0")
    for folder in ("loss_a", "loss/a"):
        recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name=f"{folder}/events.out.tfevents.1"))
        assert (recording.key, recording.frame["logged"].tolist()) == (".", ["loss/a"])


def test_the_top_folder_is_named_as_on_disk(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name="events.out.tfevents.1"))
    assert (recording.key, recording.name) == (".", tmp_path.name)


def test_final_metrics_of_add_hparams_are_no_restart_of_their_curves(tmp_path):
    events = [*session(end_after=0), scalar("accuracy", 0, 0.9)]
    recording = IMPORTER.read(source(tmp_path, *events, name="a/1671085786.32/events.out.tfevents.2"))
    assert recording.frame["logged"].tolist() == ["hparams/accuracy"]
    assert recording.frame["series"].tolist() == ["accuracy"]
    assert recording.params == {"lr": "0.5"}
    same_folder = IMPORTER.read(source(tmp_path, *events))
    assert same_folder.frame["logged"].tolist() == ["hparams/accuracy"]


def test_lightning_writes_its_session_first_and_then_trains(tmp_path):
    events = [*session(end_after=0), scalar("hp_metric", 0, -1.0), scalar("loss", 0, 0.9)]
    assert set(IMPORTER.read(source(tmp_path, *events)).frame["logged"]) == {"hp_metric", "loss"}
    curve = [*session(end_after=0), scalar("loss", 0, 0.9), scalar("loss", 1, 0.8)]
    assert set(IMPORTER.read(source(tmp_path, *curve)).frame["logged"]) == {"loss"}


def test_a_folder_of_four_processes_and_its_hyperparameters(tmp_path):
    for process in (11, 12, 13, 14):
        events = [scalar("loss", step, process + step) for step in range(10)]
        source(tmp_path, *events, name=f"run/events.out.tfevents.170000000{process % 10}.host.{process}.0")
    source(tmp_path, *session(end_after=0), scalar("loss", 0, 3.0), name="run/1700000009.25/events.out.tfevents.1700000009.host.11.1")
    (tmp_path / "run/hparams.yaml").write_text("depth: 3\n")
    loaded = load([tmp_path])
    [log] = loaded.logs
    assert loaded.skipped == ()
    assert log.run.params == {"depth": "3", "lr": "0.5"}
    assert [file.path for file in log.run.files].count("run/hparams.yaml") == 1
    ranks = log.frame.groupby("rank")["value"].first()
    assert ranks.to_dict() == {0: 11.0, 1: 12.0, 2: 13.0, 3: 14.0}
    assert set(log.frame["attempt"]) == {1}
    found = curve(log, "loss", "train")
    assert found.value.tolist() == [11.0 + step for step in range(10)]
    assert len(log.run.joins) == 2


def test_why_nothing_is_left_of_a_file_is_told(tmp_path):
    source(tmp_path, VERSION, name="a/events.out.tfevents.1")
    source(tmp_path, data=POINTER, name="b/events.out.tfevents.1")
    source(tmp_path, scalar("loss", 0, 0.5), name="c/events.out.tfevents.1")
    reasons = [one.reason for one in load([tmp_path]).skipped]
    assert ["version only" in reasons[0], "git lfs pull" in reasons[1]] == [True, True]


def test_a_restart_is_kept_and_flagged(tmp_path):
    first = [scalar("loss", step, 1.0) for step in range(10)]
    again = [scalar("loss", step, 0.5, wall_time=1.8e9) for step in range(5, 12)]
    source(tmp_path, *again, name="run/events.out.tfevents.1800000000.host.2.0")
    source(tmp_path, *first, name="run/events.out.tfevents.1700000000.host.1.0")
    [log] = load([tmp_path]).logs
    assert log.frame["attempt"].tolist() == [1] * 10 + [2] * 7
    assert log.frame["rank"].isna().all()
    assert curve(log, "loss", "train").value.tolist() == [1.0] * 5 + [0.5] * 7
