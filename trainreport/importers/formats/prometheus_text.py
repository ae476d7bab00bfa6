"""Pages of metrics as exporters serve them to Prometheus: dcgm-exporter, nvidia_gpu_exporter, and any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.gauges.exposition import Sample, is_blank, is_exposition, samples_in
from trainreport.importers.gauges.labels import Numbering
from trainreport.importers.gauges.names import gauge_meaning
from trainreport.importers.gauges.samples import NO_TIME, Samples, recording_of_samples
from trainreport.importers.recording import Event
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_PARTS = ("_bucket", "_created")
"""Series of a histogram that are no gauge: the counts below each bound."""


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
        from collections import Counter

        troubles, samples, numbering = Troubles(source), Samples(), Numbering()
        blanks: Counter[str] = Counter()
        xids: dict[tuple[str, str], int] = {}
        read = list(samples_in(decode(plain(content_of(source))), troubles))
        for one in read:
            if one.name.endswith("_gpu_info") and "uuid" in one.labels:
                numbering.indices.setdefault(one.labels["uuid"], one.labels.get("index", ""))
                numbering.models.add(one.labels.get("name", "")[:100])
        tags = _tags(read)
        for one in read:
            if one.name.endswith(_PARTS) or one.name.endswith("_info"):
                continue
            _add(one, samples, numbering, blanks, xids)
        events = [Event("not-given", f"{name} is not supported in {n} samples", file=source.name) for name, n in sorted(blanks.items())]
        events += [
            Event("gpu-error", f"Xid {code} on {device}", at / 1e9 if at != NO_TIME else None, level="error", file=source.name)
            for (device, code), at in xids.items()
        ]
        return recording_of_samples(
            self.name, source, samples, troubles, clock="UTC, written as milliseconds", skipped=troubles.count,
            models=numbering.models - {""}, events=tuple(events), tags=tags,
        )  # fmt: skip


def _add(one: Sample, samples: Samples, numbering: Numbering, blanks: Counter[str], xids: dict[tuple[str, str], int]) -> None:
    if is_blank(one.name, one.value):
        blanks[one.name] += 1
        return
    ns = NO_TIME if one.ms is None or from_epoch_seconds(one.ms / 1e3) is None else one.ms * 10**6
    owner, meaning = numbering.owner(one.labels), gauge_meaning(one.name)
    if owner.mig and meaning.series.startswith("gpu/"):
        meaning = meaning._replace(series=meaning.series.replace("gpu/", "gpu/mig/", 1), why=f"{meaning.why}, of a part of a GPU")
    if meaning.series == "gpu/xid" and one.value > 0:
        xids.setdefault((owner.device or "a GPU", f"{one.value:.0f}"), ns)
    name = f"{one.name}{owner.rest}" + (" of MIG" if owner.mig else "")
    samples.add(name, meaning, one.value, ns, device=owner.device, node=owner.node)


def _tags(read: list[Sample]) -> dict[str, str]:
    """Return the driver's version, which exporters write as a label."""
    found = {one.labels.get("driver_version") or one.labels.get("DCGM_FI_DRIVER_VERSION") for one in read} - {None, ""}
    return {"driver_version": ", ".join(sorted(str(one) for one in found))} if found else {}


IMPORTER: Importer = PrometheusText()
