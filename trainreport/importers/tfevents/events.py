"""One event at a time: the plain reader, which says what the fast one must find."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import calcsize, pack, unpack
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.tfevents.messages import SESSION_END, SESSION_START_LOG, message_class
from trainreport.importers.tfevents.wire import BYTES, fields, framed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TEXT_BYTES", "Facts", "Number", "Text", "decode_error", "note_plugin", "read_event", "sift"]

TEXT_BYTES = 1 << 16
"""A longer text is cut."""
_LARGEST_VALUE = 1 << 18
_LARGEST_FIELD = 1 << 12
_SUMMARY = 5
_DATA_CLASS_SCALAR = 1

# DataType -> struct letter and the repeated field that holds it when `tensor_content` does not.
_DTYPES = {
    1: ("f", "float_val"), 2: ("d", "double_val"), 3: ("i", "int_val"), 4: ("B", "int_val"), 5: ("h", "int_val"),
    6: ("b", "int_val"), 9: ("q", "int64_val"), 10: ("?", "bool_val"), 14: ("bfloat16", "half_val"),
    17: ("H", "int_val"), 19: ("e", "half_val"), 22: ("I", "uint32_val"), 23: ("Q", "uint64_val"),
}  # fmt: skip
_DT_STRING = 7


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


@dataclass(slots=True)
class Facts:
    """What a file tells besides its numbers; `offset` is the place in the file that it was read at."""

    plugins: dict[str, tuple[int, str]] = field(default_factory=dict)
    """For each tag the first plugin named, and the offset."""
    params: dict[str, str] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)
    restarts: list[tuple[int, float, int]] = field(default_factory=list)
    """Offset, seconds since 1970 UTC, step."""
    session_end: tuple[int, str] | None = None
    """Offset and status."""

    def plugin(self, tag: str) -> str:
        """Return the plugin of a tag, or an empty text."""
        return self.plugins.get(tag, (0, ""))[1]


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
    numbers = []
    for value in event.summary.value:
        tag = value.tag.decode("utf-8", "backslashreplace")
        if value.HasField("metadata"):
            _note_metadata(tag, value.metadata, offset, facts)
        kind = value.WhichOneof("kind")
        if kind == "simple_value":
            numbers.append(Number(tag, False, value.simple_value))
        elif kind == "tensor" and value.tensor.dtype == _DT_STRING:
            if value.metadata.plugin_data.plugin_name in (b"text", b""):
                facts.texts.append(Text(offset, event.wall_time, event.step, tag, _text(value.tensor)))
        elif kind == "tensor":
            number = _number(value.tensor)
            if number is not None:
                numbers.append(Number(tag, True, number))
    return event.wall_time, event.step, numbers


def sift(read: Callable[[int, int], bytes], at: int, end: int) -> bytes:
    """Return a large event without its large parts: what is left can hold every number of it.

    Raises
    ------
    WireError
        If the bytes are no event.
    """
    kept = bytearray()
    for part in fields(read, at, end):
        if part.number == _SUMMARY and part.wire == BYTES:
            values = (value for value in fields(read, part.start, part.end) if value.end - value.key_at <= _LARGEST_VALUE)
            kept += framed(_SUMMARY, b"".join(read(value.key_at, value.end - value.key_at) for value in values))
        elif part.end - part.key_at <= _LARGEST_FIELD:
            kept += read(part.key_at, part.end - part.key_at)
    return bytes(kept)


def note_plugin(facts: Facts, tag: str, offset: int, plugin: str) -> None:
    """Note the plugin of a tag; the first in the file counts, in whatever order they are met."""
    if plugin and offset < facts.plugins.get(tag, (offset + 1, ""))[0]:
        facts.plugins[tag] = (offset, plugin)


def _note_metadata(tag: str, metadata: Any, offset: int, facts: Facts) -> None:
    plugin = metadata.plugin_data.plugin_name.decode("utf-8", "backslashreplace")
    note_plugin(facts, tag, offset, "scalars" if metadata.data_class == _DATA_CLASS_SCALAR else plugin)
    if plugin == "hparams":
        session = message_class("HParams").FromString(metadata.plugin_data.content)
        for entry in session.session_start_info.hparams:
            facts.params[entry.key.decode("utf-8", "backslashreplace")] = _param(entry.value)
        if session.session_end_info.status in SESSION_END:
            facts.session_end = (offset, SESSION_END[session.session_end_info.status])


def _param(value: Any) -> str:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        text: str = value.string_value.decode("utf-8", "backslashreplace")
        return text
    if kind == "bool_value":
        return str(value.bool_value)
    if kind == "number_value":
        number = value.number_value
        return str(int(number)) if number.is_integer() else repr(number)
    return ""


def _text(tensor: Any) -> str:
    whole = b"\n".join(tensor.string_val)
    text: str = whole[:TEXT_BYTES].decode("utf-8", "ignore" if len(whole) > TEXT_BYTES else "backslashreplace")
    return f"{text}…" if len(whole) > TEXT_BYTES else text


def _number(tensor: Any) -> float | None:
    """Return the one number that a tensor holds, or None where it holds none or several."""
    known = _DTYPES.get(tensor.dtype)
    if known is None or tensor.tensor_shape.unknown_rank or any(dim.size != 1 for dim in tensor.tensor_shape.dim):
        return None
    letter, values = known[0], getattr(tensor, known[1])
    if tensor.tensor_content:
        return _unpacked(letter, tensor.tensor_content)
    if len(values) > 1:
        return None
    if not values:  # TensorFlow leaves zeros out
        return 0.0
    if known[1] == "half_val":
        return _unpacked(letter, pack("<H", values[0] & 0xFFFF))
    return float(values[0])


def _unpacked(letter: str, content: bytes) -> float | None:
    if letter == "bfloat16":
        letter, content = "f", b"\0\0" + content
    return float(unpack(f"<{letter}", content)[0]) if len(content) == calcsize(f"<{letter}") else None
