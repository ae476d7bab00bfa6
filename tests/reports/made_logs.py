"""What a report is made of: logs of a run, a plan and a ledger, built by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd

from trainreport.model import schema
from trainreport.model.ledger import DeviceUse, Ledger
from trainreport.model.money import Money
from trainreport.model.plan import Budget, Criterion, Plan, PlanSource, Rate, Rates
from trainreport.model.run import Hardware, NameMapping, Run, RunLog, SourceFile

START = datetime(2026, 6, 9, 10, 10, tzinfo=UTC)
HOURS = 10.0


def euro(amount):
    return Money(Decimal(str(amount)), "EUR")


def rows(logged, series, phase, value, *, step=None, time_s=None, unit="1", device=None, file="logs/train.tfevents"):
    n = len(value)
    return schema.conform(
        pd.DataFrame(
            {
                "run": pd.Categorical(["churn-3"] * n),
                "logged": pd.Categorical([logged] * n),
                "series": pd.Categorical([series] * n),
                "phase": pd.Categorical([phase] * n),
                "step": pd.array([pd.NA] * n if step is None else step, dtype="Int64"),
                "time": pd.to_datetime(np.asarray(time_s) * 1e9, utc=True).as_unit("ns"),
                "value": np.asarray(value, dtype=float),
                "unit": pd.Categorical([unit] * n),
                "device": pd.Categorical([device] * n, categories=pd.Index([] if device is None else [device], dtype="str")),
                "file": pd.Categorical([file] * n),
            }
        )
    )


def learning(*, train_end=0.98, peak=0.85, end=0.78, peak_at=1 / 3, steps=60_000, every_train=50, seed=1):
    """Return accuracy and loss, training and validation, of a run that peaks and falls."""
    rng = np.random.default_rng(seed)
    begin = START.timestamp()
    step = np.arange(every_train, steps + 1, every_train)
    t = step / steps
    train = 0.42 + (train_end - 0.42) * (1 - np.exp(-5 * t)) / (1 - np.exp(-5)) + rng.normal(0, 0.012, len(t))
    val_step = np.arange(steps // 120, steps + 1, steps // 120)
    v = val_step / steps
    rise = np.minimum(v / peak_at, 1.0)
    val = np.where(v <= peak_at, 0.4 + (peak - 0.4) * (1 - (1 - rise) ** 3), peak + (end - peak) * (v - peak_at) / max(1 - peak_at, 1e-9))
    val = val + rng.normal(0, 0.004, len(v))
    val[np.argmin(abs(v - peak_at))] = peak
    val = np.minimum(val, peak)
    val[-1] = end
    train[-1] = train_end
    val_loss = 2.2 - 1.75 * val / peak + np.maximum(v - peak_at, 0) * 0.6
    return [
        rows("train/accuracy", "accuracy", "train", np.minimum(train, 1.0), step=step, time_s=begin + t * HOURS * 3600),
        rows(
            "train/loss",
            "loss",
            "train",
            2.2 * np.exp(-5 * t) + 0.06 + abs(rng.normal(0, 0.03, len(t))),
            step=step,
            time_s=begin + t * HOURS * 3600,
        ),
        rows(
            "validation/accuracy",
            "accuracy",
            "validation",
            val,
            step=val_step,
            time_s=begin + v * HOURS * 3600,
            file="logs/validation.tfevents",
        ),
        rows(
            "validation/loss",
            "loss",
            "validation",
            val_loss,
            step=val_step,
            time_s=begin + v * HOURS * 3600,
            file="logs/validation.tfevents",
        ),
        rows("lr", "learning_rate", "train", 1e-3 * 0.5 * (1 + np.cos(np.pi * t)), step=step, time_s=begin + t * HOURS * 3600),
    ]


def gpu_log(devices=1, every_s=30.0, seed=2, idle=(0.45, 0.55)):
    rng = np.random.default_rng(seed)
    begin = START.timestamp()
    t = np.arange(0.0, HOURS * 3600, every_s)
    found = []
    for i in range(devices):
        busy = np.clip(0.83 + 0.04 * i / devices + rng.normal(0, 0.09, len(t)), 0, 1)
        gap = (t > idle[0] * t[-1]) & (t < idle[1] * t[-1])
        busy[gap] = np.clip(rng.normal(0.03, 0.02, gap.sum()), 0, 1)
        common = {"time_s": begin + t, "device": f"gpu{i}", "file": "logs/gpu.csv"}
        found.append(rows("utilization.gpu [%]", "gpu/utilization", "system", busy, **common))
        found.append(rows("memory.used [MiB]", "gpu/memory_used", "system", (11.2 + 0.2 * rng.random(len(t))) * 2**30, unit="B", **common))
        found.append(rows("power.draw [W]", "gpu/power", "system", 60 + 220 * busy + rng.normal(0, 6, len(t)), unit="W", **common))
    return found


def run_log(frames, *, name="churn-3", run_id=None, parent=None, problems=(), gpus=1, status="finished", **extra):
    files = (
        SourceFile("logs/train.tfevents", "a" * 64, 2_413_002, "tensorboard", 3600, 0, "UTC, as written"),
        SourceFile("logs/validation.tfevents", "b" * 64, 18_220, "tensorboard", 240, 0, "UTC, as written"),
        SourceFile(
            "logs/gpu.csv", "c" * 64, 88_312, "nvidia-smi", 1200, 2, "no zone written; taken as Europe/Berlin, fits the curves best"
        ),
    )
    run = Run(
        id=run_id or name,
        name=name,
        started_at=START,
        ended_at=START + timedelta(hours=HOURS),
        status=status,
        params={"learning_rate": "0.001", "batch_size": "64"},
        hardware=Hardware("Tesla T4", gpus, 1, 16 * 2**30),
        code_version="4f2c1e7",
        seed="7",
        parent=parent,
        files=files,
        mappings=(
            NameMapping("train/accuracy", "accuracy", "train", "1", "known spelling of accuracy; phase from the name"),
            NameMapping("validation/loss", "loss", "validation", "1", "known spelling of loss; phase from the name"),
        ),
        joins=("logs/gpu.csv belongs to this run: its times cover the run's span.",),
    )
    return RunLog(
        run, schema.concat(frames) if frames else schema.empty_frame(), pd.DataFrame(columns=list(schema.EVENT_COLUMNS)), tuple(problems)
    )


def plan(**changes):
    given = {
        "title": "Retention model, third round",
        "owner": "Customer analytics",
        "objective": "Cut the cost of the retention campaign by 15 %",
        "registered": datetime(2026, 6, 1, 9, tzinfo=UTC),
        "display_zone": "Europe/Berlin",
        "criteria": (
            Criterion(
                "accuracy", "accuracy", 0.90, tolerance=0.0, unit="share", baseline=0.82, worth="each point keeps about 40 000 EUR a year"
            ),
            Criterion("loss", "loss", 0.60, comparator="<=", mandatory=False),
        ),
        "budget": Budget(money=Money.parse("28.50 EUR"), wall_time_s=12 * 3600, deadline=datetime(2026, 12, 15, tzinfo=UTC)),
        "rates": Rates(gpu_hour=Rate(euro("4.00"))),
        "source": PlanSource("plan.toml", "d" * 64, 812, ""),
    }
    return Plan(**{**given, **changes})


def ledger(**changes):
    given = {
        "wall_s": HOURS * 3600,
        "gpu_hours": 10.0,
        "devices": (DeviceUse("gpu", "gpu0", "node-1", "Tesla T4", 10.0, euro("40.00")),),
        "cost": euro("40.00"),
        "energy_j": 11.7e6,
        "energy_basis": "measured",
        "pue": 1.2,
        "carbon_kg": 1.2,
        "basis": {
            "hours": "From the first to the last line of the GPU log, one GPU.",
            "cost": "10.0 GPU-hours at 4.00 EUR, the plan's rate of 1 June",
            "energy": "Power logged every 30 s, integrated over time, times PUE 1.2",
            "carbon": "350 g a kWh, from the plan",
        },
    }
    return Ledger(**{**given, **changes})
