"""The words of a detector's own docstring, as the explanation in a card."""

from __future__ import annotations

from functools import cache

__all__ = ["why"]


@cache
def why(code: str) -> str:
    """Return why findings of `code` matter, in one or two sentences; empty where the detector does not say."""
    try:
        from trainreport.detectors import detector
        from trainreport.detectors.explain import explain

        paragraphs = explain(detector(code)).sections["Why it matters"]
    except Exception:  # an outside detector's docstring must not take a report down
        return ""
    return " ".join(paragraph.replace("``", "").strip() for paragraph in paragraphs)
