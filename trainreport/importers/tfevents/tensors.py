"""What a tensor of a summary holds: one number, a table of numbers, or texts."""

from __future__ import annotations

from struct import calcsize, pack, unpack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["TEXT_BYTES", "holds_texts", "number_of", "table_of", "text_of"]

TEXT_BYTES = 1 << 16
"""A longer text is cut."""
_LARGEST_TABLE = 1 << 16  # numbers; a shape only claims how many there are

# DataType -> struct letter and the repeated field that holds it when `tensor_content` does not.
_DTYPES = {
    1: ("f", "float_val"), 2: ("d", "double_val"), 3: ("i", "int_val"), 4: ("B", "int_val"), 5: ("h", "int_val"),
    6: ("b", "int_val"), 9: ("q", "int64_val"), 10: ("?", "bool_val"), 14: ("bfloat16", "half_val"),
    17: ("H", "int_val"), 19: ("e", "half_val"), 22: ("I", "uint32_val"), 23: ("Q", "uint64_val"),
}  # fmt: skip
_DT_STRING = 7
_DT_FLOAT, _DT_DOUBLE = 1, 2


def holds_texts(tensor: Any) -> bool:
    """Return whether the elements of a tensor are texts."""
    return bool(tensor.dtype == _DT_STRING)


def text_of(tensor: Any) -> str:
    """Return the texts of a tensor, one a line, cut to `TEXT_BYTES`."""
    whole = b"\n".join(tensor.string_val)
    text: str = whole[:TEXT_BYTES].decode("utf-8", "ignore" if len(whole) > TEXT_BYTES else "backslashreplace")
    return f"{text}…" if len(whole) > TEXT_BYTES else text


def number_of(tensor: Any) -> float | None:
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


def table_of(tensor: Any) -> npt.NDArray[np.float64] | None:
    """Return the floats or doubles of a tensor of two dimensions, or None where it is no such table."""
    import numpy as np

    shape = [dim.size for dim in tensor.tensor_shape.dim]
    if tensor.dtype not in (_DT_FLOAT, _DT_DOUBLE) or tensor.tensor_shape.unknown_rank or len(shape) != 2:
        return None
    size = shape[0] * shape[1]
    if min(shape) < 1 or size > _LARGEST_TABLE:
        return None
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        if tensor.tensor_content:
            dtype = np.dtype("<f4" if tensor.dtype == _DT_FLOAT else "<f8")
            if len(tensor.tensor_content) != size * dtype.itemsize:
                return None
            return np.frombuffer(tensor.tensor_content, dtype).astype(np.float64).reshape(shape)
        values = np.array(tensor.float_val if tensor.dtype == _DT_FLOAT else tensor.double_val, dtype=np.float64)
    if len(values) > size:
        return None
    last = values[-1:] if len(values) else np.zeros(1)  # TensorFlow leaves out what repeats the last one, and zeros
    return np.concatenate([values, np.repeat(last, size - len(values))]).reshape(shape)


def _unpacked(letter: str, content: bytes) -> float | None:
    if letter == "bfloat16":
        letter, content = "f", b"\0\0" + content
    return float(unpack(f"<{letter}", content)[0]) if len(content) == calcsize(f"<{letter}") else None
