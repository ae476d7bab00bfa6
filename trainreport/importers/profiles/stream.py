"""Reads the events of a Chrome trace piece by piece: never more of it in memory than one piece and the event that it cuts."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from trainreport.errors import InputError
from trainreport.importers.profiles.borders import borders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.importers.profiles.borders import Places
    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles

__all__ = ["GZIP", "TraceEvents", "number_in", "opening"]

GZIP = b"\x1f\x8b"
PIECE = 1 << 18
_PACKED_PIECE = 1 << 14
LARGEST_EVENT = 4 << 20
"""Bytes of one event, and of what may stand before the list."""
LARGEST_TRACE = 8 << 30
"""Bytes unpacked: a longer trace is read up to there."""
_BEGIN = re.compile(rb'"traceEvents"\s*:\s*\[')
_KEPT_AROUND = 1 << 16


def opening(head: bytes) -> bytes:
    """Return the first bytes of a file, unpacked where it is gzip; what is cut or damaged gives what came before."""
    if not head.startswith(GZIP):
        return head.removeprefix(b"\xef\xbb\xbf")
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _KEPT_AROUND)
    except zlib.error:
        return b""


def number_in(value: Any) -> float | None:
    """Return a number of an event; some traces write it as text. Beyond any clock there is none."""
    if type(value) is float:  # as most are
        return value if abs(value) < 1e18 else None  # nan is not
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18 else None


class TraceEvents:
    """The events of one file; `around` holds the beginning of what stands before them and what follows them."""

    def __init__(self, source: Source, troubles: Troubles, wanted: tuple[re.Pattern[bytes], ...] = ()) -> None:
        self._source, self._troubles, self._wanted = source, troubles, wanted
        self.around = b""
        self._passed = 0
        self.count = 0
        """Elements of the list that were seen, whether wanted or not."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each event in which one of `wanted` is found, without any all; what cannot be read becomes a problem.

        Raises
        ------
        InputError
            If there is no list of events.
        """
        pieces = self._pieces()
        rest = self._begin(pieces)
        for piece in pieces:
            rest += piece
            found = borders(rest)
            yield from self._events(rest, found.starts, found.ends)
            if found.closed_at is not None:
                self._end(rest[found.closed_at :], pieces)
                return
            done = int(found.ends[-1]) if len(found.ends) else 0
            self._passed += done
            rest = rest[done:]
            if len(rest) > LARGEST_EVENT:
                self._troubles.add(self._place(0), f"an event of more than {LARGEST_EVENT:,} bytes; what follows was not read")
                return
        self._troubles.add(
            self._place(len(rest)), f"the file ends within its list of events; the {self.count:,} whole events before it count"
        )

    def _begin(self, pieces: Iterator[bytes]) -> bytes:
        """Return what follows the bracket that opens the list, as far as it was read."""
        head = b""
        for piece in pieces:
            head = (head + piece).removeprefix(b"\xef\xbb\xbf")
            plain = re.match(rb"\s*\[", head)
            found = plain or _BEGIN.search(head)
            if found is not None:
                self.around = head[: min(found.start(), _KEPT_AROUND)]
                self._passed = found.end()
                return head[found.end() :]
            if len(head) > LARGEST_EVENT:
                break
        raise InputError(f"no list of traceEvents in the first {len(head):,} bytes")

    def _events(self, block: bytes, starts: Places, ends: Places) -> Iterator[dict[str, Any]]:
        self.count += len(starts)
        chosen = self._chosen(block, starts)
        places = list(zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True))
        text = b",".join(block[start:end] for start, end in places)
        try:
            found = json.loads(b"[%b]" % text)
        except (ValueError, RecursionError):
            found = [self._event(block[start:end], start) for start, end in places]
        yield from [event for event in found if isinstance(event, dict)]

    def _chosen(self, block: bytes, starts: Places) -> Places:
        """Return the positions of the events in which something wanted stands, or one more."""
        import numpy as np

        if not self._wanted or not len(starts):
            return np.arange(len(starts))
        at = [match.start() for pattern in self._wanted for match in pattern.finditer(block)]
        within = np.searchsorted(starts, np.array(at, dtype=np.intp), side="right") - 1
        return np.unique(within[within >= 0])

    def _event(self, text: bytes, start: int) -> Any:
        try:
            return json.loads(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            self._troubles.add(self._place(start), "an event that is no JSON", kind="events")
            return None

    def _end(self, tail: bytes, pieces: Iterator[bytes]) -> None:
        """Keep the beginning of what follows the list; where it is longer, that is no part of the events."""
        for piece in pieces:
            if len(tail) >= _KEPT_AROUND:
                break
            tail += piece
        self.around += tail[:_KEPT_AROUND]

    def _pieces(self) -> Iterator[bytes]:
        """Yield the file unpacked, up to a bound, and up to where it is damaged; an empty piece at the end, for what is left."""
        left = LARGEST_TRACE
        try:
            with self._source.path.open("rb") as stream:
                for piece in _unpacked(stream):
                    left -= len(piece)
                    if left < 0:
                        self._troubles.add("", f"more than {LARGEST_TRACE:,} bytes unpacked; what follows was not read")
                        break
                    yield piece
        except (EOFError, zlib.error) as error:
            self._troubles.add("", f"the gzip data is damaged or cut off ({error}); what came before was read")
        yield b""

    def _place(self, within: int) -> str:
        return f"byte {self._passed + within:,}"


def _unpacked(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the content in pieces; of gzip all that can be unpacked, before what is wrong with it is raised."""
    packed = stream.read(2) == GZIP
    stream.seek(0)
    if not packed:
        yield from iter(lambda: stream.read(PIECE), b"")
        return
    unpacker = zlib.decompressobj(wbits=31)
    while part := stream.read(_PACKED_PIECE):
        while part:
            if unpacker.eof:  # one of several, written one behind the other
                unpacker = zlib.decompressobj(wbits=31)
            piece = unpacker.decompress(part, PIECE)
            yield piece
            part = unpacker.unused_data.lstrip(b"\0") if unpacker.eof else unpacker.unconsumed_tail
    if not unpacker.eof:
        yield unpacker.flush()
        raise EOFError("its end is missing")
