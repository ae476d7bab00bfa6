"""The names that frameworks really use (issue 2, item 2, and the corpus)."""

from __future__ import annotations

import pytest

from trainreport.model.series import direction, folder_phase, interpret


@pytest.mark.parametrize(
    ("logged", "series", "phase"),
    [
        ("loss/train", "loss", "train"),
        ("train_loss", "loss", "train"),
        ("Loss/train", "loss", "train"),
        ("trainLoss", "loss", "train"),
        ("loss", "loss", "train"),
        ("val_acc", "accuracy", "validation"),
        ("eval/loss", "loss", "validation"),
        ("validation/loss", "loss", "validation"),
        ("Test/Accuracy", "accuracy", "test"),
        ("epoch_sparse_categorical_accuracy", "accuracy", "train"),
        ("evaluation_accuracy_vs_iterations", "accuracy", "validation"),
        ("metrics/mAP50(B)", "map/50", "validation"),
        ("metrics/mAP50-95(B)", "map/50-95", "validation"),
        ("val/box_loss", "loss/box", "validation"),
        ("train/loss_epoch", "loss", "train"),
        ("losses/train_loss", "loss", "train"),
        ("eval/mean_reward", "reward", "validation"),
        ("rollout/ep_rew_mean", "reward", "train"),
        ("train/grad_norm", "gradient/norm", "train"),
        ("lr-Adam", "learning_rate", "train"),
        ("x/lr0", "learning_rate", "train"),
        ("eval_samples_per_second", "throughput/samples", "validation"),
        ("Generator loss", "loss/generator", "train"),
    ],
)
def test_known_spellings(logged, series, phase):
    assert interpret(logged)[:2] == (series, phase)


def test_folder_gives_the_phase_where_the_name_does_not():
    assert interpret("epoch_loss", "validation")[:2] == ("loss", "validation")
    assert interpret("train_loss", "validation").phase == "train"


def test_unknown_names_keep_their_own_words():
    assert interpret("rollout/exploration_rate").series == "rollout/exploration_rate"
    assert interpret("Some Thing").series == "some_thing"


@pytest.mark.parametrize(
    ("logged", "series", "unit", "device"),
    [
        ("system/gpu_0_utilization_percentage", "gpu/utilization", "percent", "gpu0"),
        ("system/gpu_3_power_usage_watts", "gpu/power", "W", "gpu3"),
        ("system/gpu_1_memory_usage_megabytes", "gpu/memory_used", "MB", "gpu1"),
        ("system/cpu_utilization_percentage", "cpu/utilization", "percent", None),
        ("system.gpu.0.powerWatts", "gpu/power", "W", "gpu0"),
        ("system/cpu_iowait_percentage", "cpu/iowait", "percent", None),
        ("system/disk_busy_percentage", "disk/busy", "percent", None),
        # logged by people, under canonical names: shares or percent, which their values tell
        ("cpu/utilization", "cpu/utilization", "1", None),
        ("cpu/iowait", "cpu/iowait", "1", None),
        ("disk/busy", "disk/busy", "1", None),
        ("memory/share", "memory/share", "1", None),
        ("gpu/utilization", "gpu/utilization", "1", "gpu0"),
        ("gpu3/utilization", "gpu/utilization", "1", "gpu3"),
        ("gpu/3/utilization", "gpu/utilization", "1", "gpu3"),
        ("gpu_1_util", "gpu/utilization", "1", "gpu1"),
        ("gpu/power", "gpu/power", "W", "gpu0"),
        ("gpu/1/temperature", "gpu/temperature", "degC", "gpu1"),
    ],
)
def test_system_metrics(logged, series, unit, device):
    meaning = interpret(logged)
    assert (meaning.series, meaning.phase, meaning.written_unit, meaning.device) == (series, "system", unit, device)


@pytest.mark.parametrize("logged", ["gpu_loss", "memory_loss", "cpu/utilization_loss", "gpu/utilization/loss"])
def test_a_loss_is_no_system_metric(logged):
    assert interpret(logged).phase == "train"


def test_direction():
    assert [direction(name) for name in ("loss/box", "accuracy", "learning_rate", "reward", "perplexity")] == [-1, 1, 0, 1, -1]


def test_folder_phase():
    assert folder_phase("runs/exp/validation") == "validation"
    assert folder_phase("runs/exp") is None
