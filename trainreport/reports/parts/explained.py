"""The words of a detector's own docstring, as the explanation in a card or in the method."""

from __future__ import annotations

from functools import cache

__all__ = ["how", "why"]


def why(code: str) -> str:
    """Return why findings of `code` matter, in one or two sentences; empty where the detector does not say."""
    return _section(code, "Why it matters")


def how(code: str) -> str:
    """Return how `code` decides; empty where the detector does not say."""
    return _section(code, "How it decides")


@cache
def _section(code: str, title: str) -> str:
    try:
        from trainreport.detectors import detector
        from trainreport.detectors.explain import explain

        paragraphs = explain(detector(code)).sections[title]
    except Exception:  # an outside detector's docstring must not take a report down
        return ""
    return " ".join(paragraph.replace("``", "").strip() for paragraph in paragraphs)
