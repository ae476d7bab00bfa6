"""The summary that LSF puts below a job's output, or sends as a mail."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.jobs.amounts import bytes_of
from trainreport.importers.jobs.job import Job, Measure, recordings_of
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import Troubles, content_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_BEGIN = re.compile(r"^Sender: LSF System\b", re.MULTILINE)
_SUBJECT = re.compile(r"^Subject: Job (\d+(?:\[\d+\])?): <([^>\n]{0,200})>[^\n]{0,300}?\b(Exited|Done)\s*$", re.MULTILINE)
_MOMENT = r"([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})"
_SUBMITTED = re.compile(rf"was submitted from host [^\n]{{0,300}} at {_MOMENT}")
_STARTED = re.compile(rf"^Started at {_MOMENT}", re.MULTILINE)
_ENDED = re.compile(rf"^(?:Terminated|Results reported) at {_MOMENT}", re.MULTILINE)
_HOSTS = re.compile(r"was executed on host\(s\) (<[^\n]{1,2000}?>), in queue <([^>\n]{1,100})>")
_CODE = re.compile(r"^Exited with (?:exit code|signal termination:?) ?(\S{0,40}?)\.?$", re.MULTILINE)
_TERM = re.compile(r"^(TERM_[A-Z_]+)\b[:.]?([^\n]{0,200})", re.MULTILINE)
_AMOUNT = re.compile(r"^ {2,8}([A-Z][A-Za-z ]{2,40}?) *: +(\d[\d.]{0,20}) ?(sec|[KMGT]?B(?:ytes)?)\b", re.MULTILINE)
_SERIES = {
    "CPU time": "job/cpu_time", "Max Memory": "job/memory_peak", "Average Memory": "job/memory_mean",
    "Total Requested Memory": "job/memory_requested", "Max Swap": "job/swap_peak", "Run time": "job/run_time",
    "Turnaround time": "job/turnaround",
}  # fmt: skip
_KILLED = frozenset({"TERM_RUNLIMIT", "TERM_OWNER", "TERM_ADMIN", "TERM_FORCE_OWNER", "TERM_FORCE_ADMIN", "TERM_PREEMPT", "TERM_DEADLINE"})


class LsfSummary:
    """Reads times, exit, memory and CPU time; the output above the summary is the program's own and not read here."""

    name = "lsf-summary"
    title = "the job summary of LSF (bsub), as a mail or below a short output"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a summary begins in the first 4 KiB: further down the file is foremost a log of the training."""
        del path
        return b"Sender: LSF System" in head and b"\nSubject: Job " in head

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all summaries of the file."""
        troubles = Troubles(source)
        text = decode(plain(content_of(source)))
        begins = [match.start() for match in _BEGIN.finditer(text)]
        if not begins:
            raise InputError("no job in it that begins as the format says; the file is damaged")
        jobs = [_job(text[begin:end], text.count("\n", 0, begin) + 1, troubles) for begin, end in pairwise([*begins, len(text)])]
        return recordings_of(self.name, source, jobs, troubles)


def _job(text: str, line: int, troubles: Troubles) -> Job:
    subject = _SUBJECT.search(text)
    if subject is None:
        troubles.add(f"line {line}", "a summary without a subject such as 'Subject: Job 12: <train> in cluster <c> Done'")
    ran, term, code = (_AMOUNT.findall(text), _TERM.search(text), _CODE.search(text))
    hosts = _HOSTS.search(text)
    submit, start, end = map(_iso, _moments(text))
    done = subject is not None and subject[3] == "Done"
    state = "DONE" if done else "CANCELLED" if term is not None and term[1] in _KILLED else "EXITED"
    memory = term is not None and term[1] in {"TERM_MEMLIMIT", "TERM_SWAP"}
    facts = {"Queue": hosts[2], "Hosts": hosts[1]} if hosts else {}
    return Job(
        scheduler="lsf",
        id=subject[1] if subject else f"line {line}",
        name=subject[2] if subject and subject[2] != "NONAME" else "",
        state=state,
        submit=submit,
        start=start,
        end=end,
        nodes=len(set(re.findall(r"<(?:\d+\*)?([^>]+)>", hosts[1]))) if hosts else None,
        out_of_memory=f"{term[1]}:{term[2].rstrip('.')}" if term is not None and memory else "",
        exit=code[1] if code else "0" if done else "",
        measures=list(_measures(ran)),
        facts=facts | ({"Termination": term[1]} if term else {}),
        line=line,
    )


def _moments(text: str) -> Iterator[str]:
    for pattern in (_SUBMITTED, _STARTED, _ENDED):
        found = pattern.search(text)
        yield found[1] if found else ""


def _iso(worded: str) -> str:
    """Return ``Wed Feb  9 11:41:10 2022`` as ISO 8601, in which other schedulers write times."""
    if not worded:
        return ""
    _, month, day, clock, year = worded.split()
    place = "JanFebMarAprMayJunJulAugSepOctNovDec".find(month)
    return f"{year}-{place // 3 + 1:02d}-{int(day):02d}T{clock}" if place >= 0 and place % 3 == 0 else ""


def _measures(ran: list[tuple[str, str, str]]) -> Iterator[Measure]:
    for name, number, unit in ran:
        value = bytes_of(number + unit) if unit != "sec" else float(number) if number.count(".") <= 1 else None
        if name in _SERIES and value is not None:
            yield Measure(name, _SERIES[name], "s" if unit == "sec" else "B", value)


IMPORTER: Importer = LsfSummary()
