"""MLflow's file store (``mlruns``): one folder a run, one file a metric, a param or a tag."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError, StrictError
from trainreport.importers.mlflow_store.folder import RunFolder, load_yaml
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, MetricFile, Points, read_metrics, times_ns
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, frame_of, mappings_of
from trainreport.model.clock import from_epoch_seconds
from trainreport.model.run import Problem
from trainreport.model.series import interpret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.run import Status

_CLOCK = "UTC, written as epoch milliseconds"
_NOTHING = frozenset({"", "null", "~", "None"})
# Keys of meta.yaml that the recording holds elsewhere.
_TOLD = frozenset({"run_id", "run_uuid", "run_name", "name", "start_time", "end_time", "status", "tags"})
_PARTS = ("metrics", "params", "tags", "inputs", "outputs")

# RunStatus of mlflow/protos/service.proto, as a number (file store) or as its name.
_STATUS: dict[str, Status] = {
    "1": "running", "2": "unknown", "3": "finished", "4": "failed", "5": "killed",
    "RUNNING": "running", "SCHEDULED": "unknown", "FINISHED": "finished", "FAILED": "failed", "KILLED": "killed",
}  # fmt: skip

# In this order: a seed of the data loader says less than the seed of the run.
_SEEDS = ("seed", "random_seed", "random_state", "manual_seed", "global_seed", "rng_seed", "torch_seed", "np_seed", "data_seed")

# A registered model's version has a meta.yaml with a run_id too, but no experiment.
_RUN = re.compile(rb"^run_(?:id|uuid):", re.MULTILINE)
_OF_EXPERIMENT = re.compile(rb"^(?:experiment_id|lifecycle_stage):", re.MULTILINE)


class MlflowFiles:
    """Reads the folder of one run, from its ``meta.yaml``; artifacts are never opened."""

    name = "mlflow"
    title = "MLflow file store (mlruns): metrics, params, tags and inputs of each run"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is the meta.yaml of a run, not of an experiment, a dataset or a model."""
        return path.name == "meta.yaml" and _RUN.search(head) is not None and _OF_EXPERIMENT.search(head) is not None

    def read(self, source: Source) -> Recording:
        """Read everything of the run that `source`, its meta.yaml, belongs to."""
        meta = load_yaml(source.path, source.name)
        run_id = _scalar(meta, "run_id") or _scalar(meta, "run_uuid")
        if run_id is None:
            raise InputError(f"{source.name}: no run_id; expected the meta.yaml of an MLflow run")
        folder = RunFolder(source.path.parent, source.folder)
        metrics, params, tags = (folder.files(part) for part in ("metrics", "params", "tags"))
        param_texts = {name: folder.text(file) for name, file in params.items()}
        tag_texts = _tags(meta, {name: folder.text(file) for name, file in tags.items()})
        points = read_metrics([MetricFile(folder.full_name(f"metrics/{name}"), file.read_bytes()) for name, file in metrics.items()])
        names = list(metrics)
        meanings = [interpret(name) for name in names]
        frame, odd = _frame(names, [folder.full_name(f"metrics/{name}") for name in names], points)
        digests, datasets = _datasets(folder)
        problems = (*folder.problems, *points.problems, *odd)
        if source.strict and problems:
            first = problems[0]
            raise StrictError(f"{first.file}: {first.place + ': ' if first.place else ''}{first.what}")
        return Recording(
            importer=self.name,
            kind="training",
            key=run_id,
            name=_scalar(meta, "run_name") or _scalar(meta, "name") or tag_texts.get("mlflow.runName", "").strip() or run_id,
            frame=frame,
            files=(
                FileRead(source.path, source.name, 0, clock=_CLOCK),
                *_metric_reads(folder, metrics, points),
                *(FileRead(file, folder.full_name(f"params/{name}"), 1, clock="") for name, file in params.items()),
                *(FileRead(file, folder.full_name(f"tags/{name}"), 1, clock="") for name, file in tags.items()),
                *datasets,
            ),
            folder=source.folder,
            covers=(source.name, *(folder.full_name(part) for part in _PARTS), *(read.name for read in datasets)),
            mappings=mappings_of(names, meanings),
            problems=problems,
            events=_events(meta, source),
            started_at=_instant(meta, "start_time"),
            ended_at=_instant(meta, "end_time"),
            status=_STATUS.get((_scalar(meta, "status") or "").upper(), "unknown"),
            params=param_texts,
            tags=tag_texts,
            code_version=_text(tag_texts, "mlflow.source.git.commit") or _scalar(meta, "source_version"),
            data_version=_data_version(digests or points.digests, tag_texts),
            seed=_seed(param_texts),
            parent=_text(tag_texts, "mlflow.parentRunId"),
        )


def _frame(names: Sequence[str], files: Sequence[str], points: Points) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the frame of all metric files, in alphabetical order, and a problem for each file with odd times."""
    import numpy as np
    import pandas as pd

    codes = np.repeat(np.arange(len(names), dtype=np.intp), points.counts)
    times, odd = times_ns(points.millis)
    meanings = [interpret(name) for name in names]
    frame = frame_of(names, meanings, codes, points.values, file="", steps=points.steps, times_ns=times)
    frame["file"] = pd.Categorical.from_codes(codes, categories=pd.Index(list(files), dtype="str"))
    frame["step"] = pd.arrays.IntegerArray(points.steps, points.steps == NOT_KNOWN)
    return frame, _odd_times(files, codes[odd], points.millis[odd])


def _odd_times(files: Sequence[str], codes: npt.NDArray[np.intp], millis: npt.NDArray[np.int64]) -> list[Problem]:
    import numpy as np

    return [
        Problem(files[code], "", f"{count} times such as {millis[first]}; expected milliseconds since 1970; kept without a time")
        for code, first, count in zip(*np.unique(codes, return_index=True, return_counts=True), strict=True)
    ]


def _metric_reads(folder: RunFolder, metrics: Mapping[str, Path], points: Points) -> list[FileRead]:
    skipped = Counter(problem.file for problem in points.problems)
    names = [folder.full_name(f"metrics/{name}") for name in metrics]
    return [
        FileRead(file, name, int(count), skipped[name], _CLOCK)
        for name, file, count in zip(names, metrics.values(), points.counts, strict=True)
    ]


def _tags(meta: Mapping[str, Any], from_files: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of files, those in an old meta.yaml, and what meta.yaml says besides, as ``meta.<key>``."""
    listed = meta.get("tags")
    pairs = [tag for tag in listed if isinstance(tag, dict)] if isinstance(listed, list) else []
    inside = {str(tag["key"]): str(tag.get("value", "")) for tag in pairs if "key" in tag}
    rest = {f"meta.{key}": text for key in meta if key not in _TOLD and (text := _scalar(meta, key)) is not None}
    return {**inside, **from_files, **rest}


def _datasets(folder: RunFolder) -> tuple[frozenset[str], list[FileRead]]:
    """Return ``name@digest`` of the datasets that the run read, and the files that say so.

    They lie beside the runs of an experiment, so they are looked at only where the user gave that folder too.
    """
    found: set[str] = set()
    reads: list[FileRead] = []
    for name, file in folder.files("inputs").items():
        try:
            wanted = _scalar(load_yaml(file, name), "source_id") or ""
            if folder.name == "." or not re.fullmatch(r"\w+", wanted):
                continue
            beside = f"datasets/{wanted}/meta.yaml"
            path = folder.path.parent / beside
            parent = folder.name.rpartition("/")[0]
            full = f"{parent}/{beside}" if parent else beside
            if not path.resolve().is_relative_to(folder.path.parent.resolve()):
                raise InputError(f"{full}: a link that leads out of the experiment's folder")
            dataset = load_yaml(path, full)
        except (InputError, OSError) as error:
            folder.problems.append(Problem(folder.full_name(f"inputs/{name}"), "", f"dataset not found: {error}"))
            continue
        if digest := _scalar(dataset, "digest"):
            found.add(f"{_scalar(dataset, 'name') or wanted}@{digest}")
        reads.append(FileRead(file, folder.full_name(f"inputs/{name}"), 0, clock=""))
        reads.append(FileRead(path, full, 0, clock=""))
    return frozenset(found), reads


def _data_version(digests: frozenset[str], tags: Mapping[str, str]) -> str | None:
    if digests:
        return ", ".join(sorted(digests))
    told = (text.strip() for key, text in sorted(tags.items()) if re.fullmatch(r"mlflow\.data(?:set)?s?\.(?:digest|version)", key))
    return next((text for text in told if text), None)


def _seed(params: Mapping[str, str]) -> str | None:
    by_name: dict[str, str] = {}
    for name, text in sorted(params.items()):
        if text.strip() not in _NOTHING:
            by_name.setdefault(re.split(r"[./]", name)[-1].lower(), text.strip())
    return next((by_name[name] for name in _SEEDS if name in by_name), None)


def _events(meta: Mapping[str, Any], source: Source) -> tuple[Event, ...]:
    if (_scalar(meta, "lifecycle_stage") or "").lower() != "deleted":
        return ()
    deleted = _instant(meta, "deleted_time")
    message = "the run was deleted in MLflow; its files are still there and were read"
    return (Event("deleted", message, deleted.timestamp() if deleted else None, level="warning", file=source.name),)


def _instant(meta: Mapping[str, Any], key: str) -> datetime | None:
    with suppress(ValueError, OverflowError):
        return from_epoch_seconds(int(_scalar(meta, key) or "") / 1000)
    return None


def _text(texts: Mapping[str, str], key: str) -> str | None:
    return texts.get(key, "").strip() or None


def _scalar(meta: Mapping[str, Any], key: str) -> str | None:
    """Return a text of meta.yaml, or None where it holds nothing."""
    value = meta.get(key)
    return value.strip() if isinstance(value, str) and value.strip() not in _NOTHING else None


IMPORTER: Importer = MlflowFiles()
