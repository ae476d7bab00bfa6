"""What detectors of lost time share: what it cost, and evidence that stands for a stretch of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.business.pace import paid_span
from trainreport.model.finding import Evidence, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case

__all__ = ["during", "paid_s", "waste_of"]


def paid_s(case: Case) -> float:
    """Return the seconds that the run held its machine, 0 where that is not known."""
    span = paid_span(case.log)
    return 0.0 if span is None else span[1] - span[0]


def waste_of(case: Case, seconds: float, steps: int | None = None) -> Waste:
    """Return lost seconds of the whole run as waste: GPU-seconds where the hours are known, and the share of the run."""
    whole = paid_s(case)
    share = min(1.0, seconds / whole) if whole > 0 else None
    hours = case.ledger.gpu_hours
    return Waste(gpu_s=None if hours is None or share is None else hours * 3600 * share, steps=steps, share_of_run=share)


def during(statistic: str, value: float, unit: str, method: str, n: int, *, span: tuple[float, float] | None = None) -> Evidence:
    """Return evidence that stands for a stretch of time, from and to in seconds since 1970."""
    from_s, to_s = span or (None, None)
    return Evidence(statistic, float(value), unit, method, int(n), from_time_s=from_s, to_time_s=to_s)
