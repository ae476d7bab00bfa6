"""From files to run logs: find what can be read, read it, join what belongs to one run."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.errors import InputError, UsageError
from trainreport.importers.assemble import run_log
from trainreport.importers.checkpoints import attach, is_checkpoint
from trainreport.importers.choose import choose, without_copies
from trainreport.importers.declared import fault_of
from trainreport.importers.jobs.owners import without_strangers
from trainreport.importers.join import join
from trainreport.importers.registry import all_importers, plug_ins
from trainreport.importers.walk import harvest
from trainreport.importers.zones import with_zones
from trainreport.model import clock
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from trainreport.importers.groups import Group
    from trainreport.importers.recording import Recording
    from trainreport.model.run import RunLog

__all__ = ["Loaded", "all_importers", "load"]

_CHECKPOINT = "named like a checkpoint of a model: noted, never opened"


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The runs that were found, and the files that were not read."""

    logs: tuple[RunLog, ...]
    skipped: tuple[Skipped, ...]


def load(
    paths: Sequence[Path],
    *,
    source_zone: str | None = None,
    interval_s: float | None = None,
    declared: Path | None = None,
    strict: bool = False,
    separate: bool = False,
    experiments: Sequence[str] = (),
    runs: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> Loaded:
    """Read everything below `paths`.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders. With several, the names of files begin with the path given.
    source_zone : str, optional
        IANA zone for times that are written without one; inferred from the runs beside a hardware log where it is not given.
    interval_s : float, optional
        Seconds between samples of hardware logs that hold no times.
    declared : Path, optional
        TOML that declares columns or lines of logs (`importers.declared`); without it ``trainreport-map.toml`` beside the logs counts.
    strict : bool
        Raise on the first bad record instead of listing it.
    separate : bool
        Join nothing: every source is a run of its own.
    experiments : sequence of str
        Names or ids of MLflow experiments; only their runs are kept.
    runs : sequence of str
        Ids or names of runs; only these are kept. Runs deleted in MLflow are kept only where they are named here.
    progress : callable, optional
        Called with the name of each file before it is read.

    Returns
    -------
    Loaded
        At least one run.

    Raises
    ------
    InputError
        If a path is missing, or nothing in them can be read.
    UsageError
        If no path was given, the zone is not known, or no run is what was asked for.
    """
    if not paths:
        raise UsageError("no path given; expected files or folders with logs")
    if source_zone is not None:
        clock.zone(source_zone)
    if declared is not None and (fault := fault_of(declared)):
        raise UsageError(fault)
    harvests = []
    for path in paths:
        prefix = f"{path.as_posix().rstrip('/')}/" if len(paths) > 1 and path.is_dir() else ""
        harvests.append(
            harvest(path, prefix=prefix, zone=source_zone, strict=strict, interval_s=interval_s, declared=declared, progress=progress)
        )
    groups: list[tuple[Group, str]] = []
    recordings, copies = without_copies([found.recordings for found in harvests])
    skipped = [*copies, *(one for found in harvests for one in found.skipped)]
    skipped += [Skipped(str(plugged), plugged.fault) for plugged in plug_ins() if plugged.fault]
    for found, distinct in zip(harvests, recordings, strict=True):
        joined, strange = without_strangers(join(with_zones(distinct, source_zone), separate=separate))
        skipped += strange
        for group in joined:
            if _says_something(group):
                groups.append((group, found.root_name))
            else:
                skipped += _silent(group)
    attach([one.path for one in skipped if is_checkpoint(one.path)], [group for group, _ in groups])
    skipped = [Skipped(one.path, _CHECKPOINT) if is_checkpoint(one.path) else one for one in skipped]
    every_id = _unique_ids(groups)
    chosen, left_out = choose([group for group, _ in groups], every_id, experiments, runs)
    skipped += left_out
    groups, ids = [groups[place] for place in chosen], [every_id[place] for place in chosen]
    if not groups:
        raise InputError(_nothing_read(paths, skipped))
    hashes: dict[Path, str] = {}
    names = _telling_names([_name(group, root) for group, root in groups], ids)
    logs = [run_log(group, run_id, name, hashes) for (group, _), run_id, name in zip(groups, ids, names, strict=True)]
    return Loaded(tuple(sorted(logs, key=lambda log: log.run.id)), tuple(sorted(skipped, key=lambda one: one.path)))


def _says_something(group: Group) -> bool:
    return any(len(one.frame) or one.params for one in group.training) or any(len(part.recording.frame) for part in group.machine)


def _silent(group: Group) -> list[Skipped]:
    """Return one entry for each source that was read and says nothing, under its first file."""
    sources = [*group.training, *(part.recording for part in group.machine)]
    return [Skipped(one.files[0].name, _why_silent(one)) for one in sources if one.files]


def _why_silent(one: Recording) -> str:
    told = [problem.what for problem in one.problems] + [event.message for event in one.events if event.kind == "notice"]
    if told:
        return told[0]
    return f"{f'run {one.key} ' if one.importer == 'mlflow' else ''}holds no numbers and no parameters"


def _name(group: Group, root: str) -> str:
    """Return a name for people: what the tool calls the run, the given folder's for what lies directly in it."""
    first = group.training[0] if group.training else group.machine[0].recording
    if group.key == ".":
        return root
    return first.name if first.key == group.key else group.key.rpartition("/")[2]


def _unique_ids(groups: list[tuple[Group, str]]) -> list[str]:
    """Return one id a run; where two would share one, the folder goes before it, then a number behind it."""
    keys = [root if group.key == "." else group.key for group, root in groups]
    count = Counter(keys)
    named = [key if count[key] == 1 else f"{group.folder}/{key}" for key, (group, _) in zip(keys, groups, strict=True)]
    seen: Counter[str] = Counter()
    ids = []
    for name in named:
        seen[name] += 1
        ids.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return ids


def _telling_names(names: list[str], ids: list[str]) -> list[str]:
    """Return the names, those that several runs share told apart by what differs in their ids."""
    told = list(names)
    places_of: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places_of[name].append(place)
    for name, places in places_of.items():
        if len(places) == 1:
            continue
        differing = _what_differs([ids[place].split("/") for place in places])
        for place, parts in zip(places, differing, strict=True):
            own = "/".join(parts)
            told[place] = own if len(parts) > 1 or "/" in ids[place] else f"{name} {own[:8]}"
    return told


def _what_differs(paths: list[list[str]]) -> list[list[str]]:
    """Return the paths without the parts that all of them begin and end with."""
    shortest = min(len(parts) for parts in paths)
    ahead = next((n for n in range(shortest) if len({parts[n] for parts in paths}) > 1), shortest - 1)
    behind = next((n for n in range(shortest - ahead) if len({parts[-1 - n] for parts in paths}) > 1), 0)
    return [parts[ahead : len(parts) - behind] for parts in paths]


def _nothing_read(paths: Sequence[Path], skipped: list[Skipped]) -> str:
    where = ", ".join(str(path) for path in paths)
    if not skipped:
        return f"{where}: the folder is empty; expected logs such as events.out.tfevents.*, mlruns/ or an nvidia-smi CSV"
    examples = "; ".join(f"{one.path} ({one.reason})" for one in skipped[:3])
    more = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
    return f"{where}: nothing in it can be read: {examples}{more}; `trainreport formats` lists what is read"
