"""Says which recordings are one run, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.importers.folders import is_session, parent
from trainreport.importers.groups import Group, MachinePart
from trainreport.importers.jobs.owners import give_jobs
from trainreport.importers.owners import give_to_runs
from trainreport.importers.ranks import with_ranks
from trainreport.importers.tools import join_tools
from trainreport.model.series import folder_phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trainreport.importers.recording import Recording

__all__ = ["join"]


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
    groups = join_tools(_same_tool(one for one in found if one.kind == "training"))
    alone = give_to_runs((one for one in found if one.kind == "machine"), groups)
    strange = give_jobs([one for one in found if one.kind == "job"], groups)
    return sorted([*groups, *_beside(_alone(one) for one in alone), *map(_alone, strange)], key=lambda group: (group.folder, group.key))


def _alone(one: Recording) -> Group:
    group = Group(one.key, one.folder)
    if one.kind == "training":
        group.training.append(one)
    else:
        group.machine.append(MachinePart(one))
    return group


def _beside(alone: Iterable[Group]) -> list[Group]:
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
    families = _Families(by_key)
    groups: dict[tuple[str, str], Group] = {}
    for (importer, key), members in sorted(by_key.items()):
        home, reason = families.home(importer, key)
        group = groups.setdefault((importer, home), Group(home, members[0].folder if home == key else home))
        group.training += members
        if reason:
            group.reasons.append(f"{key}: {reason}")
    for group in groups.values():
        _tell_ranks(group)
        group.training.sort(key=lambda one: (one.started_at is None, one.started_at, one.files[0].name if one.files else ""))
    return list(groups.values())


class _Families:
    """The folders of one tool's recordings, and which of them are parts of one run; ``importer, key`` names one."""

    def __init__(self, by_key: Mapping[tuple[str, str], list[Recording]]) -> None:
        self._keys = by_key.keys()
        self._phases: dict[tuple[str, str], set[str | None]] = defaultdict(set)
        sessions: dict[tuple[str, str], list[Recording]] = defaultdict(list)
        for (importer, key), members in by_key.items():
            self._phases[importer, parent(key)].add(folder_phase(key))
            if is_session(key) and (importer, parent(key)) in by_key:
                sessions[importer, parent(key)] += members
        self._described = {above for above, members in sessions.items() if _describe_it(members)}

    def home(self, importer: str, key: str) -> tuple[str, str]:
        """Return the key of the run that a folder belongs to, and why if it is not its own."""
        session = self._session_parent(importer, key)
        phase = self._phase_parent(importer, session or key)
        if session is not None:
            return phase or session, f"hyperparameters of the run in {_spoken(phase or session)}, in a folder named by the time"
        if phase is not None:
            return phase, f"a phase of the run in {_spoken(phase)}, by the name of its folder"
        return key, ""

    def _session_parent(self, importer: str, key: str) -> str | None:
        """Return the run whose hyperparameters PyTorch's ``add_hparams`` wrote into a folder of their own."""
        return parent(key) if is_session(key) and (importer, parent(key)) in self._described else None

    def _phase_parent(self, importer: str, key: str) -> str | None:
        """Return the run that a folder such as ``run/validation`` is a phase of, if the others of it are there."""
        phase = folder_phase(key)
        if phase is None or key == ".":
            return None
        has_others = (importer, parent(key)) in self._keys or self._phases[importer, parent(key)] - {None, phase}
        return parent(key) if has_others else None


def _describe_it(sessions: list[Recording]) -> bool:
    """Return whether sessions of ``add_hparams`` describe the run above them.

    Several of them with different hyperparameters below one folder are a search: each is a run.
    """
    configurations = {tuple(sorted(one.params.items())) for one in sessions}
    return len(configurations) == 1 and all(one.frame["logged"].is_unique for one in sessions)


def _spoken(folder: str) -> str:
    return "the given folder" if folder == "." else folder


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
