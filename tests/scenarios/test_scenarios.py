"""Worked scenarios: logs, plan, and the decision that the policy of DESIGN.md asks for."""

from __future__ import annotations

import re
from functools import cache

import pytest
from scenarios import broken, evidence, hardware, outlook, overfitting, series, target, trouble

THEMES = (overfitting, target, evidence, broken, trouble, outlook, hardware, series)
SCENARIOS = {one.name: one for theme in THEMES for one in theme.SCENARIOS}
EACH = pytest.mark.parametrize("name", SCENARIOS)


@cache
def assessed(name):
    return SCENARIOS[name].assessed()


def told(decision):
    """Return headline, lead and conditions in lower case."""
    return " ".join([decision.headline, decision.lead, *decision.conditions]).lower()


def test_there_are_at_least_sixty_and_each_has_its_own_name():
    assert len(SCENARIOS) == sum(len(theme.SCENARIOS) for theme in THEMES) >= 60


def test_every_rule_is_told():
    assert {one.rule for one in SCENARIOS.values()} == set(range(1, 12))


@EACH
def test_the_decision_is_the_one_of_the_policy(name):
    expected, decision = SCENARIOS[name], assessed(name).decision
    found = (decision.rule, decision.verdict.value, decision.next_step.value)
    assert found == (expected.rule, expected.verdict, expected.step), expected.story


@EACH
def test_it_says_what_it_must_and_nothing_that_it_must_not(name):
    expected, decision = SCENARIOS[name], assessed(name).decision
    text = told(decision)
    assert not [words for words in expected.says if words.lower() not in text], text
    assert not [words for words in expected.never if words.lower() in text], text
    assert expected.change.lower() in decision.what_would_change_it.lower()


@EACH
def test_the_codes_that_the_story_tells_fire(name):
    expected, assessment = SCENARIOS[name], assessed(name)
    outcomes = [*assessment.leading.outcomes, *(assessment.portfolio.outcomes if assessment.portfolio else ())]
    fired = {finding.code for outcome in outcomes for finding in outcome.findings}
    assert fired >= set(expected.fires)
    assert fired.isdisjoint(expected.silent)


@EACH
def test_it_reads_like_a_person_wrote_it(name):
    decision = assessed(name).decision
    assert decision.headline[0].isupper()
    assert decision.headline[-1].isalnum()
    assert len(decision.headline) <= 80
    assert len(re.findall(r"[.?] (?=[A-Z])", decision.lead)) <= 3  # at most four sentences
    for sentence in (decision.lead, *decision.conditions, decision.what_would_change_it):
        assert sentence[0].isupper()
        assert sentence[-1] in ".?"
    for text in (told(decision), decision.what_would_change_it.lower()):
        assert not re.search(r"\bnone\b|\.\.|\?\.|  |!", text), text


@EACH
def test_what_would_change_it_names_a_figure_or_a_check(name):
    change = assessed(name).decision.what_would_change_it
    assert re.search(r"\d|no leak|acceptance criterion|not trained on|stay finite|criterion agreed", change), change


@EACH
def test_more_hardware_is_never_advised(name):
    decision = assessed(name).decision
    advised = [f"{option.title} {option.does}" for option in decision.options if option.advised]
    text = " ".join([told(decision).replace("do not simply train longer or on more hardware", ""), *advised]).lower()
    assert not re.search(r"(more|larger|bigger|faster|further|additional|another|second) (gpus?|hardware|machines?|nodes?)\b", text), text


@EACH
def test_a_run_that_is_stopped_is_not_prolonged(name):
    decision = assessed(name).decision
    recommended = [option.title for option in decision.options if option.recommended]
    assert len(recommended) == 1
    if decision.verdict.value == "no-go":
        assert recommended[0] not in ("Continue as planned", "Train longer", "Extend the plan", "Proceed to evaluation")


def test_what_comes_after_broken_numbers_is_no_overfitting():
    assert "TR101" not in {finding.code for finding in assessed("NaN at the end").leading.findings}


def test_no_target_is_missed_where_none_was_agreed():
    assert "target is still missed" not in assessed("seven runs without gain, and no target").decision.lead
