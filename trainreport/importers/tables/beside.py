"""Small files that lie beside a log and say what the run was given or came to: YAML and JSON, two levels deep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainreport.importers.params import LARGEST_YAML, params_of_json, params_of_yaml
from trainreport.importers.recording import FileRead
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Beside", "read_files"]


@dataclass(slots=True)
class Beside:
    """What the files say, by the name of the file and the key."""

    told: dict[str, str] = field(default_factory=dict)
    files: list[FileRead] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def covers(self) -> tuple[str, ...]:
        """Names of the files that were read."""
        return tuple(file.name for file in self.files)


def read_files(folder: Path, inside: str, names: Iterable[str]) -> Beside:
    """Return what those of the files that are there say.

    Parameters
    ----------
    folder : Path
    inside : str
        The same folder, relative to the path that the user gave.
    names : iterable of str
        Names of files in it, ending in ``.yaml`` or ``.json``.
    """
    found = Beside()
    for name in names:
        path = folder / name
        if path.is_symlink() or not path.is_file():
            continue
        label = name if inside == "." else f"{inside}/{name}"
        found.files.append(FileRead(path, label, 0, clock=""))
        with path.open("rb") as stream:
            data = stream.read(LARGEST_YAML + 1)
        if len(data) > LARGEST_YAML:
            found.problems.append(Problem(label, "", f"larger than {LARGEST_YAML} bytes, not read"))
            continue
        text = data.decode("utf-8", "replace")
        try:
            found.told |= params_of_json(text) if name.endswith(".json") else params_of_yaml(text)
        except ValueError as error:
            found.problems.append(Problem(label, "", str(error)))
    return found
