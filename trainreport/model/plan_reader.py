"""plan.toml to Plan: every fault is found at once, with its line and the nearest valid key."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from trainreport.errors import PlanError, PlanFault, UsageError, did_you_mean
from trainreport.model import clock
from trainreport.model import plan_values as read
from trainreport.model.lock import beside
from trainreport.model.plan import Accepted, Ancestor, Budget, Criterion, LockFile, Plan, PlanSource, Rates, Training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["line_of", "parse_plan", "read_plan"]

_MAX_BYTES = 1_000_000
_MAX_LOCK = 64 << 20


def read_plan(path: Path) -> Plan:
    """Return the plan in the TOML file at `path`.

    Raises
    ------
    PlanError
        If the file is missing, is no text, is larger than a plan can be (1 MB), or has faults; all of them
        are listed.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        message = f"cannot be read ({error.strerror}); `trainreport plan new` writes a plan to start from"
        raise PlanError([PlanFault(path.as_posix(), None, message)]) from None
    if len(raw) > _MAX_BYTES:
        raise PlanError([PlanFault(path.as_posix(), None, f"larger than {_MAX_BYTES:,} bytes; expected a plan in TOML")])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError([PlanFault(path.as_posix(), None, f"not UTF-8 text (byte {error.start}); expected TOML")]) from None
    plan = parse_plan(text, path.name)
    return plan if plan.source is None else replace(plan, source=replace(plan.source, lock=_lock_file(path)))


def _lock_file(plan: Path) -> LockFile | None:
    """Return the lock file beside a plan, with its signature; one that cannot be read is empty, and so does not hold."""
    file = plan.with_name(beside(plan.name))
    if not file.is_file():
        return None
    signature = file.with_name(f"{file.name}.sig")
    return LockFile(file.name, _bounded(file), _bounded(signature) if signature.is_file() else None)


def _bounded(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_LOCK)
    except OSError:
        return b""


def parse_plan(text: str, file: str = "plan.toml") -> Plan:
    """Return the plan in a TOML text.

    Raises
    ------
    PlanError
        If the plan has faults; all of them are listed.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place.group(1)) if place else text.count("\n") + 1
        raise PlanError([PlanFault(file, line, f"not valid TOML: {error}")]) from None
    reader = _Reader(file, text)
    plan = _plan(reader, data)
    if reader.faults:
        raise PlanError(sorted(reader.faults, key=lambda fault: fault.line or 0))
    return plan


def line_of(text: str, table: str, key: str | None, index: int = 0) -> int | None:
    """Return the line (from 1) of `key` in `table`, found by scanning the text; None where it is not found.

    Parameters
    ----------
    text : str
        The plan file.
    table : str
        Table name, empty for the top.
    key : str or None
        None asks for the table's own header.
    index : int
        Which of several ``[[table]]``.
    """
    current, seen = "", 0
    header_line = None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if header is not None:
            current = header.group(1)
            if current == table:
                header_line = number if seen == index else header_line
                seen += 1
                if key is None and header_line == number:
                    return number
            continue
        if key is None or not re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", line):
            continue
        if current == table and (not table or seen == index + 1 or seen == 0):
            return number
    return header_line


@dataclass(slots=True)
class _Reader:
    """Collects faults while the tables are read."""

    file: str
    text: str
    faults: list[PlanFault] = field(default_factory=list)

    def fault(self, table: str, key: str | None, message: str, index: int = 0) -> None:
        name = f"[{table}] {key}" if key else f"[{table}]"
        self.faults.append(PlanFault(self.file, line_of(self.text, table, key, index), f"{name}: {message}"))

    def table(self, data: dict[str, Any], name: str, fields: dict[str, Callable[[Any], Any]], index: int = 0) -> dict[str, Any]:
        """Return the converted values of one table; what is wrong becomes a fault and is left out."""
        out: dict[str, Any] = {}
        for key, value in data.items():
            if key not in fields:
                self.fault(name, key, f"unknown key{did_you_mean(key, fields)}; valid keys: {', '.join(fields)}", index)
                continue
            try:
                out[key] = fields[key](value)
            except (ValueError, UsageError) as error:
                self.fault(name, key, str(error), index)
        return out


def _plan(reader: _Reader, data: dict[str, Any]) -> Plan:
    tables = ("plan", "criteria", "budget", "rates", "training", "lineage", "model", "tags", "history", "thresholds", "accepted")
    lists = ("criteria", "lineage", "accepted")
    for name, value in list(data.items()):
        if name not in tables:
            reader.fault("" if not isinstance(value, dict) else name, name if not isinstance(value, dict) else None,
                         f"unknown table{did_you_mean(name, tables)}; valid tables: {', '.join(tables)}")  # fmt: skip
            del data[name]
        elif not (isinstance(value, list) and all(isinstance(one, dict) for one in value) if name in lists else isinstance(value, dict)):
            form = f"[[{name}]]" if name in lists else f"[{name}]"
            reader.fault(name, None, f"expected {form}, found {type(value).__name__}")
            del data[name]
    head = reader.table(data.get("plan", {}), "plan", _PLAN)
    zone = head.get("display_zone", "UTC")
    criteria = _criteria(reader, data.get("criteria", []))
    budget = reader.table(data.get("budget", {}), "budget", _budget_fields(zone))
    rates = reader.table(data.get("rates", {}), "rates", _RATES)
    if "wall_time" in budget:
        budget["wall_time_s"] = budget.pop("wall_time")
    raw = reader.text.encode()
    plan = Plan(
        **head,
        criteria=criteria,
        budget=Budget(**budget),
        rates=Rates(**rates),
        training=Training(**reader.table(data.get("training", {}), "training", _TRAINING)),
        lineage=_lineage(reader, data.get("lineage", [])),
        model=_texts(reader, data.get("model", {}), "model"),
        tags=_texts(reader, data.get("tags", {}), "tags"),
        data_revisited=reader.table(data.get("history", {}), "history", {"data_revisited": read.boolean}).get("data_revisited", False),
        thresholds=_thresholds(reader, data.get("thresholds", {})),
        accepted=_accepted(reader, data.get("accepted", [])),
        source=PlanSource(reader.file, hashlib.sha256(raw).hexdigest(), len(raw), reader.text),
    )
    _one_currency(reader, plan)
    return plan


def _criteria(reader: _Reader, tables: list[Any]) -> tuple[Criterion, ...]:
    found: list[Criterion] = []
    for index, table in enumerate(tables):
        values = reader.table(table, "criteria", _CRITERION, index)
        missing = [key for key in ("id", "series", "threshold") if key not in table]
        for key in missing:
            reader.fault("criteria", None, f"{key} is missing", index)
        if missing or not {"id", "series", "threshold"} <= values.keys():
            continue
        if values["id"] in {criterion.id for criterion in found}:
            reader.fault("criteria", "id", f"{values['id']!r} is used twice", index)
        found.append(Criterion(**values))
    statistics = {criterion.statistic for criterion in found if criterion.mandatory}
    if "best" in statistics and len(statistics) > 1:
        reader.fault("criteria", None, "mandatory criteria mix 'best' with 'final' or 'mean_last': they cannot be judged at one checkpoint")
    return tuple(found)


def _accepted(reader: _Reader, tables: list[Any]) -> tuple[Accepted, ...]:
    why = "a finding is accepted by somebody, for a reason, until a date"
    return tuple(Accepted(**values) for values in _whole_tables(reader, tables, "accepted", _ACCEPTED, why))


def _lineage(reader: _Reader, tables: list[Any]) -> tuple[Ancestor, ...]:
    why = "an earlier run counts with its name, its FLOP and where they are from"
    found: dict[str, Ancestor] = {}
    for index, values in enumerate(_whole_tables(reader, tables, "lineage", _ANCESTOR, why)):
        if values["name"] in found:
            reader.fault("lineage", "name", f"{values['name']!r} is named twice, and would count twice", index)
        found[values["name"]] = Ancestor(**values)
    return tuple(found.values())


def _whole_tables(
    reader: _Reader, tables: list[Any], name: str, fields: dict[str, Callable[[Any], Any]], why: str
) -> Iterator[dict[str, Any]]:
    """Yield the tables that have all fields; one that lacks some is a fault."""
    for index, table in enumerate(tables):
        values = reader.table(table, name, fields, index)
        for key in fields:
            if key not in table:
                reader.fault(name, None, f"{key} is missing: {why}", index)
        if len(values) == len(fields):
            yield values


def _thresholds(reader: _Reader, data: dict[str, Any]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for code, limits in data.items():
        if not isinstance(limits, dict):
            reader.fault("thresholds", code, "expected a code and a name, such as TR201.low_share = 0.30")
            continue
        for name, value in limits.items():
            try:
                found[code, name] = read.number(value)
            except ValueError as error:
                reader.fault("thresholds", code, f"{name}: {error}")
    return found


def _texts(reader: _Reader, data: dict[str, Any], table: str) -> dict[str, str]:
    out = {}
    for key, value in data.items():
        if isinstance(value, dict | list):
            reader.fault(table, key, f"expected text, found {type(value).__name__}")
        else:
            out[key] = str(value)
    return out


def _one_currency(reader: _Reader, plan: Plan) -> None:
    for table, key, money in plan.amounts():
        if money.currency != plan.currency:
            reader.fault(table, key, f"{money.currency} beside {plan.currency}: amounts are never converted, give all in one currency")


def _budget_fields(zone: str) -> dict[str, Callable[[Any], Any]]:
    def deadline(value: Any) -> datetime:
        if isinstance(value, date) and not isinstance(value, datetime):  # a day: until it ends where the plan lives
            return clock.to_utc(datetime.combine(value, time(23, 59, 59), clock.zone(zone)))
        return read.instant(value)

    return {
        "money": read.money,
        "gpu_hours": read.positive,
        "wall_time": read.duration_s,
        "deadline": deadline,
        "energy_kwh": read.positive,
        "carbon_kg": read.positive,
    }


_PLAN: dict[str, Callable[[Any], Any]] = {
    "title": read.text,
    "owner": read.text,
    "objective": read.text,
    "registered": read.instant,
    "display_zone": read.zone,
}
_CRITERION: dict[str, Callable[[Any], Any]] = {
    "id": read.text,
    "series": read.text,
    "phase": read.one_of("train", "validation", "test", "system"),
    "statistic": read.one_of("best", "final", "mean_last"),
    "comparator": read.one_of(">=", "<="),
    "threshold": read.number,
    "tolerance": read.not_negative,
    "unit": read.one_of("share", "percent", "as logged"),
    "chance": read.number,
    "mandatory": read.boolean,
    "baseline": read.number,
    "worth": read.text,
}
_RATES: dict[str, Callable[[Any], Any]] = {
    "gpu_hour": read.rate,
    "by_model": read.by_model,
    "spot_gpu_hour": read.rate,
    "reserved_gpu_hour": read.rate,
    "cpu_hour": read.rate,
    "tpu_hour": read.rate,
    "kwh": read.rate,
    "carbon_g_per_kwh": read.not_negative,
    "grid_region": read.text,
    "pue": read.pue,
}
_TRAINING: dict[str, Callable[[Any], Any]] = {
    "steps": read.whole,
    "epochs": read.positive,
    "model_parameters": read.positive,
    "tokens": read.positive,
    "gpus": read.whole,
}
_ACCEPTED: dict[str, Callable[[Any], Any]] = {"code": read.code, "until": read.day, "who": read.text, "why": read.text}
_ANCESTOR: dict[str, Callable[[Any], Any]] = {"name": read.text, "flop": read.positive, "source": read.text}
