"""TR401: spending without gain."""

from __future__ import annotations

import pytest

from trainreport.model.finding import Confidence, Severity, State

# Two seeds of two configurations lie 0.02 apart each: pooled standard deviation sqrt((0.0002 + 0.0002) / 2) = 0.01414.
RUNS = [
    {"best_value": 0.80, "params": {"lr": "1", "seed": "1"}},
    {"best_value": 0.82, "params": {"lr": "1", "seed": "2"}},
    {"best_value": 0.81, "params": {"lr": "2", "seed": "1"}},
    {"best_value": 0.83, "params": {"lr": "2", "seed": "2"}},
    {"best_value": 0.79, "params": {"lr": "3", "seed": "1"}},
]


def test_the_larger_part_of_the_spending_gained_nothing(judge_runs, target):
    finding = judge_runs("TR401", RUNS, target(0.9)).findings[0]
    assert finding.message == (
        "The last 3 runs took 60 % of all spending and gained 1 point, no more than chance explains (1.4 points from run to run); "
        "the target is still missed."
    )
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.HIGH)
    assert finding.evidence[2].value == pytest.approx(0.0141421356)
    assert finding.evidence[2].method == "4 runs that repeat 2 configurations"
    assert finding.waste.gpu_s == 3 * 36_000


def test_the_order_of_reading_does_not_matter(judge_runs, target):
    plain = judge_runs("TR401", RUNS, target(0.9))
    dated = [{**facts, "started_at": None} for facts in RUNS]
    assert judge_runs("TR401", dated, target(0.9)).reason == "when each run was made, or what it took, is not known"
    assert plain == judge_runs("TR401", RUNS, target(0.9))


def test_noise_within_the_curves_stands_in_with_less_confidence(judge_runs):
    runs = [{"best_value": value, "noise": 0.02, "evaluations": 20} for value in (0.80, 0.81, 0.80, 0.82, 0.81)]
    finding = judge_runs("TR401", runs).findings[0]
    assert finding.confidence is Confidence.MEDIUM
    assert finding.evidence[0].value == pytest.approx(0.8)


def test_silent(judge_runs, target):
    assert judge_runs("TR401", RUNS, target(0.82)).reason == "the target is met with 83 %"
    rising = [{**facts, "best_value": 0.5 + 0.1 * number} for number, facts in enumerate(RUNS)]
    assert judge_runs("TR401", rising, target(0.99)).state is State.CLEAR
    assert judge_runs("TR401", RUNS, target(0.9) + "[thresholds]\nTR401.spent = 0.7\n").state is State.CLEAR


def test_not_applicable(judge_runs):
    assert judge_runs("TR401", RUNS[:3]).reason == "3 runs to compare; at least 4 are needed"
    assert "no configuration was repeated" in judge_runs("TR401", [{"best_value": 0.8}] * 5).reason
    assert judge_runs("TR401", [{**facts, "gpu_hours": None} for facts in RUNS]).state is State.NOT_APPLICABLE
