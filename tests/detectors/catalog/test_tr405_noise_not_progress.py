"""TR405: the best of several."""

from __future__ import annotations

import pytest

from trainreport.detectors.family import luck_of_the_best
from trainreport.model.finding import Confidence, State

SEEDS = [
    {"best_value": value, "params": {"lr": str(number // 2), "seed": str(number % 2)}}
    for number, value in enumerate((0.80, 0.82, 0.81, 0.83, 0.79, 0.81))
]


def test_luck_gives_as_much(judge_runs):
    finding = judge_runs("TR405", SEEDS).findings[0]
    assert finding.evidence[0].value == pytest.approx(0.83 - 0.81)
    # Three pairs 0.02 apart: sqrt(3 * 0.0002 / 3) = 0.014142; the best of 6 lies 1.2816 of it higher (Blom).
    assert finding.evidence[1].value == pytest.approx(0.0141421356 * 1.2816, rel=1e-4)
    assert finding.message == "The best of 6 runs lies 2 points beyond their median; by luck alone it would lie about 1.8 points beyond it."
    assert finding.confidence is Confidence.HIGH


@pytest.mark.parametrize(("runs", "exact"), [(5, 1.16296), (10, 1.53875)])
def test_the_expected_best_is_near_the_exact_one(runs, exact):
    assert luck_of_the_best(runs) == pytest.approx(exact, rel=0.02)  # Harter (1961), table of normal order statistics


def test_real_progress(judge_runs):
    runs = [*SEEDS, {"best_value": 0.95, "params": {"lr": "9", "seed": "0"}}]
    assert judge_runs("TR405", runs).state is State.CLEAR


def test_lower_is_better_for_losses(judge_runs):
    runs = [{**one, "series": "loss", "best_value": 1 - one["best_value"]} for one in SEEDS]
    finding = judge_runs("TR405", runs).findings[0]
    assert finding.evidence[0].value == pytest.approx(0.02)
    assert "lies 0.02 beyond" in finding.message  # a loss has no points


def test_an_accuracy_in_percent_is_said_in_the_same_points(judge_runs):
    runs = [{**one, "best_value": 100 * one["best_value"]} for one in SEEDS]
    assert "lies 2 points beyond their median" in judge_runs("TR405", runs).findings[0].message


def test_not_applicable(judge_runs):
    assert judge_runs("TR405", SEEDS[:2]).state is State.NOT_APPLICABLE
    assert "no configuration was repeated" in judge_runs("TR405", [{"best_value": 0.8}, {"best_value": 0.7}, {"best_value": 0.6}]).reason
