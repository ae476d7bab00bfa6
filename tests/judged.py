"""A run of a hundred steps in an hour on two GPUs, 10 EUR in all, judged."""

from __future__ import annotations

from builders import log_of, training

from trainreport.decisions.assess import assess
from trainreport.model.plan_reader import parse_plan

PLAN = '[rates]\ngpu_hour = "5 EUR"\n[training]\ngpus = 2\n'
RISING = [0.5, 0.6, 0.7, 0.8, 0.9, 0.899, 0.898, 0.897, 0.896, 0.895, 0.895]
"""At steps 0, 10 … 100: best at 40."""


def judged(values, plan=PLAN, status="finished"):
    curve = (range(0, 10 * len(values), 10), values)
    log = log_of(training({"loss": [1.0] * (10 * len(values) - 9), "val_accuracy": curve}, seconds_per_step=36.0, status=status))
    return assess([log], parse_plan(plan)).runs[0]
