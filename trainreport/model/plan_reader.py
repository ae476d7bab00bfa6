"""plan.toml to Plan: every fault is found at once, with its line and the nearest valid key."""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from trainreport.errors import PlanError, PlanFault, UsageError, did_you_mean
from trainreport.model import clock
from trainreport.model.money import Money
from trainreport.model.plan import Accepted, Budget, Criterion, Plan, PlanSource, Rate, Rates, Training

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["line_of", "parse_plan", "read_plan"]

_MAX_BYTES = 1_000_000


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
    return parse_plan(text, path.name)


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
    tables = ("plan", "criteria", "budget", "rates", "training", "model", "tags", "history", "thresholds", "accepted")
    lists = ("criteria", "accepted")
    for name, value in list(data.items()):
        if name not in tables:
            reader.fault("" if not isinstance(value, dict) else name, name if not isinstance(value, dict) else None,
                         f"unknown table{did_you_mean(name, tables)}; valid tables: {', '.join(tables)}")  # fmt: skip
            del data[name]
        elif not isinstance(value, list if name in lists else dict):
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
        model=_texts(reader, data.get("model", {}), "model"),
        tags=_texts(reader, data.get("tags", {}), "tags"),
        data_revisited=reader.table(data.get("history", {}), "history", {"data_revisited": _boolean}).get("data_revisited", False),
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
    found = []
    for index, table in enumerate(tables):
        values = reader.table(table, "accepted", _ACCEPTED, index)
        missing = [key for key in _ACCEPTED if key not in table]
        for key in missing:
            reader.fault("accepted", None, f"{key} is missing: a finding is accepted by somebody, for a reason, until a date", index)
        if len(values) == len(_ACCEPTED):
            found.append(Accepted(**values))
    return tuple(found)


def _thresholds(reader: _Reader, data: dict[str, Any]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for code, limits in data.items():
        if not isinstance(limits, dict):
            reader.fault("thresholds", code, "expected a code and a name, such as TR201.low_share = 0.30")
            continue
        for name, value in limits.items():
            try:
                found[code, name] = _number(value)
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


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {value!r}")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, found {value!r}")
    return float(value)


def _positive(value: Any) -> float:
    number = _number(value)
    if number <= 0:
        raise ValueError(f"expected more than 0, found {value!r}")
    return number


def _not_negative(value: Any) -> float:
    number = _number(value)
    if number < 0:
        raise ValueError(f"expected 0 or more, found {value!r}")
    return number


def _pue(value: Any) -> float:
    number = _number(value)
    if number < 1:
        raise ValueError(f"expected at least 1 (total power over computing power), found {value!r}")
    return number


def _whole(value: Any) -> int:
    number = _positive(value)
    if number != int(number):
        raise ValueError(f"expected a whole number, found {value!r}")
    return int(number)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, found {value!r}")
    return value


def _one_of(*options: str) -> Callable[[Any], str]:
    def convert(value: Any) -> str:
        if value not in options:
            raise ValueError(f"expected one of {', '.join(map(repr, options))}, found {value!r}{did_you_mean(str(value), options)}")
        return str(value)

    return convert


def _money(value: Any) -> Money:
    return Money.parse(_text(value))


def _rate(value: Any) -> Rate:
    if isinstance(value, dict):
        unknown = sorted(set(value) - {"amount", "source", "date"})
        if unknown or "amount" not in value:
            raise ValueError(f"expected amount, source and date, found {', '.join(map(repr, value))}")
        return Rate(_money(value["amount"]), _text(value.get("source", "")) or None, _date(value["date"]) if "date" in value else None)
    return Rate(_money(value))


def _by_model(value: Any) -> tuple[tuple[str, Rate], ...]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of GPU names and rates, found {value!r}")
    return tuple((name, _rate(rate)) for name, rate in value.items())


def _instant(value: Any) -> datetime:
    if isinstance(value, datetime):
        return clock.to_utc(value)
    if isinstance(value, str):
        return clock.parse_instant(value)
    raise ValueError(f"expected a time such as 2026-12-01T09:00:00Z, found {value!r}")


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    raise ValueError(f"expected a date such as 2026-12-31, found {value!r}")


def _zone(value: Any) -> str:
    clock.zone(_text(value))
    return str(value)


def _duration_s(value: Any) -> float:
    seconds = clock.parse_duration(_text(value)).total_seconds()
    if seconds <= 0:
        raise ValueError(f"expected more than 0, found {value!r}")
    return seconds


def _code(value: Any) -> str:
    if not re.fullmatch(r"[A-Z]{2,4}\d{3}", _text(value)):
        raise ValueError(f"expected a code such as 'TR207', found {value!r}")
    return str(value)


def _budget_fields(zone: str) -> dict[str, Callable[[Any], Any]]:
    def deadline(value: Any) -> datetime:
        if isinstance(value, date) and not isinstance(value, datetime):  # a day: until it ends where the plan lives
            return clock.to_utc(datetime.combine(value, time(23, 59, 59), clock.zone(zone)))
        return _instant(value)

    return {
        "money": _money,
        "gpu_hours": _positive,
        "wall_time": _duration_s,
        "deadline": deadline,
        "energy_kwh": _positive,
        "carbon_kg": _positive,
    }


_PLAN: dict[str, Callable[[Any], Any]] = {
    "title": _text,
    "owner": _text,
    "objective": _text,
    "registered": _instant,
    "display_zone": _zone,
}
_CRITERION: dict[str, Callable[[Any], Any]] = {
    "id": _text,
    "series": _text,
    "phase": _one_of("train", "validation", "test", "system"),
    "statistic": _one_of("best", "final", "mean_last"),
    "comparator": _one_of(">=", "<="),
    "threshold": _number,
    "tolerance": _not_negative,
    "unit": _one_of("share", "percent", "as logged"),
    "chance": _number,
    "mandatory": _boolean,
    "baseline": _number,
    "worth": _text,
}
_RATES: dict[str, Callable[[Any], Any]] = {
    "gpu_hour": _rate,
    "by_model": _by_model,
    "spot_gpu_hour": _rate,
    "reserved_gpu_hour": _rate,
    "cpu_hour": _rate,
    "tpu_hour": _rate,
    "kwh": _rate,
    "carbon_g_per_kwh": _not_negative,
    "pue": _pue,
}
_TRAINING: dict[str, Callable[[Any], Any]] = {
    "steps": _whole,
    "epochs": _positive,
    "model_parameters": _positive,
    "tokens": _positive,
    "gpus": _whole,
}
_ACCEPTED: dict[str, Callable[[Any], Any]] = {"code": _code, "until": _date, "who": _text, "why": _text}
