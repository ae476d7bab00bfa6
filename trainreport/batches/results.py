"""What is written of each run: one line of ``results.jsonl``, and the file of them that only grows."""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.model import clock
from trainreport.model.ledger import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from trainreport.model.decision import Assessment, RunAssessment
    from trainreport.model.finding import Finding
    from trainreport.model.money import Money

__all__ = ["KEYS", "MORE_KEYS", "REPORT_NAMES", "Blocks", "Log", "failure", "lines", "read", "repair", "report_folder", "valid"]

KEYS = ("path", "run_id", "inputs_digest", "version", "verdict", "next_step", "codes", "gpu_hours", "cost", "error")
MORE_KEYS = ("name", "team", "project", "started_at", "ended_at", "status", "energy_kwh", "goodput", "findings", "series", "terms")
"""What stands on a line besides: for the portfolio, and for queries."""
REPORT_NAMES = {"html": "report.html", "pdf": "report.pdf", "markdown": "report.md", "json": "report.json"}
_KEYS = frozenset(KEYS)
_SUNK_COST = "TR401"
_SYNC_S = 1.0
"""Seconds between two writes that reach the disk at once: a power cut costs no more than this."""


def report_folder(output: Path, path: str) -> Path:
    """Return the folder that the reports on a job are written into."""
    return output / "reports" / path


def lines(assessment: Assessment, path: str, terms: str | None = None) -> list[str]:
    """Return one line of JSON for each run of a job.

    What only several runs show (TR4xx) stands with the run that leads them. The `terms` are the fingerprint of what
    the job was judged by besides its files.
    """
    return [_line(path, assessment.version, terms=terms, **_told(assessment, run)) for run in assessment.runs]


def _told(assessment: Assessment, one: RunAssessment) -> dict[str, Any]:
    run, ledger, common = one.log.run, one.ledger, assessment.portfolio
    leads = common is not None and common.best_run == run.id
    shared = [finding for outcome in common.outcomes for finding in outcome.findings] if common and leads else []
    findings = [*one.findings, *shared]
    tags = {name.lower(): text for name, text in {**run.tags, **assessment.plan.tags}.items()}
    codes = sorted({finding.code for finding in findings})
    return {
        "run_id": run.id,
        "inputs_digest": assessment.inputs_digest,
        "verdict": one.decision.verdict.value,
        "next_step": one.decision.next_step.value,
        "codes": codes,
        "gpu_hours": _number(ledger.gpu_hours),
        "cost": _money(ledger.cost),
        "name": run.name,
        "team": tags.get("team"),
        "project": tags.get("project"),
        "started_at": clock.iso(run.started_at),
        "ended_at": clock.iso(run.ended_at),
        "status": run.status,
        "energy_kwh": _number(ledger.energy_kwh),
        "goodput": None if ledger.goodput is None else {name: _number(getattr(ledger.goodput, name)) for name in BUCKETS},
        "findings": [_finding(finding, ledger.gpu_hours) for finding in findings],
        "series": {"runs": common.runs, "spent": _money(common.spent)} if common and leads and _SUNK_COST in codes else None,
    }


def _finding(finding: Finding, gpu_hours: float | None) -> dict[str, Any]:
    waste, impact = finding.waste, finding.impact
    wasted = None if waste.gpu_s is None else waste.gpu_s / 3600
    if wasted is None and waste.share_of_run is not None and gpu_hours is not None:
        wasted = waste.share_of_run * gpu_hours
    return {
        "code": finding.code,
        "severity": finding.severity.word,
        "confidence": finding.confidence.word,
        "gpu_hours": _number(wasted),
        "cost": _money(None if impact is None else impact.money),
        "message": finding.message,
    }


def _money(money: Money | None) -> dict[str, str] | None:
    return None if money is None else {"amount": money.plain(), "currency": money.currency}


def _number(value: float | None) -> float | None:
    """Return a finite number, free of the last noisy digits of its computation."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.12g}")


def failure(path: str, version: str, reason: str) -> str:
    """Return the line of a job that gave no judgement, and why."""
    return _line(path, version, codes=[], error=reason)


def _line(path: str, version: str, **known: Any) -> str:
    facts = {"path": path, "version": version, **known}
    return json.dumps({key: facts.get(key) for key in (*KEYS, *MORE_KEYS)}, allow_nan=False)


class Log:
    """A file of lines that only grows; what belongs together is written in one piece."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: IO[bytes] = path.open("ab", buffering=0)  # what is written survives the death of this process
        self._synced = time.monotonic()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._stream.fileno())
        self._stream.close()

    def add(self, some: Iterable[str]) -> None:
        """Append lines, all in one call of the system, so that an interrupt finds them written or not begun.

        Raises
        ------
        InputError
            If the disk takes no more.
        """
        data = memoryview("".join(f"{line}\n" for line in some).encode())
        try:
            while data:
                data = data[self._stream.write(data) :]
            if time.monotonic() - self._synced > _SYNC_S:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise InputError(f"{self._path} cannot be written: {error.strerror or error}; make room and go on with --resume") from None


def repair(path: Path) -> None:
    """Cut off a last line that was not finished."""
    with path.open("r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - (1 << 16))
            stream.seek(begin)
            line_end = stream.read(end - begin).rfind(b"\n")
            if line_end >= 0:
                stream.truncate(begin + line_end + 1)
                return
            end = begin
        stream.truncate(0)


def read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of a file with their entries, one at a time.

    Raises
    ------
    InputError
        If a line is no such entry.
    """
    with path.open(encoding="ascii", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            try:
                entry = json.loads(line)
                if not isinstance(entry, dict) or not entry.keys() >= _KEYS:
                    raise ValueError(f"expected an object with {', '.join(KEYS)}")
            except ValueError as error:
                raise InputError(
                    f"{path}:{number}: not a line of results: {error}; mend or remove it, or begin anew with --force"
                ) from None
            yield line.rstrip("\n"), entry


def valid(path: Path, blocks: Blocks) -> Iterator[bytes]:
    """Yield the lines of a file that count, as they stand there.

    Parameters
    ----------
    path : Path
    blocks : Blocks
        All lines of the file; or none, where it has no job twice.
    """
    with path.open("rb") as stream:
        for place, line in enumerate(stream):
            if not blocks.superseded or blocks.counts(place, json.loads(line)):
                yield line


@dataclass(slots=True)
class _Block:
    """The lines that were written last of one job: those of one state of its inputs and of what it was judged by."""

    state: int
    first: int
    judged: bool
    """Whether these are judgements, and no failure."""
    lines: list[int]


class Blocks:
    """Which lines of a file count: of each job those that were written last, by the same terms for the same inputs.

    Texts are kept as their hashes, so that a million lines fit into memory.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._seen = 0
        self.superseded = False
        """Whether there are lines that no longer count."""

    def add(self, line: str, entry: dict[str, Any]) -> None:
        """Take the next line of the file."""
        job, state = hash(entry["path"]), hash((entry["inputs_digest"], entry["version"], entry["error"], entry.get("terms")))
        block = self._blocks.get(job)
        if block is None or block.state != state:
            self.superseded |= block is not None
            block = self._blocks[job] = _Block(state, self._seen, entry["error"] is None, [])
        block.lines.append(hash(line))
        self._seen += 1

    def counts(self, place: int, entry: dict[str, Any]) -> bool:
        """Return whether the line at a place of the file is not superseded."""
        return place >= self._blocks[hash(entry["path"])].first

    def is_judged(self, path: str) -> bool:
        """Return whether the last lines of a job are judgements, and no failure."""
        block = self._blocks.get(hash(path))
        return block is not None and block.judged

    def new(self, path: str, some: Iterable[str]) -> list[str]:
        """Return those lines of a job that do not stand there yet."""
        block = self._blocks.get(hash(path))
        return [line for line in some if block is None or hash(line) not in block.lines]
