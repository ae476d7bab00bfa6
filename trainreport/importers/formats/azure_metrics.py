"""``az monitor metrics list`` of Azure Monitor, and its REST interface."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.gauges.cloud import cloud_meaning, ns_of, number_in, table_in, text_in
from trainreport.importers.gauges.samples import Samples, recording_of_samples
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_STATISTICS = ("average", "maximum", "minimum", "total", "count")
_DEVICES = ("deviceid", "gpuid", "gpuindex")
_NODES = ("nodeid", "instance", "hostname", "vmname")
_RESOURCE = re.compile(r"/([^/]{1,100})/providers/Microsoft\.Insights/metrics/", re.IGNORECASE)


class AzureMetrics:
    """Reads every time series; the mean is the metric itself, other aggregations are series of their own."""

    name = "azure-metrics"
    title = "JSON of az monitor metrics list (Azure Monitor)"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is JSON with an interval, a namespace and metrics of Azure."""
        del path
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        return begin and b'"timeseries"' in head and b'"value"' in head and (b"Microsoft.Insights" in head or b'"timespan"' in head)

    def read(self, source: Source) -> Recording:
        """Read all metrics."""
        troubles, samples = Troubles(source), Samples()
        document = load_json(source)
        metrics = document.get("value") if isinstance(document, dict) else None
        if not isinstance(metrics, list):
            raise InputError("no list of metrics under value; expected the output of az monitor metrics list")
        for number, metric in enumerate(metrics, 1):
            name, series = text_in(table_in(metric, "name"), "value"), metric.get("timeseries") if isinstance(metric, dict) else None
            if not name or not isinstance(series, list):
                troubles.add(f"metric {number}", "no name with its timeseries", kind="metrics")
                continue
            resource = _RESOURCE.search(text_in(metric, "id"))
            for one in series:
                _add(name, one, samples, troubles, unit=text_in(metric, "unit"), resource=resource[1] if resource else None)
        return recording_of_samples(self.name, source, samples, troubles, clock="UTC, as written", skipped=troubles.count)


def _add(name: str, series: Any, samples: Samples, troubles: Troubles, *, unit: str, resource: str | None) -> None:
    labels = _labels(series.get("metadatavalues") if isinstance(series, dict) else None)
    points = series.get("data") if isinstance(series, dict) else None
    if not isinstance(points, list):
        troubles.add(name, "a time series without data", kind="series")
        return
    index = next((labels[key] for key in _DEVICES if re.fullmatch(r"\d{1,4}", labels.get(key, ""))), None)
    node = next((labels[key] for key in _NODES if labels.get(key)), resource)
    device = None if index is None else f"gpu{int(index)}"
    rest = ",".join(f'{key}="{text}"' for key, text in labels.items() if key not in {*_DEVICES, *_NODES})
    for point in points:
        for statistic in _STATISTICS:
            value = number_in(point.get(statistic)) if isinstance(point, dict) else None
            if value is None:
                continue
            meaning = cloud_meaning(name, "" if statistic == "count" else unit)
            if statistic != "average":
                plain = meaning.written_unit if statistic != "count" else "1"
                meaning = meaning._replace(series=f"{meaning.series}/{statistic}", written_unit=plain)
            logged = f"{name} {statistic}" + (f"{{{rest}}}" if rest else "")
            samples.add(logged, meaning, value, ns_of(point.get("timeStamp")), device=device, node=node)


def _labels(listed: Any) -> Mapping[str, str]:
    """Return the dimensions of a time series by name in lower case."""
    found = {}
    for one in listed if isinstance(listed, list) else ():
        name, text = text_in(table_in(one, "name"), "value"), text_in(one, "value")
        if name and text:
            found[name.lower()] = text
    return found


IMPORTER: Importer = AzureMetrics()
