"""One event at a time: the plain reader, which says what the fast one must find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.tfevents.hparams import session_of
from trainreport.importers.tfevents.messages import GRAPHS, SESSION_START_LOG, message_class
from trainreport.importers.tfevents.reductions import histogram, of_tensor
from trainreport.importers.tfevents.tensors import TEXT_BYTES, holds_texts, number_of, table_of, text_of
from trainreport.importers.tfevents.wire import BYTES, WireError, fields, framed

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.importers.tfevents.wire import Field

__all__ = ["TEXT_BYTES", "Facts", "Number", "Reduced", "Text", "decode_error", "note_plugin", "read_event", "sift"]

_ALL_TEXTS = 1 << 20  # characters; with more in one file the rest is counted only
_LARGEST_PART = 1 << 18
_LARGEST_FIELD = 1 << 12
_SUMMARY, _VALUE, _TENSOR, _METADATA = 5, 1, 8, 9
_PICTURES = (3, 4, 6)  # of a value: a histogram of old, an image, a sound
_PICTURE_PLUGINS = (b"images", b"audio", b"mesh")
_DATA_CLASS_SCALAR = 1


class Number(NamedTuple):
    """A tag and one number; whether it is a series is told by the tag's plugin where it came as a tensor."""

    tag: str
    is_tensor: bool
    value: float


class Text(NamedTuple):
    """A text summary, cut to `TEXT_BYTES`; it is one only if the tag's plugin says so."""

    offset: int
    time_s: float
    step: int
    tag: str
    text: str


class Reduced(NamedTuple):
    """One statistic of a histogram or of a curve."""

    offset: int
    time_s: float
    step: int
    tag: str
    form: str
    """``histogram``, ``buckets`` or ``pr_curve``: with the statistic, a key of ``reductions.HOW``."""
    statistic: str
    value: float


@dataclass(slots=True)
class Facts:
    """What a file tells besides its numbers; `offset` is the place in the file that it was read at."""

    plugins: dict[str, tuple[int, str]] = field(default_factory=dict)
    """For each tag the first plugin named, and the offset."""
    params: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)
    texts_left_out: int = 0
    text_size: int = 0
    """Characters in `texts`."""
    restarts: list[tuple[int, float, int]] = field(default_factory=list)
    """Offset, seconds since 1970 UTC, step."""
    session_start: float | None = None
    """Seconds since 1970 UTC."""
    session_end: tuple[int, str, float] | None = None
    """Offset, status, seconds since 1970 UTC."""
    reduced: list[Reduced] = field(default_factory=list)
    graphs: dict[str, tuple[int, float, int]] = field(default_factory=dict)
    """What kind of graph is there -> offset, seconds since 1970 UTC, step of the first."""
    others: int = 0
    """Values of kinds that are passed over, such as images."""

    def plugin(self, tag: str) -> str:
        """Return the plugin of a tag, or an empty text."""
        return self.plugins.get(tag, (0, ""))[1]

    def add_text(self, text: Text) -> None:
        """Keep a text, unless the file holds too much of them."""
        if self.text_size > _ALL_TEXTS:
            self.texts_left_out += 1
        else:
            self.texts.append(text)
            self.text_size += len(text.text)


def decode_error() -> type[Exception]:
    """Return the error that a payload raises which is no event."""
    from google.protobuf.message import DecodeError

    error: type[Exception] = DecodeError
    return error


def read_event(payload: bytes, offset: int, facts: Facts) -> tuple[float, int, list[Number]]:
    """Return wall time, step and numbers of one event, and note in `facts` what else it tells.

    Parameters
    ----------
    payload : bytes
        A serialized ``Event``.
    offset : int
        Its place in the file.
    facts : Facts
        Is added to.

    Raises
    ------
    DecodeError
        If the payload is no event.
    """
    event = message_class("Event").FromString(payload)
    if event.session_log.status == SESSION_START_LOG:
        facts.restarts.append((offset, event.wall_time, event.step))
    graph = event.WhichOneof("kind")
    if graph is not None:
        facts.graphs.setdefault(graph, (offset, event.wall_time, event.step))
    numbers = []
    for value in event.summary.value:
        tag = value.tag.decode("utf-8", "backslashreplace")
        if value.HasField("metadata"):
            _note_metadata(tag, value.metadata, offset, event.wall_time, facts)
        number = _number(tag, value, facts, (offset, event.wall_time, event.step))
        if number is not None:
            numbers.append(number)
    return event.wall_time, event.step, numbers


def sift(read: Callable[[int, int], bytes], at: int, end: int) -> bytes:
    """Return a large event without its large parts, which are not read: what is left can hold every number of it.

    Raises
    ------
    WireError
        If the bytes are no event.
    """
    kept = bytearray()
    for part in fields(read, at, end):
        if part.number == _SUMMARY and part.wire == BYTES:
            kept += framed(_SUMMARY, b"".join(_sifted_value(read, value) for value in fields(read, part.start, part.end)))
        elif part.number in GRAPHS and part.wire == BYTES:
            kept += framed(part.number, b"")  # enough to say that it is there
        elif part.end - part.key_at <= _LARGEST_FIELD:
            kept += read(part.key_at, part.end - part.key_at)
    return bytes(kept)


def note_plugin(facts: Facts, tag: str, offset: int, plugin: str) -> None:
    """Note the plugin of a tag; the first in the file counts, in whatever order they are met."""
    if plugin and offset < facts.plugins.get(tag, (offset + 1, ""))[0]:
        facts.plugins[tag] = (offset, plugin)


def _number(tag: str, value: Any, facts: Facts, where: tuple[int, float, int]) -> Number | None:
    """Return the number of a value; note in `facts` what it holds instead."""
    kind = value.WhichOneof("kind")
    if kind == "simple_value":
        return Number(tag, False, value.simple_value)
    if kind == "histo":
        facts.reduced += (Reduced(*where, tag, "histogram", name, one) for name, one in histogram(value.histo).items())
    elif kind == "tensor" and holds_texts(value.tensor):
        if facts.plugin(tag) in ("text", ""):
            facts.add_text(Text(*where, tag, text_of(value.tensor)))
    elif kind == "tensor":
        number = number_of(value.tensor)
        if number is not None:
            return Number(tag, True, number)
        table = table_of(value.tensor)
        form, statistics = of_tensor(facts.plugin(tag), table) if table is not None else ("", {})
        facts.reduced += (Reduced(*where, tag, form, name, one) for name, one in statistics.items())
        facts.others += not statistics
    else:
        facts.others += facts.plugin(tag) != "hparams"
    return None


def _note_metadata(tag: str, metadata: Any, offset: int, time_s: float, facts: Facts) -> None:
    plugin = metadata.plugin_data.plugin_name.decode("utf-8", "backslashreplace")
    note_plugin(facts, tag, offset, "scalars" if metadata.data_class == _DATA_CLASS_SCALAR else plugin)
    if plugin == "hparams":
        session = session_of(metadata.plugin_data.content)
        facts.params.update(session.params)
        facts.tags.update(session.tags)
        if session.is_start:
            facts.session_start = time_s
        if session.end is not None:
            facts.session_end = (offset, session.end, time_s)


def _sifted_value(read: Callable[[int, int], bytes], value: Field) -> bytes:
    """Return a value of a summary without its image, sound or whatever is too large to be a number."""
    if value.number != _VALUE or value.wire != BYTES:
        return b""
    parts = [part for part in fields(read, value.start, value.end) if part.end - part.key_at <= _LARGEST_PART]
    is_picture = any(part.number == _METADATA and _names_pictures(read, part) for part in parts)
    left_out = (*_PICTURES, _TENSOR) if is_picture else _PICTURES
    return framed(_VALUE, b"".join(read(part.key_at, part.end - part.key_at) for part in parts if part.number not in left_out))


def _names_pictures(read: Callable[[int, int], bytes], metadata: Field) -> bool:
    data = read(metadata.start, metadata.end - metadata.start)
    try:
        return message_class("Metadata").FromString(data).plugin_data.plugin_name in _PICTURE_PLUGINS
    except decode_error() as error:
        raise WireError("metadata that is none") from error
