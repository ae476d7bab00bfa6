"""What detectors and the policy say of a run: findings, outcomes, a checkpoint and a decision, built by hand."""

from __future__ import annotations

from reports.made_logs import HOURS, START, euro

from trainreport.model.decision import Checkpoint, Decision, NextStep, Option, Reason, Verdict
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Impact, Outcome, Severity, State, ThresholdUsed, Waste

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
