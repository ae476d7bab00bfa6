"""Alert rules as a CloudFormation template of CloudWatch alarms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainreport.alerts.watch import NAMESPACE, PUBLISHED

if TYPE_CHECKING:
    from trainreport.alerts.rules import Alert
    from trainreport.alerts.watch import Watch
    from trainreport.model.plan import Plan

__all__ = ["render"]

_COMPARISONS = {
    "above": "GreaterThanThreshold",
    "below": "LessThanThreshold",
    "at least": "GreaterThanOrEqualToThreshold",
    "at most": "LessThanOrEqualToThreshold",
    "standing": "LessThanOrEqualToThreshold",
    "missing": "LessThanThreshold",
}
_PERIOD_S = 300
"""Seconds of one period; a longer time is several periods in which all has to hold."""


def render(plan: Plan, every: tuple[Alert, ...]) -> str:
    """Return the template as JSON; its metadata say what the job publishes and which alerts CloudWatch cannot tell."""
    watched = [(one, one.watch) for one in every if one.watch is not None]
    used = {watch.metric for _, watch in watched if not watch.of_agent}
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Alerts of the plan: {plan.title or 'without a title'}"[:1024],
        "Metadata": {
            "Agent": "The CloudWatch agent with nvidia_gpu metrics measures utilization and temperature of the GPUs.",
            f"PublishedByTheJob in namespace {NAMESPACE}": {name: what for name, what in PUBLISHED.items() if name in used},
            "NotInCloudWatch": [f"{one.name}: {one.summary}" for one in every if one.watch is None],
        },
        "Parameters": {"Topic": {"Type": "String", "Description": "ARN of the SNS topic that is told"}},
        "Resources": {one.name: {"Type": "AWS::CloudWatch::Alarm", "Properties": _alarm(one, watch)} for one, watch in watched},
    }
    return json.dumps(template, indent=2, ensure_ascii=False) + "\n"


def _alarm(one: Alert, watch: Watch) -> dict[str, Any]:
    periods = max(1, watch.period_s // _PERIOD_S)
    return {
        "AlarmDescription": f"{one.summary} {one.action} (severity {one.severity}; limit from {one.basis})",
        "AlarmActions": [{"Ref": "Topic"}],
        "ComparisonOperator": _COMPARISONS[watch.relation],
        "Threshold": watch.limit,
        "EvaluationPeriods": periods,
        "DatapointsToAlarm": periods,
        "TreatMissingData": "breaching" if watch.relation == "missing" else "notBreaching",
        **_source(watch),
    }


def _source(watch: Watch) -> dict[str, Any]:
    if watch.of_agent:
        query = f"SELECT {watch.statistic}({watch.metric}) FROM CWAgent"  # noqa: S608  no database: CloudWatch's own, names are ours
        return {"Metrics": [_data("worst", query, Period=_PERIOD_S)]}
    metric = {"Namespace": NAMESPACE, "MetricName": watch.metric}
    if watch.relation == "standing":
        stat = {"Metric": metric, "Period": _PERIOD_S, "Stat": watch.statistic}
        return {"Metrics": [{"Id": "value", "MetricStat": stat, "ReturnData": False}, _data("gain", "DIFF(value)")]}
    return {**metric, "Statistic": watch.statistic, "Period": _PERIOD_S}


def _data(name: str, expression: str, **more: int) -> dict[str, Any]:
    return {"Id": name, "Expression": expression, "ReturnData": True, **more}
