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


@dataclass(frozen=True)
class Session:
    """What a script writes into an event file besides its curves."""

    params: Mapping[str, object] = field(default_factory=dict)
    texts: tuple[tuple[int, str, str], ...] = ()
    """Step, tag and text."""
    failed_at: float | None = None
    """Seconds since 1970 UTC at which it says that it failed."""


def write_tensorboardx(
    folder: Path,
    records: list[Record],
    clock: Clock | np.ndarray,
    tags: Mapping[str, str],
    *,
    session: Session | None = None,
    suffix: str = ".0",
) -> None:
    """Write one event file of plain scalars (`simple_value`), as PyTorch users get them; `clock` may be the end of each step."""
    from tensorboardX import SummaryWriter

    times = clock if isinstance(clock, np.ndarray) else clock.times()
    start = float(times[records[0].step - 1] - 1) if isinstance(clock, np.ndarray) else clock.start
    session = session or Session()
    with neutral_machine(start):
        writer = SummaryWriter(str(folder), filename_suffix=suffix)
        if session.params:
            writer.file_writer.add_summary(_session_start(session.params), walltime=start)
        for record in records:
            for name, value in record.values.items():
                writer.add_scalar(tags[name], value, record.step, walltime=float(times[record.step - 1]))
        for step, tag, text in session.texts:
            writer.add_text(tag, text, step, walltime=float(times[step - 1]))
        if session.failed_at is not None:
            writer.file_writer.add_summary(_session_failed(session.failed_at), walltime=session.failed_at)
        writer.close()


def _session_start(params: Mapping[str, object]) -> object:
    """Return the record of parameters, its map in the order of its keys: else each process has an order of its own."""
    from tensorboardX.proto.plugin_hparams_pb2 import HParamsPluginData
    from tensorboardX.summary import hparams

    summary = hparams(dict(params), {})[1]
    plugin = summary.value[0].metadata.plugin_data
    plugin.content = HParamsPluginData.FromString(plugin.content).SerializeToString(deterministic=True)
    return summary


def _session_failed(at: float) -> object:
    """Return the record of a session that failed, which tensorboardX has no function for."""
    from tensorboardX.proto.api_pb2 import Status
    from tensorboardX.proto.plugin_hparams_pb2 import HParamsPluginData, SessionEndInfo
    from tensorboardX.proto.summary_pb2 import Summary, SummaryMetadata

    ended = SessionEndInfo(status=Status.Value("STATUS_FAILURE"), end_time_secs=at)
    content = HParamsPluginData(session_end_info=ended, version=0).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="hparams", content=content))
    return Summary(value=[Summary.Value(tag="_hparams_/session_end_info", metadata=metadata)])


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


Gauge = tuple[np.ndarray, np.ndarray]
"""Times, in seconds since 1970 UTC, and values."""


@dataclass(frozen=True)
class TrackedRun:
    """One run for the MLflow store."""

    name: str
    params: Mapping[str, object]
    records: list[Record]
    clock: Clock
    tags: Mapping[str, str] = field(default_factory=dict)
    gauges: Mapping[str, Gauge] = field(default_factory=dict)
    """What MLflow's sampler wrote of the machine, by the name of the metric."""
    dataset: tuple[str, str] | None = None
    """Name and digest."""


def write_mlflow(folder: Path, experiment: str, parent: TrackedRun | None, runs: list[TrackedRun], *, seed: int) -> None:
    """Write a file store of one experiment: its runs, as children of a run without curves where there is one; ids come from `seed`."""
    from mlflow.tracking import MlflowClient

    ids = np.random.default_rng(seed)
    millis = int((parent or runs[0]).clock.start * 1000) - 60_000
    with (
        tempfile.TemporaryDirectory() as scratch,
        mock.patch("uuid.uuid4", side_effect=lambda: uuid.UUID(bytes=ids.bytes(16), version=4)),
        mock.patch("mlflow.store.tracking.file_store.get_current_time_millis", return_value=millis),
    ):
        store = Path(scratch) / "mlruns"
        client = MlflowClient(tracking_uri=store.as_uri())
        experiment_id = client.create_experiment(experiment)
        inside = {} if parent is None else {"mlflow.parentRunId": _write_run(client, experiment_id, parent)}
        for run in runs:
            _write_run(client, experiment_id, run, inside)
        for meta in store.rglob("meta.yaml"):
            meta.write_text(meta.read_text().replace(scratch, "/data"))
        _drop_empty_folders(store)
        shutil.copytree(store, folder)


def _write_run(client: MlflowClient, experiment_id: str, run: TrackedRun, tags: Mapping[str, str] | None = None) -> str:
    from mlflow.entities import Dataset, DatasetInput, Metric, Param

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
    metrics += [
        Metric(name, float(value), int(time * 1000), sample)
        for name, (moments, values) in run.gauges.items()
        for sample, (time, value) in enumerate(zip(moments, values, strict=True))
    ]
    for first in range(0, max(1, len(metrics)), 1000):
        client.log_batch(run_id, metrics[first : first + 1000])
    client.log_batch(run_id, params=[Param(key, str(value)) for key, value in run.params.items()])
    if run.dataset is not None:
        name, digest = run.dataset
        client.log_inputs(run_id, datasets=[DatasetInput(Dataset(name, digest, "local", f"/data/{name}"))])
    client.set_terminated(run_id, end_time=int(run.clock.end * 1000))
    return run_id


def _drop_empty_folders(root: Path) -> None:
    """Remove what git would not keep."""
    for folder in sorted(root.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
