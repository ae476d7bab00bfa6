"""Which sources are one run."""

from __future__ import annotations

from datetime import timedelta

from builders import START, machine, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.join import join

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
