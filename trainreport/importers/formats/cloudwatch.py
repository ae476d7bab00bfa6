"""Answers of Amazon CloudWatch: ``aws cloudwatch get-metric-data`` and ``get-metric-statistics``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.gauges.cloud import cloud_meaning, ns_of, number_in, text_in
from trainreport.importers.gauges.samples import Samples, recording_of_samples
from trainreport.importers.recording import Event
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source
    from trainreport.model.series import Meaning

_STATISTICS = ("Average", "Maximum", "Minimum", "Sum", "SampleCount")
_GPU = re.compile(r"\b(?:gpu|index)[ =:_-]{0,2}(\d{1,4})\b", re.IGNORECASE)
_NODE = re.compile(r"\b(i-[0-9a-f]{4,17})\b")
_METRIC = re.compile(r"[A-Za-z][A-Za-z0-9_./%]{2,200}")
_ADDED_UP = "CloudWatch's GPUUtilization and GPUMemoryUtilization of SageMaker add up all GPUs of a machine: kept as a sum"


class CloudWatch:
    """Reads every result; the label names the metric, and the GPU and the instance where it was made so."""

    name = "cloudwatch"
    title = "JSON of aws cloudwatch get-metric-data and get-metric-statistics"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is JSON with results or data points of CloudWatch."""
        del path
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return False
        return b'"MetricDataResults"' in head or (b'"Datapoints"' in head and b'"Label"' in head)

    def read(self, source: Source) -> Recording:
        """Read all results."""
        troubles, samples = Troubles(source), Samples()
        document = load_json(source)
        if not isinstance(document, dict):
            raise InputError("no object with MetricDataResults or Datapoints")
        results = document.get("MetricDataResults")
        if isinstance(results, list):
            for number, one in enumerate(results, 1):
                _add_result(one, number, samples, troubles)
        else:
            _add_statistics(document, samples, troubles)
        told = [Event("notice", _ADDED_UP, file=source.name)] if any(one.series.endswith("_of_all") for one in samples.meanings) else []
        return recording_of_samples(
            self.name, source, samples, troubles, clock="UTC, as written", skipped=troubles.count, events=tuple(told)
        )


def _add_result(one: Any, number: int, samples: Samples, troubles: Troubles) -> None:
    times, values = (one.get("Timestamps"), one.get("Values")) if isinstance(one, dict) else (None, None)
    if not isinstance(times, list) or not isinstance(values, list) or len(times) != len(values):
        troubles.add(f"result {number}", "no Timestamps with as many Values", kind="results")
        return
    label = text_in(one, "Label") or text_in(one, "Id") or f"result {number}"
    if text_in(one, "StatusCode") == "PartialData":
        troubles.add(f"result {number}", f"{label}: CloudWatch gave a part of the data; ask for the next page", kind="parts")
    meaning, device, node = _read_label(label, "")
    for when, value in zip(times, values, strict=True):
        amount = number_in(value)
        if amount is None:
            troubles.add(f"result {number}", f"found {str(value)[:40]!r}; expected a number", kind="values")
        else:
            samples.add(label, meaning, amount, ns_of(when), device=device, node=node)


def _add_statistics(document: dict[str, Any], samples: Samples, troubles: Troubles) -> None:
    """Add data points: the mean as the metric itself, other statistics as series of their own."""
    label, points = text_in(document, "Label"), document.get("Datapoints")
    for number, point in enumerate(points if isinstance(points, list) else [], 1):
        found = list(_statistics(point))
        if not found:
            troubles.add(f"data point {number}", f"found {str(point)[:60]!r}; expected a Timestamp with a statistic", kind="points")
        meaning, device, node = _read_label(label, text_in(point, "Unit"))
        for statistic, value in found:
            own = meaning if statistic == "Average" else meaning._replace(series=f"{meaning.series}/{statistic.lower()}")
            own = own._replace(written_unit="1") if statistic == "SampleCount" else own
            samples.add(f"{label} {statistic}", own, value, ns_of(point.get("Timestamp")), device=device, node=node)


def _statistics(point: Any) -> Iterator[tuple[str, float]]:
    for statistic in _STATISTICS:
        value = number_in(point.get(statistic)) if isinstance(point, dict) else None
        if value is not None:
            yield statistic, value


def _read_label(label: str, unit: str) -> tuple[Meaning, str | None, str | None]:
    """Return what a label names: the metric among its words, a GPU, an instance."""
    words = [word for word in _METRIC.findall(label) if word not in _STATISTICS]
    known = [one for one in (cloud_meaning(word, unit) for word in words) if not one.series.startswith("cloud/")]
    meaning = known[-1] if known else cloud_meaning(label.strip() or "metric", unit)
    gpu, node = _GPU.search(label), _NODE.search(label)
    return meaning, f"gpu{int(gpu[1])}" if gpu else None, node[1] if node else None


IMPORTER: Importer = CloudWatch()
