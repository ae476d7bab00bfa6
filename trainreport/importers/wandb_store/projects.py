"""Runs of several projects: W&B's ids are unique within a project only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.importers.recording import Recording

__all__ = ["with_projects"]


def with_projects(sources: Sequence[Sequence[Recording]]) -> list[list[Recording]]:
    """Return the recordings, those of W&B whose id stands in several projects with the project in their key."""
    homes: dict[str, set[str]] = defaultdict(set)
    for one in (one for recordings in sources for one in recordings if one.importer == "wandb"):
        homes[one.key] |= {_project(one)} - {""}
    return [[_named(one) if len(homes[one.key]) > 1 else one for one in recordings] for recordings in sources]


def _named(one: Recording) -> Recording:
    project = _project(one)
    return replace(one, key=f"{project}/{one.key}") if one.importer == "wandb" and project else one


def _project(one: Recording) -> str:
    return "/".join(text for text in (one.tags.get("wandb.entity"), one.tags.get("wandb.project")) if text)
