"""Fixes a plan by its digest, so that a reader can see later that the criteria stood before training.

A lock file holds every version of the plan in a chain: each names the digest of the one before it and lists what changed.
The digest is of the plan's content, not its layout: comments, blanks and the order of keys count for nothing.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.model import clock
from trainreport.model.digest import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

__all__ = [
    "SCHEMA",
    "Standing",
    "add",
    "beside",
    "chain",
    "content",
    "content_digest",
    "criteria_changes",
    "in_force",
    "render",
    "shown",
    "standing",
]

SCHEMA = "trainreport.plan-lock/1"
_FREE = ".worth"
"""End of a criterion's key that says what it is worth, and judges nothing."""
_KEYS = {"version", "locked_at", "plan_sha256", "previous_sha256", "changes", "plan"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What a lock file says of a plan."""

    holds: bool
    """Whether the plan is one that was locked."""
    locked_at: datetime
    text: str


def beside(name: str) -> str:
    """Return the name of the lock file of a plan file."""
    return f"{name.removesuffix('.toml')}.lock.json"


def content(text: str) -> dict[str, Any]:
    """Return the content of a plan as plain JSON values; times are UTC."""
    found: dict[str, Any] = json.loads(json.dumps(tomllib.loads(text), default=_plain, allow_nan=False))
    return found


def content_digest(plan: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a plan's content."""
    return hashlib.sha256(canonical_json(plan).encode()).hexdigest()


def chain(text: bytes, name: str) -> list[dict[str, Any]]:
    """Return the versions in a lock file, after checking that each follows from the one before.

    Raises
    ------
    InputError
        If the file is no lock, or was changed.
    """
    try:
        file = json.loads(text)
        versions: list[dict[str, Any]] = file["versions"]
        sound = file["schema"] == SCHEMA and bool(versions) and all(set(one) == _KEYS for one in versions)
    except (ValueError, KeyError, TypeError, RecursionError):
        sound, versions = False, []
    if not sound:
        raise InputError(f"{name}: no lock file of a plan; expected what `trainreport plan lock` writes")
    before: dict[str, Any] | None = None
    for number, one in enumerate(versions, start=1):
        if one != _version(one["plan"], before, one["locked_at"]):
            raise InputError(f"{name}: version {number} was changed after it was locked; take the file from version control")
        before = one
    return versions


def add(plan: str, earlier: list[dict[str, Any]], at: datetime) -> dict[str, Any] | None:
    """Return the next version of the chain; None where the plan is as last locked."""
    new, last = content(plan), earlier[-1] if earlier else None
    if last is not None and content_digest(new) == last["plan_sha256"]:
        return None
    return _version(new, last, clock.iso(at))


def render(versions: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a lock file."""
    return (json.dumps({"schema": SCHEMA, "versions": versions}, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def standing(plan: str, text: bytes, name: str) -> Standing:
    """Return whether the plan is the last version that was locked.

    Raises
    ------
    InputError
        If the lock file is none, or was changed.
    """
    last = chain(text, name)[-1]
    at = clock.parse_instant(last["locked_at"])
    if content_digest(content(plan)) != last["plan_sha256"]:
        return Standing(False, at, f"the plan differs from version {last['version']}, locked {last['locked_at']}")
    return Standing(True, at, f"version {last['version']}, locked {last['locked_at']}")


def in_force(versions: Sequence[Mapping[str, Any]], at: datetime) -> Mapping[str, Any] | None:
    """Return the last version that was locked by a moment, None where none was."""
    return next((one for one in reversed(versions) if clock.parse_instant(one["locked_at"]) <= at), None)


def criteria_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return key, old and new value of what differs in the acceptance criteria of two contents of a plan."""
    changes = _changes({"criteria": old.get("criteria", [])}, {"criteria": new.get("criteria", [])})
    return [one for one in changes if not one["key"].endswith(_FREE)]


def shown(change: Mapping[str, Any]) -> str:
    """Return a change in words."""
    was, now = ("not set" if value is None else repr(value) for value in (change["from"], change["to"]))
    return f"{change['key']}: {was} → {now}"


def _version(plan: dict[str, Any], before: Mapping[str, Any] | None, at: str | None) -> dict[str, Any]:
    return {
        "version": 1 if before is None else before["version"] + 1,
        "locked_at": at,
        "plan_sha256": content_digest(plan),
        "previous_sha256": None if before is None else hashlib.sha256(canonical_json(before).encode()).hexdigest(),
        "changes": [] if before is None else _changes(before["plan"], plan),
        "plan": plan,
    }


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return key, old and new value of everything that differs; null where there is none."""
    was, now = dict(_flat(old, "")), dict(_flat(new, ""))
    return [
        {"key": key, "from": was.get(key), "to": now.get(key)} for key in sorted({*was, *now}) if was.get(key) != now.get(key)
    ]  # fmt: skip


def _flat(value: Any, key: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for name, one in value.items() for pair in _flat(one, f"{key}.{name}" if key else name)]
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return [pair for at, one in enumerate(value) for pair in _flat(one, f"{key}[{one.get('id') or one.get('code') or at}]")]
    return [(key, value)]


def _plain(value: Any) -> str:
    """Return a date or time as text."""
    return str(clock.iso(clock.to_utc(value)) if hasattr(value, "tzinfo") and hasattr(value, "date") else value.isoformat())
