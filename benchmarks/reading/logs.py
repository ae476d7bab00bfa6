"""Writes the event files that are read, as PyTorch and TensorFlow write them."""

from __future__ import annotations

import struct
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from trainreport.importers.tfevents.checksum import mask, ragged_crc32c
from trainreport.importers.tfevents.wire import framed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Scalar = tuple[int, int, int]

TAGS = 20
_AT_ONCE = 50_000
_START = 1.7e9


def in_turn(count: int) -> Iterator[Scalar]:
    """Yield number, tag and step of scalars whose tags come in fixed order."""
    return ((number, number % TAGS, number // TAGS) for number in range(count))


def at_random(count: int) -> Iterator[Scalar]:
    """Yield them with the tags of each step in an order of their own."""
    random = Random(1)
    tags = list(range(TAGS))
    for number in range(count):
        if number % TAGS == 0:
            random.shuffle(tags)
        yield number, tags[number % TAGS], number // TAGS


def interleaved(count: int) -> Iterator[Scalar]:
    """Yield them as a loop logs that trains and, at uneven distances, validates: half of the tags each."""
    random, half = Random(2), TAGS // 2
    step, number, part = 0, 0, 0
    while number < count:
        for tag in range(half):
            yield number, tag + part * half, step
            number += 1
        part = int(not part and random.random() < 0.1)  # a validation bears the step of the training before it
        step += not part


def write_scalars(path: Path, scalars: Iterable[Scalar], *, as_tensors: bool = False) -> None:
    """Write scalars into one file, as simple values or as tensors with TensorFlow's metadata."""
    random = Random(3)
    heads = [framed(1, f"part{tag % 4}/metric_{tag}{'_long' * (tag % 3)}".encode()) for tag in range(TAGS)]
    value = _tensor if as_tensors else _simple
    write_records(path, (event(number, step, value(heads[tag], random.random(), is_first=not step)) for number, tag, step in scalars))


def event(number: int, step: int, value: bytes) -> bytes:
    """Return an event with one value."""
    time = b"\x09" + struct.pack("<d", _START + number * 0.01)
    return time + (b"\x10" + _varint(step) if step else b"") + framed(5, framed(1, value))


def _simple(head: bytes, number: float, *, is_first: bool) -> bytes:
    del is_first
    return head + b"\x15" + struct.pack("<f", number)


def _tensor(head: bytes, number: float, *, is_first: bool) -> bytes:
    plugin = framed(9, framed(1, framed(1, b"scalars")) + b"\x20\x01") if is_first else b""
    return head + framed(8, b"\x08\x01\x12\x00" + framed(4, struct.pack("<f", number))) + plugin


def write_pictures(path: Path, size: int, scalars: int) -> None:
    """Write images and histograms of `size` bytes in all, with scalars between them."""
    random = Random(4)
    each = 5 * TAGS  # scalars between two images
    picture = random.randbytes(size // (scalars // each) - 4_000)
    limits, counts = sorted(random.uniform(-1, 1) for _ in range(200)), [float(random.randrange(9)) for _ in range(200)]
    told = zip(b"\x09\x11\x19\x21\x29", (-1.0, limits[-1], sum(counts), 0.0, 30.0), strict=True)  # min, max, num, sum, sum of squares
    buckets = framed(6, struct.pack("<200d", *limits)) + framed(7, struct.pack("<200d", *counts))
    histogram = framed(1, b"weights") + framed(5, b"".join(struct.pack("<Bd", *one) for one in told) + buckets)
    image = framed(1, b"picture") + framed(4, b"\x08\x40\x10\x40\x18\x03" + framed(4, picture))

    def payloads() -> Iterator[bytes]:
        for number, tag, step in in_turn(scalars):
            yield event(number, step, _simple(framed(1, f"metric_{tag}".encode()), random.random(), is_first=False))
            if (number + 1) % each == 0:
                yield event(number, step, image)
                yield event(number, step, histogram)

    write_records(path, payloads(), at_once=2_000)


def write_records(path: Path, payloads: Iterable[bytes], at_once: int = _AT_ONCE) -> None:
    """Write payloads as records, their checksums computed many at a time."""
    with path.open("wb") as stream:
        some: list[bytes] = []
        for payload in payloads:
            some.append(payload)
            if len(some) == at_once:
                stream.write(_records(some))
                some.clear()
        stream.write(_records(some))


def _records(payloads: list[bytes]) -> bytes:
    headers = [struct.pack("<Q", len(payload)) for payload in payloads]
    parts = zip(headers, _crcs(headers), payloads, _crcs(payloads), strict=True)
    return b"".join(part for record in parts for part in record)


def _crcs(payloads: list[bytes]) -> list[bytes]:
    data = np.frombuffer(b"".join(payloads) + bytes(64), dtype=np.uint8)
    lengths = np.array([len(payload) for payload in payloads], dtype=np.int64)
    stored = mask(ragged_crc32c(data, np.cumsum(lengths) - lengths, lengths)).astype("<u4").tobytes()
    return [stored[at : at + 4] for at in range(0, len(stored), 4)]


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "fixed order": lambda folder, count: write_scalars(folder / "events.out.tfevents.1", in_turn(count)),
    "random order": lambda folder, count: write_scalars(folder / "events.out.tfevents.1", at_random(count)),
    "interleaved": lambda folder, count: write_scalars(folder / "events.out.tfevents.1", interleaved(count)),
    "tensors": lambda folder, count: write_scalars(folder / "events.out.tfevents.1", in_turn(count), as_tensors=True),
    "200 runs": lambda folder, count: _write_runs(folder, 200, count // 200),
    "pictures": lambda folder, count: write_pictures(folder / "events.out.tfevents.1", 500 * count, count // 5),
}
"""Writes a job's files into an empty folder, from the number of scalars."""


def _write_runs(folder: Path, runs: int, each: int) -> None:
    for run in range(runs):
        (folder / f"run{run:03}").mkdir()
        write_scalars(folder / f"run{run:03}" / "events.out.tfevents.1", in_turn(each))
