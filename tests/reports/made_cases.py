"""Whole assessments: the exam case, a healthy run, a GPU log alone, no plan, several runs, a run that goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from reports.made_judged import IDLE, OVER_BUDGET, OVERFITTING, STOP, checkpoint, outcomes
from reports.made_logs import HOURS, START, euro, gpu_log, learning, ledger, plan, rows, run_log

from trainreport.decisions.criteria import judge
from trainreport.decisions.family import families
from trainreport.detectors.accuracy import Measured
from trainreport.model.case import Case
from trainreport.model.decision import (
    Assessment,
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
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, State
from trainreport.model.ledger import DeviceUse, Forecast, Goodput, Ledger
from trainreport.model.money import Money
from trainreport.model.plan import Budget, Plan
from trainreport.model.run import Problem


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
    agreed = plan(criteria=plan().criteria[:1], budget=Budget(money=Money.parse("200 EUR")))
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
    cases = [Case(run.log, agreed, run.ledger) for run in runs]
    family = families(cases, [judge(case) for case in cases])[0].family
    whole = Portfolio(6, "sweep/dropout-0.5", total, (Outcome("TR401", "sunk-cost", State.FOUND, sunk.message, (sunk,)),), family)
    return Assessment(tuple(runs), STOP, whole, agreed, "e" * 64, "0.1.0")


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
