"""Each sample run is judged as its expected.toml says: examples are test cases.

``fires`` and ``silent`` are codes of the run that the decision is about and of all runs together; ``elsewhere`` are codes that
some other run of the sample has.
"""

from __future__ import annotations

import tomllib
from functools import cache

import pytest

from trainreport import _resources, analyze
from trainreport.cli.outcome import exit_code
from trainreport.detectors import all_detectors
from trainreport.model.finding import State

SAMPLES = sorted(folder for folder in _resources.folder("sample_runs").iterdir() if (folder / "expected.toml").is_file())
EXPECTED = {folder.name: tomllib.loads((folder / "expected.toml").read_text()) for folder in SAMPLES}

NOT_SHOWN = {
    "TR307": "a third of 1e23 FLOP is more than a small training takes, and a sample claims no size that it has not",
}
"""Codes that no sample makes fire, each with its reason."""


NEVER_CLEAR = {
    "TR212": "it compares runs that differ in GPUs alone, and the one such pair scales poorly",
    "TR404": "the searches went to their ends on purpose",
}
"""Codes that no sample is judged clear of, each with its reason; of the others one is silent because it looked."""


@cache
def _analysis(folder):
    plan = folder / "plan.toml"
    return analyze(folder / "logs", plan if plan.is_file() else None)


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda folder: folder.name)
def sample(request):
    return EXPECTED[request.param.name], _analysis(request.param)


def _codes(outcomes):
    return {outcome.code for outcome in outcomes if outcome.findings}


def _judged(assessment):
    """Return the outcomes of the run that the decision is about, and of all runs together."""
    return [*assessment.leading.outcomes, *(assessment.portfolio.outcomes if assessment.portfolio else ())]


def _every(assessment):
    return [*_judged(assessment), *(outcome for run in assessment.runs for outcome in run.outcomes)]


def test_they_are_small():
    sizes = {folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) for folder in SAMPLES}
    assert max(sizes.values()) < 600_000, sizes
    assert sum(sizes.values()) < 3_000_000, sizes


def test_codes_that_fire_and_codes_that_do_not(sample):
    expected, analysis = sample
    assessment = analysis.assessment
    fired = _codes(_judged(assessment))
    others = [one for one in assessment.runs if one is not assessment.leading]
    assert set(expected["fires"]) <= fired
    assert fired.isdisjoint(expected["silent"])
    assert set(expected.get("elsewhere", ())) <= {code for one in others for code in _codes(one.outcomes)}
    assert not [outcome for one in assessment.runs for outcome in one.outcomes if outcome.state is State.FAILED]


def test_decision_and_exit_code(sample):
    expected, analysis = sample
    decision = analysis.decision
    found = (decision.rule, decision.verdict.value, decision.next_step.value)
    assert found == (expected["rule"], expected["verdict"], expected["next_step"])
    assert exit_code(analysis.assessment, None) == expected["exit_code"]


def test_the_healthy_run_has_no_finding_and_its_go_no_condition():
    analysis = _analysis(next(folder for folder in SAMPLES if folder.name == "healthy"))
    assert not _codes(_judged(analysis.assessment))
    assert analysis.decision.conditions == ()
    judged = {outcome.code for outcome in _judged(analysis.assessment) if outcome.state is State.CLEAR}
    assert set(EXPECTED["healthy"]["silent"]) <= judged  # silent because it looked, not because it could not


def test_every_code_but_a_few_has_a_sample_that_fires():
    shown = {code for expected in EXPECTED.values() for code in (*expected["fires"], *expected.get("elsewhere", ()))}
    assert {one.code for one in all_detectors()} - shown == set(NOT_SHOWN)


def test_every_code_but_a_few_looked_at_a_sample_and_stayed_silent():
    outcomes = [outcome for folder in SAMPLES for outcome in _every(_analysis(folder).assessment)]
    clear = {outcome.code for outcome in outcomes if outcome.state is State.CLEAR}
    assert {one.code for one in all_detectors()} - clear == set(NEVER_CLEAR)


def test_everything_was_read(sample, request):
    _, analysis = sample
    damaged = "records" in request.node.name
    assert any(run.log.problems for run in analysis.assessment.runs) == damaged


def test_about_says_that_the_gpu_log_is_simulated():
    for folder in SAMPLES:
        if list((folder / "logs").rglob("gpu.csv")):
            assert "simulated" in (folder / "ABOUT.md").read_text().lower()
