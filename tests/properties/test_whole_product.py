"""Whatever was logged, the product judges it, says so in JSON and HTML, and no detector breaks off."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from builders import START, log_of, machine, training
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trainreport.decisions.assess import assess
from trainreport.model.finding import State
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.reports import render
from trainreport.reports.exports import json as json_export
from trainreport.reports.exports import text as text_export

PLAN = parse_plan(
    '[[criteria]]\nid = "accuracy"\nseries = "accuracy"\nthreshold = 0.9\nunit = "share"\nbaseline = 0.5\nchance = 0.1\n'
    '[[criteria]]\nid = "loss"\nseries = "loss"\nthreshold = 0.5\ncomparator = "<="\nmandatory = false\n'
    "[budget]\nmoney = '3 EUR'\ngpu_hours = 1\nwall_time = '1 h'\ndeadline = 2026-06-09\n"
    "[rates]\ngpu_hour = '3 EUR'\npue = 1.2\ncarbon_g_per_kwh = 400\n"
)
NAMES = ("train_loss", "val_loss", "train_acc", "val_acc", "test/f1", "grad_norm", "lr", "rollout/ep_rew_mean", "anything/else")

values = st.one_of(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40),
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.builds(lambda n, a, b: list(np.linspace(a, b, n)), st.integers(1, 60), st.floats(-5, 5), st.floats(-5, 5)),
    st.builds(lambda n, a: [a] * n, st.integers(1, 60), st.floats(-1e6, 1e6)),
)
curves = st.dictionaries(st.sampled_from(NAMES), values, min_size=1, max_size=5)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def outcomes(assessment):
    return [(run.log.run.id, outcome.code, outcome.state, outcome.reason) for run in assessment.runs for outcome in run.outcomes]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(curves, st.none() | shares, st.booleans())
def test_anything_is_judged(found, gpu, planned):
    parts = [training(found, seconds_per_step=60)]
    if gpu is not None:
        parts.append(machine({"gpu0": {"gpu/utilization": gpu, "gpu/power": [200.0] * len(gpu)}}, interval_s=60))
    assessment = assess([log_of(*parts)], PLAN if planned else Plan())
    broken = [outcome for run in assessment.runs for outcome in run.outcomes if outcome.state is State.FAILED]
    assert broken == []
    data = json.loads(json_export.render(assessment), parse_constant=pytest.fail)
    assert data["decision"]["verdict"] in ("go", "go-with-conditions", "not-yet", "no-go", "cannot-tell")
    if not planned:
        assert data["decision"]["verdict"] in ("cannot-tell", "no-go")
    assert text_export.render(assessment).endswith("\n")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(curves, st.none() | shares, st.booleans())
@example({"train_loss": [0.0], "val_loss": [1.0, 1.7976931348623157e308]}, None, False)
@example({"train_loss": [0.0], "val_loss": [1.0, 5e-324]}, None, False)
def test_anything_becomes_a_page(found, gpu, planned):
    parts = [training(found, seconds_per_step=60)]
    if gpu is not None:
        parts.append(machine({"gpu0": {"gpu/utilization": gpu}}, interval_s=60))
    page = render(assess([log_of(*parts), log_of(parts[0], run_id="other")], PLAN if planned else Plan()), "html").decode()
    assert page.lower().startswith("<!doctype html>")


@settings(max_examples=25, deadline=None)
@given(curves, st.integers(-5_000, 5_000))
def test_when_it_ran_changes_no_finding(found, hours):
    plan = replace(PLAN, budget=replace(PLAN.budget, deadline=None))
    here = assess([log_of(training(found, seconds_per_step=60))], plan)
    there = assess([log_of(training(found, seconds_per_step=60, start=START + timedelta(hours=hours)))], plan)
    assert outcomes(here) == outcomes(there)
    assert here.decision == there.decision
