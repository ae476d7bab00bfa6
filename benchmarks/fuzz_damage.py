"""Damage to the content of a file, of the kinds that make readers fail: what disks do, what people do, and what attackers do."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.importers.tfevents.headers import FRAME_BYTES, HEADER_BYTES, header_length

if TYPE_CHECKING:
    import random

__all__ = ["damaged"]

_ODD_BYTES = (
    b"\xff\xff\xff\xff",
    b"\x00" * 8,
    b"\xf4\x90\x80\x80",
    b"\r\n",
    b'"',
    b"../../etc/passwd",
)
_ODD_WORDS = (
    *(b"99999999999999999999", b"-9223372036854775808", b"1e308", b"1e999", b"-1", b"0", b"nan", b"-inf", b"0x1F", b"1_0"),
    *(b"null", b"true", b"[]", b"{}", b"[[1]]", b'{"value": {}}', b'""', b"''", b"", b"2024-02-30", b"[N/A]", b"\xc3\xa9\xe2\x80\xae"),
)
_WORD = re.compile(rb'"[^"\n]{0,200}"|-?\d[\d.eE+-]{0,40}|\w{1,60}')


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return `content` with one to six faults; in half of the event files the checksums are right nevertheless."""
    records = _records(content) if rng.random() < 0.5 else []
    if not records:
        return _with_faults(content, rng)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(records))
        records[at] = _sealed(_with_faults(records[at][HEADER_BYTES:-4], rng))
    return b"".join(records)


def _with_faults(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        length = min(rng.choice((1, 2, 8, 64, 1024)), len(data) - at)
        match rng.randrange(9):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))
            case 3:
                data[at : at + length] = rng.randbytes(length)
            case 4:
                data[at : at + rng.choice((0, 1, 4))] = rng.choice(_ODD_BYTES + _ODD_WORDS)
            case 5:
                del data[at:]
            case 6:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[other : other + length]
            case _:  # twice as often: what is behind it can still be read
                if word := _WORD.search(data, at):
                    data[word.start() : word.end()] = rng.choice(_ODD_WORDS)
    return bytes(data)


def _records(content: bytes) -> list[bytes]:
    """Return the records of an event file; none for anything else."""
    found, at = [], 0
    while len(content) - at > FRAME_BYTES and (length := header_length(content[at : at + HEADER_BYTES])) is not None:
        found.append(content[at : at + FRAME_BYTES + length])
        at += FRAME_BYTES + length
    return found


def _sealed(payload: bytes) -> bytes:
    header = struct.pack("<Q", len(payload))
    return header + struct.pack("<I", masked_crc32c(header)) + payload + struct.pack("<I", masked_crc32c(payload))
