"""Settings side by side as lines through their values: places, order and the best ones worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from builders import log_of, training

from trainreport.decisions.assess import assess
from trainreport.model.plan import Criterion, Plan
from trainreport.reports.comparison import compared
from trainreport.reports.language import speaking
from trainreport.reports.parts import parallel
from trainreport.reports.view import View

GOAL = Plan(criteria=(Criterion("accuracy", "accuracy", 0.90, unit="share"),))
BY_WIDTH = {
    ("8", "0.01"): 0.50,
    ("8", "0.1"): 0.51,
    ("16", "0.01"): 0.60,
    ("16", "0.1"): 0.61,
    ("32", "0.01"): 0.70,
    ("32", "0.1"): 0.71,
}
"""Width and learning rate -> accuracy: the width tells nearly all of it."""


def chart(results, names=("width", "lr")):
    """Return the chart of runs with these settings and best values."""
    logs = [
        log_of(
            training({"val_accuracy": [best / 2, best]}, key=str(at), params=dict(zip(names, values, strict=True))),
            run_id=f"run{at}",
        )
        for at, (values, best) in enumerate(results.items())
    ]
    whole = assess(logs, GOAL)
    return parallel.build(View(whole), compared(whole))


def plain(text):
    return text.replace("\u00a0", " ")


def test_each_set_is_a_line_and_the_best_come_last_so_that_they_lie_on_top():
    figure = chart(BY_WIDTH)
    [panel] = figure.spec.panels
    rules, sets = panel.lines[:3], panel.lines[3:]
    assert all(list(line.x) == [at, at] for at, line in enumerate(rules))
    assert [line.tone for line in sets] == ["second"] * 4 + ["accent"] * 2  # a tenth of six is one; two are the fewest
    # Axes: what tells least first (learning rate 0.06 / 0.70 of the variation, width 0.64 / 0.70), the outcome last.
    # From the worst to the best: (rate, width, rank).
    expected = [(0, 0, 0.0), (1, 0, 0.2), (0, 0.5, 0.4), (1, 0.5, 0.6), (0, 1, 0.8), (1, 1, 1.0)]
    np.testing.assert_allclose([line.y for line in sets], expected)
    assert [(mark.x, mark.y) for mark in panel.marks] == [(0, 1), (1, 1), (2, 1)]


def test_words_of_the_chart():
    figure = chart(BY_WIDTH)
    names = [plain(name) for _, name in figure.spec.x.places]
    assert names == ["lr: 0.01 to 0.1", "width: 8 to 32", "accuracy: 50.0 % to 71.0 %"]
    assert plain(figure.title) == "The best 2 of 6 settings share width 32"
    assert "the 2 best in blue" in plain(figure.caption)
    assert "lr 0.1, width 32: 71.0 %" in plain(figure.caption)
    assert "not drawn" not in figure.caption
    assert "have no axis" not in figure.caption


def test_the_best_may_share_nothing():
    crossed = {("8", "0.1"): 0.71, ("32", "0.01"): 0.70, ("8", "0.01"): 0.60, ("16", "0.1"): 0.55, ("32", "0.1"): 0.50}
    assert plain(chart(crossed).title) == "The best 2 of 5 settings have no value in common"


@pytest.mark.parametrize(
    ("results", "names"),
    [
        (dict(list(BY_WIDTH.items())[:4]), ("width", "lr")),  # four sets
        ({(str(width),): width / 100 for width in range(8)}, ("width",)),  # one setting
    ],
)
def test_too_little_to_see_a_pattern_is_no_chart(results, names):
    assert chart(results, names) is None


def test_settings_beyond_five_are_counted():
    names = tuple("abcdefg")
    results = {tuple(str((at >> bit) & 1) for bit in range(7)): 0.5 + at / 1000 for at in range(0, 128, 15)}
    caption = plain(chart(results, names).caption)
    assert "2 more settings, which tell less of the outcome, have no axis." in caption
    names, six = names[:6], {values[:6]: result for values, result in results.items()}
    assert "1 more setting, which tells less of the outcome, has no axis." in plain(chart(six, names).caption)


def test_numbers_stand_by_size_and_words_after_them():
    assert parallel._ordered(["adam", "10", "9", "sgd", "1e-3", "10"]) == ["1e-3", "9", "10", "adam", "sgd"]
    assert parallel._places(["10", "adam", "9", "10"]) == [0.5, 1.0, 0.0, 0.5]
    assert parallel._places(["same", "same"]) == [0.0, 0.0]


def test_how_much_a_setting_tells():
    outcome = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]  # sum of squares about 0.5: 0.70
    assert parallel._told([1, 1, 0.5, 0.5, 0, 0], outcome) == pytest.approx(0.64 / 0.70)
    assert parallel._told([1, 0, 1, 0, 1, 0], outcome) == pytest.approx(0.06 / 0.70)
    assert parallel._told([0.5, 0.5], [0.3, 0.3]) == 0.0


def test_of_very_many_lines_some_are_drawn_evenly():
    assert parallel._spread(list(range(10)), 4) == [0, 2, 5, 7]
    assert parallel._spread([3, 4], 4) == [3, 4]


def test_what_is_not_drawn_is_counted(monkeypatch):
    monkeypatch.setattr(parallel, "_MOST_LINES", 2)
    figure = chart(BY_WIDTH)
    assert len(figure.spec.panels[0].lines) == 3 + 2 + 2
    assert "2 more sets are not drawn." in plain(figure.caption)
    monkeypatch.setattr(parallel, "_MOST_LINES", 3)
    assert "1 more set is not drawn." in plain(chart(BY_WIDTH).caption)
    with speaking("de"):
        assert "1 weiterer Satz ist nicht gezeichnet." in plain(chart(BY_WIDTH).caption)
