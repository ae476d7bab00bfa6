"""Samples of several tries, and of logs that should not be taken at their word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from making import data
from making.common import A100, HOUR, TAGS, clock_for, constant, cosine, rising, seconds
from making.gpu import trace, write_traces
from making.host import ticks
from making.network import Recipe, Record, fit
from making.writers import Clock, Session, TrackedRun, write_mlflow, write_tensorboardx

CURVES = {
    "train loss": "train_loss",
    "validation loss": "val_loss",
    "train accuracy": "train_accuracy",
    "validation accuracy": "val_accuracy",
}


def search(logs: Path) -> None:
    """Try two widths and two weight decays twice each, all to the end, for differences that luck explains."""
    split = data.customers(train=2000, validation=400, seed=12)
    begin = seconds("2026-08-03T06:00:00")
    tried = [(hidden, decay, seed) for seed in (1, 2) for hidden in (32, 48) for decay in (1e-3, 2e-3)]
    runs = []
    for index, (hidden, decay, seed) in enumerate(tried):
        recipe = Recipe((hidden,), cosine(0.01, floor=0.05), epochs=40, batch=50, seed=seed, decay=decay, train_every=40, validate_every=40)
        clock = Clock(begin + index * 2.1 * HOUR, 2 * HOUR, 1600, seed=70 + index)
        params = {
            "hidden": hidden,
            "weight_decay": decay,
            "learning_rate": 0.01,
            "batch_size": 50,
            "epochs": 40,
            "optimizer": "sgd",
            "seed": seed,
        }
        runs.append(TrackedRun(f"width-{hidden}-decay-{decay}-seed-{seed}", params, _named(fit(split, recipe)), clock, {"team": "credit"}))
    write_mlflow(logs / "mlruns", "limits", None, runs, seed=9)


def _named(records: list[Record]) -> list[Record]:
    return [Record(one.step, {CURVES[name]: value for name, value in one.values.items() if name in CURVES}) for one in records]


def unstable(logs: Path) -> None:
    """Fail to train one model in four ways: sorted data, spoiled batches, a warm-up too short, and layers that pass nothing on."""
    split = data.digits(train=1000, seed=8)
    order = np.argsort(split.y_train, kind="stable")
    sorted_split = replace(split, x_train=split.x_train[order], y_train=split.y_train[order])
    base = Recipe((32,), constant(0.0005), epochs=30, batch=25, seed=8, gain=0.2, train_every=4, validate_every=40, norms=True)
    tries = {
        "sorted": (sorted_split, replace(base, shuffled=False)),
        "sigmoid": (split, replace(base, hidden=(12,) * 14, activation="sigmoid", train_every=10)),
        "spoiled": (split, replace(base, rate=constant(0.001), spoiled=frozenset({331, 520, 521, 764, 902, 1010}))),
        "steep": (split, replace(base, hidden=(32, 32), rate=rising(0.3, until=0.2, power=3, start=0.004))),
    }
    for number, (name, (given, recipe)) in enumerate(tries.items()):
        with np.errstate(over="ignore", invalid="ignore"):
            records = fit(given, recipe)
        tags = dict(TAGS)
        tags |= {f"gradient norm {index}": f"grad_norm/layer{index}" for index in range(len(recipe.hidden) + 1)}
        clock = clock_for(records, f"2026-08-1{number}T07:00:00", hours=2, seed=80 + number)
        params = {"model": f"mlp-{'-'.join(map(str, recipe.hidden))}", "optimizer": "sgd", "batch_size": 25, "epochs": 30, "seed": 8}
        write_tensorboardx(logs / name, records, clock, tags, session=Session({**params, "activation": recipe.activation, "try": name}))


def leak(logs: Path) -> None:
    """Predict who will leave from a field that is filled in when somebody has left, on a GPU that is far too large."""
    split = data.with_leak(data.customers(train=3000, validation=1000, seed=13), seed=14)
    recipe = Recipe((16,), cosine(0.02, floor=0.2), epochs=20, batch=50, seed=9, train_every=10, validate_every=30)
    records = fit(split, recipe)
    clock = clock_for(records, "2026-08-17T07:00:00", hours=3, seed=90)
    params = {"model": "mlp-16", "optimizer": "sgd", "learning_rate": 0.02, "batch_size": 50, "epochs": 20, "seed": 9}
    write_tensorboardx(logs, records, clock, TAGS, session=Session(params))
    rng = np.random.default_rng(91)
    times = ticks(clock.start - 60, clock.end + 120, 30)
    inside = (times >= clock.start) & (times <= clock.end)
    one = trace(A100, np.where(inside, np.clip(rng.normal(48, 5, len(times)), 0, 100), 0.0), rng)
    one["memory.used"] = np.where(inside, 4_870, 3)
    write_traces(logs / "gpu.csv", times, [one])


def records(logs: Path) -> None:
    """Leave records that contradict each other: two tools, a clock set back, a zone not written, a file cut off."""
    recipe = Recipe((32,), cosine(0.003, floor=0.1), epochs=30, batch=20, seed=10, train_every=5, validate_every=500)
    curves = fit(data.digits(train=1000, seed=10), recipe)
    start = seconds("2026-08-24T05:00:00")
    clock = Clock(start, 5 * HOUR, 1500, seed=95)
    times = clock.times()
    times[800:] -= 25 * 60  # a time server sets the machine's clock back
    write_tensorboardx(logs, curves, times, TAGS)
    (file,) = logs.glob("events.out.tfevents.*")
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 3] ^= 0xFF
    file.write_bytes(bytes(whole[:-37]))
    smoothed, level = [], None
    for one in curves:
        if "train loss" in one.values:
            level = one.values["train loss"] if level is None else 0.8 * level + 0.2 * one.values["train loss"]
            smoothed.append(Record(one.step, {"train_loss": float(level)}))
    write_mlflow(logs / "mlruns", "invoices", None, [TrackedRun("invoices-2", {"learning_rate": 0.003}, smoothed[::2], clock)], seed=10)
    rng = np.random.default_rng(96)
    local = ticks(start - 60, clock.end + 120, 30)
    inside = (local >= start) & (local <= clock.end)
    one = trace(A100, np.where(inside, np.clip(rng.normal(83, 4, len(local)), 0, 100), 0.0), rng)
    one["memory.used"] = np.where(inside, 30_120, 3)
    write_traces(logs / "gpu.csv", local - 6 * HOUR, [one])  # nvidia-smi writes local time, here that of Denver
