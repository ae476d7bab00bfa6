"""Plain text that training loops print: lines with a step or an epoch and numbers by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trainreport.errors import InputError
from trainreport.importers.declared import Declared, entry_for
from trainreport.importers.recording import Event, FileRead
from trainreport.importers.smi.table import Column as Cells
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.smi.times import NO_TIME, times_of
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.roles import EPOCHS, STEPS, steps_through
from trainreport.importers.tables.rows import Row, recording_of_points
from trainreport.model.series import Meaning, direction, interpret

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_HEAD = 1 << 16
_LONGEST = 2000
_TIME = re.compile(r"^\W{0,3}(\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?)\W?")
# "loss: 2.41", "val_acc=0.9", "train loss 2.4", "Step [100/600]", "'grad_norm': 1.5", "time 123.4ms"
_PAIR = re.compile(
    r"([A-Za-z_][\w./@]{0,40}(?: [A-Za-z_][\w./@]{0,40}){0,3})['\"]?\s{0,8}(?:\((?P<unit>ms|s)\))?[:=(]{0,2}\s{0,12}[\[#]?\s{0,8}"
    r"(?P<value>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan\b|inf\b))(?P<behind>ms|s|%)?(?![\w.-]|:\S)"
    r"(?:\s{0,3}/\s{0,8}\d+)?(?:\s(?:samples|images|examples|tokens|tok|steps|it|iter|iters|batches)/s(?:ec)?\b)?",
    re.IGNORECASE,
)  # fmt: skip
_OTHER = re.compile(rb"\s*(?:<|\{(?!')|\[\s*[\[{\"])")
"""How markup and JSON begin; dictionaries that Python prints do not."""
_UNITS = {"ms": "ms", "s": "s"}
_WORDS = {**dict.fromkeys(EPOCHS, "epoch"), **dict.fromkeys(STEPS, "step")}
_LEAST_LINES = 2


class _Line(NamedTuple):
    """The numbers of a line."""

    step: float
    epoch: float
    pairs: list[tuple[str, float, str]]
    """Name, number, and the unit behind it."""


class TextLog:
    """Reads the lines of nanoGPT, Megatron, the PyTorch examples, and loops that print like them, or such as are declared."""

    name = "text-log"
    title = (
        "plain-text logs with lines such as 'step 10: loss 2.31' (nanoGPT, Megatron, PyTorch examples), or declared in trainreport-map.toml"
    )
    tested_on = "corpus"
    general = True

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether lines of the beginning have a step or an epoch and a measure that is known."""
        if b"\0" in head[:512] or not head.strip() or _OTHER.match(head):
            return False
        with path.open("rb") as stream:
            lines = decode(stream.read(_HEAD)).split("\n")
        found = 0
        for line in lines:
            told = _numbers(line)
            found += told is not None and any(direction(interpret(name).series) for name, _, _ in told.pairs)
            if found >= _LEAST_LINES:
                return True
        return False

    def read(self, source: Source) -> Recording:
        """Read all lines; those without a step or an epoch are the loop's own output and are passed over."""
        import numpy as np

        troubles = Troubles(source)
        declared = entry_for(source.declared, source.path.name) if source.declared else None
        rows: list[Row] = []
        times: list[str] = []
        units: dict[str, str] = {}
        read = 0
        for line in plain(content_of(source)).decode("utf-8", "replace").split("\n"):
            when = _TIME.match(line[:80])
            told = _declared(line, declared) if declared else _numbers(line)
            if told is None:
                continue
            read += 1
            for name, value, unit in told.pairs:
                units.setdefault(name, unit)
                rows.append(Row(name, value, told.step, told.epoch))
                times.append(when[1].replace(",", ".") if when else "")
        if not rows:
            raise InputError("no line with a step or an epoch and a number by name, such as 'step 10: loss 2.31'")
        clock, ns = "", None
        if any(times):
            found = times_of(Cells.from_cells(times), source.zone)
            clock, ns = found.clock, found.ns
        rows = (
            rows
            if ns is None
            else [row._replace(time_s=at / 1e9) if at != NO_TIME else row for row, at in zip(rows, ns.tolist(), strict=True)]
        )

        def meaning(name: str, folder: str | None) -> Meaning:
            told = interpret(name, folder)
            return told._replace(written_unit=_UNITS[units[name]]) if units[name] in _UNITS and told.written_unit in ("1", "s") else told

        steps = steps_through(*(np.array([row[place] for row in rows]) for place in (2, 3)))
        rows = [row._replace(step=step) for row, step in zip(rows, steps.tolist(), strict=True)]
        how = f"declared in {declared.file.name}" if declared else "taken by their form"
        event = Event("notice", f"{read:,} lines {how}: a step or an epoch, then {', '.join(sorted(units)[:12])}", file=source.name)
        files = (FileRead(declared.file, declared.file.name, 0, clock=""),) if declared else ()
        return recording_of_points(
            self.name, source, rows, troubles, clock=clock, meaning=declared.meaning(meaning) if declared else meaning,
            events=(event,), files=files,
        )  # fmt: skip


def _numbers(line: str) -> _Line | None:
    """Return the numbers of a line, None where it has no step or epoch, or nothing besides."""
    if len(line) > _LONGEST or not any(sign.isdigit() for sign in line):
        return None
    places = {"step": float("nan"), "epoch": float("nan")}
    pairs = []
    for match in _PAIR.finditer(_TIME.sub("", line)):
        name = " ".join(match[1].split())
        words = name.lower().split()
        role = _WORDS.get(name.lower()) or (_WORDS.get(words[-1]) if len(words) == 2 else None)  # Train Epoch, global step
        if role is not None and match["behind"] is match["unit"] is None:
            places[role] = float(match["value"])
        else:
            pairs.append((name, float(match["value"]), match["unit"] or match["behind"] or ""))
    known = any(place == place for place in places.values())  # noqa: PLR0124  NaN is not itself
    return _Line(places["step"], places["epoch"], pairs) if known and pairs else None


def _declared(line: str, declared: Declared) -> _Line | None:
    match = declared.line_pattern().search(line) if len(line) <= _LONGEST else None
    if match is None:
        return None
    values = {name: float(text) for name, text in match.groupdict().items()}
    step, epoch = (values.pop(declared.roles.get(role, role), float("nan")) for role in ("step", "epoch"))
    return _Line(step, epoch, [(name, value, "") for name, value in values.items()])


IMPORTER: Importer = TextLog()
