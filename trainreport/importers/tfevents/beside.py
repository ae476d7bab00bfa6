"""Lightning's hparams.yaml, which lies beside the event files of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainreport.importers.params import LARGEST_YAML, params_of_yaml
from trainreport.importers.recording import FileRead
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from trainreport.importers.recording import Source

__all__ = ["Beside", "read_beside"]

_NAME = "hparams.yaml"


@dataclass(frozen=True, slots=True)
class Beside:
    """What the file says."""

    params: dict[str, str] = field(default_factory=dict)
    files: tuple[FileRead, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def covers(self) -> tuple[str, ...]:
        """Names of the files that were read."""
        return tuple(file.name for file in self.files)


def read_beside(source: Source) -> Beside:
    """Return the hyperparameters beside an event file; nothing where there is no such file."""
    path = source.path.with_name(_NAME)
    if path.is_symlink() or not path.is_file():
        return Beside()
    name = f"{source.folder}/{_NAME}".removeprefix("./")
    with path.open("rb") as stream:
        data = stream.read(LARGEST_YAML + 1)
    files = (FileRead(path, name, 0, clock=""),)
    if len(data) > LARGEST_YAML:
        return Beside(files=files, problems=(Problem(name, "", f"larger than {LARGEST_YAML} bytes, not read"),))
    try:
        return Beside(params_of_yaml(data.decode("utf-8", "replace")), files)
    except ValueError as error:
        return Beside(files=files, problems=(Problem(name, "", str(error)),))
