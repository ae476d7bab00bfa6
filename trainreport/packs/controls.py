"""The control matrix: for every clause of a framework that training bears on, which evidence is there, where, and what would complete it.

A clause is present, partial, absent or not applicable; whether a law is kept is for a person to say.
"""

from __future__ import annotations

import csv
import io
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from trainreport.model import words
from trainreport.packs import records
from trainreport.packs.evidence import KINDS
from trainreport.packs.names import as_cell
from trainreport.reports.gfm import anchor, escaped, link, table

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping, Sequence

    from trainreport.packs.evidence import Evidence

__all__ = ["Clause", "Control", "Framework", "as_csv", "as_json", "as_markdown", "contents", "frameworks", "judged", "mark"]

State = Literal["present", "partial", "absent", "not applicable"]
STATES: tuple[State, ...] = ("present", "partial", "absent", "not applicable")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, and the evidence that it asks for."""

    id: str
    title: str
    evidence: tuple[str, ...]
    beyond: str
    """What it asks for besides, that no training log can show; may be empty."""
    not_applicable: str
    """Why it does not apply to a training run; may be empty."""
    flop_above: float | None
    """Training compute above which more is asked."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework as data."""

    id: str
    title: str
    version: str
    date: datetime.date | None
    """When this version was published; None where its publisher gives no date."""
    sources: tuple[str, ...]
    read: datetime.date
    """When the clauses were mapped."""
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Control:
    """A clause, judged on what a pack holds."""

    framework: Framework
    clause: Clause
    state: State
    shown: tuple[Evidence, ...]
    completed_by: tuple[str, ...]
    note: str


@cache
def frameworks() -> tuple[Framework, ...]:
    """Return the frameworks by id."""
    folder = files("trainreport.packs") / "frameworks"
    texts = [one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".toml")]
    return tuple(sorted((_framework(tomllib.loads(text)) for text in texts), key=lambda one: one.id))


def judged(found: Mapping[str, Evidence], flop: float | None, over: str = "in this pack") -> tuple[Control, ...]:
    """Return every clause of every framework, judged; `over` says what training compute was added up over."""
    return tuple(_judged(framework, clause, found, flop, over) for framework in frameworks() for clause in framework.clauses)


def mark(control: Control) -> str:
    """Return the name of a clause's place in the Markdown."""
    return f"{control.framework.id}-{control.clause.id}"


def as_csv(controls: Sequence[Control]) -> bytes:
    """Return the matrix as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("framework", "version", "clause", "title", "state", "evidence", "completed_by", "note"))
    for one in controls:
        evidence = "; ".join(f"{proof.kind.title}: {proof.shown} [{proof.kind.where}]" for proof in one.shown)
        cells = (one.framework.title, one.framework.version, one.clause.id, one.clause.title, one.state, evidence)
        writer.writerow([as_cell(cell) for cell in (*cells, "; ".join(one.completed_by), one.note)])
    return out.getvalue().encode()


def as_json(controls: Sequence[Control]) -> bytes:
    """Return the matrix as JSON."""
    return records.as_json({"schema": "trainreport.controls/1", "frameworks": _as_rows(controls)})


def as_markdown(controls: Sequence[Control]) -> str:
    """Return the matrix as Markdown, a heading for each framework and each clause."""
    parts = ["# Control matrix", _LEGEND, table(("Framework", *STATES), _counted(controls), (False, *[True] * len(STATES)))]
    for framework in _present(controls):
        parts += [
            f"## {escaped(framework.title)}",
            f"{escaped(_dated(framework))}. Source: {_addresses(framework)}. Mapped to evidence on {framework.read.isoformat()}.",
            *(_clause(one) for one in controls if one.framework is framework),
        ]
    return "\n\n".join(parts) + "\n"


def contents(controls: Sequence[Control], file: str) -> str:
    """Return a list of all clauses with links into `file`, for the first page."""
    parts = []
    for framework in _present(controls):
        rows = [
            (
                link(f"{one.clause.id} {one.clause.title}", mark(one)).replace("](#", f"]({file}#"),
                one.state,
                ", ".join(dict.fromkeys(_files(one))) or "–",
            )
            for one in controls
            if one.framework is framework
        ]
        parts += [f"### {escaped(framework.title)}", table(("Clause", "Evidence is", "Open this"), rows, (False, False, False))]
    return "\n\n".join(parts)


_LEGEND = (
    "Present: all evidence of this kind that a training run can give is in the pack. Partial: some is. Absent: none is. "
    "Not applicable: the clause is not about training. Clauses that are not listed were not looked at; titles may be shortened. "
    "The matrix lists evidence; it does not say that a requirement is fulfilled."
)


def _framework(row: dict[str, Any]) -> Framework:
    clauses = tuple(_clause_of(one, row["id"]) for one in row["clauses"])
    return Framework(row["id"], row["title"], row["version"], row.get("date"), tuple(row["sources"]), row["read"], clauses)


def _clause_of(row: dict[str, Any], framework: str) -> Clause:
    unknown = set(row.get("evidence", ())) - set(KINDS)
    assert not unknown, f"{framework} {row['id']}: no such evidence: {unknown}"
    return Clause(
        row["id"],
        row["title"],
        tuple(row.get("evidence", ())),
        row.get("beyond", ""),
        row.get("not_applicable", ""),
        row.get("flop_above"),
    )


def _judged(framework: Framework, clause: Clause, found: Mapping[str, Evidence], flop: float | None, over: str) -> Control:
    if clause.not_applicable:
        return Control(framework, clause, "not applicable", (), (), clause.not_applicable)
    asked = [found[key] for key in clause.evidence]
    shown = tuple(one for one in asked if one.shown is not None)
    missing = [f"{one.kind.title}: {one.kind.completed_by}" for one in asked if one.shown is None]
    whole = not missing and not clause.beyond
    state: State = "absent" if not shown else "present" if whole else "partial"
    return Control(framework, clause, state, shown, (*missing, *([clause.beyond] if clause.beyond else [])), _against(clause, flop, over))


def _against(clause: Clause, flop: float | None, over: str) -> str:
    """Return how the compute stands to the threshold of a clause."""
    limit = clause.flop_above
    if limit is None:
        return ""
    if flop is None:
        return f"Training compute is not known; the threshold is {words.number(limit)} FLOP."
    side = "above" if flop > limit else "not above"
    return f"{words.number(flop, 2)} FLOP {over}, {side} the threshold of {words.number(limit)} FLOP."


def _present(controls: Sequence[Control]) -> list[Framework]:
    return [one for one in frameworks() if any(control.framework is one for control in controls)]


def _dated(one: Framework) -> str:
    return one.version if one.date is None else f"{one.version}, {one.date.isoformat()}"


def _addresses(one: Framework) -> str:
    return ", ".join(f"<{address}>" for address in one.sources)


def _counted(controls: Sequence[Control]) -> list[tuple[str, ...]]:
    return [
        (escaped(one.title), *(str(sum(c.framework is one and c.state == state for c in controls)) for state in STATES))
        for one in _present(controls)
    ]


def _clause(one: Control) -> str:
    lines = [
        f"{anchor(mark(one))}\n\n### {escaped(f'{one.clause.id} {one.clause.title}')}",
        f"Evidence is **{one.state}**. {escaped(one.note)}".rstrip(),
    ]
    lines += [
        "\n".join(f"- {escaped(proof.kind.title)}: {escaped(proof.shown or '')}. See {escaped(proof.kind.where)}" for proof in one.shown)
    ]
    if one.completed_by:
        lines += ["To complete it:", "\n".join(f"- {escaped(text)}" for text in one.completed_by)]
    return "\n\n".join(line for line in lines if line)


def _files(one: Control) -> list[str]:
    """Return links to the files that hold the evidence of a clause."""
    names = [part.split(",")[0].strip() for proof in one.shown for part in proof.kind.where.split(";")]
    return [f"[{name.removeprefix('data/')}]({name.removeprefix('data/')})" for name in names]


def _as_rows(controls: Sequence[Control]) -> list[dict[str, Any]]:
    return [
        {
            "id": one.id,
            "title": one.title,
            "version": one.version,
            "date": None if one.date is None else one.date.isoformat(),
            "source": "; ".join(one.sources),
            "mapped": one.read.isoformat(),
            "clauses": [_as_row(control) for control in controls if control.framework is one],
        }
        for one in _present(controls)
    ]


def _as_row(one: Control) -> dict[str, Any]:
    return {
        "id": one.clause.id,
        "title": one.clause.title,
        "state": one.state,
        "evidence": [{"title": p.kind.title, "shown": p.shown, "where": p.kind.where} for p in one.shown],
        "completed_by": list(one.completed_by),
        "note": one.note,
    }
