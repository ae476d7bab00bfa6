"""How a scenario is told: runs made of simple shapes, a plan, and the decision that the policy asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
from builders import START, log_of, machine, training

from trainreport.decisions.assess import assess
from trainreport.importers.recording import Event
from trainreport.model.plan_reader import parse_plan

EVERY = 100
"""Steps from one evaluation to the next."""
GIB = 2.0**30
RECORDS = {"code_version": "3f2a91c", "data_version": "sha256:77ab", "seed": "7"}
SETTINGS = {"learning_rate": "0.001", "batch_size": "64", "optimizer": "adam"}
SAVED = {"checkpoint_dir": "checkpoints/"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trained:
    """What one run left behind; well recorded unless a scenario says otherwise."""

    curves: dict
    """Logged name -> values, one every `EVERY` steps, or (steps, values)."""
    name: str = "run"
    hours: float = 10.0
    after: float = 0.0
    """Hours from the first day's start to the run's."""
    status: str = "finished"
    params: dict = field(default_factory=dict)
    """On top of `SETTINGS`."""
    records: dict = field(default_factory=lambda: RECORDS)
    saved: dict = field(default_factory=lambda: SAVED)
    gpus: dict = field(default_factory=dict)
    """Device -> its utilization, sampled evenly over the run."""
    again: Trained | None = None
    """What was logged after the run was started again."""
    messages: tuple = ()
    """Errors that its output ends with."""

    def log(self):
        """Return the log that the importers would make of it."""
        start, seconds = START + timedelta(hours=self.after), self.hours * 3600
        parts = [self._training(start, seconds)] if self.curves else []
        if self.again is not None:
            parts.append(self.again._training(start + timedelta(hours=self.hours + 0.1), self.again.hours * 3600, file="again"))
        if self.gpus:
            size = len(next(iter(self.gpus.values())))
            gauges = {name: {"gpu/utilization": used, "gpu/memory_used": [30 * GIB] * size} for name, used in self.gpus.items()}
            parts.append(machine(gauges, interval_s=seconds / size, start=start, folder=self.name, model="NVIDIA A100-SXM4-80GB"))
        return log_of(*parts, run_id=self.name)

    def _training(self, start, seconds, file="first"):
        curves = {name: given if isinstance(given, tuple) else (steps(len(given)), list(given)) for name, given in self.curves.items()}
        last = max(max(at) for at, _ in curves.values())
        first = min(min(at) for at, _ in curves.values())
        end = start.timestamp() + seconds
        events = tuple(Event("message", text, end, last, "error", "train.log", 1) for text in self.messages)
        return training(
            curves,
            seconds_per_step=seconds / max(last - first, 1),
            key=f"{self.name}/{file}",
            start=start,
            status=self.status,
            params={**SETTINGS, **self.saved, **self.params},
            events=events,
            **self.records,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """What happened, and what the policy decides."""

    name: str
    story: str
    runs: list
    plan: str = ""
    rule: int
    verdict: str
    step: str
    says: tuple = ()
    """What stands in headline, lead or conditions."""
    never: tuple = ()
    """What must not stand there."""
    change: str = ""
    """What stands in what would change the decision."""
    fires: tuple = ()
    silent: tuple = ()
    as_of: object = None

    def assessed(self):
        """Return the assessment by the whole product."""
        return assess([one.log() for one in self.runs], parse_plan(self.plan), as_of=self.as_of)


def steps(count):
    """Return the steps of so many evaluations."""
    return [EVERY * (position + 1) for position in range(count)]


def rises(start, end, points, *, settle=0.25):
    """Return a learning curve that comes ever closer to its end; `settle` is the share of its length in which it makes most of the way."""
    at = np.arange(points) / max(points - 1, 1)
    way = (1 - np.exp(-at / settle)) / (1 - np.exp(-1 / settle))
    return start + (end - start) * way


falls = rises


def line(start, end, points):
    """Return a straight line."""
    return np.linspace(start, end, points)


def level(value, points):
    """Return the same value again and again."""
    return np.full(points, float(value))


def then(*parts):
    """Return one curve after another."""
    return np.concatenate(parts)


def noisy(curve, deviation, seed=1):
    """Return a curve with noise that is the same each time."""
    return np.asarray(curve) + np.random.default_rng(seed).normal(0.0, deviation, len(curve))


def plan(*tables, registered="2026-06-01T08:00:00Z"):
    """Return a plan of these tables, agreed before training."""
    return "\n".join([f"[plan]\nregistered = {registered}\n", *tables])


def table(name, **keys):
    """Return a TOML table; text that begins with a digit and ends in Z is a time."""
    return f"[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items())


def criterion(series="accuracy", threshold=0.90, **more):
    """Return an acceptance criterion; by default 90 % validation accuracy, as a share."""
    unit = {"unit": "share"} if series == "accuracy" else {}
    return table("[criteria]", id=more.pop("id", series), series=series, threshold=threshold, **{**unit, **more})


def priced(**budget):
    """Return one GPU at 1 EUR an hour, and a budget."""
    return "\n".join([table("rates", gpu_hour="1 EUR"), table("budget", **budget)])


def length(count, gpus=1):
    """Return a training that is planned for so many steps."""
    return table("training", steps=count, gpus=gpus)


def accepted(code, until="2026-12-31"):
    """Return a finding that the owner accepts."""
    return f'[[accepted]]\ncode = "{code}"\nuntil = {until}\nwho = "Owner"\nwhy = "Known, and in hand"\n'


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if value[:1].isdigit() and value.endswith("Z") else f'"{value}"'
    return repr(value)
