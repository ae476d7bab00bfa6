"""Pages of metrics as exporters serve them to Prometheus: dcgm-exporter, nvidia_gpu_exporter, and any other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.importers.gauges.exposition import is_exposition, samples_in
from trainreport.importers.gauges.gauge import Gauge, gauge_of, put
from trainreport.importers.gauges.labels import Numbering
from trainreport.importers.gauges.samples import NO_TIME, Samples, recording_of_samples
from trainreport.importers.recording import Source
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording

_PARTS = ("_bucket", "_created")
"""Series of a histogram that are no gauge: the counts below each bound."""
_INFO = re.compile(r"^[a-z_]{1,80}_gpu_info ?\{[^\n]*", re.MULTILINE)
_DRIVERS = ("driver_version", "DCGM_FI_DRIVER_VERSION")
"""Labels that hold the driver's version."""
_MOST_DRIVERS = 8


class PrometheusText:
    """Reads one page, or several one below the other; a page without times is a moment that nobody knows."""

    name = "prometheus-text"
    title = "metrics pages of Prometheus exporters (dcgm-exporter, nvidia_gpu_exporter, node_exporter)"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it begins with metrics, their help or types."""
        del path
        return (b"# HELP " in head or b"# TYPE " in head or b"{" in head) and is_exposition(decode(head))

    def read(self, source: Source) -> Recording:
        """Read all samples; GPUs are numbered by their index, which an info metric may tell."""
        troubles, samples, numbering = Troubles(source), Samples(), Numbering()
        text, drivers, gauges = decode(plain(content_of(source))), set[str](), dict[tuple[str, str], Gauge]()
        for one in samples_in("\n".join(_INFO.findall(text)), Troubles(Source(source.path, source.name))):
            if "uuid" in one.labels:
                numbering.indices.setdefault(one.labels["uuid"], one.labels.get("index", ""))
                numbering.models.add(one.labels.get("name", "")[:100])
        for one in samples_in(text, troubles):
            drivers |= {one.labels[name][:40] for name in _DRIVERS if one.labels.get(name) and len(drivers) < _MOST_DRIVERS}
            if not one.name.endswith((*_PARTS, "_info")):
                ns = NO_TIME if one.ms is None or from_epoch_seconds(one.ms / 1e3) is None else one.ms * 10**6
                gauge = gauges.get((one.name, one.written))
                if gauge is None:
                    gauge = gauges[one.name, one.written] = gauge_of(one.name, one.labels, numbering)
                put(gauge, one.value, ns, samples)
        return recording_of_samples(
            self.name, source, samples, troubles, clock="UTC, written as milliseconds", skipped=troubles.count,
            models=numbering.models - {""}, tags={"driver_version": ", ".join(sorted(drivers))} if drivers else {},
        )  # fmt: skip


IMPORTER: Importer = PrometheusText()
