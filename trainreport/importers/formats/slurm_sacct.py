"""``sacct -P`` and ``sacct -p`` of Slurm: a line a job and a line a step, cells set apart by |."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.jobs.amounts import bytes_of, joules_of, resources_of, seconds_of
from trainreport.importers.jobs.job import STATUS, Job, Measure, recordings_of
from trainreport.importers.jobs.sacct_rows import Row, by_job, header_of, id_of, rows_of
from trainreport.importers.smi.table import plain
from trainreport.importers.tables.found import Troubles, content_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_OTHERS = frozenset({"state", "elapsed", "submit", "start", "alloccpus", "exitcode", "alloctres", "ncpus"})
_NOTHING = frozenset({"", "Unknown", "None", "None assigned", "N/A", "INVALID"})
_SECONDS = (("Timelimit", "job/time_limit"), ("TotalCPU", "job/cpu_time"), ("CPUTime", "job/cpu_time_allocated"))
_COUNTS = (("AllocCPUS", "job/cpus"), ("ReqCPUS", "job/cpus_requested"), ("NNodes", "job/nodes"))

_ENERGY = ("consumedenergyraw", "consumedenergy")


class SlurmSacct:
    """Reads each job with its steps (``.batch``, ``.extern``, ``.0``): a step gives what it used, the job the rest."""

    name = "slurm-sacct"
    title = "sacct -P (or -p) of Slurm: jobs with their times, states, resources and steps"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first line names JobID and another of sacct's fields."""
        del path
        names = header_of(head)
        return bool({"jobid", "jobidraw"} & set(names)) and bool(_OTHERS & set(names))

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all jobs; a job that was requeued stands again and is one more."""
        troubles = Troubles(source)
        names = header_of(content := plain(content_of(source)))
        rows = list(rows_of(content, names, troubles))
        jobs = [_job(own) for own in by_job(rows)]
        if not jobs:
            raise InputError("sacct's header but no job below it")
        return recordings_of(self.name, source, jobs, troubles)


def _job(rows: Sequence[Row]) -> Job:
    line, own = rows[0]
    steps = [row for _, row in rows[1:]] or [own]
    given = resources_of(own.get("alloctres") or own.get("allocgres") or "")
    asked = resources_of(own.get("reqtres") or own.get("reqgres") or "")
    states = {_state(row) for _, row in rows}
    memory = [row for _, row in rows if _state(row) == "OUT_OF_MEMORY" or row.get("exitcode") == "0:125"]
    raw = own.get("elapsedraw", "")
    return Job(
        scheduler="slurm",
        id=id_of(own).partition(".")[0] or f"line {line}",
        name=own.get("jobname", ""),
        state="OUT_OF_MEMORY" if "OUT_OF_MEMORY" in states and _state(own) not in {"COMPLETED", "RUNNING"} else _state(own),
        **{name: "" if own.get(name, "") in _NOTHING else own[name] for name in ("submit", "start", "end")},
        elapsed_s=float(raw) if raw.isdecimal() and len(raw) < 12 else seconds_of(own.get("elapsed", "")),
        gpus=given.gpus,
        gpu_model=given.gpu_model,
        nodes=_count(own.get("nnodes") or given.amounts.get("node", "")),
        out_of_memory=_where(memory[-1]) if memory else "",
        exit=own.get("exitcode", ""),
        measures=_measures(own, steps, given.amounts, asked.gpus),
        facts={name: text for name, text in own.items() if text not in _NOTHING and name not in {"submit", "start"}},
        line=line,
    )


def _state(row: dict[str, str]) -> str:
    """Return the state without who cancelled it; one that was cut to the width of its column in full."""
    word = row.get("state", "").partition(" ")[0].upper()
    return next((name for name in STATUS if name.startswith(word[:-1])), word[:-1]) if len(word) > 3 and word.endswith("+") else word


def _where(row: dict[str, str]) -> str:
    step = id_of(row).partition(".")[2]
    return f"step {step} of Slurm's accounting" if step else "Slurm's accounting"


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _measures(own: dict[str, str], steps: Sequence[dict[str, str]], given: dict[str, str], gpus_asked: int | None) -> list[Measure]:
    found = [Measure(name, series, "s", s) for name, series in _SECONDS if (s := seconds_of(own.get(name.lower(), ""))) is not None]
    found += [Measure(name, series, "1", float(n)) for name, series in _COUNTS if (n := _count(own.get(name.lower(), ""))) is not None]
    energy = next((told for name in _ENERGY if (told := joules_of(own.get(name, ""))) is not None), None)
    if energy is not None:
        found.append(Measure("ConsumedEnergy", "job/energy", "J", energy))
    memory = bytes_of(given.get("mem", "")) or bytes_of(own.get("reqmem", ""))  # 4Gc is of one CPU, 4Gn of one node
    if memory is not None:
        found.append(Measure("memory of AllocTRES or ReqMem", "job/memory_allocated", "B", memory))
    if gpus_asked is not None:
        found.append(Measure("GPUs of ReqTRES", "job/gpus_requested", "1", float(gpus_asked)))
    for row in steps:
        peak = bytes_of(row.get("maxrss", ""))
        if peak is not None:
            found.append(Measure(f"MaxRSS of {id_of(row).partition('.')[2] or 'the job'}", "job/memory_peak", "B", peak))
    return found


IMPORTER: Importer = SlurmSacct()
