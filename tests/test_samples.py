"""Each sample run is judged as its expected.toml says: examples are test cases."""

from __future__ import annotations

import tomllib

import pytest

from trainreport import _resources, analyze
from trainreport.cli.outcome import exit_code
from trainreport.model.finding import State

SAMPLES = sorted(folder for folder in _resources.folder("sample_runs").iterdir() if (folder / "expected.toml").is_file())


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda folder: folder.name)
def sample(request):
    folder = request.param
    return tomllib.loads((folder / "expected.toml").read_text()), analyze(folder / "logs", folder / "plan.toml")


def test_there_are_at_least_six_and_they_are_small():
    assert len(SAMPLES) >= 6
    assert sum(file.stat().st_size for folder in SAMPLES for file in folder.rglob("*") if file.is_file()) < 1_500_000


def test_codes_that_fire_and_codes_that_do_not(sample):
    expected, analysis = sample
    leading = analysis.assessment.leading
    fired = {finding.code for finding in leading.findings}
    assert fired >= set(expected["fires"])
    assert fired.isdisjoint(expected["silent"])
    assert not [outcome for outcome in leading.outcomes if outcome.state is State.FAILED]


def test_decision_and_exit_code(sample):
    expected, analysis = sample
    decision = analysis.decision
    found = (decision.rule, decision.verdict.value, decision.next_step.value)
    assert found == (expected["rule"], expected["verdict"], expected["next_step"])
    assert exit_code(analysis.assessment, None) == expected["exit_code"]


def test_everything_was_read(sample):
    _, analysis = sample
    for run in analysis.assessment.runs:
        assert run.log.problems == ()


def test_about_says_that_the_gpu_log_is_simulated():
    for folder in SAMPLES:
        if (folder / "logs" / "gpu.csv").is_file():
            assert "simulated" in (folder / "ABOUT.md").read_text().lower()
