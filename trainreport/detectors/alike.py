"""One finding for devices that are alike: four GPUs that wait in the same way are one thing to mend, not four."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.detectors import wording
from trainreport.model import words
from trainreport.model.finding import Waste

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.model.finding import Evidence, Finding

__all__ = ["together"]

_PART = 0.10
"""Of the larger: values that differ by less are alike."""
_POINTS = 0.05
"""Shares that differ by less are alike."""
_NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")
_MANY_NODES = 3
"""From here on machines are counted, not named."""


def together(findings: Iterable[Finding], devices: int) -> list[Finding]:
    """Return the findings of a detector, those of devices with alike values as one; the others as they are.

    Alike are findings of one severity, confidence and action whose messages differ in nothing but numbers, and whose evidence
    differs by a tenth or five points at most. One stands for all: the device in the middle, by the first evidence.

    Parameters
    ----------
    findings : iterable of Finding
        A finding of a device says the device in its message.
    devices : int
        How many were looked at: a finding of all of them names no device.
    """
    groups: list[list[Finding]] = []
    for finding in sorted(findings, key=_place):
        home = next((group for group in groups if all(_alike(finding, other) for other in group)), None)
        if home is None:
            groups.append([finding])
        else:
            home.append(finding)
    return [group[0] if len(group) == 1 else _one(group, devices) for group in groups]


def _alike(one: Finding, two: Finding) -> bool:
    if one.device is None or two.device is None or (one.node, one.device) == (two.node, two.device):
        return False
    if (one.series, one.severity, one.confidence, one.action) != (two.series, two.severity, two.confidence, two.action):
        return False
    if _shape(one) != _shape(two) or len(one.evidence) != len(two.evidence):
        return False
    return all(_near(mine, theirs) for mine, theirs in zip(one.evidence, two.evidence, strict=True))


def _place(finding: Finding) -> tuple[bool, str, int, str]:
    """Return what findings are ordered by: devices by machine and number, before what is of no device."""
    name = finding.device or ""
    return not name, finding.node or "", int(name[3:]) if re.fullmatch(r"gpu\d+", name) else -1, name


def _shape(finding: Finding) -> str:
    """Return a message without its device and its numbers."""
    return _NUMBER.sub("#", finding.message.replace(_name(finding), "@", 1))


def _name(finding: Finding) -> str:
    return wording.device_words(finding.device, finding.node)


def _near(one: Evidence, two: Evidence) -> bool:
    if (one.statistic, one.unit) != (two.statistic, two.unit):
        return False
    apart = abs(one.value - two.value)
    return apart <= _PART * max(abs(one.value), abs(two.value)) or (one.unit == "1" and apart <= _POINTS)


def _one(group: Sequence[Finding], devices: int) -> Finding:
    """Return one finding for all of a group."""
    middle = sorted(group, key=lambda one: one.evidence[0].value)[len(group) // 2]
    message = words.capital(middle.message.replace(_name(middle), f"each of {_names(group)}", 1))
    same = len({one.message.replace(_name(one), "@", 1) for one in group}) == 1
    others = tuple(_of(one) for one in group if one is not middle)
    return replace(
        middle,
        message=message if same else f"{message.rstrip('.')} (figures of {_name(middle)}; those of the others are alike).",
        evidence=(*middle.evidence, *others),
        waste=_sum([one.waste for one in group]),
        device=None if len(group) == devices else ", ".join(dict.fromkeys(one.device or "" for one in group)),
        node=middle.node if len({one.node for one in group}) == 1 else None,
    )


def _of(finding: Finding) -> Evidence:
    """Return the first evidence of a device that another one stands for."""
    first = finding.evidence[0]
    return replace(first, statistic=f"{first.statistic}, {_name(finding)}")


def _names(group: Sequence[Finding]) -> str:
    """Return ``GPUs 0 to 3``, ``GPUs 0 and 2 on node-a and GPU 1 on node-b``, or ``32 GPUs on 8 machines``."""
    nodes: dict[str | None, list[str]] = {}
    for one in group:
        nodes.setdefault(one.node, []).append(one.device or "")
    if len(nodes) >= _MANY_NODES:
        return f"{len(group):,} GPUs on {len(nodes):,} machines"
    return " and ".join(_of_node(devices) + (f" on {node}" if node else "") for node, devices in nodes.items())


def _of_node(devices: Sequence[str]) -> str:
    numbers = sorted(int(name[3:]) for name in devices if re.fullmatch(r"gpu\d+", name))
    if len(numbers) < len(devices):
        return words.joined([wording.device_words(name, None) for name in devices])
    if len(numbers) == 1:
        return f"GPU {numbers[0]}"
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"GPUs {numbers[0]} to {numbers[-1]}"
    return f"GPUs {words.joined([str(number) for number in numbers], most=8)}"


def _sum(wastes: Sequence[Waste]) -> Waste:
    """Return what several devices wasted: amounts added up, and the mean share of the time."""
    gpu_s = [one.gpu_s for one in wastes if one.gpu_s is not None]
    joules = [one.joules for one in wastes if one.joules is not None]
    shares = [one.share_of_run for one in wastes if one.share_of_run is not None]
    return Waste(
        gpu_s=sum(gpu_s) if gpu_s else None,
        steps=max((one.steps for one in wastes if one.steps is not None), default=None),
        joules=sum(joules) if joules else None,
        share_of_run=sum(shares) / len(shares) if shares else None,
    )
