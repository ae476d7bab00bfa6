"""Answers of Prometheus' HTTP interface: ``query_range`` (matrix) and ``query`` (vector), also of Thanos, Mimir and VictoriaMetrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.gauges.gauge import gauge_of, put
from trainreport.importers.gauges.labels import Numbering
from trainreport.importers.gauges.samples import NO_TIME, Samples, recording_of_samples
from trainreport.importers.recording import Event
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json
from trainreport.importers.tables.table import number_of
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_LATEST_S = 1e15
"""Seconds beyond any clock; a number in JSON may be of any length."""


class PrometheusRange:
    """Reads every series; the result of an expression has no name, and takes that of the file."""

    name = "prometheus-range"
    title = "JSON of Prometheus' query_range and query (also Thanos, Mimir, VictoriaMetrics)"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is JSON with a status and a type of result."""
        del path
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return begin[:1] == b"{" and b'"resultType"' in head and (b'"matrix"' in head or b'"vector"' in head)

    def read(self, source: Source) -> Recording:
        """Read all series."""
        troubles, samples, numbering = Troubles(source), Samples(), Numbering()
        document = load_json(source)
        data = document.get("data") if isinstance(document, dict) else None
        result = data.get("result") if isinstance(data, dict) else None
        if not isinstance(result, list):
            raise InputError("no data with a list of results; expected the answer of query_range")
        for number, series in enumerate(result, 1):
            labels, points = _parts(series)
            if labels is None:
                troubles.add(f"result {number}", "no metric with its values; native histograms are not read", kind="results")
                continue
            gauge = gauge_of(labels.get("__name__") or source.path.stem, labels, numbering)
            for seconds, value in _points(points, number, troubles):
                put(gauge, value, NO_TIME if from_epoch_seconds(seconds) is None else round(seconds * 1000) * 10**6, samples)
        told = document.get("warnings")
        events = (
            [Event("notice", f"Prometheus warns: {str(one)[:300]}", file=source.name) for one in told] if isinstance(told, list) else []
        )
        return recording_of_samples(
            self.name, source, samples, troubles, models=numbering.models, skipped=troubles.count, events=tuple(events)
        )


def _parts(series: Any) -> tuple[dict[str, str] | None, list[Any]]:
    """Return the labels and points of a result, labels None where it is none."""
    if not isinstance(series, dict) or not isinstance(series.get("metric"), dict):
        return None, []
    points = series.get("values", [series["value"]] if "value" in series else None)
    labels = {name: text for name, text in series["metric"].items() if isinstance(text, str)}
    return (labels, points) if isinstance(points, list) else (None, [])


def _points(points: list[Any], number: int, troubles: Troubles) -> Iterator[tuple[float, float]]:
    """Yield seconds and value; values are texts, for JSON has no infinity."""
    for point in points:
        match point:
            case [int() | float() as seconds, str() as text] if abs(seconds) < _LATEST_S and (value := number_of(text)) is not None:
                yield float(seconds), value
            case _:
                troubles.add(f"result {number}", f'found {str(point)[:60]!r}; expected [seconds, "value"]', kind="points")


IMPORTER: Importer = PrometheusRange()
