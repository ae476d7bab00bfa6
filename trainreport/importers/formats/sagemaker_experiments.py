"""SageMaker's ``ExperimentAnalytics`` as CSV: one trial component a row, statistics of each metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.params import seed_of
from trainreport.importers.points import Points
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.sagemaker_store.instances import hardware_of
from trainreport.importers.tables.cells import Cells, number_text, rows_of
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.model.series import Meaning, interpret

if TYPE_CHECKING:
    from pathlib import Path

_STATISTIC = re.compile(r"(?P<metric>.+) - (?P<which>Min|Max|Avg|StdDev|Last|Count)")
_ABOUT = frozenset({"", "column 1", "Unnamed: 0", "TrialComponentName", "DisplayName", "SourceArn", "Trials", "Experiments"})
_LAST_ONLY = "the table holds statistics of each metric and no curves; Last counts as its value"


class SageMakerExperiments:
    """Reads a run for each row."""

    name = "sagemaker-experiments"
    title = "SageMaker ExperimentAnalytics as CSV: parameters and statistics of each trial component"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header names trial components."""
        header = header_of(head)
        return header is not None and {"TrialComponentName", "DisplayName"} <= set(header.names)

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all trial components, in the order of the file."""
        troubles = Troubles(source)
        table, _ = read_delimited(source, troubles, multiline=True)
        rows = list(rows_of(table))
        if not rows:
            raise InputError("a table of trial components without a row")
        notice = Event("notice", _LAST_ONLY, file=source.name)
        return tuple(
            _recording(source, row, troubles if not nth else Troubles(source), () if nth else (notice,)) for nth, row in enumerate(rows)
        )


def _recording(source: Source, row: Cells, troubles: Troubles, events: tuple[Event, ...]) -> Recording:
    points = Points()
    params: dict[str, str] = {}
    for name, value in row.numbers.items():
        match = _STATISTIC.fullmatch(name)
        if match is None:
            if name not in _ABOUT and not name.startswith("SageMaker."):
                params[name] = number_text(value)
        elif match["which"] != "Count":
            points.put(points.code(name, _meaning(match["metric"], match["which"])), value)
    points.end_row()
    params |= {
        name: text.strip('"')
        for name, text in row.texts.items()
        if name not in _ABOUT and not name.startswith("SageMaker.") and not name.endswith((" - MediaType", " - Value"))
    }
    count = row.number("SageMaker.InstanceCount") or 0.0
    instance = row.text("SageMaker.InstanceType")
    key = row.text("TrialComponentName").removesuffix("-aws-training-job") or f"line {row.line}"
    tags = {"sagemaker.instance_type": instance, "sagemaker.trials": row.text("Trials"), "sagemaker.image": row.text("SageMaker.ImageUri")}
    return Recording(
        importer="sagemaker-experiments",
        kind="training",
        key=key,
        name=row.text("DisplayName") or key,
        frame=points.frame(source.name),
        files=(FileRead(source.path, source.name, len(points), clock="no times"),),
        folder=source.folder,
        mappings=mappings_of(*points.meanings),
        problems=troubles.all(),
        events=events,
        params=params,
        tags={name: text for name, text in tags.items() if text},
        hardware=hardware_of(instance.strip('"'), int(count) if 0 < count < 1e6 else 0),
        seed=seed_of(params),
    )


def _meaning(metric: str, which: str) -> Meaning:
    """Return what a statistic of a metric is: the last value is the metric itself."""
    meant = interpret(metric)
    return meant if which == "Last" else meant._replace(series=f"{meant.series}/{which.lower()}", why=f"{which} over the run; {meant.why}")


IMPORTER: Importer = SageMakerExperiments()
