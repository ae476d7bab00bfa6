"""Event files for tests, written with TensorBoard's own messages."""

from __future__ import annotations

import struct

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams.api_pb2 import Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

from trainreport.importers.recording import Source
from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.importers.tfevents.log import read_log

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"
VERSION = Event(wall_time=1.7e9, file_version="brain.Event:2")


def record(payload: bytes, *, with_checksum: bool = True) -> bytes:
    header = struct.pack("<Q", len(payload))
    checksum = masked_crc32c(payload) if with_checksum else 0
    return header + struct.pack("<I", masked_crc32c(header)) + payload + struct.pack("<I", checksum)


def scalar(tag: str, step: int, value: float, wall_time: float = 1.7e9) -> Event:
    return Event(wall_time=wall_time + step, step=step, summary=Summary(value=[Summary.Value(tag=tag, simple_value=value)]))


def source(tmp_path, *events, name="run/events.out.tfevents.1", data=None, strict=False):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(record(event.SerializeToString()) for event in events) if data is None else data)
    return Source(path, name, strict=strict)


def hparams(tag, **data) -> Event:
    event = Event(wall_time=1.7e9)
    value = event.summary.value.add(tag=tag)
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = HParamsPluginData(**data).SerializeToString()
    return event


def session(*, end_after: float, tag: str = "loss"):
    """Return a session of hyperparameters that ends some seconds after it began."""
    start = SessionStartInfo()
    start.hparams["lr"].number_value = 0.5
    begin = hparams("_hparams_/session_start_info", session_start_info=start)
    end = hparams("_hparams_/session_end_info", session_end_info=SessionEndInfo(status=Status.STATUS_SUCCESS))
    end.wall_time += end_after
    return begin, end


def read_both_ways(path):
    """Return what the fast reader finds, which must be what the plain one does."""
    fast, plain = read_log(path), read_log(path, plain=True)
    assert [fast.tags[code] for code in fast.codes] == [plain.tags[code] for code in plain.codes]
    for one, other in zip(fast.columns[1:], plain.columns[1:], strict=True):
        np.testing.assert_array_equal(one, other)
    assert fast.damages == plain.damages
    assert fast.facts == plain.facts
    return fast
