"""Says which recordings are one run, and why."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainreport.importers.ranks import with_ranks
from trainreport.model.series import folder_phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trainreport.importers.recording import Recording

__all__ = ["SESSION_FOLDER", "Group", "MachinePart", "join"]

SESSION_FOLDER = re.compile(r"\d{9,11}\.\d+")
"""Name of the folder that PyTorch's ``add_hparams`` makes: the time, in seconds since 1970."""

_SHARED_TIME = 0.5
"""Share of the shorter source's span that must overlap before two tools' logs in one folder count as one run."""
_SAME_TIMES = 0.8
"""Share of the longer source's span that must overlap where only the times tell: both began and ended together."""


@dataclass(frozen=True, slots=True, eq=False)
class MachinePart:
    """A log of hardware, and the span of it that belongs to a run (seconds since 1970; None: all of it)."""

    recording: Recording
    from_s: float | None = None
    to_s: float | None = None


@dataclass(slots=True)
class Group:
    """The recordings of one run."""

    key: str
    folder: str
    training: list[Recording] = field(default_factory=list)
    machine: list[MachinePart] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last time of the training recordings, in seconds since 1970."""
        return _span(self.training)


def join(recordings: Iterable[Recording], *, separate: bool = False) -> list[Group]:
    """Return the runs that the recordings make up, by key.

    Parameters
    ----------
    recordings : iterable of Recording
    separate : bool
        Join nothing: every source is a run of its own.
    """
    found = list(recordings)
    if separate:
        return [_alone(one) for one in found]
    groups = _same_tool(one for one in found if one.kind == "training")
    groups = _other_tools(groups)
    alone = []
    for machine in (one for one in found if one.kind == "machine"):
        owners = _owners(machine, groups)
        if owners:
            _attach(machine, owners)
        else:
            alone.append(_alone(machine))
    return sorted(groups + _beside(alone), key=lambda group: (group.folder, group.key))


def _alone(one: Recording) -> Group:
    group = Group(one.key, one.folder)
    if one.kind == "training":
        group.training.append(one)
    else:
        group.machine.append(MachinePart(one))
    return group


def _beside(alone: list[Group]) -> list[Group]:
    """Put hardware logs of one folder that no run claims together."""
    merged: dict[str, Group] = {}
    for group in alone:
        if group.folder in merged:
            merged[group.folder].machine += group.machine
        else:
            merged[group.folder] = group
    return list(merged.values())


def _same_tool(recordings: Iterable[Recording]) -> list[Group]:
    """Group by key, then join hyperparameters and folders named like a phase with their siblings or their parent."""
    by_key: dict[tuple[str, str], list[Recording]] = defaultdict(list)
    for one in recordings:
        by_key[one.importer, one.key].append(one)
    groups: dict[tuple[str, str], Group] = {}
    for (importer, key), members in sorted(by_key.items()):
        home, reason = _home(importer, key, by_key)
        group = groups.setdefault((importer, home), Group(home, members[0].folder if home == key else home))
        group.training += members
        if reason:
            group.reasons.append(f"{key}: {reason}")
    for group in groups.values():
        _tell_ranks(group)
        group.training.sort(key=lambda one: (one.started_at is None, one.started_at, one.files[0].name if one.files else ""))
    return list(groups.values())


def _home(importer: str, key: str, by_key: Mapping[tuple[str, str], list[Recording]]) -> tuple[str, str]:
    """Return the key of the run that a folder belongs to, and why if it is not its own."""
    session = _session_parent(importer, key, by_key)
    phase = _phase_parent(importer, session or key, set(by_key))
    if session is not None:
        return phase or session, f"hyperparameters of the run in {_spoken(phase or session)}, in a folder named by the time"
    if phase is not None:
        return phase, f"a phase of the run in {_spoken(phase)}, by the name of its folder"
    return key, ""


def _spoken(folder: str) -> str:
    return "the given folder" if folder == "." else folder


def _session_parent(importer: str, key: str, by_key: Mapping[tuple[str, str], list[Recording]]) -> str | None:
    """Return the run whose hyperparameters PyTorch's ``add_hparams`` wrote into a folder of their own.

    Several of them with different hyperparameters below one folder are a search: each is a run.
    """
    parent, _, last = key.rpartition("/")
    parent = parent or "."
    if SESSION_FOLDER.fullmatch(last) is None or (importer, parent) not in by_key:
        return None
    beside = [other for tool, other in by_key if tool == importer and (other.rpartition("/")[0] or ".") == parent]
    sessions = [one for other in beside if SESSION_FOLDER.fullmatch(other.rpartition("/")[2]) for one in by_key[importer, other]]
    configurations = {tuple(sorted(one.params.items())) for one in sessions}
    is_summary = all(len(one.frame) == one.frame["logged"].nunique() for one in sessions)
    return parent if len(configurations) == 1 and is_summary else None


def _tell_ranks(group: Group) -> None:
    """Set the ranks of processes that wrote into one folder at the same time."""
    by_folder: dict[str, list[Recording]] = defaultdict(list)
    for one in group.training:
        by_folder[one.folder].append(one)
    group.training = []
    for _, members in sorted(by_folder.items()):
        ranked, reason = with_ranks(members)
        group.training += ranked
        if reason is not None:
            group.reasons.append(reason)


def _phase_parent(importer: str, key: str, keys: set[tuple[str, str]]) -> str | None:
    """Return the run that a folder such as ``run/validation`` is a phase of, if the others of it are there."""
    phase = folder_phase(key)
    if phase is None or key == ".":
        return None
    parent = key.rpartition("/")[0] or "."
    if (importer, parent) in keys:
        return parent
    siblings = (other for tool, other in keys if tool == importer and other != key and (other.rpartition("/")[0] or ".") == parent)
    return parent if any(folder_phase(other) not in (None, phase) for other in siblings) else None


def _other_tools(groups: list[Group]) -> list[Group]:
    """Join what different tools wrote of one run: overlapping in time, and sharing a folder or a name."""
    kept: list[Group] = []
    for group in sorted(groups, key=lambda one: (one.training[0].importer != "mlflow", one.folder, one.key)):
        partners = [other for other in kept if _one_run(other, group)]
        if len(partners) == 1:
            partners[0].training += group.training
            partners[0].reasons += [f"{group.key}: same time and same {_bond(partners[0], group)} as {partners[0].key}", *group.reasons]
        else:
            kept.append(group)
    return kept


def _one_run(one: Group, other: Group) -> bool:
    if {member.importer for member in one.training} & {member.importer for member in other.training}:
        return False
    return bool(_bond(one, other)) and _overlap_share(one.span, other.span, min) >= _SHARED_TIME


def _bond(one: Group, other: Group) -> str:
    """Return what two tools' logs of one run share, empty if nothing."""
    if _inside(other.folder, one.folder) or _inside(one.folder, other.folder):
        return "folder"
    if one.training[0].name == other.training[0].name:
        return "name"
    return "beginning and end" if _overlap_share(one.span, other.span, max) >= _SAME_TIMES else ""


def _owners(machine: Recording, groups: list[Group]) -> list[Group]:
    """Return the runs that a hardware log covers: in its folder or below, else in the nearest folder above it."""
    span = _span([machine])
    folder = machine.folder
    while True:
        near = [group for group in groups if group.training and _inside(group.folder, folder)]
        if span is None:
            return near if len(near) == 1 else []
        covered = [group for group in near if _overlap(group.span, span) is not None]
        if covered or folder == ".":
            return covered
        folder = folder.rpartition("/")[0] or "."


def _attach(machine: Recording, owners: list[Group]) -> None:
    """Give each run the samples of its own span: start-up before the first, idle after each until the next begins."""
    name = machine.files[0].name if machine.files else machine.name
    if _span([machine]) is None:
        owners[0].machine.append(MachinePart(machine))
        owners[0].reasons.append(f"{name}: the only run near it; it has no times")
        return
    owners = sorted(owners, key=lambda group: (group.span or (0.0, 0.0), group.key))
    for position, group in enumerate(owners):
        span = group.span
        assert span is not None  # _owners takes only runs with a span, where the log has one
        later = [other.span[0] for other in owners[position + 1 :] if other.span is not None and other.span[0] >= span[1]]
        begin = None if position == 0 else span[0]
        group.machine.append(MachinePart(machine, begin, min(later) if later else None))
        others = len(owners) - 1
        shared = f"; {others} other runs take samples from it too" if others else ""
        group.reasons.append(f"{name}: its times cover this run, and it lies in the same folder tree{shared}")


def _span(recordings: list[Recording]) -> tuple[float, float] | None:
    starts = [one.started_at.timestamp() for one in recordings if one.started_at is not None]
    ends = [one.ended_at.timestamp() for one in recordings if one.ended_at is not None]
    return (min(starts), max([*ends, *starts])) if starts else None


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> float | None:
    """Return the seconds that two spans share; None where they do not touch or one is not known."""
    if one is None or other is None:
        return None
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared if shared >= 0 else None


def _overlap_share(one: tuple[float, float] | None, other: tuple[float, float] | None, of: Callable[[float, float], float]) -> float:
    """Return the shared time as a share of the shorter (``of=min``) or the longer (``of=max``) span."""
    shared = _overlap(one, other)
    if shared is None or one is None or other is None:
        return 0.0
    whole = of(one[1] - one[0], other[1] - other[0])
    return 1.0 if whole == 0 else shared / whole


def _inside(folder: str, parent: str) -> bool:
    return parent in {".", folder} or folder.startswith(parent + "/")
