"""Write learning curves with the tools that people use, without this machine's name, user or clock in them."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np

from making.network import Record

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient


@dataclass(frozen=True)
class Clock:
    """When each step ended: the true training takes seconds and is written as if it had taken hours."""

    start: float
    """Seconds since 1970 UTC."""
    duration: float
    """Seconds from the start to the last step."""
    steps: int
    seed: int

    def times(self) -> np.ndarray:
        """Return the end of each step; steps differ in length by a tenth or so, as they do in real logs."""
        lengths = np.random.default_rng(self.seed).uniform(0.9, 1.1, self.steps)
        times = self.start + self.duration * np.cumsum(lengths) / lengths.sum()
        return np.round(times, 3)

    @property
    def end(self) -> float:
        """Seconds since 1970 at which the run ends."""
        return self.start + self.duration


@contextmanager
def neutral_machine(now: float) -> Iterator[None]:
    """Let the writers believe that the host is called `sample` and that it is `now`."""
    with mock.patch("time.time", return_value=now), mock.patch("socket.gethostname", return_value="sample"):
        yield


def write_tensorboardx(folder: Path, records: list[Record], clock: Clock, tags: Mapping[str, str]) -> None:
    """Write one event file of plain scalars (`simple_value`), as PyTorch users get them."""
    from tensorboardX import SummaryWriter

    times = clock.times()
    with neutral_machine(clock.start):
        writer = SummaryWriter(str(folder), filename_suffix=".0")
        for record in records:
            for name, value in record.values.items():
                writer.add_scalar(tags[name], value, record.step, walltime=float(times[record.step - 1]))
        writer.close()


def write_tf2(folder: Path, epochs: list[Record], clock: Clock, tags: Mapping[str, str]) -> None:
    """Write one event file of tensor scalars, as Keras does: the step is the epoch, counted from 0."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.scalar.summary_v2 import scalar_pb
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    with neutral_machine(clock.start):
        writer = EventFileWriter(str(folder), filename_suffix=".v2")
        for epoch, (record, time) in enumerate(zip(epochs, clock.times(), strict=True)):
            for name, tag in tags.items():
                summary = scalar_pb(tag, np.float32(record.values[name]))
                writer.add_event(Event(wall_time=float(time), step=epoch, summary=summary))
        writer.close()
    # The writer puts its process number and a counter into the name.
    (written,) = folder.glob("events.out.tfevents.*")
    written.rename(folder / f"events.out.tfevents.{int(clock.start)}.sample.0.v2")


@dataclass(frozen=True)
class TrackedRun:
    """One run for the MLflow store."""

    name: str
    params: Mapping[str, object]
    records: list[Record]
    clock: Clock
    tags: Mapping[str, str] = field(default_factory=dict)


def write_mlflow(folder: Path, experiment: str, parent: TrackedRun, children: list[TrackedRun]) -> None:
    """Write a file store of one experiment: a parent run without curves, and its children."""
    from mlflow.tracking import MlflowClient

    ids = np.random.default_rng(6)
    millis = int(parent.clock.start * 1000) - 60_000
    with (
        tempfile.TemporaryDirectory() as scratch,
        mock.patch("uuid.uuid4", side_effect=lambda: uuid.UUID(bytes=ids.bytes(16), version=4)),
        mock.patch("mlflow.store.tracking.file_store.get_current_time_millis", return_value=millis),
    ):
        store = Path(scratch) / "mlruns"
        client = MlflowClient(tracking_uri=store.as_uri())
        experiment_id = client.create_experiment(experiment)
        parent_id = _write_run(client, experiment_id, parent)
        for child in children:
            _write_run(client, experiment_id, child, {"mlflow.parentRunId": parent_id})
        for meta in store.rglob("meta.yaml"):
            meta.write_text(meta.read_text().replace(scratch, "/data"))
        _drop_empty_folders(store)
        shutil.copytree(store, folder)


def _write_run(client: MlflowClient, experiment_id: str, run: TrackedRun, tags: Mapping[str, str] | None = None) -> str:
    from mlflow.entities import Metric, Param

    neutral = {"mlflow.user": "analyst", "mlflow.source.name": "train.py", "mlflow.source.type": "LOCAL"}
    created = client.create_run(
        experiment_id,
        start_time=int(run.clock.start * 1000),
        tags={**neutral, **run.tags, **(tags or {})},
        run_name=run.name,
    )
    run_id = created.info.run_id
    times = run.clock.times()
    metrics = [
        Metric(name, value, int(times[record.step - 1] * 1000), record.step)
        for record in run.records
        for name, value in record.values.items()
    ]
    client.log_batch(run_id, metrics, [Param(key, str(value)) for key, value in run.params.items()])
    client.set_terminated(run_id, end_time=int(run.clock.end * 1000))
    return run_id


def _drop_empty_folders(root: Path) -> None:
    """Remove what git would not keep."""
    for folder in sorted(root.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
