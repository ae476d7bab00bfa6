"""TR404: every trial to its end."""

from __future__ import annotations

import pytest

from trainreport.model.finding import State


def trial(lr, final, steps=100, slow=False):
    """A trial that climbs to its final value, by half its length or in its last tenth."""
    course = tuple(
        (steps * tenth // 10, final * (min(1.0, tenth / 5) if not slow else (1.0 if tenth == 10 else 0.1))) for tenth in range(1, 11)
    )
    return {"best_value": final, "params": {"lr": str(lr), "seed": "1"}, "course": course}


SEARCH = [trial(0.1, 0.9), trial(0.03, 0.85), trial(0.3, 0.8), trial(1, 0.3), trial(3, 0.2), trial(10, 0.1)]


def test_half_the_search_was_behind_at_three_tenths(judge_runs):
    finding = judge_runs("TR404", SEARCH).findings[0]
    # The three poor ones end at step 30 of 100, and so does the third: it is below the median of the other five.
    assert finding.evidence[1].value == 3
    assert finding.evidence[0].value == pytest.approx(3 * 0.7 / 6)
    assert finding.message == (
        "The 6 runs of this search went to their end; the median stopping rule would have ended 3 of them early, "
        "spared 35 % of the spending, and kept the best."
    )
    assert finding.waste.gpu_s == pytest.approx(3 * 0.7 * 36_000)


def test_a_late_winner_speaks_against_the_rule(judge_runs):
    late = [trial(0.01, 0.95, slow=True), *SEARCH]
    assert judge_runs("TR404", late).reason == "the median stopping rule would have ended the best of the 7 runs of this search"


def test_a_pruned_search(judge_runs):
    pruned = [*SEARCH[:3], *(trial(lr, final, steps=30) for lr, final in ((1, 0.3), (3, 0.2), (10, 0.1)))]
    assert judge_runs("TR404", pruned).reason == "50 % of the 6 runs of this search ended early"


def test_no_search(judge_runs):
    assert judge_runs("TR404", SEARCH[:4]).state is State.NOT_APPLICABLE
    seeds = [{**SEARCH[0], "params": {"lr": "1", "seed": str(seed)}} for seed in range(6)]
    assert "that differ in a parameter" in judge_runs("TR404", seeds).reason
    assert judge_runs("TR404", [{**one, "gpu_hours": None} for one in SEARCH]).reason == "what each run took is not known"


def test_a_grid_is_told_from_its_combinations(judge_runs):
    runs = [trial(lr, final) for lr, final in ((1, 0.9), (1, 0.8), (2, 0.7), (2, 0.3), (3, 0.2), (3, 0.1))]
    for number, one in enumerate(runs):
        one["params"]["depth"] = str(number % 2)
    assert "6 runs of this grid search" in judge_runs("TR404", runs).findings[0].message
