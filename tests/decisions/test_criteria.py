"""Criteria, judged at one checkpoint."""

from __future__ import annotations

import pytest
from builders import log_of, training

from trainreport.decisions.criteria import judge
from trainreport.model.case import Case
from trainreport.model.ledger import Ledger
from trainreport.model.plan_reader import parse_plan


def criterion(series="accuracy", threshold=0.9, **more):
    lines = "".join(f"{key} = {value!r}\n" for key, value in more.items()).replace("True", "true").replace("False", "false")
    return f'[[criteria]]\nid = "{series}"\nseries = "{series}"\nthreshold = {threshold}\n{lines}'


def judged(curves, *criteria):
    return judge(Case(log_of(training(curves)), parse_plan("".join(criteria)), Ledger()))


def test_best_and_its_checkpoint():
    found = judged({"val_acc": [0.5, 0.91, 0.95, 0.92, 0.80]}, criterion())
    [result] = found.results
    assert (result.state, result.value, result.step, result.confirmed) == ("met", 0.95, 2, True)
    assert (found.best.step, found.best.last_step, found.best.evaluations) == (2, 4, 5)


def test_one_lucky_evaluation_is_met_but_not_confirmed():
    [result] = judged({"val_acc": [0.5, 0.6, 0.95, 0.62, 0.60]}, criterion()).results
    assert (result.state, result.confirmed) == ("met", False)


def test_all_criteria_are_judged_at_one_checkpoint():
    curves = {"val_acc": [0.80, 0.91, 0.97], "val_loss": [0.9, 0.4, 0.8]}
    found = judged(curves, criterion(), criterion("loss", 0.5, comparator="<="))
    assert found.best.step == 1  # the best accuracy of the steps where both are met, not the best of all
    assert [result.state for result in found.results] == ["met", "met"]
    missed = judged(curves, criterion(), criterion("loss", 0.3, comparator="<="))
    assert missed.best.step == 2  # nothing meets both: the best by the first
    assert [result.state for result in missed.results] == ["met", "missed"]


def test_series_evaluated_at_other_steps_are_read_at_the_nearest():
    curves = {"val_acc": ([0, 10, 20], [0.5, 0.95, 0.6]), "val_loss": ([0, 9, 21], [1.0, 0.2, 0.9])}
    found = judged(curves, criterion(), criterion("loss", 0.5, comparator="<="))
    assert [result.step for result in found.results] == [10, 9]


@pytest.mark.parametrize(("statistic", "value"), [("final", 0.70), ("mean_last", 0.75)])
def test_judged_at_the_end(statistic, value):
    curve = [0.95] * 18 + [0.80, 0.70]
    [result] = judged({"val_acc": curve}, criterion(statistic=statistic)).results
    assert result.value == pytest.approx(value)
    assert result.state == "missed"


def test_tolerance():
    assert judged({"val_acc": [0.89]}, criterion(tolerance=0.01)).results[0].state == "met"
    assert judged({"val_acc": [0.889]}, criterion(tolerance=0.01)).results[0].state == "missed"
    assert judged({"val_loss": [0.51]}, criterion("loss", 0.5, comparator="<=", tolerance=0.01)).results[0].state == "met"


def test_units_are_never_rescaled_silently():
    [share] = judged({"val_acc": [85.0, 91.0]}, criterion(unit="share")).results
    assert (share.state, share.value) == ("met", pytest.approx(0.91))
    assert "logged in percent, read as a share" in share.reason
    [percent] = judged({"val_acc": [0.85, 0.91]}, criterion(threshold=90, unit="percent")).results
    assert (percent.state, percent.value) == ("met", pytest.approx(91.0))
    [unsaid] = judged({"val_acc": [85.0, 91.0]}, criterion()).results
    assert unsaid.state == "not-measured"
    assert 'say unit = "share"' in unsaid.reason


def test_a_missing_series_names_the_nearest():
    [result] = judged({"val_acc": [0.9]}, criterion("acuracy")).results
    assert result.state == "not-measured"
    assert "did you mean 'accuracy'?" in result.reason


def test_a_series_that_was_never_a_number_is_missed():
    [result] = judged({"val_acc": [float("nan")] * 3}, criterion()).results
    assert (result.state, result.value) == ("missed", None)


def test_without_criteria_the_best_is_by_held_out_loss():
    assert judged({"val_loss": [3.0, 1.0, 2.0], "loss": [3.0, 2.0, 1.0]}).best.step == 1
    assert judged({"loss": [3.0, 2.0, 1.0]}).best is None
