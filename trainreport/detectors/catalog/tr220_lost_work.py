"""TR220: lost work."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import Progress, progress
from trainreport.business.pauses import intervals
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.timing import during, paid_s, waste_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case


_LATER_S = 86_400.0
"""A training that begins again after more than a day is another one."""


class _Try(NamedTuple):
    """The steps of one attempt."""

    attempt: int
    first: int
    last: int
    begins_s: float
    """NaN where the log has no times."""
    ends_s: float


class _Lost(NamedTuple):
    """What rewinds made void."""

    steps: int
    rewinds: int
    seconds: float | None
    """Time that the void steps took; None where the log has no times."""
    share: float
    """Of the time that steps took, or of the steps where there are no times."""
    furthest: tuple[int, int]
    """The rewind that cost most: from which step back to which."""
    from_start: bool
    """Whether each of them began again at the first step: several trainings in one folder look the same."""


class LostWork(Detector):
    """Steps were done again after a restart: the work of the first time was lost.

    What it checks
    --------------
    The steps of training in the order in which they were logged.

    Why it matters
    --------------
    Every step between the last checkpoint and an interruption is paid for twice. Often it is a matter of one setting.

    How it decides
    --------------
    Where logged steps jump back, the steps from there on were made void, and so was the time between them. It is a finding from 1 %
    of the steps' time and a minute on. Where the log has no times, 1 % of the steps decides.

    A training that begins again at its first step is taken as another training in the same folder, not as lost work, when it does not
    go beyond the one before it, or begins more than a day later. When all rewinds go back to the first step it may be so too:
    confidence is low.

    What to do
    ----------
    - Save checkpoints more often: about the square root of twice the time a checkpoint takes times the mean time between failures.
    - Save when the scheduler announces the end (a signal, the time limit), and resume from the last checkpoint.
    - Give each training a folder of its own.

    Limits
    ------
    Work between the last logged step and the interruption is not seen, and so is a restart that goes on under another name. Logged steps
    are as fine as this can tell.

    References
    ----------
    - Young, A First Order Approximation to the Optimum Checkpoint Interval, CACM 17 (1974); Daly, FGCS 22 (2006).
    - Google Cloud, ML Goodput Measurement: wasted progress from disruption.
    """

    code = "TR220"
    name = "lost-work"
    severity = Severity.MINOR
    needs = ("steps of training",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR220."""

        share: float = threshold(0.01, unit="share", why="Less was cheap to do again.", low=0, high=1, source="convention")
        seconds: float = threshold(60, unit="s", why="Less is a try-out, not a training.", low=0, high=86400, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = progress(case.log)
        if seen is None:
            return self.not_applicable("no steps of training were logged")
        if len(seen.step) < 2:
            return self.not_applicable("one step was logged; what was done again does not show")
        lost = _lost(seen)
        if lost.rewinds == 0:
            return self.clear(f"no step was done again among {len(seen.step):,} logged ones")
        if lost.share >= limits.share and (lost.seconds is None or lost.seconds >= limits.seconds):
            return self.found(self._finding(case, seen, lost, limits))
        took = "" if lost.seconds is None else f", which took {words.duration(lost.seconds)}"
        return self.clear(f"{words.plural(lost.steps, 'step')} done again after {words.plural(lost.rewinds, 'rewind')}{took}")

    def _finding(self, case: Case, seen: Progress, lost: _Lost, limits: Thresholds) -> Finding:
        back = f"from step {lost.furthest[0]:,} to {lost.furthest[1]:,}"
        often = f"went back {back}" if lost.rewinds == 1 else f"went back {lost.rewinds} times, at worst {back},"
        took = "" if lost.seconds is None else f", which took {words.duration(lost.seconds)}"
        whole = "of its step time" if lost.seconds is not None else "of all steps logged"
        doubt = "; it may also be several trainings in one folder" if lost.from_start else ""
        given = [
            during("steps made void", lost.steps, "step", "steps at or after a later start", len(seen.step)),
            during("share made void", lost.share, "1", whole, len(seen.step)),
        ]
        if lost.seconds is not None:
            times = float(seen.time_s[0]), float(seen.time_s[-1])
            given.append(during("time made void", lost.seconds, "s", "time between void steps", len(seen.step), span=times))
        known = lost.seconds is not None and paid_s(case) > 0
        return self.finding(
            f"The run {often} and did {words.plural(lost.steps, 'step')} again{took} ({words.share(lost.share)} {whole}){doubt}.",
            evidence=tuple(given),
            action=Action("Save checkpoints more often, and when the end of the job is announced.", owner="ML engineer", effort="an hour"),
            confidence=Confidence.LOW if lost.from_start else Confidence.HIGH if lost.seconds is not None else Confidence.MEDIUM,
            limits=limits,
            waste=waste_of(case, lost.seconds or 0.0, lost.steps) if known else Waste(steps=lost.steps, share_of_run=lost.share),
        )


def _lost(seen: Progress) -> _Lost:
    """Return what rewinds made void, other trainings in the same folder left out."""
    import numpy as np

    tries = [_try(seen, attempt) for attempt in np.unique(seen.attempt)]
    void, first = np.zeros(len(seen.step), dtype=bool), tries[0]
    pairs: list[tuple[_Try, _Try]] = []
    from_start = True
    for before, after in itertools.pairwise(tries):
        if _another(before, after):
            first = after
        elif after.first <= before.last:
            pairs.append((before, after))
            from_start &= after.first <= first.first
            void |= (seen.attempt >= first.attempt) & (seen.attempt < after.attempt) & (seen.step >= after.first)
    if not pairs:
        return _Lost(0, 0, None, 0.0, (0, 0), False)
    between = intervals(seen, np.empty(0))
    seconds = None if between is None else float(between.seconds[~between.restart & void[1:]].sum())
    whole = 0.0 if between is None else float(between.seconds[~between.restart].sum())
    share = float(void.mean()) if seconds is None or whole <= 0 else seconds / whole
    worst = max(pairs, key=lambda pair: pair[0].last - pair[1].first)
    steps = sum(before.last - after.first + 1 for before, after in pairs)
    return _Lost(steps, len(pairs), seconds, share, (worst[0].last, worst[1].first), from_start)


def _try(seen: Progress, attempt: int) -> _Try:
    mine = seen.attempt == attempt
    step, time_s = seen.step[mine], seen.time_s[mine]
    return _Try(int(attempt), int(step.min()), int(step.max()), float(time_s[0]), float(time_s[-1]))


def _another(before: _Try, after: _Try) -> bool:
    """Return whether an attempt is a training of its own: from the first step on, and no further than the last, or after a day."""
    return after.first <= before.first and (after.last <= before.last or after.begins_s - before.ends_s > _LATER_S)


DETECTOR = LostWork()
