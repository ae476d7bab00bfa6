"""Pseudonyms, and names found in a text as whole words."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from trainreport.model.redaction.places import is_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Words", "numbered"]

_RUN = re.compile(r"[^\W_]+")


def numbered(kind: str, names: Iterable[str], taken: set[tuple[str, int]]) -> dict[str, str]:
    """Return a pseudonym for each name, numbered in the order of the names; a number that is taken is passed over.

    Zeros before the number keep the order: what is judged machine by machine comes in the same order as before.
    """
    ordered = sorted(names)
    free = (number for number in count(1) if (kind, number) not in taken)
    numbers = [next(free) for _ in ordered]
    width = len(str(numbers[-1])) if numbers else 1
    return {name: f"{kind}-{number:0{width}d}" for name, number in zip(ordered, numbers, strict=True)}


class Words:
    """Finds names in a text: as whole words, the longest first, as written before in other case."""

    def __init__(self, tables: Mapping[str, Mapping[str, str]]) -> None:
        """Take names by kind; of a name that two kinds have, the first counts."""
        self._exact: dict[str, tuple[str, str]] = {}
        self._loose: dict[str, tuple[str, str]] = {}
        sizes: dict[str, set[int]] = {}
        for kind, table in tables.items():
            for name in sorted(table):
                bare = re.sub(r"^[\W_]+|[\W_]+$", "", name)
                if bare and not is_word(bare):
                    self._exact.setdefault(bare, (kind, name))
                    self._loose.setdefault(bare.lower(), (kind, name))
                    sizes.setdefault(_start(bare), set()).add(len(bare))
        self._sizes = {start: sorted(found, reverse=True) for start, found in sizes.items()}

    def found(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """Yield begin, end, kind and name of each that stands in the text."""
        after = 0
        for match in _RUN.finditer(text):
            begin = match.start()
            for size in self._sizes.get(match.group().lower(), ()) if begin >= after else ():
                end = begin + size
                hit = self._exact.get(text[begin:end]) or self._loose.get(text[begin:end].lower())
                if hit is not None and not text[end : end + 1].isalnum():
                    after = end
                    yield begin, end, *hit
                    break


def _start(name: str) -> str:
    match = _RUN.match(name)
    return "" if match is None else match.group().lower()
