"""Hyperparameters as tools write them down: nested tables to flat texts, and the seed and the versions among them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["LARGEST_YAML", "code_version_of", "data_version_of", "is_something", "params_of_json", "params_of_yaml", "seed_of"]

LARGEST_YAML = 1 << 20
# In this order: a seed of the data loader says less than the seed of the run.
_SEEDS = ("seed", "random_seed", "random_state", "manual_seed", "global_seed", "rng_seed", "torch_seed", "np_seed", "data_seed")
_CODE = (
    "git_commit", "git_sha", "git_hash", "git_rev", "git_revision", "git_commit_hash", "git_commit_sha", "code_version", "code_commit",
    "code_revision", "code_sha", "code_hash", "source_version", "source_commit", "commit_hash", "commit_sha", "commit_id", "vcs_revision",
    "commit", "revision",
)  # fmt: skip
_DATA = (
    "dataset_version", "data_version", "dataset_digest", "data_digest", "dataset_hash", "data_hash", "dataset_sha256", "data_sha256",
    "dataset_revision", "data_revision", "dataset_commit", "data_commit", "dataset_checksum", "data_checksum", "dvc_rev", "dvc_commit",
    "dvc_version", "dvc_hash", "lakefs_commit",
)  # fmt: skip
_NOT_OF_CODE = frozenset({"data", "dataset", "datasets", "dvc", "lakefs", "model", "base_model", "tokenizer", "adapter", "processor"})
"""Tables in which a commit or a revision is of something else."""
_MOVES = frozenset({"main", "master", "head", "trunk", "latest", "unknown", "none", "n/a", "na", "false"})
"""Names that stand for another state tomorrow, or for none: no version."""
_NOTHING = frozenset({"", "null", "~", "None", "nan"})
_DEPTH = 2


def is_something(text: str) -> bool:
    """Return whether a text is more than a way of writing nothing."""
    return text.strip() not in _NOTHING


def seed_of(params: Mapping[str, str]) -> str | None:
    """Return the seed of a run by the usual names of it, or None."""
    by_name: dict[str, str] = {}
    for name, text in sorted(params.items()):
        if is_something(text):
            by_name.setdefault(re.split(r"[./]", name)[-1].lower(), text.strip())
    return next((by_name[name] for name in _SEEDS if name in by_name), None)


def code_version_of(told: Mapping[str, str]) -> str | None:
    """Return the version of the code by the usual names of it in parameters and tags, or None."""
    return _version(told, _CODE, _NOT_OF_CODE)


def data_version_of(told: Mapping[str, str]) -> str | None:
    """Return the version of the data by the usual names of it in parameters and tags, or None."""
    return _version(told, _DATA, frozenset())


def _version(told: Mapping[str, str], names: tuple[str, ...], not_of: frozenset[str]) -> str | None:
    """Return the text of the first of `names`; ``git.commit`` and ``data/version`` are such names too."""
    found: dict[str, str] = {}
    for name, text in sorted(told.items()):
        if not is_something(text) or text.strip().lower() in _MOVES:
            continue
        parts = [re.sub(r"\W+", "_", part.strip().lower()) for part in re.split(r"[./:]", name)]
        found.setdefault("_".join(parts[-2:]), text.strip())
        if len(parts) == 1 or parts[-2] not in not_of:
            found.setdefault(parts[-1], text.strip())
    return next((found[name] for name in names if name in found), None)


def params_of_json(text: str, prefix: str = "") -> dict[str, str]:
    """Return the numbers and texts of a JSON object, two levels deep; nothing where the text is none."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return dict(_flat(found, prefix, _DEPTH)) if isinstance(found, dict) else {}


def params_of_yaml(text: str, depth: int = _DEPTH) -> dict[str, str]:
    """Return the plain values of a YAML mapping, `depth` levels deep, as they are written.

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
        return dict(_plain_values(yaml.parse(text, Loader=loader), depth))
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


def _plain_values(events: Iterable[Any], depth: int) -> Iterator[tuple[str, str]]:
    """Yield key and text of scalars in the first mapping and those below it to `depth` levels, keys joined by a slash."""
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
        elif isinstance(event, yaml.ScalarEvent) and all(is_map) and 0 < len(keys) <= depth:
            yield "/".join(key or "" for key in keys), event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            keys.append(None)
            is_map.append(isinstance(event, yaml.MappingStartEvent))
            continue
        elif not isinstance(event, yaml.NodeEvent):
            continue
        if keys:  # a value has ended, whatever it was; a key that is no scalar is named ?
            keys[-1] = None if keys[-1] is not None else "?"
