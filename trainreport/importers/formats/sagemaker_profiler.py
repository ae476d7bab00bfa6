"""SageMaker Debugger's profiler: system metrics as JSON, one sample of one core, GPU or device a line."""

from __future__ import annotations

import re
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.points import NO_STEP, Points
from trainreport.importers.recording import FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import first_object, objects_in_lines
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from pathlib import Path

_NEEDED = frozenset({"Type", "Dimension", "Value", "NodeId", "Timestamp"})
_GPU = {"GPUUtilization": "gpu/utilization", "GPUMemoryUtilization": "gpu/memory_utilization"}
_MACHINE = {"MemoryUsedPercent": "memory/share", "I/OWaitPercentage": "cpu/iowait"}
_CORES = "CPUUtilization"
_WHY = "system metric of SageMaker's profiler"


class SageMakerProfiler:
    """Reads the samples of each node; the mean over its cores stands for the processor."""

    name = "sagemaker-profiler"
    title = "SageMaker Debugger profiler: system metrics (system/incremental/*.json)"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first line is such a sample."""
        first = first_object(head)
        return first is not None and first.keys() >= _NEEDED

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read the samples of each node."""
        troubles = Troubles(source)
        nodes: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line, one in objects_in_lines(content_of(source), troubles):
            if _is_sample(one):
                nodes[str(one["NodeId"])].append(one)
            else:
                troubles.add(f"line {line}", "expected Type, Dimension, and numbers as Value and Timestamp", kind="samples")
        if not nodes:
            raise InputError("no sample in it; expected lines with Type, Dimension, Value, NodeId and Timestamp")
        return tuple(
            _recording(source, node, samples, Troubles(source) if nth else troubles) for nth, (node, samples) in enumerate(nodes.items())
        )


def _is_sample(one: dict[str, Any]) -> bool:
    numbers = (one.get("Value"), one.get("Timestamp"))
    return one.keys() >= _NEEDED and all(isinstance(number, int | float) and abs(number) < 1e300 for number in numbers)


def _recording(source: Source, node: str, samples: list[dict[str, Any]], troubles: Troubles) -> Recording:
    points = Points()
    cores: dict[float, list[float]] = defaultdict(list)
    for one in samples:
        device, dimension, time_s, value = str(one.get("Name") or ""), str(one["Dimension"]), float(one["Timestamp"]), float(one["Value"])
        points.put(points.code(f"{device} {dimension}".strip(), _meaning(device, dimension)), value)
        points.end_row(NO_STEP, time_s)
        if dimension == _CORES and str(one["Type"]) == "cpu":
            cores[time_s].append(value)
    for time_s, values in cores.items():
        whole = Meaning("cpu/utilization", "system", "percent", None, f"mean over the cores; {_WHY}")
        points.put(points.code(f"{_CORES} (mean of the cores)", whole), fmean(values))
        points.end_row(NO_STEP, time_s)
    first, last = points.span()
    return Recording(
        importer="sagemaker-profiler",
        kind="machine",
        key=f"{source.folder}/{node}",
        name=node,
        frame=points.frame(source.name, node),
        files=(FileRead(source.path, source.name, len(samples), troubles.count, "UTC, written as epoch seconds"),),
        folder=source.folder,
        mappings=mappings_of(*points.meanings),
        problems=troubles.all(),
        started_at=first,
        ended_at=last,
    )


def _meaning(device: str, dimension: str) -> Meaning:
    gpu = re.fullmatch(r"gpu(\d{1,4})", device)
    if gpu and dimension in _GPU:
        return Meaning(_GPU[dimension], "system", "percent", f"gpu{int(gpu[1])}", _WHY)
    if dimension in _MACHINE and not device:
        return Meaning(_MACHINE[dimension], "system", "percent", None, _WHY)
    own = "/".join(part.lower().replace("/", "_") for part in (device, dimension) if part)
    return Meaning(
        f"system/{own}", "system", "percent" if dimension.endswith(("Utilization", "Percentage", "Percent")) else "1", None, _WHY
    )


IMPORTER: Importer = SageMakerProfiler()
