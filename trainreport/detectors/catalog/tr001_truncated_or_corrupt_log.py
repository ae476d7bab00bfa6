"""TR001: truncated or corrupt log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class TruncatedOrCorruptLog(Detector):
    """Part of a log could not be read.

    What it checks
    --------------
    Every file that the run was read from: records with a wrong checksum, files cut in the middle of a record, lines that are not what their
    format says.

    Why it matters
    --------------
    What is missing may be what decides: the end of a run, or its best evaluation. A log that was cut also says that a process or a disk
    ended early.

    How it decides
    --------------
    Each place that could not be read is listed with its reason. Any such place is a finding; its severity is a note where less than one
    record in a thousand was lost and no file breaks off at its end.

    What to do
    ----------
    - Copy the file again from where it was written; a running job's last record is often not yet flushed.
    - If it is broken there too, look at disk space and at how the job ended.

    Limits
    ------
    Records that a tool never wrote leave no trace. How many records were lost is not known where a file breaks off.

    References
    ----------
    - TensorFlow, TFRecord format: masked CRC-32C of length and data.
    """

    code = "TR001"
    name = "truncated-or-corrupt-log"
    severity = Severity.MINOR
    needs = ("a log file",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR001."""

        share: float = threshold(
            0.001, unit="share", why="Fewer lost records change no curve.", low=0, high=1, source="convention: one in a thousand"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        files = case.log.run.files
        if not files:
            return self.not_applicable("the run was not read from files")
        bad = [one for one in case.log.problems if one.about == "content"]
        read, lost = sum(file.rows_read for file in files), sum(file.rows_skipped for file in files)
        if not bad:
            return self.clear(f"all of {words.plural(len(files), 'file')} could be read, {words.plural(read, 'number')}")
        first = bad[0]
        where = f"{first.file}, {first.place}" if first.place else first.file
        counted = f"{words.plural(lost, 'record')} of {words.count(read + lost)}" if lost else "Part of the log"
        more = f" (and {words.plural(len(bad) - 1, 'more place')})" if len(bad) > 1 else ""
        small = 0 < lost < limits.share * (read + lost) and not any("ends" in one.what for one in bad)
        return self.found(
            self.finding(
                f"{counted} could not be read: {where}: {first.what}{more}.",
                evidence=(
                    Evidence("records that could not be read", float(lost), "1", "counted while reading", read + lost, file=first.file),
                ),
                action=Action("Copy the log again from where it was written, then read it once more.", "ML engineer", "an hour"),
                confidence=Confidence.HIGH,
                limits=limits,
                severity=Severity.NOTE if small else None,
            )
        )


DETECTOR = TruncatedOrCorruptLog()
