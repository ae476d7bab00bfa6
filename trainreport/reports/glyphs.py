"""Which characters the shipped fonts can show, and text that keeps to them.

What comes from logs may hold anything. A character that no shipped font has would be an empty box on one
machine and a system font on the next; it becomes U+FFFD. Control characters and those that turn the
direction of writing cannot be shown and could forge what stands beside them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TypeVar

from trainreport._resources import folder
from trainreport.reports.language import ENGLISH, spoken
from trainreport.reports.retold import MARKS

__all__ = ["FACES", "Face", "clean", "cleaned", "face_bytes", "faces_for"]

UNKNOWN = "\ufffd"
LONGEST = 1200
_AT_UNIT = re.compile(r"(?<=\d) (?=(?:%|[A-Z]{3}|kWh|kg|GiB|MiB|GPU-hours|days|min|h|s)(?:[^\w]|$))")  # a number stays with its unit
_COMMAND = re.compile(r"`([^`]*)`")  # texts for the terminal mark commands so
_BLANKS = frozenset("\t\n\r\x0b\x0c\u2028\u2029")

T = TypeVar("T")
Face = tuple[str, str, int]

FACES: tuple[Face, ...] = (
    ("sans-400", "Report Sans", 400),
    ("sans-600", "Report Sans", 600),
    ("sans-700", "Report Sans", 700),
    ("signs-400", "Report Signs", 400),
    ("more-400", "Report More", 400),
)
"""(file, family, weight). Source Sans 3 and DejaVu Sans, cut down and so renamed, as their licences ask."""

_ALWAYS = 4


@cache
def face_bytes(file: str, form: str) -> bytes:
    """Return a shipped font; `form` is ``ttf`` or ``woff2``."""
    return (folder("templates") / "fonts" / f"{file}.{form}").read_bytes()


@cache
def _covered(file: str) -> frozenset[int]:
    from io import BytesIO

    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(BytesIO(face_bytes(file, "ttf"))).get_charmap())


@cache
def covered(*, charts: bool = False) -> frozenset[int]:
    """Return the code points that can be shown; in charts, which know one face only, those of the text face."""
    if charts:
        return _covered("sans-400")
    return frozenset().union(*(_covered(file) for file, _, _ in FACES))


def faces_for(text: str) -> tuple[Face, ...]:
    """Return the faces that `text` needs; the large fallback only where something asks for it."""
    core = frozenset().union(*(_covered(file) for file, _, _ in FACES[:_ALWAYS]))
    return FACES[:_ALWAYS] if core.issuperset(map(ord, set(text) - _BLANKS)) else FACES


def clean(text: str, longest: int = LONGEST, *, charts: bool = False) -> str:
    """Return `text` in characters that can be shown, in one line, not longer than `longest`."""
    text = text[: 4 * longest]  # combining marks and blanks may go; nothing gets longer
    blanks = r"[\t\r\x0b\x0c\u2028\u2029]+" if charts else r"[\t\n\r\x0b\x0c\u2028\u2029]+"  # labels in charts have lines
    text = unicodedata.normalize("NFC", re.sub(blanks, " ", text))
    text = _COMMAND.sub(r"“\1”", _AT_UNIT.sub("\u00a0", text))
    known = covered(charts=charts)
    if not known.issuperset(map(ord, text)) or not text.isprintable():  # the common case costs one pass
        text = "".join(char if _shown(char, known) else UNKNOWN if not charts else "?" for char in text)
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _shown(char: str, known: frozenset[int]) -> bool:
    if char in MARKS:
        return spoken() != ENGLISH
    return char == "\n" or (
        ord(char) in known and (char in "\u00a0\u2009\u202f" or unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cs"))
    )


def cleaned(tree: T) -> T:
    """Return a tree of dataclasses and tuples with every text in it cleaned."""
    result: object = _cleaned(tree, charts=False)
    return result  # type: ignore[return-value]


def _cleaned(tree: object, *, charts: bool) -> object:
    if isinstance(tree, str):
        return clean(tree, charts=charts)
    if isinstance(tree, tuple):
        return tuple(_cleaned(item, charts=charts) for item in tree)
    if is_dataclass(tree) and not isinstance(tree, type):
        inner = charts or type(tree).__name__ == "FigureSpec"
        return replace(tree, **{item.name: _cleaned(getattr(tree, item.name), charts=inner) for item in fields(tree)})
    return tree
