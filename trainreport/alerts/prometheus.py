"""Alert rules as a rule file of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.alerts.rules import EXPOSED, window_days
from trainreport.model import words

if TYPE_CHECKING:
    from trainreport.alerts.rules import Alert
    from trainreport.model.plan import Plan

__all__ = ["INTERVAL", "head", "held", "labels", "plain", "render"]

INTERVAL = {"budget": "5m", "machine": "1m", "learning": "1m"}
"""How often a group is looked at."""


def render(plan: Plan, every: tuple[Alert, ...]) -> str:
    """Return the file as text; a comment says what has to be exposed."""
    import yaml

    groups = [
        {"name": f"training-{group}", "interval": interval, "rules": [_rule(plan, one) for one in every if one.group == group]}
        for group, interval in INTERVAL.items()
    ]
    rules = yaml.safe_dump({"groups": [one for one in groups if one["rules"]]}, sort_keys=False, allow_unicode=True, width=1000)
    return head(plan) + rules


def head(plan: Plan) -> str:
    """Return the comment that stands above the rules."""
    lines = [
        f"Alerts of the plan: {plan.title or 'without a title'}",
        "GPU metrics: NVIDIA dcgm-exporter. The job itself exposes:",
        *(f"  {name}: {what}" for name, what in EXPOSED.items()),
        f"Budgets are summed over {words.plural(window_days(plan), 'day')}: Prometheus has to keep its data for so long.",
    ]
    return "".join(f"# {' '.join(line.splitlines()) if not line.startswith(' ') else line}\n" for line in lines)


def labels(plan: Plan, one: Alert) -> dict[str, str]:
    """Return the severity and the plan's tags; a tag whose name is no label's has none."""
    tags = {name: plain(value) for name, value in sorted(plan.tags.items()) if name.isidentifier() and name.isascii()}
    return {**tags, "severity": one.severity}


def plain(text: str) -> str:
    """Return a text in which no template begins."""
    return text.replace("{{", "{ {")


def held(seconds: int) -> str:
    """Return a time as Prometheus and Grafana write it."""
    return f"{seconds // 60}m" if seconds % 60 == 0 else f"{seconds}s"


def _rule(plan: Plan, one: Alert) -> dict[str, object]:
    rule: dict[str, object] = {"alert": one.name, "expr": one.promql}
    if one.hold_s:
        rule["for"] = held(one.hold_s)
    where = " ({{ $labels.Hostname }}, GPU {{ $labels.gpu }})" if one.group == "machine" else ""
    notes = {"summary": f"{one.summary}{where}", "action": one.action, "basis": one.basis}
    if plan.title:
        notes["plan"] = plain(plan.title)
    return {**rule, "labels": labels(plan, one), "annotations": notes}
