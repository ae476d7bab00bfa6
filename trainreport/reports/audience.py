"""Who reads which parts of a report: names of parts, in the order of the report."""

from __future__ import annotations

__all__ = ["AUDIENCES", "LEFT_TO_THE_AUDITOR"]

LEFT_TO_THE_AUDITOR = "method"
"""How each check decides, with its limits: pages that the other readers look up with ``trainreport explain``."""

AUDIENCES: dict[str, tuple[str, ...]] = {
    "sponsor": ("decision",),
    "manager": ("decision", "reasons-and-criteria", "budget", "risks", "capacity", "runs", "glossary", "sign"),
    "engineer": ("decision", "learning", "machine", "capacity", "findings", "runs", "glossary"),
    "auditor": ("decision", "reasons-and-criteria", "coverage", LEFT_TO_THE_AUDITOR, "accuracy", "provenance", "glossary", "sign"),
    "all": (
        "decision",
        "reasons-and-criteria",
        "budget",
        "risks",
        "learning",
        "machine",
        "capacity",
        "findings",
        "runs",
        "coverage",
        "accuracy",
        "provenance",
        "glossary",
        "sign",
    ),
}
"""Page 1 leads each of them, for the others rest on what it decides."""
