"""SageMaker's description of a training job, ``describe-training-job`` as JSON: how it ran, on what, and what is billed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.params import code_version_of, data_version_of, seed_of
from trainreport.importers.points import Points
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.sagemaker_store.instances import hardware_of
from trainreport.importers.tables.records import load_json
from trainreport.model import clock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trainreport.model.run import Hardware, Status

_STATUS: dict[str, Status] = {
    "Completed": "finished", "Failed": "failed", "Stopped": "killed", "Stopping": "killed", "InProgress": "running", "Deleting": "unknown",
}  # fmt: skip
_TROUBLE = frozenset({"Failed", "Interrupted", "MaxRuntimeExceeded", "MaxWaitTimeExceeded", "Restarting", "Stopped"})
_MOST = 1_000_000


class SageMakerJob:
    """Reads one job: hyperparameters, machines, seconds that are billed, final metrics, and why it failed."""

    name = "sagemaker"
    title = "SageMaker training jobs (describe-training-job as JSON): billable seconds, instances, spot savings, final metrics, failure"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is an object that names a training job and how it stands."""
        return (
            head.lstrip().startswith(b"{")
            and b'"TrainingJobName"' in head
            and (b'"TrainingJobArn"' in head or b'"TrainingJobStatus"' in head)
        )

    def read(self, source: Source) -> Recording:
        """Read the description."""
        job = load_json(source)
        if not isinstance(job, dict) or not isinstance(job.get("TrainingJobName"), str):
            raise InputError("no description of a training job; expected TrainingJobName, as describe-training-job writes it")
        params = {key: _unquoted(str(value)) for key, value in _table(job, "HyperParameters").items()}
        points = Points()
        for metric in _list(job, "FinalMetricDataList"):
            value, moment = metric.get("Value"), _moment(metric.get("Timestamp"))
            if isinstance(value, int | float) and isinstance(metric.get("MetricName"), str):
                points.row({metric["MetricName"]: float(value)}, time_s=float("nan") if moment is None else moment.timestamp())
        started, ended = _moment(job.get("TrainingStartTime")), _moment(job.get("TrainingEndTime"))
        environment = {key: str(value) for key, value in _table(job, "Environment").items()}
        name = job["TrainingJobName"]
        return Recording(
            importer=self.name,
            kind="training",
            key=name,
            name=name,
            frame=points.frame(source.name),
            files=(FileRead(source.path, source.name, len(points), clock="UTC, as written"),),
            folder=source.folder,
            mappings=mappings_of(*points.meanings),
            events=tuple(_events(job, source.name)),
            started_at=started,
            ended_at=ended,
            status=_STATUS.get(str(job.get("TrainingJobStatus")), "unknown"),
            params=params,
            tags=_tags(job),
            hardware=_hardware(job),
            code_version=code_version_of({**params, **environment}),
            data_version=data_version_of({**params, **environment}),
            seed=seed_of(params),
        )


def _tags(job: Mapping[str, Any]) -> dict[str, str]:
    """Return what the job cost in time, and on what it ran."""
    resources, trained, billed = _table(job, "ResourceConfig"), _count(job, "TrainingTimeInSeconds"), _count(job, "BillableTimeInSeconds")
    created = _moment(job.get("CreationTime"))
    spot = job.get("EnableManagedSpotTraining") is True
    found = {
        "sagemaker.instance_type": str(resources.get("InstanceType") or ""),
        "sagemaker.instance_count": str(_count(resources, "InstanceCount") or ""),
        "sagemaker.training_seconds": "" if trained is None else str(trained),
        "sagemaker.billable_seconds": "" if billed is None else str(billed),
        "sagemaker.spot": "true" if spot else "false" if "EnableManagedSpotTraining" in job else "",
        "sagemaker.spot_savings": f"{1 - billed / trained:.4f}" if spot and billed is not None and trained else "",
        "sagemaker.secondary_status": str(job.get("SecondaryStatus") or ""),
        "sagemaker.image": str(_table(job, "AlgorithmSpecification").get("TrainingImage") or ""),
        "sagemaker.submitted_at": clock.iso(created) or "",
        "sagemaker.checkpoints": "yes" if _table(job, "CheckpointConfig") else "",
    }
    return {key: text for key, text in found.items() if text}


def _events(job: Mapping[str, Any], file: str) -> list[Event]:
    found = []
    for one in _list(job, "SecondaryStatusTransitions"):
        moment = _moment(one.get("StartTime"))
        message = f"{one.get('Status')}: {one.get('StatusMessage') or ''}".rstrip(": ")[:1000]
        level = "warning" if str(one.get("Status")) in _TROUBLE else "info"
        found.append(Event("status", message, None if moment is None else moment.timestamp(), level=level, file=file))
    if isinstance(job.get("FailureReason"), str):
        ended = _moment(job.get("TrainingEndTime"))
        message = f"failure reason: {job['FailureReason'][:2000]}"
        found.append(Event("failure", message, None if ended is None else ended.timestamp(), level="error", file=file))
    return found


def _hardware(job: Mapping[str, Any]) -> Hardware:
    resources = _table(job, "ResourceConfig")
    return hardware_of(str(resources.get("InstanceType") or ""), _count(resources, "InstanceCount") or 0)


def _table(job: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = job.get(key)
    return found if isinstance(found, dict) else {}


def _list(job: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = job.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _count(table: Mapping[str, Any], key: str) -> int | None:
    found = table.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST * 1000 else None


def _moment(value: Any) -> datetime | None:
    """Return an instant: seconds since 1970, or a text with or without its zone."""
    try:
        if isinstance(value, int | float):
            return clock.from_epoch_seconds(float(value))
        return clock.to_utc(datetime.fromisoformat(value)).astimezone(UTC) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _unquoted(text: str) -> str:
    """Return a hyperparameter without the quotes that SageMaker's SDK puts around texts."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


IMPORTER: Importer = SageMakerJob()
