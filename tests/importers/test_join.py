"""Which sources are one run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from builders import START, machine, training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.join import join
from trainreport.importers.recording import FileRead

HOUR = timedelta(hours=1)


def run(key, start=START, **facts):
    return training({"loss": range(60)}, seconds_per_step=60, key=key, start=start, **facts)


def gpu(folder, start=START, samples=60, **facts):
    return machine({"gpu0": {"gpu/utilization": [0.5] * samples}}, interval_s=60, folder=folder, start=start, **facts)


def keys(groups):
    return [group.key for group in groups]


def test_phase_folders_are_joined_under_their_parent():
    [group] = join([run("exp/train"), run("exp/validation")])
    assert group.key == "exp"
    assert len(group.training) == 2
    assert "by the name of its folder" in group.reasons[0]


def test_eval_below_its_run_is_joined():
    assert keys(join([run("exp"), run("exp/eval")])) == ["exp"]


def test_a_phase_folder_alone_stays_a_run():
    assert keys(join([run("exp/train"), run("other")])) == ["exp/train", "other"]


def test_two_folders_of_one_phase_are_two_runs():
    assert keys(join([run("a/train"), run("b/train")])) == ["a/train", "b/train"]


def session(key, params, metrics=None):
    return run(key, params=params) if metrics is None else training(metrics, key=key, params=params)


METRICS = {"hparams/loss": [0.1]}


def test_the_hyperparameters_of_pytorch_belong_to_the_run_above():
    [group] = join([run("runs/a"), session("runs/a/1671085786.3238955", {"lr": "1"}, METRICS)])
    assert (group.key, group.folder, len(group.training)) == ("runs/a", "runs/a", 2)
    assert "hyperparameters of the run in runs/a" in group.reasons[0]


def test_they_follow_the_run_above_into_its_own_run():
    session_below = session("exp/train/1671085786.3238955", {"lr": "1"}, METRICS)
    assert keys(join([run("exp/train"), run("exp/validation"), session_below])) == ["exp"]


def test_in_the_given_folder():
    [group] = join([run("."), session("1671085786.3", {"lr": "1"}, METRICS)])
    assert group.key == "."
    assert "the given folder" in group.reasons[0]


def test_different_hyperparameters_below_one_folder_are_a_search():
    sessions = [session(f"s/16710857{n}.5", {"lr": str(n)}, METRICS) for n in range(10, 13)]
    assert len(join([run("s"), *sessions])) == 4
    alike = [session(f"s/16710857{n}.5", {"lr": "1"}, METRICS) for n in range(10, 13)]
    assert keys(join([run("s"), *alike])) == ["s"]


def test_a_folder_named_by_a_time_that_holds_curves_is_a_run():
    assert len(join([run("a"), session("a/1671085786.5", {"lr": "1"})])) == 2
    assert keys(join([session("a/1671085786.5", {"lr": "1"}, METRICS)])) == ["a/1671085786.5"]


def test_processes_in_one_folder_at_once_are_ranks():
    [group] = join([replace(run("a"), files=(FileRead(Path(name), name, 0),)) for name in ("e.tfevents.1.h.2.0", "e.tfevents.1.h.1.0")])
    assert [(one.files[0].name[-5:], int(one.frame["rank"].iloc[0])) for one in group.training] == [("h.1.0", 0), ("h.2.0", 1)]
    assert "ranks 0 to 1" in group.reasons[0]


def test_mlflow_and_tensorboard_of_one_run():
    mlflow = run("id1", importer="mlflow", folder="mlruns/0/id1")
    inside = run("mlruns/0/id1/artifacts/tb")
    assert keys(join([inside, mlflow])) == ["id1"]
    twin = run("tb", folder="tb")
    assert keys(join([twin, mlflow])) == ["id1"]  # began and ended together
    later = run("tb", folder="tb", start=START + HOUR * 5)
    assert keys(join([later, mlflow])) == ["id1", "tb"]


def test_where_two_runs_could_be_meant_nothing_is_joined():
    one, other = (run(name, importer="mlflow", folder=f"mlruns/0/{name}") for name in ("id1", "id2"))
    assert len(join([one, other, run("tb", folder="tb")])) == 3


def test_a_gpu_log_belongs_to_the_runs_it_covers():
    first, second = run("a"), run("b", start=START + 2 * HOUR)
    groups = {group.key: group for group in join([first, second, gpu(".", start=START - HOUR, samples=300)])}
    [early], [late] = groups["a"].machine, groups["b"].machine
    assert (early.from_s, early.to_s) == (None, (START + 2 * HOUR).timestamp())  # start-up before, idle after
    assert (late.from_s, late.to_s) == ((START + 2 * HOUR).timestamp(), None)


def test_a_gpu_log_beside_the_run_is_found_from_the_folder_above():
    [group] = join([run("logs/tb"), gpu("logs/gpu")])
    assert len(group.machine) == 1


def test_a_gpu_log_of_another_day_is_no_part_of_the_run():
    groups = join([run("a"), gpu("a", start=START + 48 * HOUR)])
    assert len(groups) == 2
    assert not groups[0].machine or not groups[0].training


def test_separate_joins_nothing():
    assert len(join([run("exp/train"), run("exp/validation"), gpu("exp")], separate=True)) == 3


@settings(deadline=None)
@given(st.permutations(range(5)))
def test_the_order_of_reading_changes_nothing(order):
    found = [
        run("exp/train"),
        run("exp/validation"),
        run("b", start=START + 3 * HOUR),
        gpu("."),
        run("id", importer="mlflow", folder="m/id"),
    ]
    shuffled = join([found[place] for place in order])
    straight = join(found)
    assert [(g.key, len(g.training), len(g.machine)) for g in shuffled] == [(g.key, len(g.training), len(g.machine)) for g in straight]
