"""Files beside the logs that are named like checkpoints of a model: which run each belongs to. None is ever opened."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.importers.folders import by_folder, nearest
from trainreport.importers.recording import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.importers.groups import Group

__all__ = ["attach", "is_checkpoint"]

LISTED = 50
"""Checkpoints of a run that are named; the rest is counted."""

_NAME = re.compile(
    r"(?:.*\.(?:ckpt|pt|pth|safetensors|h5|keras|cbm|nemo|onnx|index)|MLmodel|saved_model\.pb|pytorch_model.*\.bin|checkpoint)",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"(?:.*/)?(?:checkpoint-\d+|(?:epoch|step|iter|global_step)[_=-]?\d+)", re.IGNORECASE)
"""A folder that is one checkpoint, such as Hugging Face's, of several files."""
_STEP = re.compile(r"(?:step|checkpoint|ckpt|iter)s?[_=-](\d{1,15})", re.IGNORECASE)


def is_checkpoint(path: str) -> bool:
    """Return whether a file is named as a checkpoint is."""
    return _NAME.fullmatch(path.rpartition("/")[2]) is not None


def attach(paths: Iterable[str], groups: Sequence[Group]) -> None:
    """Put checkpoints, as events, on the run that they lie nearest to; where several are as near, on none.

    Parameters
    ----------
    paths : iterable of str
        POSIX, as files are named.
    groups : sequence of Group
        Changed in place.
    """
    homes = by_folder((group.folder, number) for number, group in enumerate(groups) if group.training)
    by_group: dict[int, dict[str, None]] = defaultdict(dict)
    for path in sorted(paths):
        folder = path.rpartition("/")[0]
        shown = folder if _FOLDER.fullmatch(folder) else path
        owners = nearest(folder or ".", homes) or []
        if len(owners) == 1:
            by_group[owners[0]][shown] = None
    for number, found in by_group.items():
        names = list(found)
        more = [Event("checkpoint", f"and {len(names) - LISTED} more")] if len(names) > LISTED else []
        groups[number].events += [Event("checkpoint", name, step=_step(name), file=name) for name in names[:LISTED]] + more


def _step(name: str) -> int | None:
    found = _STEP.findall(name.rpartition("/")[2])
    return int(found[-1]) if found else None
