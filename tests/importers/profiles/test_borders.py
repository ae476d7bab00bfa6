"""Borders of the elements of an array, against the standard library's own reader."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.profiles.borders import borders

TEXTS = st.text(st.sampled_from('a"\\{}[],:\n'), max_size=8)
VALUES = st.recursive(
    st.integers(0, 9) | TEXTS | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
ELEMENTS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=6)


def found(block):
    borders_ = borders(block)
    return [json.loads(block[start:end]) for start, end in zip(borders_.starts.tolist(), borders_.ends.tolist(), strict=True)]


@given(ELEMENTS, st.sampled_from([None, 2]))
@settings(deadline=None)
def test_each_whole_element_is_found(elements, indent):
    text = json.dumps(elements, indent=indent).encode()
    assert found(text[1:]) == elements
    assert borders(text[1:] + b', "more": [{}]}').closed_at == len(text) - 2


@given(ELEMENTS, st.integers(0, 10**6))
@settings(deadline=None)
def test_of_a_cut_block_those_before_the_cut_are(elements, cut):
    text = json.dumps(elements).encode()[1:]
    got = found(text[: cut % (len(text) + 1)])
    assert got == elements[: len(got)]


def test_quotes_behind_backslashes():
    assert found(rb'{"a\\": "\\\"{"}, {"b": "\\\\"}, {"c": "\"') == [{"a\\": '\\"{'}, {"b": "\\\\"}]
    assert found(b"") == []
