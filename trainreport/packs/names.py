"""Names and texts inside a pack: which names are safe, what a log is filed under, how texts are shown and put into tables."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["as_cell", "fault", "filed_as", "shown"]

_LONGEST = 1024
_DEEPEST = 64
_ODD = re.compile(r"[^A-Za-z0-9._/@+=,-]")


def fault(name: str) -> str | None:
    """Return why a name may not stand in a pack, or None where it may."""
    if len(name) > _LONGEST or name.count("/") > _DEEPEST:
        return "the name is too long or too deep"
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        return "the name is not valid UTF-8"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "the name is absolute"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "the name leads out of the pack"
    if "\\" in name or "%" in name or not name.isprintable():
        return "the name has a character that tools read differently"
    return None


def filed_as(paths: Iterable[str]) -> dict[str, str]:
    """Return a safe name for each path of a log: plain letters, none alike when case is ignored."""
    taken: set[str] = set()
    names = {}
    for path in sorted(set(paths)):
        parts = [part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", ".")]
        plain = "/".join("_" if part == ".." else _ODD.sub("_", part) for part in parts)[-_LONGEST // 2 :].lstrip("/")
        name, again = plain, 2
        while name.casefold() in taken:
            name, again = f"{plain}-{again}", again + 1
        taken.add(name.casefold())
        names[path] = name
    return names


def as_cell(text: str) -> str:
    """Return a text for a CSV; one that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\0")) else text


def shown(name: str) -> str:
    """Return a name for a terminal; what cannot be printed is escaped."""
    return name if name.isprintable() else ascii(name)[1:-1]
