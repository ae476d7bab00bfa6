"""What a model comes from: packs of earlier training by their digest, and compute over all of it, each run counted once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.business.flop import two_figures
from trainreport.business.lineage import ancestors
from trainreport.errors import InputError
from trainreport.model import clock
from trainreport.model.money import Money
from trainreport.packs.bag import TAGMANIFEST
from trainreport.packs.records import as_json
from trainreport.packs.source import blocks, opened
from trainreport.packs.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from trainreport.model.decision import Assessment, RunAssessment
    from trainreport.model.redaction import Redaction

__all__ = ["NAME", "Lineage", "Parent", "collected", "read_parent"]

NAME = "lineage.json"
SCHEMA = "trainreport.lineage/1"
_LARGEST = 256 << 20
_FIGURES = ("flop", "gpu_hours", "tpu_hours", "cpu_hours", "energy_kwh", "carbon_kg")
_RUN = {"run_id", "name", "started_at", "ended_at", "pack", "cost", *_FIGURES}


@dataclass(frozen=True, slots=True)
class Parent:
    """An earlier pack, found intact."""

    digest: str
    """SHA-256 of its tagmanifest, which stands for all of it."""
    title: str
    told: Mapping[str, Any]
    """Its ``lineage.json``."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Compute of this pack and of all that it comes from."""

    content: bytes
    """``lineage.json``."""
    flop: float | None
    """Two significant figures; None where no run's is known."""
    parents: tuple[str, ...]
    """Digests of the parents."""
    alone: bool
    """Whether there is nothing but this pack's own runs."""


def read_parent(path: Path) -> Parent:
    """Return an earlier pack, checked.

    Raises
    ------
    InputError
        If it is no pack, was changed, or tells no lineage.
    """
    changes = verify(path).changes
    if changes:
        raise InputError(f"{path}: a parent that is not as it was made, `trainreport verify` says more: {changes[0]}")
    with opened(path) as entries:
        entry = entries.get(f"data/{NAME}")
        if entry is None or entry.size > _LARGEST:
            raise InputError(f"{path}: a parent without data/{NAME}; pack its runs again with this version")
        told, tags = b"".join(blocks(entry)), b"".join(blocks(entries[TAGMANIFEST]))
    try:
        found = json.loads(told)
        sound = found["schema"] == SCHEMA and all(set(one) == _RUN for one in found["runs"]) and isinstance(found["packs"], dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise InputError(f"{path}: data/{NAME} is no lineage that this version reads")
    return Parent(hashlib.sha256(tags).hexdigest(), str(found["title"]), found)


def collected(assessment: Assessment, parents: Sequence[Parent]) -> Lineage:
    """Return the lineage of a pack that has these parents.

    A run that several packs hold counts once, as it ended last: it is the same run where id and start are the same.
    """
    runs: dict[tuple[str, str | None], dict[str, Any]] = {}
    if assessment.redaction is not None:
        parents = [_redacted(one, assessment.redaction) for one in parents]
    earlier = [{**row, "pack": row["pack"] or one.digest} for one in parents for row in one.told["runs"]]
    for row in [_row(one) for one in assessment.runs] + earlier:
        key = (row["run_id"], row["started_at"])
        if key not in runs or (row["ended_at"] or "") > (runs[key]["ended_at"] or ""):
            runs[key] = row
    packs = {digest: one for parent in parents for digest, one in parent.told["packs"].items()}
    packs |= {one.digest: {"title": one.title, "parents": one.told["parents"]} for one in parents}
    named = {one["name"]: one for parent in parents for one in parent.told["named_by_the_plan"]}
    known = [name for one in runs.values() for name in (one["run_id"], one["name"])]
    named |= {one.name: {"name": one.name, "flop": one.flop, "source": one.source} for one in ancestors(assessment.plan, known)}
    named = {name: one for name, one in named.items() if name not in known}
    rows = sorted(runs.values(), key=lambda one: (one["started_at"] or "", one["run_id"], one["pack"] or ""))
    total = _total(rows, list(named.values()))
    digests = sorted({one.digest for one in parents})
    content = {
        "schema": SCHEMA, "title": assessment.plan.title or assessment.leading.log.run.name, "parents": digests,
        "packs": dict(sorted(packs.items())), "runs": rows, "named_by_the_plan": [named[name] for name in sorted(named)], "total": total,
    }  # fmt: skip
    return Lineage(as_json(content), total["flop"]["sum"], tuple(digests), not digests and not named)


def _redacted(parent: Parent, redaction: Redaction) -> Parent:
    """Return a parent with its titles and the names of its runs as this pack's runs show them."""
    told = parent.told
    packs = {digest: {**one, "title": redaction.text(str(one["title"]))} for digest, one in told["packs"].items()}
    runs = [{**row, "run_id": redaction.name(str(row["run_id"])), "name": redaction.name(str(row["name"]))} for row in told["runs"]]
    named = [{**one, "name": redaction.name(str(one["name"]))} for one in told["named_by_the_plan"]]
    return Parent(parent.digest, redaction.text(parent.title), {**told, "packs": packs, "runs": runs, "named_by_the_plan": named})


def _row(run: RunAssessment) -> dict[str, Any]:
    """Return the figures of one run of this pack."""
    found, taken = run.log.run, run.ledger
    figures = {name: None if (value := getattr(taken, name)) is None else float(f"{value:.12g}") for name in _FIGURES}
    cost = None if taken.cost is None else {"amount": taken.cost.plain(), "currency": taken.cost.currency}
    span = {"started_at": clock.iso(found.started_at), "ended_at": clock.iso(found.ended_at)}
    return {"run_id": found.id, "name": found.name, **span, "pack": None, **figures, "cost": cost}


def _total(rows: Sequence[Mapping[str, Any]], named: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return each figure added up, with how many runs it is known of; money by currency."""
    total: dict[str, Any] = {}
    for name in _FIGURES:
        known = [float(one[name]) for one in (*rows, *(named if name == "flop" else ())) if one[name] is not None]
        total[name] = {"sum": float(f"{sum(known):.12g}") if known else None, "known_of": len(known), "runs": len(rows) + len(named)}
    if total["flop"]["sum"] is not None:
        total["flop"]["sum"] = two_figures(total["flop"]["sum"])
    spent: dict[str, Money] = {}
    for one in (row["cost"] for row in rows if row["cost"] is not None):
        amount = Money.parse(f"{one['amount']} {one['currency']}")
        spent[amount.currency] = spent[amount.currency] + amount if amount.currency in spent else amount
    total["cost"] = [{"amount": spent[currency].plain(), "currency": currency} for currency in sorted(spent)]
    return total
