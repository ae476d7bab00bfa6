"""What W&B's records tell of a run besides its numbers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from trainreport.importers.params import code_version_of, data_version_of, seed_of
from trainreport.importers.wandb_store.history import loaded, text_of
from trainreport.model import clock
from trainreport.model.run import Hardware

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trainreport.model.run import Status

__all__ = ["Facts", "flat"]

_DEPTH = 3
_KILLED = 255
"""Exit code that W&B writes where the user or the system interrupted the process."""
_SHORT = {
    "entity": "entity", "project": "project", "run_group": "group", "job_type": "job_type", "sweep_id": "sweep_id",
    "notes": "notes", "host": "host",
}  # fmt: skip


class Facts:
    """Gathers what is known of a run; what is told again later goes first."""

    def __init__(self) -> None:
        self.run_id = ""
        self.name = ""
        self.config: dict[str, Any] = {}
        self.tags: dict[str, str] = {}
        self.started_s: float | None = None
        self.exit_code: int | None = None
        self.runtime_s = 0.0
        self.preempting = False
        self.resumed = False
        self.gpu_model: str | None = None
        self.gpu_count: int | None = None
        self.gpu_memory: float | None = None
        self.commit = ""

    def take_run(self, run: Any) -> None:
        """Take the record of the run."""
        self.run_id = text_of(run.run_id) or self.run_id
        self.name = text_of(run.display_name) or self.name
        self.resumed |= run.resumed
        for field, name in _SHORT.items():
            self.tell(name, text_of(getattr(run, field)))
        self.tell("tags", ", ".join(text_of(tag) for tag in run.tags))
        if run.HasField("start_time"):
            self.started_s = run.start_time.seconds + run.start_time.nanos / 1e9
        self.config.update(_config_of(run.config))
        self.take_git(run.git)

    def take_config(self, record: Any) -> None:
        """Take entries of the config that were set later."""
        self.config.update(_config_of(record))

    def take_git(self, git: Any) -> None:
        """Take the version of the code."""
        self.commit = text_of(git.commit) or self.commit
        self.tell("git_remote", text_of(git.remote_url))

    def take_environment(self, told: Any) -> None:
        """Take what the machine is (0.20 and later write it as a record)."""
        for name in ("os", "python", "program", "host"):
            self.tell(name, text_of(getattr(told, name)))
        self.take_git(told.git)
        gpus = [(text_of(gpu.name), float(gpu.memory_total)) for gpu in told.gpu_nvidia]
        self.take_gpus(text_of(told.gpu_type), told.gpu_count, gpus)

    def take_gpus(self, model: str, count: int, gpus: list[tuple[str, float]]) -> None:
        """Take the GPUs of the machine: of all, or one by one with their memory."""
        self.gpu_model = model or next((name for name, _ in gpus if name), None) or self.gpu_model
        self.gpu_count = count or len(gpus) or self.gpu_count
        self.gpu_memory = next((size for _, size in gpus if size > 0), None) or self.gpu_memory
        if len({name for name, _ in gpus}) > 1:
            self.tags.update({f"gpu{place}.name": name for place, (name, _) in enumerate(gpus)})

    def take_exit(self, told: Any) -> None:
        """Take the end of the process."""
        self.exit_code = told.exit_code
        self.runtime_s = float(told.runtime)

    def tell(self, name: str, text: str) -> None:
        """Keep a short text as a tag."""
        if text:
            self.tags[f"wandb.{name}"] = text

    @property
    def status(self) -> Status:
        """How the run ended; a run without the record of its end may still go on."""
        if self.exit_code is None:
            return "killed" if self.preempting else "running"
        return "finished" if self.exit_code == 0 else "killed" if self.exit_code == _KILLED else "failed"

    def described(self) -> dict[str, Any]:
        """Return the fields of a recording that these facts fill."""
        params = flat(self.config)
        return {
            "params": params,
            "tags": dict(self.tags),
            "hardware": Hardware(self.gpu_model, self.gpu_count, None, self.gpu_memory),
            "code_version": self.commit or code_version_of(params),
            "data_version": data_version_of(params),
            "seed": seed_of(params),
        }

    def span(self, first: datetime | None, last: datetime | None) -> tuple[datetime | None, datetime | None]:
        """Return start and end: as told, else the first and last point."""
        started = None if self.started_s is None else clock.from_epoch_seconds(self.started_s)
        ended = None if started is None or self.exit_code is None else started + timedelta(seconds=max(self.runtime_s, 0.0))
        return started or first, max((one for one in (ended, last) if one is not None), default=None)


def _config_of(record: Any) -> dict[str, Any]:
    """Return the entries of a record of config, nested as they are."""
    found: dict[str, Any] = {}
    for item in record.update:
        path = [text_of(item.key)] if item.key else [text_of(part) for part in item.nested_key]
        found["/".join(path)] = loaded(item.value_json)
    return found


def flat(table: Mapping[str, Any], prefix: str = "", depth: int = _DEPTH) -> dict[str, str]:
    """Return the texts and numbers of nested tables, names joined by a slash; W&B's own entries and lists are left out."""
    found: dict[str, str] = {}
    for name, value in table.items():
        if not prefix and name.split("/")[0] == "_wandb":
            continue
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{name}/", depth - 1) if depth else {}
        elif value is not None and not isinstance(value, list):
            found[f"{prefix}{name}"] = value if isinstance(value, str) else repr(value)
    return found
