"""What reads the files. Each reader is given a folder, does its imports and returns what reads; that returns rows."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[], int]

SERVER_CPU = 0.0
"""CPU seconds of the data server that this process started."""
_REST_S = 0.4


def files_of(folder: Path) -> list[Path]:
    """Return the event files below a folder."""
    return sorted(folder.rglob("*tfevents*"))


def trainreport(folder: Path) -> Read:
    """Read each file to its frame with the importer; files are not hashed."""
    from trainreport.importers.formats.tensorboard import IMPORTER
    from trainreport.importers.recording import Source

    _import_all()
    return lambda: sum(len(IMPORTER.read(Source(path, path.relative_to(folder).as_posix())).frame) for path in files_of(folder))


def unchecked(folder: Path) -> Read:
    """Read like `trainreport` does, with every checksum of a payload taken to be right; nothing but this measure reads so."""
    import numpy as np

    from trainreport.importers.tfevents import classes, columns

    def no_checksums(data: np.ndarray, *_: object) -> np.ndarray:
        return np.zeros(len(data), dtype=np.uint32)

    columns.ragged_crc32c = lambda _, starts, __: no_checksums(starts)
    columns.Decoder._matches = lambda _, __, records, ___: np.ones(len(records), dtype=bool)
    classes.Classes.crcs = lambda _, codes, *__: no_checksums(codes)
    classes.number_contribution = no_checksums
    return trainreport(folder)


def _import_all() -> None:
    """Import what is otherwise imported on first use."""
    import google.protobuf.descriptor_pb2
    import google.protobuf.message_factory

    from trainreport.model.schema import empty_frame

    assert google
    assert empty_frame().empty  # pandas imports pyarrow with its first text


def load(folder: Path) -> Read:
    """Read the folder to run logs, as every command does: hashes, runs, restarts."""
    from trainreport.importers import all_importers, load

    _import_all()
    assert all_importers()
    return lambda: sum(len(log.frame) for log in load([folder]).logs)


def hashing(folder: Path) -> Read:
    """Hash the files only."""
    from trainreport.model.digest import sha256_of_file

    return lambda: len([sha256_of_file(path) for path in files_of(folder)]) and 0


def event_accumulator(folder: Path) -> Read:
    """Read each file with TensorBoard in Python into one DataFrame."""
    import pandas as pd
    from tensorboard.backend.event_processing.event_accumulator import SCALARS, TENSORS, EventAccumulator
    from tensorboard.util import tensor_util

    def rows(path: Path) -> Iterator[tuple[str, int, float, float]]:
        log = EventAccumulator(str(path), size_guidance={SCALARS: 0, TENSORS: 0})
        log.Reload()
        for tag in log.Tags()["scalars"]:
            yield from ((tag, point.step, point.wall_time, point.value) for point in log.Scalars(tag))
        for tag in log.Tags()["tensors"]:
            yield from ((tag, one.step, one.wall_time, tensor_util.make_ndarray(one.tensor_proto).item()) for one in log.Tensors(tag))

    return lambda: sum(len(pd.DataFrame(rows(path), columns=["tag", "step", "wall_time", "value"])) for path in files_of(folder))


def data_server(folder: Path) -> Read:
    """Read the folder with tensorboard-data-server, and its scalars back by gRPC into one DataFrame.

    The server's own CPU time is taken from the operating system; it has loaded when it rests.
    """
    import grpc
    import numpy as np
    import pandas as pd
    import tensorboard_data_server
    from tensorboard.data.proto.data_provider_pb2 import Downsample, PluginFilter, ReadScalarsRequest
    from tensorboard.data.proto.data_provider_pb2_grpc import TensorBoardDataProviderStub

    def read() -> int:
        with tempfile.TemporaryDirectory() as place, _server(tensorboard_data_server.server_binary(), folder, Path(place)) as server:
            channel = grpc.insecure_channel(f"localhost:{_port(Path(place))}", options=[("grpc.max_receive_message_length", -1)])
            _wait_for_rest(server.pid)
            wanted = ReadScalarsRequest(
                experiment_id="x", plugin_filter=PluginFilter(plugin_name="scalars"), downsample=Downsample(num_points=10**9)
            )
            answer = TensorBoardDataProviderStub(channel).ReadScalars(wanted)
            frames = [
                pd.DataFrame(
                    {"run": run.run_name, "tag": tag.tag_name}
                    | {name: np.array(getattr(tag.data, name)) for name in ("step", "wall_time", "value")}
                )
                for run in answer.runs
                for tag in run.tags
            ]
            global SERVER_CPU  # noqa: PLW0603
            SERVER_CPU = _cpu_s(server.pid)
            server.kill()
            return len(pd.concat(frames))

    return read


def _server(binary: str, folder: Path, place: Path) -> subprocess.Popen[bytes]:
    options = ["--logdir", str(folder), "--reload", "once", "--port", "0", "--port-file", str(place / "port")]
    return subprocess.Popen([binary, *options, "--samples-per-plugin", "scalars=all"])


def _port(place: Path) -> int:
    while not (place / "port").exists() or not (place / "port").read_text().strip():
        time.sleep(0.01)
    return int((place / "port").read_text())


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wait_for_rest(pid: int) -> None:
    before, now = -1.0, 0.0
    while now > before:
        time.sleep(_REST_S)
        before, now = now, _cpu_s(pid)


READERS = {
    "trainreport": trainreport,
    "unchecked": unchecked,
    "load": load,
    "hashing": hashing,
    "EventAccumulator": event_accumulator,
    "data server": data_server,
}
