"""Docstrings become explanations."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from trainreport.detectors.base import threshold
from trainreport.detectors.explain import as_text, explain
from trainreport.model.finding import Severity


class Small:
    """A sentence
    on two lines.

    What it checks
    --------------
    One paragraph
    on two lines.

    Another.

    Why it matters
    --------------
    Why.

    How it decides
    --------------
    How.

    What to do
    ----------
    - First, which
      goes on.
    - Second.

    Limits
    ------
    Limits.

    References
    ----------
    None.
    """

    code, name, severity, needs = "TR999", "small", Severity.NOTE, ("a loss",)

    @dataclass(frozen=True)
    class Thresholds:
        """Limits."""

        share: float = threshold(0.5, unit="share", why="Half.", low=0, high=1, source="a coin")


def test_paragraphs_and_lists():
    found = explain(Small())
    assert found.summary == "A sentence on two lines."
    assert found.sections["What it checks"] == ("One paragraph on two lines.", "Another.")
    assert found.sections["What to do"] == ("- First, which goes on.", "- Second.")
    (limit,) = found.limits
    assert (limit.name, limit.default, limit.unit, limit.low, limit.high, limit.source) == ("share", 0.5, "share", 0, 1, "a coin")


def test_text():
    text = as_text(explain(Small()))
    assert text.startswith("TR999 small (note)\n\nA sentence on two lines.\n\nNeeds: a loss.\n\nWhat it checks\n  One paragraph")
    assert text.endswith("Thresholds\n  TR999.share = 0.5 share (0 to 1). Half. (a coin)\n")


def test_a_missing_section_is_an_error():
    class Missing(Small):
        """Only a summary."""

    with pytest.raises(ValueError, match="TR999"):
        explain(Missing())
