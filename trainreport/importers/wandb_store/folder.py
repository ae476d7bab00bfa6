"""The small files that W&B keeps beside a run: metadata, config, summary, console output."""

from __future__ import annotations

import json
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from trainreport.errors import UsageError
from trainreport.importers.params import LARGEST_YAML, params_of_yaml
from trainreport.importers.points import NO_STEP
from trainreport.importers.recording import FileRead
from trainreport.importers.wandb_store.history import numbers_of
from trainreport.model import clock
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.points import Points
    from trainreport.importers.wandb_store.facts import Facts
    from trainreport.importers.wandb_store.output import Console

__all__ = ["KNOWN", "Folder"]

KNOWN = (
    "config.yaml", "wandb-metadata.json", "wandb-summary.json", "output.log", "requirements.txt", "conda-environment.yaml",
    "diff.patch",
)  # fmt: skip
_LARGEST = 1 << 24
_TOLD = ("os", "python", "program", "host")


class Folder:
    """Reads the known files of one folder; no link is followed."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self.problems: list[Problem] = []
        self.files: list[FileRead] = []
        self.runtime_s = 0.0
        """Seconds that the run took, where the summary tells."""

    @property
    def covers(self) -> tuple[str, ...]:
        """Names of the files that W&B makes itself, read or not."""
        return tuple(self._full(name) for name in KNOWN if (self._path / name).is_file())

    def read(self, facts: Facts, console: Console | None) -> None:
        """Take metadata and config, and the console's output where `console` is given."""
        metadata = self._json("wandb-metadata.json")
        if metadata:
            self._metadata(metadata, facts)
        if not facts.config:
            facts.config = self._config()
        if console is not None and (content := self._content("output.log", 0)) is not None:
            console.take(content.splitlines(), None, self._full("output.log"), 1)

    def summary(self, points: Points) -> None:
        """Take the last value of each name that the history does not hold."""
        summary = self._json("wandb-summary.json")
        values = dict(numbers_of({key: value for key, value in summary.items() if key != "_wandb"}))
        step, time_s = (values.pop(key, nan) for key in ("_step", "_timestamp"))
        self.runtime_s = max(_number(values.pop("_runtime", 0.0)), 0.0)
        new = {key: value for key, value in values.items() if key not in points.codes}
        points.row(new, int(step) if isfinite(step) else NO_STEP, time_s)
        if summary:
            self.files[-1] = FileRead(self._path / "wandb-summary.json", self._full("wandb-summary.json"), len(new))

    def _metadata(self, told: dict[str, Any], facts: Facts) -> None:
        for name in _TOLD:
            facts.tell(name, str(told.get(name) or ""))
        git = told.get("git")
        if isinstance(git, dict):
            facts.commit = facts.commit or str(git.get("commit") or "")
            facts.tell("git_remote", str(git.get("remote") or ""))
        gpus = told.get("gpu_nvidia") or told.get("gpu_devices") or []
        known = [(str(gpu.get("name") or ""), _number(gpu.get("memory_total"))) for gpu in gpus if isinstance(gpu, dict)]
        count = _number(told.get("gpu_count"))
        if facts.gpu_model is None:
            facts.take_gpus(str(told.get("gpu") or ""), int(count) if 0 < count < 1e6 else 0, known)
        if facts.started_s is None and isinstance(told.get("startedAt"), str):
            try:
                facts.started_s = clock.parse_instant(told["startedAt"]).timestamp()
            except UsageError as error:
                self.problems.append(Problem(self._full("wandb-metadata.json"), "startedAt", str(error), about="clock"))

    def _config(self) -> dict[str, Any]:
        """Return the config: each entry is a table that holds its value, or a nested table of such."""
        content = self._content("config.yaml", LARGEST_YAML)
        if content is None:
            return {}
        try:
            entries = params_of_yaml(content.decode("utf-8", "replace"), 4)
        except ValueError as error:
            self.problems.append(Problem(self._full("config.yaml"), "", str(error)))
            return {}
        pairs = [(key.split("/"), text) for key, text in entries.items()]
        return {"/".join(parts[:1] + parts[2:]): text for parts, text in pairs if len(parts) > 1 and parts[1] == "value"}

    def _json(self, name: str) -> dict[str, Any]:
        content = self._content(name, _LARGEST)
        if content is None:
            return {}
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            self.problems.append(Problem(self._full(name), "", f"no readable JSON: {error}"))
            return {}
        if not isinstance(found, dict):
            self.problems.append(Problem(self._full(name), "", f"found {type(found).__name__}; expected an object as W&B writes it"))
        return found if isinstance(found, dict) else {}

    def _content(self, name: str, most: int) -> bytes | None:
        """Return what a file holds; of one longer than `most` nothing, of the console's output the last part."""
        path = self._path / name
        if path.is_symlink() or not path.is_file():
            return None
        self.files.append(FileRead(path, self._full(name), 0, clock=""))
        size = path.stat().st_size
        if most and size > most:
            self.problems.append(Problem(self._full(name), "", f"larger than {most} bytes, not read"))
            return None
        with path.open("rb") as stream:
            stream.seek(max(0, size - _LARGEST))
            return stream.read(_LARGEST)

    def _full(self, name: str) -> str:
        return name if self._name == "." else f"{self._name}/{name}"


def _number(value: Any) -> float:
    """Return a number that is written as one or as its text, 0 where there is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
