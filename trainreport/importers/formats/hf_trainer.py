"""``trainer_state.json`` of Hugging Face's Trainer, and of TRL and LLaMA-Factory, which build on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.folders import parent
from trainreport.importers.recording import Importer, Recording, Source
from trainreport.importers.smi.table import decode
from trainreport.importers.tables.beside import read_files
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import flat, load_json, objects_in_list, table_of_objects
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import folder_key, recording_of_table
from trainreport.importers.tables.table import number_of
from trainreport.model.series import Meaning, direction, interpret

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.model.run import Status

_FILE = "trainer_state.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_SET = ("max_steps", "num_train_epochs", "logging_steps", "eval_steps", "save_steps", "train_batch_size", "trial_name", "trial_params")
_REACHED = ("best_metric", "best_global_step", "best_model_checkpoint", "total_flos", "num_input_tokens_seen")
_FOR_EVER = 2**62
"""Epochs that stand where only steps were planned."""
_RESULTS = ("all_results.json", "train_results.json", "eval_results.json")
_OF_DATASET = re.compile(r"eval_(.+?)_(samples_per_second|steps_per_second|[a-z0-9]+)")


class HfTrainer:
    """Reads the log history; each checkpoint has the history up to it, of which the longest is read."""

    name = "hf-trainer"
    title = "trainer_state.json of Hugging Face Trainer, TRL and LLaMA-Factory, with all_results.json beside it"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the document has a log history and what else the Trainer's state has."""
        del path
        return head.lstrip().startswith(b"{") and b'"log_history"' in head and b'"epoch"' in head

    def read(self, source: Source) -> Recording:
        """Read the history; what is whole of it where the file was cut off while it was written."""
        troubles = Troubles(source)
        state, history = _state(source, troubles)
        steps = _CHECKPOINT.fullmatch(source.folder.rpartition("/")[2])
        run = parent(source.folder) if steps else source.folder
        covered = [] if steps else _checkpoints(source, history)
        if steps:
            _unless_shorter(source, history)
        objects = ((0, one) for one in history if isinstance(one, dict))
        table = table_of_objects(objects, troubles)
        if not len(table):
            raise InputError("a Trainer's state without a log history: nothing was logged before it was saved")
        beside = read_files(source.path.parent, source.folder, _RESULTS)
        told = {name: text for name, text in _texts(state, _SET).items() if (number_of(text) or 0) < _FOR_EVER}
        return recording_of_table(
            self.name, source, table, troubles, Roles("step", "epoch"), meaning=_meaning,
            **folder_key(source, run, 1 if steps else 0), params=told, status=_status(state, history),
            files=tuple(beside.files), problems=tuple(beside.problems),
            tags={**_texts(state, _REACHED), **{f"results/{name}": text for name, text in beside.told.items()}},
            covers=(*beside.covers, *covered),
        )  # fmt: skip


def _state(source: Source, troubles: Troubles) -> tuple[dict[str, Any], list[Any]]:
    """Return the state and its history."""
    try:
        state = load_json(source)
        history = state.get("log_history") if isinstance(state, dict) else None
        if not isinstance(history, list):
            raise InputError("no list 'log_history' in it; expected the state of a Trainer")
    except InputError as error:
        history = list(objects_in_list(decode(content_of(source)), "log_history"))
        if not history:
            raise
        troubles.add("", f"{error}; the {len(history):,} entries of its history that are whole were read")
        state = {}
    return state, history


def _history_in(path: Path, shorter_than: int) -> list[Any] | None:
    """Return the history in a checkpoint's state, None where there is none that is short enough to be read."""
    other = Source(path, path.name)
    if path.is_symlink() or not path.is_file() or path.stat().st_size > shorter_than:
        return None
    try:
        return _state(other, Troubles(other))[1]
    except (InputError, OSError):
        return None


def _checkpoints(source: Source, history: list[Any]) -> list[str]:
    """Return the states of checkpoints below whose history is the beginning of this one."""
    folder = "" if source.folder == "." else f"{source.folder}/"
    found = []
    for path in sorted(source.path.parent.glob(f"checkpoint-*/{_FILE}")):
        other = _history_in(path, source.path.stat().st_size * 2)
        if other is not None and other == history[: len(other)]:
            found.append(f"{folder}{path.parent.name}/{_FILE}")
    return found


def _unless_shorter(source: Source, history: list[Any]) -> None:
    """Raise where a later checkpoint beside this one begins with the same history."""
    own = int(source.path.parent.name.rpartition("-")[2])
    for path in source.path.parent.parent.glob(f"checkpoint-*/{_FILE}"):
        steps = _CHECKPOINT.fullmatch(path.parent.name)
        if steps and int(steps[1]) > own and (_history_in(path, 1 << 28) or [])[: len(history)] == history:
            raise InputError(f"its history is the beginning of that in {path.parent.name}/{_FILE}, which is read instead")


def _status(state: dict[str, Any], history: list[Any]) -> Status:
    ended = any(isinstance(one, dict) and "train_runtime" in one for one in history[-5:])
    planned, done = state.get("max_steps"), state.get("global_step")
    whole = isinstance(planned, int) and isinstance(done, int) and 0 < planned <= done
    return "finished" if ended or whole else "unknown"


def _texts(state: dict[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: state.get(name) for name in names}
    return {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in flat(chosen) if value}


def _meaning(name: str, folder: str | None) -> Meaning:
    """Return what a name means: the mean over a whole training is no point of its curve, and evaluation sets have names."""
    told = interpret(name, folder)
    if name == "train_loss":
        return Meaning("loss/mean_of_run", "train", "1", None, "the Trainer's mean over the whole training, logged at its end")
    match = _OF_DATASET.fullmatch(name)
    if match is None or ("no known series" not in told.why and told.series.partition("/")[0] != "loss"):
        return told
    of_set = interpret(f"eval_{match[2]}", folder)
    known = "no known series" not in of_set.why and (direction(of_set.series) != 0 or of_set.series.startswith("throughput/"))
    return of_set._replace(series=f"{of_set.series}/{match[1]}", why=f"{of_set.why}, of the evaluation set {match[1]}") if known else told


IMPORTER: Importer = HfTrainer()
