"""A metric with its labels, as exporters of GPUs write it, and its numbers."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.gauges.exposition import is_blank
from trainreport.importers.gauges.names import gauge_meaning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.importers.gauges.labels import Numbering
    from trainreport.importers.gauges.samples import Samples
    from trainreport.model.series import Meaning

__all__ = ["Gauge", "gauge_of", "put"]

_COUNTED_XIDS = "DCGM_EXP_XID_ERRORS_COUNT"
"""dcgm-exporter's count of an error in its window; which one is a label."""


class Gauge(NamedTuple):
    """One time series."""

    metric: str
    logged: str
    meaning: Meaning
    device: str | None
    node: str | None
    xid: str
    """The error that it counts, where it counts one."""


def gauge_of(metric: str, labels: Mapping[str, str], numbering: Numbering) -> Gauge:
    """Return what a metric with these labels is; a part of a GPU that was divided is not the GPU."""
    owner, meaning = numbering.owner(labels), gauge_meaning(metric)
    if owner.mig and meaning.series.startswith("gpu/"):
        meaning = meaning._replace(series=meaning.series.replace("gpu/", "gpu/mig/", 1), why=f"{meaning.why}, of a part of a GPU")
    logged = f"{metric}{owner.rest}" + (" of MIG" if owner.mig else "")
    return Gauge(metric, logged, meaning, owner.device, owner.node, labels.get("xid", "") if metric == _COUNTED_XIDS else "")


def put(gauge: Gauge, value: float, ns: int, samples: Samples) -> None:
    """Add a number; what DCGM writes for nothing is counted only, and errors of a GPU are noted besides."""
    if is_blank(gauge.metric, value):
        samples.blanks[gauge.metric] += 1
        return
    xid = gauge.xid or (f"{value:.0f}" if gauge.meaning.series == "gpu/xid" and isfinite(value) else "")
    if value > 0 and xid.isdecimal() and int(xid[:9]):
        samples.xids.setdefault((gauge.device or "a GPU", xid[:9]), ns)
    samples.add(gauge.logged, gauge.meaning, value, ns, device=gauge.device, node=gauge.node)
