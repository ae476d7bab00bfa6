from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.packs.names import fault, filed_as, shown


@pytest.mark.parametrize("name", ["data/a", "data/a b/c.csv", "data/Ünï", "data/..a", "data/a."])
def test_plain_names_may_stand(name):
    assert fault(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/etc/passwd", "absolute"),
        ("C:/x", "absolute"),
        ("data/../x", "leads out"),
        ("data//x", "leads out"),
        ("./x", "leads out"),
        ("", "leads out"),
        ("data\\x", "differently"),
        ("data/a\nb", "differently"),
        ("data/a%0Ab", "differently"),
        ("data/a\x1b[2J", "differently"),
        ("data/\u202egnp", "differently"),
        ("data/\udcff", "UTF-8"),
        ("a" * 1025, "too long"),
        ("a/" * 65 + "b", "too deep"),
    ],
)
def test_other_names_are_refused_with_the_reason(name, why):
    assert why in fault(name)


def test_logs_get_names_of_their_own():
    assert filed_as(["a/b", "A/B", "a b", "a_b", "ä"]) == {"A/B": "A/B", "a b": "a_b", "a/b": "a/b-2", "a_b": "a_b-2", "ä": "_"}


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")).filter(lambda name: name.strip("/.")), max_size=8))
def test_any_paths_get_safe_names_that_differ_even_without_case(paths):
    names = filed_as(paths)
    assert set(names) == set(paths)
    assert len({name.casefold() for name in names.values()}) == len(set(paths))
    assert [fault(name) for name in names.values()] == [None] * len(names)


def test_what_cannot_be_printed_is_escaped():
    assert shown("a\x1bb\udcff") == "a\\x1bb\\udcff"
    assert shown("straße") == "straße"
