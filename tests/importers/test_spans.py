from __future__ import annotations

from datetime import timedelta

import pytest
from builders import START, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.spans import Spans, overlap_share, span_of

SPAN = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (float(min(pair)), float(max(pair))))


@given(st.lists(st.none() | SPAN, max_size=8), SPAN)
def test_touching_is_sharing_an_instant(spans, asked):
    instants = [set() if one is None else set(range(int(one[0]), int(one[1]) + 1)) for one in spans]
    mine = set(range(int(asked[0]), int(asked[1]) + 1))
    assert Spans(spans).touching(asked) == [position for position, one in enumerate(instants) if one & mine]


@pytest.mark.parametrize(
    ("one", "other", "shorter", "longer"),
    [
        ((0.0, 10.0), (5.0, 25.0), 0.5, 0.25),
        ((0.0, 10.0), (10.0, 20.0), 0.0, 0.0),
        ((0.0, 10.0), (11.0, 20.0), 0.0, 0.0),
        ((3.0, 3.0), (3.0, 3.0), 1.0, 1.0),
        ((3.0, 3.0), (0.0, 10.0), 1.0, 0.0),
        (None, (0.0, 10.0), 0.0, 0.0),
    ],
)
def test_shared_time_as_a_share(one, other, shorter, longer):
    assert (overlap_share(one, other, min), overlap_share(one, other, max)) == (shorter, longer)
    assert (overlap_share(other, one, min), overlap_share(other, one, max)) == (shorter, longer)


def test_the_span_of_several_recordings():
    first, later = training({"loss": range(11)}), training({"loss": range(11)}, start=START + timedelta(seconds=60))
    assert span_of([later, first]) == (START.timestamp(), START.timestamp() + 70)
    assert span_of([training({"loss": []})]) is None
