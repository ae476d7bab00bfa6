"""MLflow's file store (``mlruns``): one folder a run, one file a metric, a param or a tag."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.facts import CLOCK, Told, instant, recording_of
from trainreport.importers.mlflow_store.folder import RunFolder, is_within, load_yaml, whole
from trainreport.importers.mlflow_store.metrics import MetricFile, Points, read_metrics
from trainreport.importers.params import is_something
from trainreport.importers.recording import FileRead, Importer, Recording, Source
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Keys of meta.yaml that the recording holds elsewhere.
_TOLD = frozenset({"run_id", "run_uuid", "run_name", "name", "start_time", "end_time", "status", "tags"})
_PARTS = ("metrics", "params", "tags", "inputs", "outputs")

# A registered model's version has a meta.yaml with a run_id too, but no experiment.
_RUN = re.compile(rb"^run_(?:id|uuid):", re.MULTILINE)
_EXPERIMENT = re.compile(rb"^(?:experiment_id|lifecycle_stage):", re.MULTILINE)
_PLACE = re.compile(rb"^artifact_location:", re.MULTILINE)


class MlflowFiles:
    """Reads the folder of one run, from its ``meta.yaml``; artifacts are never opened."""

    name = "mlflow"
    title = "MLflow file store (mlruns): metrics, params, tags and inputs of each run"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is the meta.yaml of a run or an experiment, not of a dataset or a model."""
        if path.name != "meta.yaml" or _EXPERIMENT.search(head) is None:
            return False
        return _RUN.search(head) is not None or _PLACE.search(head) is not None

    def read(self, source: Source) -> Recording:
        """Read everything of the run that `source`, its meta.yaml, belongs to."""
        meta = load_yaml(source.path, source.name)
        run_id = _scalar(meta, "run_id") or _scalar(meta, "run_uuid")
        if run_id is None:  # the runs below cover this file where there are any
            raise InputError(f"{source.name}: an experiment without runs; expected folders of runs beside it")
        folder = RunFolder(source.path.parent, source.folder)
        metrics, params, tags = (folder.files(part) for part in ("metrics", "params", "tags"))
        param_texts = {name: folder.text(file) for name, file in params.items()}
        tag_texts = _tags(meta, {name: folder.text(file) for name, file in tags.items()})
        metric_names = [folder.full_name(f"metrics/{name}") for name in metrics]
        points = read_metrics([MetricFile(name, whole(file)) for name, file in zip(metric_names, metrics.values(), strict=True)])
        digests, datasets = _datasets(folder)
        experiment, experiment_reads = _experiment(folder)
        return recording_of(
            _told(run_id, meta, experiment, params=param_texts, tags=tag_texts, datasets=digests),
            source,
            list(metrics),
            points,
            metric_files=metric_names,
            files=(
                FileRead(source.path, source.name, 0, clock=CLOCK),
                *_metric_reads(metric_names, metrics, points),
                *(FileRead(file, folder.full_name(f"params/{name}"), 1, clock="") for name, file in params.items()),
                *(FileRead(file, folder.full_name(f"tags/{name}"), 1, clock="") for name, file in tags.items()),
                *datasets,
                *experiment_reads,
            ),
            covers=(
                source.name,
                *(folder.full_name(part) for part in _PARTS),
                *(read.name for read in (*datasets, *experiment_reads)),
            ),
            problems=folder.problems,
        )


def _told(
    run_id: str,
    meta: Mapping[str, Any],
    experiment: Mapping[str, Any],
    *,
    params: Mapping[str, str],
    tags: Mapping[str, str],
    datasets: frozenset[str],
) -> Told:
    return Told(
        run_id=run_id,
        name=_scalar(meta, "run_name") or _scalar(meta, "name"),
        status=_scalar(meta, "status"),
        started_at=instant(_scalar(meta, "start_time")),
        ended_at=instant(_scalar(meta, "end_time")),
        deleted=_deleted(meta, experiment),
        deleted_at=instant(_scalar(meta, "deleted_time")),
        experiment_id=_scalar(meta, "experiment_id"),
        experiment=_scalar(experiment, "name"),
        params=params,
        tags=tags,
        datasets=datasets,
        source_version=_scalar(meta, "source_version"),
    )


def _metric_reads(names: list[str], metrics: Mapping[str, Path], points: Points) -> list[FileRead]:
    skipped = Counter(problem.file for problem in points.problems)
    return [
        FileRead(file, name, int(count), skipped[name], CLOCK)
        for name, file, count in zip(names, metrics.values(), points.counts, strict=True)
    ]


def _tags(meta: Mapping[str, Any], from_files: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of files, those in an old meta.yaml, and what meta.yaml says besides, as ``meta.<key>``."""
    listed = meta.get("tags")
    pairs = [tag for tag in listed if isinstance(tag, dict)] if isinstance(listed, list) else []
    inside = {str(tag["key"]): str(tag.get("value", "")) for tag in pairs if "key" in tag}
    rest = {f"meta.{key}": text for key in meta if key not in _TOLD and (text := _scalar(meta, key)) is not None}
    return {**inside, **from_files, **rest}


def _deleted(meta: Mapping[str, Any], experiment: Mapping[str, Any]) -> str:
    if (_scalar(meta, "lifecycle_stage") or "").lower() == "deleted":
        return "the run was deleted in MLflow; its files are still there"
    if (_scalar(experiment, "lifecycle_stage") or "").lower() == "deleted":
        return "its experiment was deleted in MLflow; its files are still there"
    return ""


def _experiment(folder: RunFolder) -> tuple[dict[str, Any], list[FileRead]]:
    """Return the meta.yaml of the experiment, and the file that it is."""
    try:
        found = _beside(folder, "meta.yaml")
        if found is not None and found[0].is_file():
            return load_yaml(*found), [FileRead(*found, 0, clock="")]
    except (InputError, OSError) as error:
        folder.problems.append(Problem(folder.full_name("meta.yaml"), "", f"name of the experiment not known: {error}"))
    return {}, []


def _datasets(folder: RunFolder) -> tuple[frozenset[str], list[FileRead]]:
    """Return ``name@digest`` of the datasets that the run read, and the files that say so."""
    found: set[str] = set()
    reads: list[FileRead] = []
    for name, file in folder.files("inputs").items():
        try:
            wanted = _scalar(load_yaml(file, name), "source_id") or ""
            place = _beside(folder, f"datasets/{wanted}/meta.yaml") if re.fullmatch(r"\w+", wanted) else None
            if place is None:
                continue
            dataset = load_yaml(*place)
        except (InputError, OSError) as error:
            folder.problems.append(Problem(folder.full_name(f"inputs/{name}"), "", f"dataset not found: {error}"))
            continue
        if digest := _scalar(dataset, "digest"):
            found.add(f"{_scalar(dataset, 'name') or wanted}@{digest}")
        reads.append(FileRead(file, folder.full_name(f"inputs/{name}"), 0, clock=""))
        reads.append(FileRead(*place, 0, clock=""))
    return frozenset(found), reads


def _beside(folder: RunFolder, part: str) -> tuple[Path, str] | None:
    """Return a file of the experiment and its name; None where the user gave the run's own folder only.

    Raises
    ------
    InputError
        If it is a link that leads out of the experiment's folder.
    """
    if folder.name == ".":
        return None
    parent = folder.name.rpartition("/")[0]
    name = f"{parent}/{part}" if parent else part
    path = folder.path.parent / part
    if not is_within(folder.path.parent, part):
        raise InputError(f"{name}: a link that leads out of the experiment's folder")
    return path, name


def _scalar(meta: Mapping[str, Any], key: str) -> str | None:
    """Return a text of meta.yaml, or None where it holds nothing."""
    value = meta.get(key)
    return value.strip() if isinstance(value, str) and is_something(value) else None


IMPORTER: Importer = MlflowFiles()
