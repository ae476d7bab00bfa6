"""Which runs count: one of several copies, those that were asked for, none that was deleted."""

from __future__ import annotations

from filecmp import cmp
from typing import TYPE_CHECKING

from trainreport.errors import UsageError, did_you_mean
from trainreport.importers.energy_reports import without_ranks
from trainreport.importers.wandb_store.projects import with_projects
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.importers.groups import Group
    from trainreport.importers.recording import Recording

__all__ = ["choose", "without_copies"]

_NAMED = 8
"""How many of the runs that are there a message names."""


def without_copies(sources: Sequence[Sequence[Recording]]) -> tuple[list[list[Recording]], list[Skipped]]:
    """Return the recordings of each path, of an MLflow run that several sources hold only the one with most points.

    A run's id is the same in the file store, in a database made from it, and in an export.
    """
    sources, same = _without_twins(sources)
    sources, ranks = without_ranks(sources)
    sources, tables = _without_tables(with_projects(sources))
    best: dict[str, Recording] = {}
    for one in (one for recordings in sources for one in recordings if one.importer == "mlflow"):
        if one.key not in best or len(one.frame) > len(best[one.key].frame):
            best[one.key] = one
    is_copy = {one for recordings in sources for one in recordings if one.importer == "mlflow" and best[one.key] is not one}
    skipped = [
        Skipped(one.files[0].name, f"run {one.key}: a copy of the one in {best[one.key].files[0].name}, which was read instead")
        for recordings in sources
        for one in recordings
        if one in is_copy
    ]
    return [[one for one in recordings if one not in is_copy] for recordings in sources], [*same, *ranks, *tables, *skipped]


def _without_tables(sources: Sequence[Sequence[Recording]]) -> tuple[list[list[Recording]], list[Skipped]]:
    """Return the recordings, of W&B's runs whose own log was read not those from tables and summaries, which hold last values only."""
    logs = {one.key: one.files[0].name for recordings in sources for one in recordings if _is_wandb_log(one)}
    last_values = (one for recordings in sources for one in recordings if one.importer == "wandb" and not _is_wandb_log(one))
    left_out = dict.fromkeys(one for one in last_values if one.key in logs)  # in order, and looked up: a table may hold very many runs
    skipped = [Skipped(one.files[0].name, f"run {one.key}: last values of the one in {logs[one.key]}, which was read") for one in left_out]
    return [[one for one in recordings if one not in left_out] for recordings in sources], skipped


def _is_wandb_log(one: Recording) -> bool:
    return one.importer == "wandb" and bool(one.files) and one.files[0].name.endswith(".wandb")


def _without_twins(sources: Sequence[Sequence[Recording]]) -> tuple[Sequence[Sequence[Recording]], list[Skipped]]:
    """Return the recordings, of logs without times whose files are the same byte for byte only the one that lies deepest.

    A log with times is told from its copy by nothing, but it is seldom copied; a results.csv often is.
    """
    alike: dict[tuple[str, int], list[Recording]] = {}
    for one in (one for recordings in sources for one in recordings if one.kind == "training" and one.started_at is None and one.files):
        alike.setdefault((one.importer, one.files[0].path.stat().st_size), []).append(one)
    skipped: dict[Recording, Skipped] = {}
    for family in alike.values():
        kept: list[Recording] = []
        for one in sorted(family, key=lambda each: (-each.files[0].name.count("/"), each.files[0].name)):
            path = one.files[0].path
            twin = next((each for each in kept if each.files[0].path != path and cmp(each.files[0].path, path, shallow=False)), None)
            if twin is None:
                kept.append(one)
            else:
                skipped[one] = Skipped(one.files[0].name, f"a copy of {twin.files[0].name}, which was read instead")
    return [[one for one in recordings if one not in skipped] for recordings in sources], list(skipped.values())


def choose(groups: Sequence[Group], ids: Sequence[str], experiments: Sequence[str], runs: Sequence[str]) -> tuple[list[int], list[Skipped]]:
    """Return the places of the runs that count, and what was left out.

    Parameters
    ----------
    groups : sequence of Group
    ids : sequence of str
        Run id of each.
    experiments, runs : sequence of str
        What was asked for, by name or id; empty: everything. A run deleted in MLflow counts only where `runs` names it.

    Raises
    ------
    UsageError
        If something that was asked for is not there.
    """
    labels = [_labels(group, run_id) for group, run_id in zip(groups, ids, strict=True)]
    homes = [_experiments(group) for group in groups]
    _must_be_there("experiment", experiments, homes)
    _must_be_there("run", runs, labels)
    kept, skipped, others = [], [], 0
    for place, group in enumerate(groups):
        asked_for = not labels[place].isdisjoint(runs)
        if (experiments and homes[place].isdisjoint(experiments)) or (runs and not asked_for):
            others += 1
        elif _is_deleted(group) and not asked_for:
            skipped.append(Skipped(group.training[0].files[0].name, f"run {ids[place]} was deleted in MLflow; --run reads it all the same"))
        else:
            kept.append(place)
    if runs and not kept:
        raise UsageError("no run is of the experiment and of the name that were asked for")
    if others:
        skipped.append(Skipped(".", f"{others} run{'s' if others > 1 else ''} left out: another experiment or run was asked for"))
    return kept, skipped


def _must_be_there(what: str, asked: Sequence[str], known: Sequence[Iterable[str]]) -> None:
    names = sorted({name for some in known for name in some})
    for one in asked:
        if one not in names:
            there = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "") if names else "none"
            raise UsageError(f"{what} {one!r} is not in the logs{did_you_mean(one, names)}; found: {there}")


def _labels(group: Group, run_id: str) -> set[str]:
    return {run_id, group.key, *(one.key for one in group.training), *(one.name for one in group.training)}


def _experiments(group: Group) -> set[str]:
    told = (one.tags.get(key, "") for one in group.training for key in ("mlflow.experiment", "mlflow.experiment_id"))
    return {text for text in told if text}


def _is_deleted(group: Group) -> bool:
    return bool(group.training) and all(one.tags.get("lifecycle_stage") == "deleted" for one in group.training)
