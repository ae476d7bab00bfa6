"""The framing of ``.wandb`` files: a header, then blocks of 32 KiB with chunks of records, as in LevelDB's log.

A chunk is a checksum (plain CRC-32 of what follows its length), a length, a type and that many bytes. What does not
match costs itself only: reading goes on at the next chunk with a good checksum.
"""

from __future__ import annotations

import zlib
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase

__all__ = ["CUT_SHORT", "HEADER_BYTES", "Damage", "is_wandb", "records"]

BLOCK_BYTES = 1 << 15
HEADER_BYTES = 7
CUT_SHORT = "the file ends inside a record: the process died, or the file was copied while it was written"
_LARGEST = 1 << 26
"""Bytes of a record that is read; rows of history have a few kB."""
_IDENT = b":W&B\xe1\xbe"
_CHUNK = Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_SEARCHED = 1 << 22
"""Bytes whose checksums are computed to find a good chunk behind damage in one block."""


class Damage(NamedTuple):
    """Bytes that had to be passed over."""

    offset: int
    what: str


def is_wandb(head: bytes) -> bool:
    """Return whether a file begins as W&B's do, of whatever version of the format."""
    return head.startswith(_IDENT)


def records(stream: BufferedIOBase) -> Iterator[bytes | Damage]:
    """Yield the payload of each record that is whole, and what had to be passed over, in the order of the file."""
    assembly = _Assembly()
    base, ended_well = 0, True
    while block := stream.read(BLOCK_BYTES):
        at = HEADER_BYTES if base == 0 else 0
        while at + HEADER_BYTES <= len(block):
            crc, length, kind = _CHUNK.unpack_from(block, at)
            end = at + HEADER_BYTES + length
            if end <= len(block) and 0 < kind <= _LAST and zlib.crc32(memoryview(block)[at + 6 : end]) == crc:
                if kind == _FULL and not assembly.open:
                    yield block[at + HEADER_BYTES : end]
                else:
                    yield from assembly.add(kind, block[at + HEADER_BYTES : end], base + at)
                at = end
                continue
            if not any(block[at:]):  # the rest of a block that was not filled
                break
            found = _next_good(block, at + 1)
            is_tail = found is None and len(block) < BLOCK_BYTES
            assembly.drop()
            yield Damage(base + at, CUT_SHORT if is_tail else "no readable record")
            if is_tail:
                return
            at = len(block) if found is None else found
        ended_well = at == len(block) or not any(block[at:])
        base += len(block)
    if assembly.open or not ended_well:
        yield Damage(base, CUT_SHORT)


def _next_good(block: bytes, start: int) -> int | None:
    """Return where the next chunk with a good checksum begins, within a limit of work."""
    left, view = _SEARCHED, memoryview(block)
    for at in range(start, len(block) - HEADER_BYTES + 1):
        if not 0 < block[at + 6] <= _LAST:
            continue
        crc, length, _ = _CHUNK.unpack_from(block, at)
        end = at + HEADER_BYTES + length
        if end <= len(block):
            left -= length
            if left < 0:
                return None
            if zlib.crc32(view[at + 6 : end]) == crc:
                return at
    return None


class _Assembly:
    """Puts records of several chunks together."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._bytes = 0
        self.open = False
        """Whether a record has begun and not ended."""

    def drop(self) -> None:
        """Give up what has begun."""
        self._parts, self._bytes, self.open = [], 0, False

    def add(self, kind: int, data: bytes, offset: int) -> Iterator[bytes | Damage]:
        """Take a chunk that is no record of its own, or comes in the middle of one; yield the record that it ends."""
        if kind in (_FULL, _FIRST):
            if self.open:
                yield Damage(offset, "a record begins before the one ahead of it has ended")
            self.drop()
            self.open = kind == _FIRST
            if kind == _FULL:
                yield data
                return
        elif not self.open:  # its beginning was lost, and told
            return
        self._bytes += len(data)
        if self._bytes <= _LARGEST:
            self._parts.append(data)
        else:
            self._parts = []
        if kind == _LAST:
            is_large = self._bytes > _LARGEST
            yield Damage(offset, f"a record of {self._bytes:,} bytes, passed over") if is_large else b"".join(self._parts)
            self.drop()
