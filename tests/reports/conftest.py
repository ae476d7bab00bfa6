"""Builds assessments by hand, so that a report can be looked at without importers, detectors or a verdict."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from trainreport.detectors.accuracy import Measured
from trainreport.model import schema
from trainreport.model.decision import (
    Assessment,
    Checkpoint,
    CriterionResult,
    Decision,
    NextStep,
    Option,
    Portfolio,
    Reason,
    RunAssessment,
    Skipped,
    Verdict,
)
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Impact, Outcome, Severity, State, ThresholdUsed, Waste
from trainreport.model.ledger import DeviceUse, Forecast, Goodput, Ledger
from trainreport.model.money import Money
from trainreport.model.plan import Budget, Criterion, Plan, PlanSource, Rate, Rates
from trainreport.model.run import Hardware, NameMapping, Problem, Run, RunLog, SourceFile

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


OVERFITTING = Finding(
    code="TR101",
    name="overfitting",
    severity=Severity.MAJOR,
    confidence=Confidence.HIGH,
    message="After step 20,000 accuracy on unseen data fell from 85 % to 78 %, while on training data it rose to 98 %.",
    evidence=(
        Evidence(
            "fall of validation accuracy below its best",
            0.07,
            "1",
            "best minus median of the last 5 %",
            120,
            0.06,
            0.08,
            20_000,
            60_000,
            START.timestamp() + 12_000,
            START.timestamp() + 36_000,
            "logs/validation.tfevents",
        ),
        Evidence("gap between training and validation accuracy at the end", 0.20, "1", "difference of the smoothed curves", 1200),
    ),
    action=Action("Go back to the checkpoint of step 20,000 and decide about the data before another run", "ML engineer", "an hour"),
    thresholds={
        "fall": ThresholdUsed(0.02, "share", "benchmark of 40 published histories", "smaller falls are within noise"),
        "patience": ThresholdUsed(10, "evaluations", "Prechelt 1998, Early stopping", "one bad evaluation is no trend", changed=True),
    },
    waste=Waste(gpu_s=24_000, steps=40_000),
    impact=Impact(euro("26.70"), 24_000, "26.70 EUR and 6.7 h went into steps after the best checkpoint."),
    series="accuracy",
    phase="validation",
    fingerprint="0123456789abcdef",
)
OVER_BUDGET = Finding(
    "TR301", "over-budget", Severity.MAJOR, Confidence.HIGH, "The run cost 40.00 EUR, 40 % more than the 28.50 EUR agreed.",
    (Evidence("cost over budget", 1.40, "1", "cost divided by budget", 1),),
    Action("Check the cost before the next run, and set an alert at 80 % of the budget", "Project manager", "an hour"),
    impact=Impact(euro("11.50"), None, ""), fingerprint="1123456789abcdef",
)  # fmt: skip
IDLE = Finding(
    "TR202", "gpu-allocated-but-idle", Severity.MINOR, Confidence.MEDIUM, "The GPU was held and had nothing to do for 1.0 h from 14:40.",
    (Evidence("time below 5 % utilization", 3600, "s", "longest span, samples every 30 s", 120,
              from_time_s=START.timestamp() + 16_200, to_time_s=START.timestamp() + 19_800, file="logs/gpu.csv"),),
    Action("Find out what the run waited for at 14:40", "Platform team", "a day"),
    waste=Waste(gpu_s=3600), impact=Impact(euro("4.00"), 3600, ""),
    series="gpu/utilization", phase="system", device="gpu0", node="node-1", fingerprint="2123456789abcdef",
)  # fmt: skip
OUTCOMES_APART = (
    Outcome("TR103", "not-learning", State.CLEAR, "training loss fell by 96 %"),
    Outcome("TR104", "plateau", State.CLEAR, "the last 20 % of the run still changed the loss by 9 %"),
    Outcome("TR109", "vanishing-gradients", State.NOT_APPLICABLE, "no gradient norms were logged"),
    Outcome("TR110", "exploding-gradients", State.NOT_APPLICABLE, "no gradient norms were logged"),
    Outcome("TR212", "poor-scaling", State.NOT_APPLICABLE, "only one GPU was used"),
    Outcome("TR218", "queue-wait", State.NOT_APPLICABLE, "no scheduler record was given"),
    Outcome("TR222", "network-bottleneck", State.FAILED, "the detector broke off: ValueError: no rows"),
)


def outcomes(*findings):
    return (*(Outcome(f.code, f.name, State.FOUND, f.message, (f,)) for f in findings), *OUTCOMES_APART)


def checkpoint(step=20_000, value=0.85, last=60_000, at=HOURS / 3):
    return Checkpoint(step, None, START.timestamp() + at * 3600, "accuracy", "validation", value, last, 120)


STOP = Decision(
    Verdict.NO_GO,
    NextStep.DATA,
    "Stop paying for training; decide about the data",
    "The model learned until step 20,000 and has got worse on customers it has not seen ever since, while it kept "
    "getting better on those it has. It reached 85 %; 90 % was agreed. More training will not close that gap. Keep "
    "the checkpoint from step 20,000 and choose how to improve the data before another run.",
    (
        Reason("accuracy", False, "Accuracy on unseen data reached 85 %; 90 % was agreed."),
        Reason("TR101", False, "It memorises: training accuracy rose to 98 % while validation accuracy fell to 78 %."),
        Reason("TR301", False, "Cost is 40 % over the budget, so another run as configured is not covered."),
        Reason("loss", True, "Loss on unseen data is within what was wished for at the best checkpoint."),
    ),
    ("Revert to the checkpoint of step 20,000.", "Agree on a cost limit and an alert at 80 % of it before the next run."),
    "A run on revised data whose accuracy on unseen data reaches 90 % at its best checkpoint.",
    5,
    (
        Option(
            "Return to data preparation",
            "More labelled cases for the rare segments, then one run",
            euro("13"),
            "plus labelling",
            "not known yet",
            "Data lead",
            recommended=True,
        ),
        Option("Tune once more", "Dropout and augmentation, stop at the best checkpoint", euro("14"), "", "low", "ML lead"),
        Option("Train longer", "Another 40,000 steps as configured", euro("27"), "", "< 1 %", "", advised=False),
    ),
)


def exam():
    """98 % on training data, validation from 85 down to 78 %, 40 % over budget."""
    log = run_log(
        [*learning(), *gpu_log()],
        problems=(Problem("logs/gpu.csv", "line 412", "a value is missing"), Problem("logs/gpu.csv", "line 977", "the line is cut off")),
    )
    criteria = (
        CriterionResult("accuracy", "missed", 0.85, 0.90, ">=", 20_000, "Best of 120 evaluations, and its neighbours agree.", True),
        CriterionResult("loss", "met", 0.45, 0.60, "<=", 20_000, "At the best checkpoint.", False),
    )
    run = RunAssessment(log, ledger(), outcomes(OVERFITTING, OVER_BUDGET, IDLE), criteria, checkpoint(), STOP)
    return Assessment((run,), STOP, None, plan(), "e" * 64, "0.1.0", (Skipped("logs/notes.txt", "no importer recognises it"),))


def healthy():
    """A run that reached its target within budget."""
    log = run_log([*learning(train_end=0.93, peak=0.915, end=0.915, peak_at=0.99), *gpu_log(devices=4, idle=(2, 3))], gpus=4)
    decision = Decision(
        Verdict.GO, NextStep.PROCEED, "Take the model to evaluation",
        "The model reached 92 % on customers it has not seen; 90 % was agreed. It stayed within budget and time. "
        "The checkpoint to evaluate is the one from step 59,500.",
        (Reason("accuracy", True, "Accuracy on unseen data reached 92 %; 90 % was agreed."),), (), "A drop below 90 % on the test set.", 3,
        (Option("Evaluate on the test set", "One evaluation of the checkpoint of step 59,500", euro("1"), "", "high", "ML lead",
                recommended=True),),
    )  # fmt: skip
    criteria = (
        CriterionResult("accuracy", "met", 0.915, 0.90, ">=", 59_500, "Best of 120 evaluations, confirmed by its neighbours.", True),
    )
    run = RunAssessment(log, ledger(), outcomes(), criteria, checkpoint(59_500, 0.915, at=9.9), decision)
    given = plan(budget=Budget(money=Money.parse("60 EUR"), wall_time_s=12 * 3600, energy_kwh=5.0), criteria=plan().criteria[:1])
    return Assessment((run,), decision, None, given, "e" * 64, "0.1.0")


def unknown(headline, lead, step=NextStep.COLLECT):
    return Decision(Verdict.CANNOT_TELL, step, headline, lead, (), (), "Curves on data that was not trained on.", 1)


def gpu_only():
    """A GPU log and nothing else."""
    log = run_log(gpu_log(devices=8), name="node-17", gpus=8)
    decision = unknown(
        "Log the curves before deciding anything",
        "The logs show what the GPUs did, not what the model learned. Log loss and accuracy on held-out data.",
    )
    took = ledger(
        cost=None,
        gpu_hours=80.0,
        carbon_kg=None,
        devices=tuple(DeviceUse("gpu", f"gpu{i}", "node-17", "Tesla T4", 10.0) for i in range(8)),
        basis={"cost": "no rate of a GPU-hour is given in the plan"},
    )
    run = RunAssessment(log, took, outcomes(IDLE), (), None, decision)
    return Assessment((run,), decision, None, Plan(), "e" * 64, "0.1.0")


def no_plan():
    """Curves without a plan, no times, hostile names."""
    frames = learning()[:4]
    frames[2] = frames[2].assign(time=pd.array([pd.NaT] * len(frames[2]), dtype="datetime64[ns, UTC]"))
    name = "experiments/2026/a-very-long-run-name-that-somebody-built-from-every-hyperparameter/"
    name += "lr=0.001,bs=64,<script>alert(1)</script>,$x^2$,\u202e\u0000名前"
    log = run_log(
        [
            *frames,
            rows(
                "a<b>&_long_" * 12, "loss/" + "very_long_name_" * 8, "train", [1.0, float("nan"), 0.5], step=[1, 2, 3], time_s=[np.nan] * 3
            ),
        ],
        name=name,
    )
    decision = unknown(
        "Agree on a target, then decide",
        "The model did best at step 20,000 with 85 % on unseen data. No plan was given, so no target, budget or deadline is known.",
    )
    run = RunAssessment(log, Ledger(), outcomes(OVERFITTING), (), checkpoint(), decision)
    return Assessment((run,), decision, None, Plan(), "e" * 64, "0.1.0")


def several():
    """Six runs of a search."""
    runs = []
    for i in range(6):
        peak = 0.80 + 0.012 * i
        at = 0.3 + 0.1 * i
        log = run_log(
            learning(peak=peak, end=peak - 0.03, peak_at=at, seed=i),
            name=f"sweep/dropout-0.{i}",
            parent="sweep" if i == 5 else "sweep/dropout-0.0" if i in (1, 2) else None,
        )
        step = round(at * 120) * 500
        criteria = (CriterionResult("accuracy", "missed", peak, 0.90, ">=", step, "Best of 120 evaluations.", True),)
        found = outcomes(OVERFITTING, OVER_BUDGET) if i == 5 else outcomes(OVERFITTING) if i % 2 else outcomes()
        runs.append(RunAssessment(log, ledger(), found, criteria, checkpoint(step, peak, at=at * HOURS), STOP))
    sunk = Finding("TR401", "sunk-cost", Severity.CRITICAL, Confidence.MEDIUM,
                   "The last three runs gained 1 point, less than runs of the same settings differ by, and cost 120 EUR.",
                   (Evidence("gain over the last three runs", 0.01, "1", "best of the last three minus best before", 6),),
                   Action("Pause and look for the cause", "Project manager", "a day"), fingerprint="4123456789abcdef")  # fmt: skip
    total = replace(ledger(), cost=euro("240"), gpu_hours=60.0, wall_s=60 * 3600.0)
    whole = Portfolio(6, "sweep/dropout-0.5", total, (Outcome("TR401", "sunk-cost", State.FOUND, sunk.message, (sunk,)),))
    return Assessment(
        tuple(runs), STOP, whole, plan(criteria=plan().criteria[:1], budget=Budget(money=Money.parse("200 EUR"))), "e" * 64, "0.1.0"
    )


def running():
    """A run that is still improving, with a forecast, and with much time that trained nothing."""
    log = run_log([*learning(train_end=0.86, peak=0.84, end=0.84, peak_at=1.0), *gpu_log(idle=(2, 3))], status="running")
    foretold = Forecast(
        "accuracy", 0.90, 0.34, 0.855, 0.88, 0.91, 100_000, START.timestamp() + 16.7 * 3600, "boosted trees, as in the card"
    )
    spent = Goodput(
        36_000.0, 0.61, 0.04, 0.2, 0.08, 0.0, 0.05, 0.0, 0.02, 0.0,
        {
            "productive": "time between logged steps that is none of the others; checkpoint may be part of it",
            "start_up": "from the first GPU sample to the first step",
            "input_wait": "mean of time/data over the usual step time",
            "evaluation": "120 intervals with a value on held-out data, beyond what their steps usually take",
            "checkpoint": "not told apart from productive: no pauses that come back regularly stand out",
            "stall": "pauses far beyond the usual in which nothing was logged (TR210)",
            "lost_work": "time of steps that were done again after a later start (TR220)",
            "idle_after_end": "GPUs at 2 % or less after the last value that training logged (TR219)",
            "unexplained": "nothing is left over",
        },
    )  # fmt: skip
    basis = {
        **ledger().basis,
        "flop": "at most: dense 16-bit peak of the GPUs times utilization times hours held",
        "goodput": "1,200 logged steps of train/loss, compared with their usual pace",
        "forecast": "from 120 evaluations over 60 % of the 100,000 steps that were planned; no past run of the same task is at hand",
    }
    took = ledger(cost=euro("20"), goodput=spent, forecast=foretold, flop=5.80207e18, basis=basis)
    decision = Decision(
        Verdict.NOT_YET, NextStep.CONTINUE, "Let it train on to step 100,000",
        "The model reached 84 % on customers it has not seen and is still getting better; 90 % was agreed.",
        (Reason("accuracy", False, "Accuracy on unseen data reached 84 %; 90 % was agreed."),), (), "90 % at any checkpoint.", 8,
        (Option("Continue as planned", "Let the run go on to the planned steps", None, "in the budget", "about 34 %", "ML engineer",
                recommended=True),),
    )  # fmt: skip
    gaps = tuple(replace(OVER_BUDGET, code=code, name=name, severity=Severity.MINOR, message=message, impact=None, fingerprint=mark * 16)
                 for code, name, message, mark in (
                     ("TR503", "missing-code-version", "No source names a code version.", "5"),
                     ("TR505", "missing-seed", "No source names a seed.", "6"),
                 ))  # fmt: skip
    criteria = (CriterionResult("accuracy", "missed", 0.84, 0.90, ">=", 60_000, "Best of 120 evaluations.", True),)
    run = RunAssessment(log, took, outcomes(IDLE, *gaps), criteria, checkpoint(60_000, 0.84, at=10), decision)
    given = plan(criteria=plan().criteria[:1], budget=Budget(money=Money.parse("60 EUR")))
    return Assessment((run,), decision, None, given, "e" * 64, "0.1.0")


FIGURES = (
    Measured("TR101 overfitting, histories held out", "macro-F1, clean", 0.98, 0.97, True, "1,000 histories"),
    Measured("TR101 overfitting, histories held out", "macro-F1, 40 points", 0.91, 0.92, True, "1,000 histories"),
    Measured("causes", "recall, dead rank (TR209)", 0.96, 0.95, True, "200 logs each; simulated"),
    Measured("causes", "recall, throttling (TR207)", 0.99, 0.95, True, "200 logs each; simulated"),
    Measured("forecast, event", "Brier score", 0.18, None, False, "base data sets left out"),
)
"""Made up: what a table of accuracy is made of."""

CASES = {"exam": exam, "healthy": healthy, "gpu_only": gpu_only, "no_plan": no_plan, "several": several, "running": running}


def plain(tree, indent=0):
    """Return the texts of a document, one a line, indented as they are nested."""
    if isinstance(tree, str):
        return [" " * indent + tree.replace("\u00a0", " ")] if tree else []
    if isinstance(tree, tuple):
        return [line for item in tree for line in plain(item, indent)]
    if is_dataclass(tree) and type(tree).__name__ != "FigureSpec":
        lines = [" " * indent + type(tree).__name__]
        for item in fields(tree):
            lines += plain(getattr(tree, item.name), indent + 2)
        return lines
    return []


@pytest.fixture
def made():
    """The builders: cases by name, and what they are made of."""
    return SimpleNamespace(**{name: value for name, value in globals().items() if not name.startswith("_")})


@pytest.fixture(params=sorted(CASES))
def case(request):
    """Each of the cases: (name, assessment)."""
    return request.param, CASES[request.param]()
