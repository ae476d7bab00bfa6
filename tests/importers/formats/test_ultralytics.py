"""results.csv of Ultralytics (YOLOv8 on) and YOLOv5; the forms are those of the corpus."""

from __future__ import annotations

from read_logs import meanings, steps, values, written

from trainreport.importers import load

V8 = "epoch,time,train/box_loss,metrics/mAP50-95(B),val/box_loss,lr/pg0\n1,389.5,1.5,0.34,1.54,0.003\n2,765.9,1.4,0.35,1.52,0.006\n"
V5 = "   epoch,  train/box_loss,  metrics/mAP_0.5,  val/box_loss,  x/lr0\n   0,  0.119,  0.026,  0.1,  0.07\n"


def test_version_8(tmp_path):
    (tmp_path / "args.yaml").write_text("epochs: 50\nseed: 0\n")
    name, log = written(tmp_path, "results.csv", V8)
    assert name == "ultralytics"
    assert steps(log, "train/box_loss") == [1, 2]
    told = meanings(log)
    assert told["time"] == ("time/elapsed", "train", "s")
    assert told["metrics/mAP50-95(B)"] == ("map/50-95", "validation", "1")
    assert told["val/box_loss"] == ("loss/box", "validation", "1")
    assert told["lr/pg0"][0] == "learning_rate"
    assert log.params["epochs"] == "50"
    assert "counted from 1" in log.events[-1].message


def test_version_5_pads_its_header_and_counts_from_0(tmp_path):
    name, log = written(tmp_path, "results.csv", V5)
    assert name == "ultralytics"
    assert values(log, "metrics/mAP_0.5") == [0.026]
    assert "counted from 0" in log.events[-1].message


def test_conflict_markers_are_named_and_both_sides_read(tmp_path):
    rows = V8.splitlines()
    text = "\n".join([rows[0], "<<<<<<< HEAD", rows[1], "=======", rows[2], ">>>>>>> other", ""])
    name, log = written(tmp_path, "results.csv", text)
    assert name == "ultralytics"
    assert steps(log, "time") == [1, 2]
    assert [one.place for one in log.problems] == ["line 2", "line 4", "line 6"]
    assert "conflict marker of git" in log.problems[0].what


def test_a_copy_of_a_results_file_is_read_once(tmp_path):
    (tmp_path / "runs" / "train").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "runs" / "train"):
        (folder / "results.csv").write_text(V8)
    found = load([tmp_path])
    assert [log.run.id for log in found.logs] == ["runs/train"]
    assert [one.reason for one in found.skipped] == ["a copy of runs/train/results.csv, which was read instead"]
