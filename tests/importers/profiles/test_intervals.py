"""Unions, cover and gaps, against counting on a grid."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.profiles.intervals import Intervals, covered, gaps, union

PAIRS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=12)
WINDOW = st.tuples(st.integers(0, 50), st.integers(1, 30))


def intervals(pairs):
    start = np.array([one for one, _ in pairs], dtype=float)
    return Intervals(start, start + np.array([length for _, length in pairs], dtype=float))


def grid(pairs):
    """Return which of the cells [n, n + 1) are covered."""
    cells = np.zeros(100, dtype=bool)
    for start, length in pairs:
        cells[start : start + length] = True
    return cells


@given(PAIRS, WINDOW)
@settings(deadline=None)
def test_cover_and_gaps(pairs, window):
    first, last = window[0], window[0] + window[1]
    whole = union(intervals(pairs))
    inside = grid(pairs)[first:last]
    assert covered(whole, Intervals(np.array([first]), np.array([last])))[0] == inside.sum()
    free = gaps(whole, (float(first), float(last)))
    assert (free.end - free.start).sum() == (~inside).sum()
    assert not len(free.start) or (free.start.min() >= first and free.end.max() <= last)


@given(PAIRS)
@settings(deadline=None)
def test_a_union_is_disjoint_and_in_order(pairs):
    whole = union(intervals(pairs))
    assert (whole.start[1:] > whole.end[:-1]).all()
    assert (whole.end - whole.start).sum() == grid(pairs).sum()


def test_what_touches_is_one():
    whole = union(intervals([(5, 5), (0, 5), (20, 1)]))
    assert whole.start.tolist() == [0, 20]
    assert whole.end.tolist() == [10, 21]
