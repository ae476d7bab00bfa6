"""The tree of folders that runs lie in: what discovery asks of it, and the answers for folders of this machine.

A store that is not of this machine has its own in `remote`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from trainreport.importers.registry import recognise
from trainreport.importers.walk import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["LocalNode", "Node", "is_looked_into"]

_DELETED = ".trash"  # MLflow's


class Node(Protocol):
    """A folder of the tree."""

    @property
    def path(self) -> str:
        """Where it is below the root, with slashes; ``.`` for the root."""

    @property
    def name(self) -> str:
        """Last part of its path."""

    def files(self) -> Sequence[str]:
        """Return the names of the files directly in it."""

    def importers(self) -> Sequence[str]:
        """Return the name of the importer of each file directly in it that has one."""

    def folders(self) -> Sequence[Node]:
        """Return the folders directly in it that may hold logs, in a fixed order."""

    def forget(self) -> None:
        """Let go of what was listed: nothing more will be asked."""


def is_looked_into(name: str) -> bool:
    """Return whether a folder of this name may hold logs."""
    return name not in NEVER and name != _DELETED


@dataclass(frozen=True, slots=True)
class LocalNode:
    """A folder of this machine; links are not followed."""

    root: Path
    path: str = "."
    avoided: Path | None = None
    """A folder that is left out, such as that of the results; resolved."""

    @property
    def place(self) -> Path:
        """The folder itself."""
        return self.root / self.path

    @property
    def name(self) -> str:
        """Last part of its path."""
        return self.place.name

    def files(self) -> list[str]:
        """Return the names of the files directly in it."""
        try:
            with os.scandir(self.place) as entries:
                return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        except OSError:
            return []

    def importers(self) -> list[str]:
        """Return the name of the importer of each file directly in it that has one."""
        found = (recognise(self.place / name) for name in self.files())
        return [importer.name for importer in found if not isinstance(importer, str)]

    def folders(self) -> list[LocalNode]:
        """Return the folders directly in it that may hold logs, in a fixed order."""
        try:
            with os.scandir(self.place) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            return []
        return [self._below(name) for name in names if is_looked_into(name) and not self._is_avoided(name)]

    def forget(self) -> None:
        """Do nothing: nothing is kept."""

    def _below(self, name: str) -> LocalNode:
        return LocalNode(self.root, name if self.path == "." else f"{self.path}/{name}", self.avoided)

    def _is_avoided(self, name: str) -> bool:
        return self.avoided is not None and name == self.avoided.name and (self.place / name).resolve() == self.avoided
