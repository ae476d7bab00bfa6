"""Loading whole folders: what is read, what is skipped, how runs are called."""

from __future__ import annotations

import pytest

from trainreport.errors import InputError, UsageError
from trainreport.importers import _telling_names, _what_differs, load

SMI = "timestamp, index, name, utilization.gpu [%], memory.used [MiB]\n"
ROW = "2026/06/09 06:{minute:02d}:00.000, 0, Tesla T4, 50 %, 1000 MiB\n"


def smi(path, minutes=range(10)):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SMI + "".join(ROW.format(minute=minute) for minute in minutes))


def mlflow(folder, run="a" * 32, name="first", **metrics):
    folder = folder / run
    for part in ("metrics", "params", "tags", "artifacts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "meta.yaml").write_text(
        f"artifact_uri: file:///etc/passwd\nexperiment_id: '0'\nlifecycle_stage: active\nrun_id: {run}\nrun_name: {name}\n"
        "status: 3\nstart_time: 1780984800000\nend_time: 1780985400000\n"
    )
    for metric, values in metrics.items():
        (folder / "metrics" / metric).write_text("".join(f"{1780984800000 + 60_000 * n} {v} {n}\n" for n, v in enumerate(values)))


def test_a_folder_with_all_kinds(tmp_path):
    mlflow(tmp_path / "mlruns" / "0", val_loss=[3, 2, 1])
    smi(tmp_path / "gpu.csv")
    (tmp_path / "notes.txt").write_text("hello")
    loaded = load([tmp_path])
    [log] = loaded.logs
    assert {file.importer for file in log.run.files} == {"mlflow", "nvidia-smi"}
    assert "its times cover this run" in log.run.joins[0]
    assert [one.path for one in loaded.skipped] == ["notes.txt"]
    assert set(log.frame["file"].unique()) >= {"gpu.csv"}
    assert not any("passwd" in file.path for file in log.run.files)


def test_separate(tmp_path):
    mlflow(tmp_path / "mlruns" / "0", val_loss=[3, 2, 1])
    smi(tmp_path / "gpu.csv")
    assert len(load([tmp_path], separate=True).logs) == 2


def test_two_paths_name_their_files_apart(tmp_path):
    for name in ("a", "b"):
        smi(tmp_path / name / "gpu.csv")
    loaded = load([tmp_path / "a", tmp_path / "b"])
    assert len(loaded.logs) == 2
    assert len({log.run.files[0].path for log in loaded.logs}) == 2
    assert len({log.run.id for log in loaded.logs}) == 2


def test_a_link_is_not_followed(tmp_path):
    smi(tmp_path / "elsewhere" / "gpu.csv")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "gpu.csv").symlink_to(tmp_path / "elsewhere" / "gpu.csv")
    with pytest.raises(InputError, match="a link"):
        load([tmp_path / "runs"])
    assert load([tmp_path / "runs" / "gpu.csv"]).logs  # given by the user himself it is read


def test_runs_of_one_name_are_told_apart():
    ids = ["x/size=1/seed_1/DQN_1", "x/size=1/seed_2/DQN_1", "x/size=9/seed_1/DQN_1"]
    assert _telling_names(["DQN_1"] * 3, ids) == ["size=1/seed_1", "size=1/seed_2", "size=9/seed_1"]
    assert _telling_names(["Run", "Run", "other"], ["abcdef0123456", "0123456abcdef", "z"]) == ["Run abcdef01", "Run 0123456a", "other"]
    assert _what_differs([["a"], ["a", "b"]]) == [["a"], ["a", "b"]]


@pytest.mark.parametrize("paths", [[], ["gone"]])
def test_nothing_to_read(tmp_path, paths):
    with pytest.raises((InputError, UsageError)):
        load([tmp_path / path for path in paths])
