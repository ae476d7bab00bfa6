"""What an alarm of CloudWatch watches: a metric of its agent, or one that the job publishes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["NAMESPACE", "PUBLISHED", "Watch", "published", "queried"]

NAMESPACE = "Training"
"""Namespace that the job publishes its own metrics in."""
PUBLISHED = {
    "GpuHours": "GPU-hours used so far",
    "Money": "money spent so far, in the plan's currency",
    "Energy": "kWh used so far, PUE included",
    "Carbon": "kg of CO2 so far",
    "WallTime": "hours since the start",
    "NonFiniteLoss": "1 for each step whose loss is no finite number",
    "Step": "optimizer steps done",
}

Relation = Literal["above", "below", "at least", "at most", "standing", "missing"]


@dataclass(frozen=True, slots=True)
class Watch:
    """Fires where a statistic stands in a relation to a limit over a period."""

    metric: str
    statistic: str
    relation: Relation
    limit: float
    period_s: int
    of_agent: bool
    """Whether the CloudWatch agent measures it on each GPU; else the job publishes it in `NAMESPACE`."""


def published(metric: str, statistic: str, relation: Relation, limit: float, period_s: int = 300) -> Watch:
    """Return a watch on a metric of the job."""
    return Watch(metric, statistic, relation, limit, period_s, of_agent=False)


def queried(metric: str, statistic: str, relation: Relation, limit: float, period_s: int) -> Watch:
    """Return a watch on a metric of the agent, over all GPUs: it fires for the worst of them."""
    return Watch(metric, statistic, relation, limit, period_s, of_agent=True)
