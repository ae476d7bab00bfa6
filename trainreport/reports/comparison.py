"""Several runs side by side: ranked, grouped by settings, told apart from chance, and which of them to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Literal, NamedTuple

from trainreport.detectors.family import Runs, runs_of, varied
from trainreport.model.case import Case
from trainreport.model.decision import Verdict
from trainreport.model.series import direction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from trainreport.model.case import Sibling
    from trainreport.model.decision import Assessment, RunAssessment

__all__ = ["Advice", "Comparison", "Entry", "Group", "compared"]

Apart = Literal["leads", "yes", "no", "not known"]
"""Whether a value differs from the leading one by more than chance."""
Settings = tuple[tuple[str, str], ...]

_FREEDOM_AND_T = (
    (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (6, 2.447), (8, 2.306), (10, 2.228), (15, 2.131), (20, 2.086), (30, 2.042), (60, 2.0),
)  # fmt: skip
"""Student's t at 97.5 %; between two entries the smaller freedom holds, which claims less."""
_FROM_SHARE = 0.3
"""Of the longest run: before it curves cross, as TR404 has it."""
_FEWEST_OTHERS = 2
_SILENT_S, _SILENT_SHARE = 3600.0, 0.1
_ABSENT = "–"


class Advice(NamedTuple):
    """What to do with a run, and why."""

    word: Literal["stop", "let run", "ended", "cannot tell"]
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run in its place."""

    place: int | None
    """From 1; None where it is not judged by what the leading run is judged by."""
    run: RunAssessment
    settings: Settings
    """The parameters that differ between runs, with this run's values."""
    apart: Apart
    advice: Advice


@dataclass(frozen=True, slots=True)
class Group:
    """Runs of the same settings, such as other seeds."""

    settings: Settings
    names: tuple[str, ...]
    values: tuple[float, ...]
    apart: Apart
    """Whether its mean differs from that of the best group by more than chance."""

    @property
    def mean(self) -> float:
        """Mean of the best values."""
        return fmean(self.values)

    @property
    def sd(self) -> float | None:
        """Standard deviation from run to run; None for a single run, which has none."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several runs side by side."""

    entries: tuple[Entry, ...]
    """The best first, runs that are not ranked last."""
    groups: tuple[Group, ...]
    """By their mean, the best first; empty where no run names its settings."""
    differing: tuple[str, ...]
    noise: float | None
    """Standard deviation of the best value from run to run."""
    basis: str
    """How the noise is known, or why not."""
    repeated: bool
    """Whether the noise is from repeated runs; only then is a difference more than chance."""

    @property
    def to_stop(self) -> tuple[Entry, ...]:
        """The runs to stop."""
        return tuple(entry for entry in self.entries if entry.advice.word == "stop")

    def stops_by_reason(self) -> dict[str, list[str]]:
        """Return why -> names of the runs to stop for it."""
        found: dict[str, list[str]] = {}
        for entry in self.to_stop:
            found.setdefault(entry.advice.why, []).append(entry.run.log.run.name)
        return found


def compared(assessment: Assessment) -> Comparison:
    """Return the runs of an assessment side by side.

    Parameters
    ----------
    assessment : Assessment
        The ranks are by its criteria, each run at the checkpoint that it is judged at.
    """
    assert assessment.portfolio is not None, "one run alone has nothing to stand beside"
    first, family = assessment.leading, assessment.portfolio.family
    alike = runs_of(Case(first.log, assessment.plan, first.ledger, family, assessment.as_of))
    differing = varied(_filled(alike.every if alike else family))  # a parent of nested runs differs from them in all
    settings = {one.run_id: tuple((name, one.params.get(name, _ABSENT)) for name in differing) for one in family}
    spread = _Spread.of(alike, settings)
    ranked, rest = _ranked(assessment, alike)
    entries = tuple(
        Entry(
            place,
            run,
            settings[run.log.run.id],
            "leads" if place == 1 else _apart(ranked[0], run, spread) if place else "not known",
            _advice(run, alike, spread, assessment.as_of),
        )
        for place, run in [*enumerate(ranked, 1), *((None, run) for run in rest)]
    )
    groups = _groups(ranked, settings, spread) if any(one.params for one in family) else ()
    basis = alike.noise_basis if alike else "no run has a checkpoint to judge"
    return Comparison(entries, groups, tuple(differing), spread.noise, basis, spread.repeated)


class _Spread(NamedTuple):
    """The noise from run to run, and how far two means have to differ to be told apart."""

    noise: float | None
    repeated: bool
    freedom: int
    sign: int

    @classmethod
    def of(cls, alike: Runs | None, settings: dict[str, Settings]) -> _Spread:
        if alike is None:
            return cls(None, False, 0, 1)
        named = [settings[one.run_id] for one in alike.every if one.params]
        return cls(alike.noise, alike.repeated, len(named) - len(set(named)), alike.sign)

    def limit(self, n: int, m: int) -> float | None:
        """Return the difference of means of n and of m runs beyond which chance is unlikely (5 %), None where nothing tells it."""
        if self.noise is None:
            return None
        t = next((t for freedom, t in reversed(_FREEDOM_AND_T) if freedom <= self.freedom), 1.96) if self.repeated else 1.96
        return t * self.noise * math.sqrt(1 / n + 1 / m)

    def apart(self, difference: float, n: int, m: int) -> Apart:
        """Return whether a difference is more than chance; noise within curves is too small to say yes."""
        limit = self.limit(n, m)
        if limit is None:
            return "not known"
        if abs(difference) <= limit:
            return "no"
        return "yes" if self.repeated else "not known"


def _filled(family: Sequence[Sibling]) -> list[Sibling]:
    """Return the runs with a value for each parameter, so that one without it differs from those with it."""
    names = {name for one in family for name in one.params}
    return [replace(one, params={**dict.fromkeys(names, _ABSENT), **one.params}) for one in family]


def _ranked(assessment: Assessment, alike: Runs | None) -> tuple[list[RunAssessment], list[RunAssessment]]:
    """Return the runs that can be ranked, the best first, and the others."""
    ids = {one.run_id for one in alike.every} if alike else set()
    can = [run for run in assessment.runs if run.log.run.id in ids and run.best is not None]
    ranked = sorted(can, key=lambda run: (run is not assessment.leading, *_rank(run)))
    return ranked, [run for run in assessment.runs if run.log.run.id not in ids or run.best is None]


def _rank(run: RunAssessment) -> tuple[bool, bool, float, str]:
    """Return the order of the policy: all mandatory criteria met first, then the best by the first criterion."""
    mandatory = [one for one in run.criteria if one.mandatory]
    met = bool(mandatory) and all(one.state == "met" for one in mandatory)
    first = next((one for one in run.criteria if one.value is not None), None)
    if first is not None and first.value is not None:
        return not met, False, first.value if first.comparator == "<=" else -first.value, run.log.run.id
    assert run.best is not None
    return not met, True, -direction(run.best.series) * run.best.value, run.log.run.id


def _apart(best: RunAssessment, run: RunAssessment, spread: _Spread) -> Apart:
    assert best.best is not None
    assert run.best is not None
    return spread.apart(best.best.value - run.best.value, 1, 1)


def _groups(ranked: list[RunAssessment], settings: dict[str, Settings], spread: _Spread) -> tuple[Group, ...]:
    together: dict[Settings, list[RunAssessment]] = {}
    for run in ranked:
        if run.log.run.params:
            together.setdefault(settings[run.log.run.id], []).append(run)
    found = [
        Group(key, tuple(run.log.run.name for run in runs), tuple(run.best.value for run in runs if run.best), "leads")
        for key, runs in together.items()
    ]
    found.sort(key=lambda group: -spread.sign * group.mean)
    return tuple(
        replace(one, apart=spread.apart(found[0].mean - one.mean, len(found[0].values), len(one.values))) if i else one
        for i, one in enumerate(found)
    )


def _silent(run: RunAssessment, as_of: datetime | None) -> bool:
    """Return whether a run has been silent for so long that it has ended: an hour, and a tenth of its length."""
    ended, wall = run.log.run.ended_at, run.ledger.wall_s or 0.0
    return ended is not None and as_of is not None and (as_of - ended).total_seconds() > max(_SILENT_S, _SILENT_SHARE * wall)


def _advice(run: RunAssessment, alike: Runs | None, spread: _Spread, as_of: datetime | None) -> Advice:
    """Return whether to stop a run that may still be running: for what it shows itself, or for lying behind the others."""
    status = run.log.run.status
    if status not in ("running", "unknown"):
        return Advice("ended", status)
    if status == "unknown" and _silent(run, as_of):
        return Advice("ended", "nothing was logged after it")
    still = "" if status == "running" else "If it still runs: "
    if run.decision.verdict is Verdict.NO_GO:
        return Advice("stop", f"{still}{run.decision.headline}")
    if run.decision.verdict in (Verdict.GO, Verdict.GO_WITH_CONDITIONS):
        return Advice("stop", f"{still}The criteria are met at its best checkpoint; more training is not needed for them")
    behind = _behind(run, alike)
    limit = spread.limit(1, 1)
    if behind is not None and behind > 0 and limit is not None and behind > limit:
        return Advice("stop", f"{still}It lies behind the median of the others at the same step, by more than chance explains")
    if run.decision.verdict is Verdict.NOT_YET:
        return Advice("let run", run.decision.headline)
    return Advice("cannot tell", "Too little is known of it to stop it or to let it run")


def _behind(run: RunAssessment, alike: Runs | None) -> float | None:
    """Return by how much a run lies behind the median of what the others had reached at its last step; None where it is too early."""
    own = next((one for one in alike.every if one.run_id == run.log.run.id), None) if alike else None
    if alike is None or own is None or not own.course:
        return None
    step, best = own.course[-1]
    others = [one.course for one in alike.every if one is not own and one.course and one.course[-1][0] >= step]
    reached = [next((value for at, value in reversed(course) if at <= step), None) for course in others]
    known = [value for value in reached if value is not None]
    longest = max(one.course[-1][0] for one in alike.every if one.course)
    if len(known) < _FEWEST_OTHERS or step < _FROM_SHARE * longest:
        return None
    return alike.sign * (median(known) - best)
