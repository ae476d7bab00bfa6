"""Samples of how a model learns, or does not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from making import data
from making.common import A100, HOUR, T4, TAGS, around, clock_for, constant, cosine, rising, seconds
from making.gpu import trace, write_log, write_traces
from making.host import machine, ticks
from making.network import Recipe, Record, fit
from making.writers import Clock, TrackedRun, write_mlflow, write_tensorboardx, write_tf2


def healthy(logs: Path) -> None:
    """Learn to the last step, and leave everything behind that a reader could ask for."""
    recipe = Recipe(
        hidden=(48,),
        rate=cosine(0.002, floor=0.4, warm_up=0.3),
        epochs=24,
        batch=20,
        seed=2,
        decay=1e-3,
        jitter=0.4,
        gain=0.2,
        train_every=5,
        validate_every=10,
        norms=True,
    )
    records = fit(data.digits(train=1000, seed=2), recipe)
    clock = clock_for(records, "2026-06-09T06:00:00", hours=6, seed=11)
    rng = np.random.default_rng(21)
    lengths = np.diff(clock.times(), prepend=clock.start)
    for record in records:
        if "train loss" in record.values:
            record.values["step time"] = float(lengths[record.step - 1])
            record.values["data time"] = float(lengths[record.step - 1] * rng.uniform(0.01, 0.05))
    layers = {f"gradient norm {index}": f"grad_norm/layer{index}" for index in range(2)}
    write_tensorboardx(logs, records, clock, {**TAGS, **layers, "step time": "time/step", "data time": "time/data"})
    _track(logs / "mlruns", recipe, records, clock, rng)
    times = ticks(clock.start - 60, clock.end + 360, 30)
    inside = (times >= clock.start) & (times <= clock.end + 120)  # two minutes of export after the last step
    one = trace(A100, np.where(inside, np.clip(rng.normal(86, 4, len(times)), 0, 100), 0.0), rng)
    one["memory.used"] = np.where(inside, A100.memory_used, 3)
    write_traces(logs / "gpu.csv", times, [one])
    _placeholder(logs / "checkpoints" / "step-1200.ckpt")


def _track(folder: Path, recipe: Recipe, records: list[Record], clock: Clock, rng: np.random.Generator) -> None:
    """Keep parameters, versions, validation and the state of the machine of the healthy run in MLflow."""
    names = {"validation loss": "val_loss", "validation accuracy": "val_accuracy"}
    held = [Record(one.step, {names[name]: value for name, value in one.values.items() if name in names}) for one in records]
    params = {
        "model": "mlp-48",
        "optimizer": "sgd-momentum",
        "momentum": recipe.momentum,
        "learning_rate": 0.002,
        "schedule": "warm-up, cosine",
        "batch_size": recipe.batch,
        "epochs": recipe.epochs,
        "weight_decay": recipe.decay,
        "input_noise": recipe.jitter,
        "seed": recipe.seed,
    }
    tags = {
        "team": "document-services",
        "mlflow.source.git.commit": "5f0c7c1d9a8e4b6f2d3e1a0b9c8d7e6f5a4b3c2d",
        "slurm.submit_time": "2026-06-09T05:52:10+00:00",
    }
    times = ticks(clock.start, clock.end)
    rest = np.ones(len(times))
    gauges = machine(times, rng, processors=44 * rest, received=0.4 * rng.uniform(0.5, 1.5, len(times)), sent=0.1 * rest)
    gauges["system/cpu_iowait_percentage"] = (times, rng.uniform(0.2, 1.5, len(times)).round(1))
    run = TrackedRun("order-digits-1", params, held, clock, tags, gauges, ("order-digits-v3", "c41fa9b2"))
    write_mlflow(folder, "order-forms", None, [run], seed=7)


def _placeholder(path: Path) -> None:
    """Stand in for a file that no sample can hold; ABOUT.md says so."""
    path.parent.mkdir(parents=True)
    path.write_text("placeholder: a checkpoint would lie here\n", encoding="ascii")


def overfitting(logs: Path) -> None:
    """Learn a fifth of wrong labels by heart: validation peaks after a third, then falls."""
    recipe = Recipe(hidden=(64,), rate=rising(0.0027, until=0.35, power=2, start=0.0003), epochs=200, batch=20, seed=4)
    records = fit(data.digits_with_wrong_labels(train=320, share=0.19, seed=1), recipe)
    clock = Clock(seconds("2026-06-11T06:01:00"), 6.9 * HOUR, recipe.epochs, seed=12)
    validation = {"validation loss": "epoch_loss", "validation accuracy": "epoch_accuracy"}
    train = {"train loss": "epoch_loss", "train accuracy": "epoch_accuracy", "learning rate": "epoch_learning_rate"}
    write_tf2(logs / "train", records, clock, train)
    write_tf2(logs / "validation", records, clock, validation)
    # Seven hours of two GPUs to the second, so that the cost against the plan is a round figure.
    window = replace(around(clock, 30), last=clock.start - 60 + 7 * HOUR)
    card = replace(A100, memory_used=22_518, busy=74.0, spread=6.0)
    write_log(logs / "gpu.csv", [card, replace(card, busy=72.0)], window, units=False, seed=22)


def underfitting(logs: Path) -> None:
    """Ask a straight line to tell two half moons apart."""
    recipe = Recipe(hidden=(), rate=constant(0.002), epochs=50, batch=50, seed=5, train_every=10, validate_every=20)
    records = fit(data.moons(train=2000, validation=1000, noise=0.25, seed=1), recipe)
    write_tensorboardx(logs, records, clock_for(records, "2026-06-15T07:30:00", hours=2.5, seed=13), TAGS)


def diverging(logs: Path) -> None:
    """Warm up to a learning rate that no step survives: growth, overflow, and NaN to the end."""
    recipe = Recipe(
        hidden=(),
        rate=rising(0.35, until=0.6, power=2, start=0.005),
        epochs=120,
        batch=15,
        seed=5,
        gain=0.1,
        loss="squared",
        train_every=10,
        dtype=np.float32,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        records = fit(data.diabetes_above_median(train=300, seed=1), recipe)
    write_tensorboardx(logs, records, clock_for(records, "2026-06-16T08:00:00", hours=3, seed=14), TAGS)


def plateau(logs: Path) -> None:
    """Decay the learning rate so early that nothing moves any more, on a starved GPU and beside an unused one."""
    recipe = Recipe(
        hidden=(32,),
        rate=lambda done: 0.02 * math.exp(-8 * done),
        epochs=100,
        batch=50,
        seed=2,
        train_every=20,
        validate_every=40,
    )
    records = fit(data.customers(train=3000, validation=2000, seed=4), recipe)
    clock = clock_for(records, "2026-06-18T06:00:00", hours=4, seed=15)
    write_tensorboardx(logs, records, clock, TAGS)
    starved = replace(T4, spread=12.0, starved=0.74)
    unused = replace(T4, memory_used=2_147, busy=0.0)
    write_log(logs / "gpu.csv", [starved, unused], around(clock, 30), units=True, seed=25)


def mlflow_experiment(logs: Path) -> None:
    """Search a width and a learning rate; the best is run with three seeds."""
    split = data.breast_cancer(train=300, seed=3)
    names = {
        "train loss": "train_loss",
        "validation loss": "val_loss",
        "train accuracy": "train_accuracy",
        "validation accuracy": "val_accuracy",
    }
    begin = seconds("2026-06-22T06:00:00")
    tried = [(4, 0.003, 1), (32, 0.003, 1), (16, 0.0005, 1), (8, 0.003, 1), (8, 0.003, 2), (8, 0.003, 3)]
    children = []
    for index, (hidden, rate, seed) in enumerate(tried):
        recipe = Recipe((hidden,), cosine(rate, floor=0.05), epochs=80, batch=20, seed=seed, decay=3e-3, jitter=0.3)
        records = [
            Record(record.step, {names[name]: value for name, value in record.values.items() if name in names})
            for record in fit(split, recipe)
        ]
        clock = Clock(begin + 120 + index * 1.25 * HOUR, 1.2 * HOUR, records[-1].step, seed=30 + index)
        params = {
            "hidden": hidden,
            "learning_rate": rate,
            "schedule": "cosine",
            "seed": seed,
            "epochs": recipe.epochs,
            "batch_size": recipe.batch,
            "weight_decay": recipe.decay,
            "input_noise": recipe.jitter,
        }
        name = f"width-{hidden}-rate-{rate}-seed-{seed}"
        children.append(TrackedRun(name, params, records, clock, {"team": "pathology"}))
    whole = Clock(begin, children[-1].clock.end + 30 - begin, 1, seed=0)
    parent = TrackedRun("search", {"candidates": len(tried), "search": "by hand"}, [], whole, {"team": "pathology"})
    write_mlflow(logs / "mlruns", "cell-samples", parent, children, seed=6)


def not_learning(logs: Path) -> None:
    """Learn from labels that were joined to the wrong rows: nothing happens."""
    recipe = Recipe(
        hidden=(),
        rate=constant(0.003),
        epochs=24,
        batch=60,
        seed=2,
        gain=0.1,
        train_every=10,
        validate_every=20,
    )
    records = fit(data.shuffled_customers(train=6000, validation=2000, seed=9), recipe)
    write_tensorboardx(logs, records, clock_for(records, "2026-06-24T07:00:00", hours=2, seed=17), TAGS)
