"""Folders as POSIX texts relative to the path given, ``.`` at the top."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["above", "by_folder", "is_session", "nearest", "parent"]

T = TypeVar("T")

_SESSION = re.compile(r"(?:.*/)?\d{9,11}\.\d+")


def is_session(folder: str) -> bool:
    """Return whether a folder is named as PyTorch's ``add_hparams`` names those that it makes: by the seconds since 1970."""
    return _SESSION.fullmatch(folder) is not None


def parent(folder: str) -> str:
    """Return the folder above; that of the top is the top."""
    return folder.rpartition("/")[0] or "."


def above(folder: str) -> list[str]:
    """Return the folder and all above it, the nearest first and the top last."""
    found = [folder]
    while found[-1] != ".":
        found.append(parent(found[-1]))
    return found


def by_folder(places: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Return what lies in each folder or below it, from what lies in which folder, in the order given."""
    found: dict[str, list[T]] = defaultdict(list)
    for folder, one in places:
        for each in above(folder):
            found[each].append(one)
    return dict(found)


def nearest(folder: str, found: Mapping[str, T]) -> T | None:
    """Return what is found for the folder, else for the nearest one above that has any."""
    return next((found[one] for one in above(folder) if one in found), None)
