"""Alert rules as a text for people: when each warns, who does what, and how often is reported."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from trainreport.model import words

if TYPE_CHECKING:
    from trainreport.alerts.rules import Alert
    from trainreport.model.plan import Plan

__all__ = ["cadence", "render"]

_GROUPS = {"budget": "Budget and time", "machine": "Machine", "learning": "Learning"}
_SHORT_S = 3 * 86400
"""Seconds of training up to which a report a day comes in time; longer ones also have a weekly one."""


def render(plan: Plan, every: tuple[Alert, ...]) -> str:
    """Return the text, at most 100 characters wide."""
    parts = [f"Alerts of the plan: {plan.title or 'without a title'}"]
    for group, title in _GROUPS.items():
        chosen = [one for one in every if one.group == group]
        if chosen:
            parts += [title, *(_alert(one) for one in chosen)]
    parts += ["Reporting", *(_wrapped(f"- {line}") for line in cadence(plan))]
    return "\n\n".join(parts) + "\n"


def cadence(plan: Plan) -> list[str]:
    """Return who is told what, and how often."""
    owner = plan.owner or "the owner of the plan"
    lines = [
        f"Critical alerts: at once, to the ML engineer and to {owner}.",
        "Warnings: in the ML engineer's daily report, with what was done about them.",
    ]
    wall_s = plan.budget.wall_time_s
    if wall_s is None or wall_s > _SHORT_S:
        lines.append(f"Every week, to {owner}: criteria, spending against budget, forecast against the deadline.")
    lines.append(f"At the end, to {owner}: `trainreport report` with this plan.")
    return lines


def _alert(one: Alert) -> str:
    held = f" Warns after {words.duration(one.hold_s)}." if one.hold_s else ""
    return "\n".join(
        [
            f"  {one.name} ({one.severity})",
            *(_wrapped(line, "    ") for line in (f"{one.summary}{held}", f"Do: {one.action}", f"Limit from: {one.basis}")),
        ]
    )


def _wrapped(line: str, indent: str = "") -> str:
    return textwrap.fill(line, 100, initial_indent=indent, subsequent_indent=indent + "  ")
