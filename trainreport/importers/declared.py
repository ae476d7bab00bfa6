"""What somebody declared about logs of their own making: a small TOML beside them, or given with ``--map``.

.. code-block:: toml

    [[log]]
    files = "run*.csv"                        # by name; of a CSV, TSV, JSONL or Parquet
    step = "n"                                # also epoch, time
    series = { l1 = "loss", q = "validation/accuracy" }

    [[log]]
    files = "*.out"
    lines = "it {step} of {}: l={loss} at {rate}"  # of a text: {name} is a number, {} is anything
    series = { rate = "learning_rate" }
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError, did_you_mean
from trainreport.model.series import PHASE_WORDS, Meaning, interpret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["MAP_FILE", "Declared", "declared_in", "entry_for", "fault_of"]

MAP_FILE = "trainreport-map.toml"
_LARGEST = 1 << 16
_KEYS = ("files", "step", "epoch", "time", "series", "lines")
_MOST_FIELDS = 20
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)"


@dataclass(frozen=True, slots=True)
class Declared:
    """One entry."""

    file: Path
    """The TOML that it stands in."""
    files: str
    roles: Mapping[str, str] = field(default_factory=dict)
    """Column of the step, the epoch and the time."""
    series: Mapping[str, str] = field(default_factory=dict)
    lines: str = ""

    def is_for(self, name: str) -> bool:
        """Return whether a file's name is meant."""
        return fnmatchcase(name, self.files)

    def meaning(self, otherwise: Callable[[str, str | None], Meaning] = interpret) -> Callable[[str, str | None], Meaning]:
        """Return what says the meaning of a name."""

        def told(name: str, folder: str | None) -> Meaning:
            if name not in self.series:
                return otherwise(name, folder)
            head, _, rest = self.series[name].partition("/")
            phase = PHASE_WORDS.get(head) if rest else None
            as_it_is = interpret(name, folder)
            return Meaning(
                rest if phase else self.series[name], phase or as_it_is.phase, as_it_is.written_unit, None, f"declared in {self.file.name}"
            )

        return told

    def line_pattern(self) -> re.Pattern[str]:
        """Return the pattern of a line; only numbers and gaps vary, so that no text makes it slow."""
        parts = re.split(r"\{(\w*)\}", self.lines)
        written = "".join(
            (r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)))
            if place % 2 == 0
            else f"(?P<{part}>{_NUMBER})"
            if part
            else ".{0,400}?"
            for place, part in enumerate(parts)
        )
        return re.compile(written, re.IGNORECASE)


def declared_in(path: Path) -> tuple[Declared, ...]:
    """Return the entries of a TOML.

    Raises
    ------
    InputError
        If it cannot be read or says something that cannot be meant.
    """
    with path.open("rb") as stream:
        content = stream.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise InputError(f"{path}: larger than {_LARGEST} bytes; expected a few entries [[log]]")
    try:
        entries = tomllib.loads(content.decode("utf-8")).get("log")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no readable TOML: {error}") from None
    if not isinstance(entries, list) or not entries or not all(isinstance(one, dict) for one in entries):
        raise InputError(f'{path}: no entry [[log]]; expected one for each kind of log, with files = "…"')
    return tuple(_entry(path, number, one) for number, one in enumerate(entries, 1))


def entry_for(path: Path, name: str) -> Declared | None:
    """Return the entry of a TOML that a file's name fits, None where there is none or the TOML cannot be read."""
    if not path.is_file() or path.is_symlink() or name == path.name:
        return None
    try:
        return next((one for one in _entries(path, path.stat().st_mtime_ns) if one.is_for(name)), None)
    except (InputError, OSError):
        return None


def fault_of(path: Path) -> str | None:
    """Return why a TOML cannot be read, None where it can."""
    try:
        declared_in(path)
    except (InputError, OSError) as error:
        return str(error)
    return None


@lru_cache(maxsize=16)
def _entries(path: Path, changed: int) -> tuple[Declared, ...]:
    del changed  # only tells that the file is another one now
    return declared_in(path)


def _entry(path: Path, number: int, one: dict[str, Any]) -> Declared:
    where = f"{path}, [[log]] {number}"
    for key, value in one.items():
        if key not in _KEYS:
            raise InputError(f"{where}: unknown key {key!r}{did_you_mean(key, _KEYS)}")
        kind = dict if key == "series" else str
        texts = value.values() if isinstance(value, dict) else (value,)
        if not isinstance(value, kind) or not all(isinstance(text, str) and text for text in texts):
            raise InputError(f"{where}: {key} is {value!r}; expected {'a table of texts' if kind is dict else 'a text'}")
    if "files" not in one:
        raise InputError(f'{where}: no files; expected names such as "*.log"')
    names = [name for name in re.findall(r"\{(\w*)\}", one.get("lines", "")) if name]
    if "lines" in one and (
        not names or len(names) > _MOST_FIELDS or len(set(names)) < len(names) or not all(name.isidentifier() for name in names)
    ):
        raise InputError(
            f'{where}: lines is {one["lines"]!r}; expected up to {_MOST_FIELDS} names, each once, such as "step {{step}} loss {{loss}}"'
        )
    roles: dict[str, str] = {role: one[role] for role in ("step", "epoch", "time") if role in one}
    return Declared(path, one["files"], roles, one.get("series", {}), one.get("lines", ""))
