"""``sacct --json`` of Slurm, of every version of its data parser so far (0.0.37 to 0.0.42)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.jobs.job import Job, Measure, recordings_of
from trainreport.importers.jobs.slurm_values import number_of, text_of, tres_of
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_TEXTS = ("account", "cluster", "partition", "qos", "nodes", "user", "group", "constraints", "working_directory", "submit_line")


class SlurmJson:
    """Reads the jobs with their steps; times are seconds since 1970, so no zone is in doubt."""

    name = "slurm-json"
    title = "sacct --json of Slurm: jobs with their times, states, resources and steps"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is JSON with Slurm's jobs: what their first fields are called."""
        del path
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        slurm = b'"association"' in head or b'"allocation_nodes"' in head or b'"derived_exit_code"' in head
        return begin[:1] == b"{" and b'"jobs"' in head and slurm

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all jobs."""
        troubles = Troubles(source)
        document = load_json(source)
        listed = document.get("jobs") if isinstance(document, dict) else None
        jobs = []
        for number, one in enumerate(listed if isinstance(listed, list) else [], 1):
            if isinstance(one, dict) and isinstance(one.get("job_id"), int | str):
                jobs.append(_job(one))
            else:
                troubles.add(f"job {number}", "no object with a job_id", kind="jobs")
        if not jobs:
            raise InputError("no job in it; expected the output of sacct --json")
        return recordings_of(self.name, source, jobs, troubles)


def _job(one: dict[str, Any]) -> Job:
    time, allocated = object_of(one.get("time")), tres_of(object_of(one.get("tres")).get("allocated"))
    steps = [step for step in one.get("steps") or () if isinstance(step, dict)] if isinstance(one.get("steps"), list) else []
    states = {_state(each) for each in (one, *steps)}
    state = _state(one)
    gpus = {model: count for (kind, model), count in allocated.items() if kind == "gres/gpu"}
    submit, start, end = (_moment(time.get(name)) for name in ("submission", "start", "end"))
    return Job(
        scheduler="slurm",
        id=_id(one),
        name=text_of(one.get("name")),
        state="OUT_OF_MEMORY" if "OUT_OF_MEMORY" in states and state not in {"COMPLETED", "RUNNING"} else state,
        submit=submit, start=start, end=end,
        elapsed_s=number_of(time.get("elapsed")),
        gpus=int(gpus.get("", sum(gpus.values()))) if gpus else None,
        gpu_model=", ".join(sorted(model for model in gpus if model)) or None,
        nodes=int(nodes) if (nodes := number_of(one.get("allocation_nodes"))) else None,
        out_of_memory="Slurm's accounting" if "OUT_OF_MEMORY" in states else "",
        exit=_exit(object_of(one.get("exit_code"))),
        measures=[*_measures(time, allocated, object_of(one.get("required"))), *_peaks(steps)],
        facts={name: text for name in _TEXTS if (text := text_of(one.get(name)))} | {"State": state},
    )  # fmt: skip


def _id(one: dict[str, Any]) -> str:
    """Return the id as sacct prints it: ``12_3`` for a task of an array, ``12+1`` for a part of a heterogeneous job."""
    for table, place, sign in (("array", "task_id", "_"), ("het", "job_offset", "+")):
        told = object_of(one.get(table))
        whole, nth = number_of(told.get("job_id")), number_of(told.get(place))
        if whole and nth is not None:
            return f"{whole:.0f}{sign}{nth:.0f}"
    return str(one["job_id"])[:80]


def _measures(time: dict[str, Any], allocated: dict[tuple[str, str], float], required: dict[str, Any]) -> Iterator[Measure]:
    limit, used = number_of(time.get("limit")), number_of(object_of(time.get("total")).get("seconds"))
    told = [
        ("time/limit", "job/time_limit", "min", limit),
        ("time/total", "job/cpu_time", "s", used),
        ("tres/allocated/cpu", "job/cpus", "1", allocated.get(("cpu", ""))),
        ("tres/allocated/mem", "job/memory_allocated", "MiB", allocated.get(("mem", ""))),
        ("tres/allocated/energy", "job/energy", "J", allocated.get(("energy", ""))),
        ("required/CPUs", "job/cpus_requested", "1", number_of(required.get("CPUs"))),
    ]
    yield from (Measure(logged, series, unit, value) for logged, series, unit, value in told if value is not None)


def _peaks(steps: list[dict[str, Any]]) -> Iterator[Measure]:
    """Yield the highest memory of a task of each step: bytes, as TRES usage is counted."""
    for number, step in enumerate(steps):
        usage = tres_of(object_of(object_of(object_of(step.get("tres")).get("requested"))).get("max"))
        name = text_of(object_of(step.get("step")).get("name")) or str(number)
        if (peak := usage.get(("mem", ""))) is not None:
            yield Measure(f"memory of step {name}", "job/memory_peak", "B", peak)


def _state(one: dict[str, Any]) -> str:
    """Return the state: a text, or in an object, or the first of a list, by version."""
    state = one.get("state")
    state = state.get("current") if isinstance(state, dict) else state
    state = state[0] if isinstance(state, list) and state else state
    return text_of(state).upper()


def _exit(code: dict[str, Any]) -> str:
    number, signal = number_of(code.get("return_code")), number_of(object_of(object_of(code.get("signal")).get("id")) or None)
    return "" if number is None else f"{number:.0f}" + (f":{signal:.0f}" if signal else "")


def _moment(value: Any) -> str:
    number = number_of(value)
    return f"{number:.0f}" if number else ""


IMPORTER: Importer = SlurmJson()
