"""What others wrote in English, said in the language of the report.

Detectors, decisions and the ledger write English. A sentence of theirs that the group ``told`` of the wording knows
is said again in the language spoken, with its names and numbers filled in; one that it does not know stays as it is
and is marked as English, so that a reader's software reads it as such.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from trainreport.reports.language import ENGLISH, numeral, spoken, wording
from trainreport.reports.spec import FigureSpec

__all__ = ["MARKS", "retold", "retold_tree", "unmarked"]

MARKS = ("\ue000", "\ue001")
"""Stand around English in a text of another language. Both are for private use: no text from a log keeps them."""

_GAP = "\u00a0"
_SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z“\d])")
_PIECES = re.compile(r"( · |; )")
_PLACE = re.compile(r"\\{(\w+)\\}")
_B = f"[ {_GAP}]"
_NUMBER = r"\d[\d.,]*"
_VALUE = rf"(?:[<>]{_B})?[-−]?\d[\d.,]*(?:e-?\d+)?(?:{_B}(?:%|[^\W\d_]+(?:{_B}CO₂e)?)(?![\w.]))?|no number"
_NAME = rf"[^\s,;:]+(?:{_B}[^\s,;:]+){{0,2}}"
_KINDS = {
    **dict.fromkeys(("n", "step", "count"), _NUMBER),
    **dict.fromkeys(("value", "share", "spent", "limit", "target", "low", "high", "tolerance"), _VALUE),
    **dict.fromkeys(("name", "other"), _NAME),
    "code": r"TR\d+",
}
"""What stands in a place of a template, by the place's name; anything in the others."""
_CLAUSES = frozenset(("x", "y", "z"))
"""Places that hold a clause: it has to be known, too."""
_QUOTED = "message"
"""The place of a text from a log, which is no wording of ours."""
_AS_IS = frozenset((_QUOTED, "key", "phase", "run", "names"))
"""Places of names that are no words of the language."""
_ENGLISH = re.compile(r"(?<![^\s(“])(?:the|of|and|is|are|not|from|with|which|for|to|by|its?|than|that|has|was|no|on|at|one)(?![^\s,;.:)”])")
_FEWEST = 2
"""Words of this kind that make a sentence of unknown origin English."""
_NOT_TEXT = frozenset(("id", "link", "target", "kind", "tone", "sign", "align", "style", "code", "form"))
_LONGEST = 2000

T = TypeVar("T")


def retold(text: str) -> str:
    """Return `text` in the language spoken, what of it is not known marked as English; `text` itself in English."""
    if spoken() == ENGLISH or not text:
        return text
    text = unmarked(text)
    if len(text) > _LONGEST:
        return _marked(text)
    said = " ".join(_sentence(sentence) for sentence in _SENTENCE_END.split(text))
    return said.replace(f"{MARKS[1]} {MARKS[0]}", " ")


def retold_tree(tree: T) -> T:
    """Return a tree of dataclasses and tuples, every text in it that is known said in the language spoken."""
    result: object = tree if spoken() == ENGLISH else _tree(tree)
    return result  # type: ignore[return-value]


def unmarked(text: str) -> str:
    """Return `text` without the marks around English."""
    return text.replace(MARKS[0], "").replace(MARKS[1], "")


def _tree(tree: object) -> object:
    if isinstance(tree, str):
        return tree if MARKS[0] in tree else _known(tree)
    if isinstance(tree, tuple):
        return tuple(map(_tree, tree))
    if isinstance(tree, FigureSpec):
        return _drawn(tree)
    if is_dataclass(tree) and not isinstance(tree, type):
        told = {item.name: _tree(getattr(tree, item.name)) for item in fields(tree) if item.name not in _NOT_TEXT}
        return replace(tree, **told)
    return tree


def _drawn(tree: Any) -> Any:
    """Return a chart with the labels that are known said again; there is no mark in a drawing."""
    if isinstance(tree, str):
        return _told(tree, spoken(), numbers=False) or tree
    if isinstance(tree, tuple):
        return tuple(map(_drawn, tree))
    if is_dataclass(tree) and not isinstance(tree, type):
        told = {item.name: _drawn(getattr(tree, item.name)) for item in fields(tree) if item.name not in _NOT_TEXT}
        return replace(tree, **told)
    return tree


def _known(text: str) -> str:
    """Return each sentence of `text` that is known in the language spoken; its numbers are so already."""
    said = " ".join(_told(part, spoken(), numbers=False) or _guessed(part) for part in _SENTENCE_END.split(text))
    return said.replace(f"{MARKS[1]} {MARKS[0]}", " ")


def _guessed(text: str) -> str:
    """Return a sentence marked where it reads as English: a name from a plan, or wording that is known nowhere."""
    return _marked(text) if len(set(_ENGLISH.findall(text))) >= _FEWEST else text


def _sentence(text: str) -> str:
    told = _told(text, spoken())
    return _marked(text) if told is None else told


def _marked(text: str) -> str:
    return f"{MARKS[0]}{text}{MARKS[1]}"


@cache
def _told(text: str, language: str, *, numbers: bool = True) -> str | None:
    """Return `text` in a language, None where it is not known; its full stop and its capital are kept."""
    core, stop = (text[:-1], ".") if text.endswith(".") and not text.endswith("..") else (text, "")
    for pattern, said in _templates(language):
        found = pattern.fullmatch(core)
        if found is None:
            continue
        values = _values(found.groupdict(), language, numbers=numbers)
        if values is not None:
            told = said.format(**values)
            return (told[:1].upper() + told[1:] if text[:1].isupper() else told) + stop
    pieces = _PIECES.split(core)
    if len(pieces) == 1:
        return None
    told_pieces = [piece if _PIECES.fullmatch(piece) else _told(piece, language, numbers=numbers) for piece in pieces]
    known = [piece for piece in told_pieces if piece is not None]
    return "".join(known) + stop if len(known) == len(pieces) else None


def _values(groups: dict[str, str], language: str, *, numbers: bool) -> dict[str, str] | None:
    """Return what stands in the places of a template; None where a clause is not known."""
    values = {}
    for name, value in groups.items():
        told = None if name in _AS_IS or _KINDS.get(name) in (_NUMBER, _VALUE) else _told(value, language, numbers=numbers)
        if told is None and name in _CLAUSES:
            return None
        if told is None:
            told = _marked(value) if name == _QUOTED else numeral(value) if numbers else value
        values[name] = told
    return values


@cache
def _templates(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return (pattern of the English text, text in the language), those with most letters of their own first."""
    told = wording(language)["told"]
    english = sorted(wording(ENGLISH)["told"].items(), key=lambda entry: -len(re.sub(r"{\w+}", "", entry[1])))
    return tuple((_pattern(text), told[name]) for name, text in english)


def _pattern(text: str) -> re.Pattern[str]:
    body = _PLACE.sub(lambda found: f"(?P<{found[1]}>{_KINDS.get(found[1], '.+?')})", re.escape(text))
    first = f"[{text[0].lower()}{text[0].upper()}]" if text[0].isalpha() else ""
    body = first + body[1:] if first else body
    return re.compile(body.replace(r"\ ", _B), re.DOTALL)
