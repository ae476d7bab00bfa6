"""Alert rules as a provisioning file of Grafana's alerting, on a Prometheus data source."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from trainreport.alerts.prometheus import INTERVAL, head, held, labels, plain

if TYPE_CHECKING:
    from trainreport.alerts.rules import Alert
    from trainreport.model.plan import Plan

__all__ = ["render"]

_SOURCE = "prometheus"
"""The uid of the data source; a comment in the file says that it may have to be changed."""


def render(plan: Plan, every: tuple[Alert, ...]) -> str:
    """Return the file as text."""
    import yaml

    groups = [
        {
            "orgId": 1,
            "name": f"training-{group}",
            "folder": "Training",
            "interval": interval,
            "rules": [_rule(plan, one) for one in every if one.group == group],
        }
        for group, interval in INTERVAL.items()
    ]
    told = f"# Put the uid of your Prometheus data source in place of {_SOURCE!r}; the file goes to provisioning/alerting.\n"
    body = {"apiVersion": 1, "groups": [one for one in groups if one["rules"]]}
    return head(plan) + told + yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=1000)


def _rule(plan: Plan, one: Alert) -> dict[str, Any]:
    notes = {"summary": one.summary, "action": one.action, "basis": one.basis}
    if plan.title:
        notes["plan"] = plain(plan.title)
    return {
        "uid": hashlib.sha256(f"{plan.title}\n{one.name}".encode()).hexdigest()[:32],
        "title": one.name,
        "condition": "B",
        "data": [_query(one), _above_zero()],
        "noDataState": "OK",  # the query gives a series only for what is wrong
        "execErrState": "Error",
        "for": held(one.hold_s),
        "annotations": notes,
        "labels": labels(plan, one),
    }


def _query(one: Alert) -> dict[str, Any]:
    return {
        "refId": "A",
        "relativeTimeRange": {"from": 600, "to": 0},
        "datasourceUid": _SOURCE,
        "model": {"refId": "A", "expr": f"count by (Hostname, gpu) ({one.promql})", "instant": True},
    }


def _above_zero() -> dict[str, Any]:
    return {
        "refId": "B",
        "relativeTimeRange": {"from": 600, "to": 0},
        "datasourceUid": "__expr__",
        "model": {"refId": "B", "type": "threshold", "expression": "A", "conditions": [{"evaluator": {"type": "gt", "params": [0]}}]},
    }
