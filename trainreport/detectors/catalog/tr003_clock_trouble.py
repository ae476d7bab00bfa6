"""TR003: clock trouble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.business.pace import progress
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity
from trainreport.model.schema import CLOCK_REPAIRED, OUT_OF_ORDER

if TYPE_CHECKING:
    from trainreport.model.case import Case


class ClockTrouble(Detector):
    """The times in the logs are in doubt.

    What it checks
    --------------
    Times that run backwards along the steps, rows written out of order, times that had to be repaired while reading, and clocks that do not
    fit those of the other logs.

    Why it matters
    --------------
    Curves and GPU logs are laid over each other by time. A clock that is off by an hour puts idle time where work was, and hours, cost and
    energy rest on times as well.

    How it decides
    --------------
    A finding is: a clock that the reader could not place or had to move; times that fall by more than a minute while steps rise within one
    attempt, in more than one entry in a thousand; or more than one row in a thousand out of order or with a repaired time. A clock that was
    moved with good evidence is a note.

    What to do
    ----------
    - Give the zone of hardware logs with --source-zone.
    - Log with UTC and an NTP clock; write epoch seconds where the tool lets you.

    Limits
    ------
    A clock that is off by less than a logging interval cannot be seen. Whether a log without a zone was taken as UTC rightly cannot be seen
    where there is nothing beside it.

    References
    ----------
    - RFC 3339, Date and Time on the Internet: timestamps without an offset are local and ambiguous.
    """

    code = "TR003"
    name = "clock-trouble"
    severity = Severity.MINOR
    needs = ("times of logged numbers",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR003."""

        back_s: float = threshold(
            60,
            unit="s",
            why="Buffers and several writers explain less.",
            low=0,
            high=86400,
            source="convention: TensorBoard flushes every 120 s, loggers sooner",
        )
        share: float = threshold(0.001, unit="share", why="Fewer rows move no curve.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        frame = case.log.frame
        rows = len(frame)
        if not rows or not frame["time"].notna().any():
            return self.not_applicable("no time was logged")
        told = [one for one in case.log.problems if one.about == "clock"]
        flags = frame["flags"].to_numpy()
        repaired, disordered = int(((flags & CLOCK_REPAIRED) > 0).sum()), int(((flags & OUT_OF_ORDER) > 0).sum())
        back, entries = _backwards(case, limits.back_s)
        parts = [f"{one.file}: {one.what}" for one in told[:1]]
        if back > limits.share * entries:
            parts.append(f"in {words.count(back)} of {words.count(entries)} entries time runs backwards while steps rise")
        if disordered > limits.share * rows:
            parts.append(f"{words.count(disordered)} of {words.count(rows)} rows are out of order")
        if repaired > limits.share * rows:
            parts.append(f"the times of {words.count(repaired)} of {words.count(rows)} rows were repaired while reading ({_moved(case)})")
        if not parts:
            return self.clear(f"times of {words.count(entries or rows)} entries rise with their steps, none was repaired")
        only_repaired = not told and len(parts) == 1 and repaired > limits.share * rows
        return self.found(
            self.finding(
                f"{words.capital('; '.join(parts))}.",
                evidence=(
                    Evidence("rows with repaired times", float(repaired), "1", "counted while reading", rows),
                    Evidence("rows out of order", float(disordered), "1", "counted while reading", rows),
                    Evidence("entries with time running backwards", float(back), "1", f"by more than {limits.back_s:g} s", entries),
                ),
                action=Action(
                    "Give the zone of the hardware log with --source-zone, and log in UTC from now on.", "ML engineer", "an hour"
                ),
                confidence=Confidence.MEDIUM,
                limits=limits,
                severity=Severity.NOTE if only_repaired else None,
            )
        )


def _moved(case: Case) -> str:
    """Return which files the repaired times are of, and how each one's clock was understood: moved by how much, and why."""
    frame = case.log.frame
    names = frame.loc[(frame["flags"].to_numpy() & CLOCK_REPAIRED) > 0, "file"].unique()
    clocks = {file.path: file.clock.partition(" (evidence")[0] for file in case.log.run.files}
    return words.joined([f"{name}: {clocks[name]}" if clocks.get(name) else str(name) for name in sorted(map(str, names))], most=3)


def _backwards(case: Case, back_s: float) -> tuple[int, int]:
    """Return at how many entries of the training time falls while the step rises, and how many entries there are."""
    import numpy as np

    course = progress(case.log)
    if course is None or not np.isfinite(course.time_s).all():
        return 0, 0
    order = np.lexsort((course.step, course.attempt))
    falls = (np.diff(course.time_s[order]) < -back_s) & (np.diff(course.attempt[order]) == 0) & (np.diff(course.step[order]) > 0)
    return int(falls.sum()), len(course.step)


DETECTOR = ClockTrouble()
