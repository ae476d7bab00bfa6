"""``trainer_log.jsonl`` of LLaMA-Factory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.importers.tables.beside import read_files
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import first_object, objects_in_lines, table_of_objects
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import folder_key, recording_of_table
from trainreport.model.series import Meaning, interpret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_LASTED = re.compile(r"(?:(\d{1,6}) days?, )?(\d{1,6}):(\d\d):(\d\d)")
_RESULTS = ("all_results.json", "train_results.json", "eval_results.json")


class LlamaFactory:
    """Reads one object a step logged; the time since the start is written as text, days first."""

    name = "llamafactory"
    title = "trainer_log.jsonl of LLaMA-Factory"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first object has the steps done and the steps planned."""
        del path
        first = first_object(head)
        return first is not None and {"current_steps", "total_steps"} <= first.keys()

    def read(self, source: Source) -> Recording:
        """Read all lines."""
        troubles = Troubles(source)
        table = table_of_objects(_objects(source, troubles), troubles)
        counted = table.columns.get("total_tokens")
        no_tokens = counted is not None and not (counted.values > 0).any()

        def meaning(name: str, folder: str | None) -> Meaning:
            if name == "elapsed_time":
                return Meaning("time/elapsed", "train", "s", None, "the time since the start, written as text")
            if name == "throughput":
                return (
                    Meaning("throughput", "train", "1", None, "no tokens were counted, so that it is 0 throughout and says nothing")
                    if no_tokens
                    else Meaning("throughput/tokens", "train", "token/s", None, "LLaMA-Factory's tokens a second")
                )
            return interpret(name, folder)

        done, planned = (table.columns[name].values[-1:] for name in ("current_steps", "total_steps"))
        beside = read_files(source.path.parent, source.folder, _RESULTS)
        return recording_of_table(
            self.name, source, table, troubles, Roles("current_steps", "epoch"), meaning=meaning,
            skip=("total_steps", "percentage", "remaining_time"),
            **folder_key(source),
            params={"max_steps": f"{planned[0]:g}"} if len(planned) and planned[0] > 0 else {},
            status="finished" if len(done) and done[0] >= planned[0] else "unknown",
            tags={f"results/{name}": text for name, text in beside.told.items()},
            files=tuple(beside.files), covers=beside.covers, problems=tuple(beside.problems),
        )  # fmt: skip


def _objects(source: Source, troubles: Troubles) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines, the time since the start in seconds."""
    for line, one in objects_in_lines(content_of(source), troubles):
        lasted = _LASTED.fullmatch(str(one.get("elapsed_time")))
        if lasted is not None:
            days, hours, minutes, seconds = (int(part or 0) for part in lasted.groups())
            one["elapsed_time"] = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        yield line, one


IMPORTER: Importer = LlamaFactory()
