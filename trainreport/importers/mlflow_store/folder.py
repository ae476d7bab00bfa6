"""What may be read of an MLflow run's folder, and its small text files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trainreport.errors import InputError
from trainreport.model.run import Problem

__all__ = ["RunFolder", "is_within", "load_yaml", "read_regular", "whole"]

LONGEST_TEXT = 64 * 1024
LONGEST_YAML = 1024 * 1024
# A line that MLflow writes: a key, and a text in quotes, a text that needs none, or a list of nothing.
_LINE = re.compile(r"([a-z_]{1,99}): (?:'([ -&(-~]*)'|(\[\]|[\w./](?:[\w./+=@~-]|[ :](?=[\w./]))*))\n", re.ASCII)


@dataclass(slots=True)
class RunFolder:
    """Lists and reads files below one run's folder; nothing outside it, and no link that leads out."""

    path: Path
    name: str
    """POSIX folder as in ``Source.folder``."""
    problems: list[Problem] = field(default_factory=list)

    def full_name(self, part: str) -> str:
        """Return the name that frames and problems carry for a part of this folder."""
        return part if self.name == "." else f"{self.name}/{part}"

    def files(self, part: str) -> dict[str, Path]:
        """Return the regular files below `part` by their POSIX name within it, in alphabetical order."""
        top = self.path / part
        if not top.is_dir() or not self._inside(top, part):
            return {}
        found: dict[str, Path] = {}
        waiting = [(str(top), "")]
        while waiting:
            folder, inside = waiting.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError as error:
                self._left_out(f"{part}/{inside}", f"cannot be opened: {error.strerror or error}")
                continue
            for entry in entries:
                name = _clean(inside + entry.name)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{name}/"))
                elif not entry.is_file():
                    self._left_out(f"{part}/{name}", "a link to a folder" if entry.is_dir() else "no regular file")
                elif not entry.is_symlink() or self._inside(Path(entry.path), f"{part}/{name}"):
                    found[name] = Path(entry.path)
        return dict(sorted(found.items()))

    def text(self, file: Path) -> str:
        """Return a small file's text: what MLflow keeps as a param or a tag."""
        with file.open("rb") as stream:
            content = stream.read(LONGEST_TEXT + 1)
        if len(content) > LONGEST_TEXT:
            what = f"longer than {LONGEST_TEXT} bytes, the most that is kept of a param or tag; the rest was left out"
            self.problems.append(Problem(self.full_name(self._name(file)), "", what))
        return content[:LONGEST_TEXT].decode("utf-8", "replace")

    def _inside(self, file: Path, name: str) -> bool:
        if not file.is_symlink() or file.resolve().is_relative_to(self.path.resolve()):
            return True
        self._left_out(name, "a link that leads out of the run's folder")
        return False

    def _left_out(self, name: str, what: str) -> None:
        self.problems.append(Problem(self.full_name(name), "", f"{what}; not followed, expected a regular file"))

    def _name(self, file: Path) -> str:
        return _clean(file.relative_to(self.path).as_posix())


def whole(file: Path) -> bytes:
    """Return the content of a file, without the buffer that ``Path.read_bytes`` makes for it first."""
    with open(file, "rb", buffering=0) as stream:  # noqa: PTH123
        return stream.readall()


def is_within(top: Path, part: str) -> bool:
    """Return whether `part` of a folder lies in it, wherever links on the way lead."""
    place = str(top)
    for name in part.split("/"):
        place = f"{place}/{name}"
        if os.path.islink(place):  # noqa: PTH114
            return (top / part).resolve().is_relative_to(top.resolve())
    return True


def load_yaml(path: Path, name: str) -> dict[str, Any]:
    """Return a YAML mapping with every scalar as the text that was written.

    Raises
    ------
    InputError
        If the file is no YAML mapping.
    """
    with path.open("rb") as stream:
        content = stream.read(LONGEST_YAML + 1)
    if len(content) > LONGEST_YAML:
        raise InputError(f"{name}: longer than {LONGEST_YAML} bytes; expected the short meta.yaml that MLflow writes")
    text = content.decode("utf-8", "replace")
    return read_regular(text) or _read_any(text, name)


def read_regular(text: str) -> dict[str, Any] | None:
    """Return the mapping of lines as MLflow writes them, in a tenth of the time that YAML takes, or None where there are others."""
    parts = _LINE.split(text)
    if any(parts[::4]):
        return None
    lines = zip(parts[1::4], parts[2::4], parts[3::4], strict=True)
    return {key: quoted if quoted is not None else [] if plain == "[]" else plain for key, quoted, plain in lines}


def _read_any(text: str, name: str) -> dict[str, Any]:
    import yaml

    # This loader makes texts, lists and mappings only, and leaves a run id of digits or a name like a date alone.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        loaded = yaml.load(text, Loader=loader)  # noqa: S506
    except (yaml.YAMLError, RecursionError) as error:
        place = getattr(error, "problem_mark", None)
        line = f" line {place.line + 1}" if place is not None else ""
        raise InputError(f"{name}:{line} is not YAML ({getattr(error, 'problem', None) or 'nested too deeply'})") from None
    if not isinstance(loaded, dict):
        raise InputError(f"{name}: found {type(loaded).__name__}; expected a mapping with run_id, as MLflow writes it")
    return loaded


def _clean(name: str) -> str:
    """Return a file name as text that can be written: names on disk may be no UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
