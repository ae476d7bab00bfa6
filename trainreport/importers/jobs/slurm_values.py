"""Values as Slurm's JSON writes them."""

from __future__ import annotations

from typing import Any

__all__ = ["number_of", "text_of", "tres_of"]


def number_of(value: Any) -> float | None:
    """Return a number, also of ``{"set": true, "infinite": false, "number": 60}``."""
    if isinstance(value, dict):
        value = None if value.get("set") is False or value.get("infinite") is True else value.get("number")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18 else None


def text_of(value: Any) -> str:
    """Return a text, no longer than a name can be."""
    return value[:300] if isinstance(value, str) else ""


def tres_of(listed: Any) -> dict[tuple[str, str], float]:
    """Return the amounts of trackable resources; a GPU's name is its model, as in ``gres/gpu:a100``."""
    found = {}
    for one in listed if isinstance(listed, list) else ():
        count = number_of(one.get("count")) if isinstance(one, dict) else None
        if count is None or count < 0:
            continue
        kind, name = text_of(one.get("type")), text_of(one.get("name"))
        if kind == "gres" and name.partition(":")[0] == "gpu":
            kind, name = "gres/gpu", name.partition(":")[2]
        found[kind, name] = count
    return found
