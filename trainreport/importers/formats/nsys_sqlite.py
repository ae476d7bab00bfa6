"""Reports of Nsight Systems that ``nsys export --type sqlite`` wrote, opened read-only."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.database import HEADER, Database, text
from trainreport.importers.profiles.profile import COPY, STEP_RANGE, Profile, kind_of_kernel
from trainreport.importers.profiles.result import MODEL_LENGTH, recording_of_profile
from trainreport.importers.profiles.totals import LAUNCH
from trainreport.importers.tables.found import Troubles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_KERNELS, _CALLS, _RANGES = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"
_COPIES = ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
_TABLES = frozenset({_KERNELS, _CALLS, _RANGES, *_COPIES})
_WORK = ("start", "end", "deviceId", "globalPid", "correlationId", "shortName")
_COPY = re.compile(r"cu(?:da)?Mem(?:cpy|set)")
_LONGEST_CELL = 1 << 20
_AT_ONCE = 1000
_MOST_NAMES = 1_000_000
_CLOCKED = range(10**18, 1 << 62)


class NsysSqlite:
    """Keeps the work of each GPU, the calls that launched it, and ranges that are named like steps."""

    name = "nsys-sqlite"
    title = "Nsight Systems, nsys export --type sqlite: GPU busy share, gaps, communication, launches, step times"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is a SQLite file with tables of Nsight Systems."""
        if not head.startswith(HEADER):
            return False
        try:
            with Database(path, path.name) as database:
                return "StringIds" in database.tables and not _TABLES.isdisjoint(database.tables)
        except (InputError, OSError):
            return False

    def read(self, source: Source) -> Recording:
        """Read the tables that are there; they are written lazily, so any may be missing."""
        troubles = Troubles(source)
        with Database(source.path, source.name) as database:
            names = _names(database)
            first = _first(database)
            profile = _profile(database, names, first)
            start = next((row[0] for row in database.rows("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",))), None)
            models = {(text(row[0]) or "")[:MODEL_LENGTH] for row in database.rows("TARGET_INFO_GPU", ("name",))} - {""}
            for problem in database.problems:
                troubles.add(problem.place, problem.what)
        clocked = isinstance(start, int) and start in _CLOCKED
        return recording_of_profile(
            self.name, source, profile, troubles,
            origin_ns=int(start) + first if clocked and start is not None else None,
            model=models.pop() if len(models) == 1 else None,
        )  # fmt: skip


def _rows(database: Database, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield rows whose start and end are whole numbers in order."""
    for chunk in database.chunks(table, columns, _AT_ONCE, _LONGEST_CELL):
        yield from (row for row in chunk if isinstance(row[0], int) and isinstance(row[1], int) and row[0] <= row[1])


def _names(database: Database) -> dict[int, str]:
    """Return the texts that other tables name by number."""
    found: dict[int, str] = {}
    for number, value in database.rows("StringIds", ("id", "value")):
        if isinstance(number, int) and len(found) < _MOST_NAMES:
            found[number] = text(value) or ""
    return found


def _first(database: Database) -> int:
    """Return the first start: from there seconds count, so that nanoseconds have room."""
    starts = (min((row[0] for row in _rows(database, table, ("start", "end"))), default=None) for table in sorted(_TABLES))
    return min((one for one in starts if one is not None), default=0)


def _profile(database: Database, names: dict[int, str], first: int) -> Profile:
    profile = Profile()
    gpus = _gpus(database)
    for table in (_KERNELS, *_COPIES):
        for start, end, device, process, link, name in _rows(database, table, _WORK):
            if isinstance(device, int) and 0 <= device < 1 << 16:
                kind = COPY if table != _KERNELS else kind_of_kernel(names.get(name, ""))
                gpu = gpus.get((_process(process), device), device)
                profile.work(f"gpu{gpu}", kind, (start - first) * 1e-9, (end - start) * 1e-9, _link(process, link))
    for start, end, thread, link, name in _rows(database, _CALLS, ("start", "end", "globalTid", "correlationId", "nameId")):
        called = names.get(name, "")
        number = _link(thread, link)
        if number is not None and (LAUNCH.match(called) or _COPY.match(called)):
            profile.launch(number, (start - first) * 1e-9, (end - start) * 1e-9, several="Graph" in called)
    for number, start, end in _steps(database, names):
        profile.step(number, (start - first) * 1e-9, (end - start) * 1e-9)
    return profile


def _steps(database: Database, names: dict[int, str]) -> list[tuple[int, int, int]]:
    """Return number, start and end of the steps, as the thread marked them that marked most under one name."""
    found: dict[tuple[Any, str], list[tuple[int, int, int]]] = defaultdict(list)
    for start, end, thread, own, number in _rows(database, _RANGES, ("start", "end", "globalTid", "text", "textId")):
        step = STEP_RANGE.fullmatch(text(own) or names.get(number, ""))
        if step is not None:
            found[thread, step[1].lower()].append((int(step[2]), start, end))
    return max(found.values(), key=len, default=[])


def _gpus(database: Database) -> dict[tuple[int, int], int]:
    """Return the GPU that each process means by a number of a device."""
    rows = database.rows("TARGET_INFO_CUDA_DEVICE", ("pid", "cudaId", "gpuId"))
    found = [cells for cells in rows if all(isinstance(cell, int) for cell in cells)]
    return {(int(pid or 0), int(device or 0)): int(gpu or 0) for pid, device, gpu in found if 0 <= int(gpu or 0) < 1 << 16}


def _process(serialized: Any) -> int:
    """Return the process of a global number, which the documentation gives as ``/ 0x1000000 % 0x1000000``."""
    return serialized // 0x1000000 % 0x1000000 if isinstance(serialized, int) else 0


def _link(serialized: Any, correlation: Any) -> int | None:
    """Return a number that only a launch and what it launched share: correlations count up in each process."""
    return (_process(serialized) << 32) | (correlation % (1 << 32)) if isinstance(correlation, int) else None


IMPORTER: Importer = NsysSqlite()
