"""Trees kept as arrays: a sum of tables, looked up by the answers to one question a level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.stats.trees import Trees

# One tree asks: is the first feature above 2, then: is the second above 0? Two outputs.
ONE = {"start": [1.0, 10.0], "feature": [[0, 1]], "threshold": [[2.0, 0.0]], "leaf": [[[0.1, 1], [0.2, 2], [0.3, 3], [0.4, 4]]]}


@pytest.mark.parametrize(
    ("row", "right"),
    [([1.0, -1.0], [1.1, 11.0]), ([1.0, 1.0], [1.2, 12.0]), ([3.0, -1.0], [1.3, 13.0]), ([3.0, 1.0], [1.4, 14.0])],
)
def test_the_first_question_is_the_highest_bit(row, right):
    assert Trees.parse(ONE).predict(np.array([row]))[0] == pytest.approx(right)


def test_a_value_at_the_threshold_is_not_above_it():
    assert Trees.parse(ONE).predict(np.array([[2.0, 0.0]]))[0] == pytest.approx([1.1, 11.0])


def test_trees_add_up():
    twice = {**ONE, "feature": ONE["feature"] * 2, "threshold": ONE["threshold"] * 2, "leaf": ONE["leaf"] * 2}
    assert Trees.parse(twice).predict(np.array([[3.0, 1.0]]))[0] == pytest.approx([1.8, 18.0])


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1, max_size=20))
def test_each_row_is_answered_by_itself(rows):
    trees = Trees.parse(ONE)
    together = trees.predict(np.array(rows))
    assert together.tolist() == [trees.predict(np.array([row]))[0].tolist() for row in rows]
