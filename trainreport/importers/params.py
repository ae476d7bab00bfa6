"""Hyperparameters as tools write them down: nested tables to flat texts, and the seed among them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["LARGEST_YAML", "params_of_json", "params_of_yaml", "seed_of"]

LARGEST_YAML = 1 << 20
_SEEDS = ("seed", "random_seed", "random_state", "manual_seed", "global_seed", "rng_seed", "torch_seed", "np_seed", "data_seed")
_NOTHING = frozenset({"", "null", "~", "None"})
_DEPTH = 2


def seed_of(params: Mapping[str, str]) -> str | None:
    """Return the seed of a run by the usual names of it, or None."""
    by_name: dict[str, str] = {}
    for name, text in sorted(params.items()):
        if text.strip() not in _NOTHING:
            by_name.setdefault(re.split(r"[./]", name)[-1].lower(), text.strip())
    return next((by_name[name] for name in _SEEDS if name in by_name), None)


def params_of_json(text: str, prefix: str = "") -> dict[str, str]:
    """Return the numbers and texts of a JSON object, two levels deep; nothing where the text is none."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return dict(_flat(found, prefix, _DEPTH)) if isinstance(found, dict) else {}


def params_of_yaml(text: str) -> dict[str, str]:
    """Return the plain values of a YAML mapping, two levels deep, as they are written.

    The text is read as a stream of events: no object is made of it, whatever its tags ask for, and neither depth
    nor repeated references cost anything.

    Raises
    ------
    ValueError
        If the text is no YAML; says in which line.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return dict(_plain_values(yaml.parse(text, Loader=loader)))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise ValueError(f"line {line}: {error.problem or 'no readable YAML'}") from error
    except yaml.YAMLError as error:
        raise ValueError(f"no readable YAML: {error}") from error


def _flat(table: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            if depth > 1:
                yield from _flat(value, f"{prefix}{key}/", depth - 1)
        elif value is not None and not isinstance(value, list):
            yield f"{prefix}{key}", str(value)


def _plain_values(events: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield key and text of scalars that stand in the first mapping or in one directly below it, keys joined by a slash."""
    import yaml

    keys: list[str | None] = []  # of each open collection the key that waits for its value; None where a key is next
    is_map: list[bool] = []
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            keys.pop()
            is_map.pop()
        elif isinstance(event, yaml.ScalarEvent) and is_map and is_map[-1] and keys[-1] is None:
            keys[-1] = event.value
            continue
        elif isinstance(event, yaml.ScalarEvent) and all(is_map) and 0 < len(keys) <= _DEPTH:
            yield "/".join(key or "" for key in keys), event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            keys.append(None)
            is_map.append(isinstance(event, yaml.MappingStartEvent))
            continue
        elif not isinstance(event, yaml.NodeEvent):
            continue
        if keys:  # a value has ended, whatever it was; a key that is no scalar is named ?
            keys[-1] = None if keys[-1] is not None else "?"
