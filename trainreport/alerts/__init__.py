"""Alert rules for the limits of a plan, set before training starts: warned while it runs, not told afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.alerts import cloudwatch, grafana, prometheus, text
from trainreport.alerts.rules import alerts

if TYPE_CHECKING:
    from trainreport.model.plan import Plan

__all__ = ["FORMATS", "alerts", "render"]

_RENDERERS = {"prometheus": prometheus.render, "grafana": grafana.render, "cloudwatch": cloudwatch.render, "text": text.render}
FORMATS = tuple(_RENDERERS)


def render(plan: Plan, form: str, select: str = "") -> str:
    """Return the alert rules of a plan.

    Parameters
    ----------
    plan : Plan
    form : str
        One of `FORMATS`.
    select : str
        Matchers of Prometheus labels that pick the plan's GPUs and jobs, such as ``namespace="churn"``.

    Raises
    ------
    UsageError
        If the matchers are not of that form.
    """
    return _RENDERERS[form](plan, alerts(plan, select))
