"""``projects.timeSeries.list`` of Google Cloud Monitoring, and ``gcloud monitoring time-series list --format json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.gauges.cloud import cloud_meaning, ns_of, number_in, table_in, text_in
from trainreport.importers.gauges.samples import Samples, recording_of_samples
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_INDEX = ("gpu_number", "gpu", "index", "accelerator_id")
_NODES = ("instance_name", "node_name", "instance_id", "node_id", "pod_name")
_OTHERS = frozenset({*_INDEX, *_NODES, "uuid", "model", "make", "project_id", "zone", "location", "gpu_model"})


class GoogleTimeSeries:
    """Reads every time series; a point is at the end of its interval."""

    name = "google-timeseries"
    title = "JSON of Google Cloud Monitoring's timeSeries.list"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is JSON with the metrics and points of Google's time series."""
        del path
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}
        return begin and b'"metric"' in head and (b'"points"' in head or b'"metricKind"' in head) and b'"interval"' in head

    def read(self, source: Source) -> Recording:
        """Read all time series."""
        troubles, samples = Troubles(source), Samples()
        document = load_json(source)
        listed = document.get("timeSeries") if isinstance(document, dict) else document
        if not isinstance(listed, list):
            raise InputError("no list under timeSeries; expected the answer of timeSeries.list")
        unit = text_in(document, "unit")
        numbers: dict[str, int] = {}
        models: set[str] = set()
        for number, series in enumerate(listed, 1):
            if not text_in(table_in(series, "metric"), "type") or not isinstance(series.get("points"), list):
                troubles.add(f"time series {number}", "no metric with its points", kind="series")
                continue
            place = f"time series {number}"
            _add(series, place, samples, troubles, unit=text_in(series, "unit") or unit, numbers=numbers, models=models)
        return recording_of_samples(self.name, source, samples, troubles, clock="UTC, as written", skipped=troubles.count, models=models)


def _add(
    series: dict[str, Any], place: str, samples: Samples, troubles: Troubles, *, unit: str, numbers: dict[str, int], models: set[str]
) -> None:
    metric, resource = table_in(series, "metric"), table_in(series, "resource")
    own = {key: text for key, text in table_in(metric, "labels").items() if isinstance(text, str)}
    labels = {**{key: text for key, text in table_in(resource, "labels").items() if isinstance(text, str)}, **own}
    name = text_in(metric, "type")
    meaning = cloud_meaning(name, unit)
    models |= {labels["model"][:100]} if labels.get("model") and len(models) < 64 else set()
    rest = ",".join(f'{key}="{text}"' for key, text in own.items() if key not in _OTHERS)
    logged = f"{name}{{{rest}}}" if rest else name
    node = next((labels[key] for key in _NODES if labels.get(key)), None)
    device = _device(labels, numbers)
    for point in series["points"]:
        value = next((number_in(one) for key, one in table_in(point, "value").items() if key in {"doubleValue", "int64Value"}), None)
        if value is None:
            troubles.add(place, f"found {str(point)[:60]!r}; expected a double or a whole number", kind="points")
        else:
            samples.add(logged, meaning, value, ns_of(table_in(point, "interval").get("endTime")), device=device, node=node)


def _device(labels: dict[str, str], numbers: dict[str, int]) -> str | None:
    """Return the GPU: by its number, else by the order in which identities appear."""
    index = next((labels[key] for key in _INDEX if re.fullmatch(r"\d{1,4}", labels.get(key, ""))), None)
    identity = labels.get("uuid") or labels.get("accelerator_id")
    if index is None and identity:
        index = str(numbers.setdefault(identity, len(numbers)))
    return None if index is None else f"gpu{int(index)}"


IMPORTER: Importer = GoogleTimeSeries()
