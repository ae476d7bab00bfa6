"""Names of machines as schedulers list them: ``gpu[01-04,07],login1``, ``<n-1> 4*<n-2>``, ``node1/0*8+node2``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["each_host", "listed_hosts"]

_MOST = 4096
"""Names that one list may stand for; of a longer one only the list itself is known."""
_PLAIN = r"[^\s,;+<>\[\]/:\"'()*]"
_ENTRY = re.compile(rf"(?:\d+\*)?(?P<host>{_PLAIN}*(?:\[[^\[\]\"']*\]{_PLAIN}*)+|{_PLAIN}+)(?:/[\d*,]+|:\d{{1,5}}(?!\S))?")
_BRACKET = re.compile(r"\[([^\[\]]*)\]")


def each_host(text: str) -> Iterator[re.Match[str]]:
    """Yield the entries of a list; ``host`` is the name in it, or the short form of several."""
    return _ENTRY.finditer(text)


def listed_hosts(text: str) -> list[str]:
    """Return the hosts that a list names, and short forms as they are written beside what they stand for."""
    found: list[str] = []
    for match in each_host(text):
        name = match["host"]
        found.append(name)
        found += _expanded(name) if "[" in name else []
    return found


def _expanded(part: str) -> list[str]:
    """Return what a short form stands for; nothing where that is too much."""
    names = [""]
    for place, piece in enumerate(_BRACKET.split(part)):
        choices = _numbers(piece) if place % 2 else [piece]
        if len(names) * len(choices) > _MOST:
            return []
        names = [name + choice for name in names for choice in choices]
    return names


def _numbers(text: str) -> list[str]:
    """Return ``01`` to ``04`` of ``01-04``; of a range beyond the bound, more than the bound."""
    found: list[str] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if dash and low.isdecimal() and high.isdecimal() and len(low) < 10 and len(high) < 10:
            last = min(int(high), int(low) + _MOST)
            found += [str(number).zfill(len(low)) for number in range(int(low), last + 1)]
        else:
            found.append(part.strip())
    return found
