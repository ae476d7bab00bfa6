"""Make the logs of the samples again, by training the small models that they come from.

    python -m venv /tmp/venv-samples
    /tmp/venv-samples/bin/pip install -r sample_runs/requirements.txt
    /tmp/venv-samples/bin/python sample_runs/make_samples.py [NAME…]

Only `<name>/logs` is replaced; plan.toml, ABOUT.md and expected.toml are written by hand. All values follow
from seeds, so that a second run writes the same files on one machine; another machine's arithmetic may
differ in the last digits. The training is real, its pace is not: a second of it is written as hours. No GPU
was at hand, so that the GPU logs are simulated (see making/gpu.py).
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from making import data
from making.gpu import Card, Window, write_log
from making.network import Recipe, Record, Schedule, fit
from making.writers import Clock, TrackedRun, write_mlflow, write_tensorboardx, write_tf2
from threadpoolctl import threadpool_limits

HERE = Path(__file__).resolve().parent
HOUR = 3600.0
A100 = Card("NVIDIA A100-SXM4-40GB", 40960, 31_244, idle_watt=52.0, full_watt=396.0, busy=86.0)
T4 = Card("Tesla T4", 15360, 9_412, idle_watt=26.4, full_watt=69.5, busy=68.0)
TAGS = {
    "train loss": "loss/train",
    "validation loss": "loss/validation",
    "train accuracy": "accuracy/train",
    "validation accuracy": "accuracy/validation",
    "learning rate": "learning_rate",
}


def constant(rate: float) -> Schedule:
    """Return one learning rate for the whole training."""
    return lambda _: rate


def cosine(rate: float, floor: float, warm_up: float = 0.0) -> Schedule:
    """Return a linear warm-up, then a half cosine from `rate` down to `floor` times it."""

    def schedule(done: float) -> float:
        if done < warm_up:
            return rate * done / warm_up
        wave = 0.5 * (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up)))
        return rate * (floor + (1 - floor) * wave)

    return schedule


def rising(rate: float, until: float, power: float, start: float) -> Schedule:
    """Return a warm-up from `start` by a power of the time, and then `start` plus `rate` to the end."""
    return lambda done: start + rate * min(1.0, done / until) ** power


def seconds(text: str) -> float:
    """Return a time in UTC as seconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def clock_for(records: list[Record], start: str, hours: float, seed: int) -> Clock:
    """Return a clock that writes the records of a run as lasting `hours`."""
    return Clock(seconds(start), hours * HOUR, records[-1].step, seed)


def around(clock: Clock, interval: float, after: float = 240.0) -> Window:
    """Return the window of a GPU log from a minute before the run to `after` seconds past its end."""
    return Window(clock.start - 60, clock.start, clock.end, clock.end + after, interval)


def healthy(logs: Path) -> None:
    """Learn to the last step: a decaying learning rate, noise on the inputs, and a stop in good time."""
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
    )
    records = fit(data.digits(train=1000, seed=2), recipe)
    clock = clock_for(records, "2026-06-09T06:00:00", hours=6, seed=11)
    write_tensorboardx(logs, records, clock, TAGS)
    write_log(logs / "gpu.csv", [A100], around(clock, 20), units=True, seed=21)


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
    write_mlflow(logs / "mlruns", "cell-samples", parent, children)


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


SAMPLES: Mapping[str, Callable[[Path], None]] = {
    make.__name__: make for make in (healthy, overfitting, underfitting, diverging, plateau, mlflow_experiment, not_learning)
}


def main() -> None:
    """Make the samples named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Make the logs of the samples again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="samples to make (default: all)")
    names = parser.parse_args().names or list(SAMPLES)
    if unknown := set(names) - set(SAMPLES):
        parser.error(f"no sample is called {', '.join(sorted(unknown))}; there are {', '.join(SAMPLES)}")
    # MLflow 3 refuses to write a file store, and sends usage data, unless it is told otherwise.
    os.environ |= {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true"}
    # NaN is what one of the samples is about; tensorboardX would warn of each.
    logging.getLogger("tensorboardX").setLevel(logging.ERROR)
    # Sums over several threads would differ from run to run in their last digits.
    with threadpool_limits(1):
        for name in names:
            logs = HERE / name / "logs"
            shutil.rmtree(logs, ignore_errors=True)
            logs.mkdir(parents=True)
            SAMPLES[name](logs)
            print(f"{name}: {sum(file.stat().st_size for file in logs.rglob('*') if file.is_file()):,} bytes")


if __name__ == "__main__":
    main()
