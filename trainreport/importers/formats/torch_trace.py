"""Traces of PyTorch's profiler (Kineto), Chrome's trace format: one process, in windows of a few steps."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport.importers.profiles.profile import COPY, Profile, kind_of_kernel
from trainreport.importers.profiles.result import MODEL_LENGTH, recording_of_profile
from trainreport.importers.profiles.stream import TraceEvents, number_in, opening
from trainreport.importers.tables.found import Troubles

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_CATEGORIES = "cpu_op|cuda_runtime|cuda_driver|kernel|gpu_memcpy|gpu_memset|user_annotation|python_function|cpu_instant_event"
_OLD_CATEGORIES = "Operator|Runtime|Kernel|Memcpy|Memset"
_OF_EVENTS = re.compile(rb'"cat"\s*:\s*"(?:%b)"' % f"{_CATEGORIES}|{_OLD_CATEGORIES}".encode())
_LAUNCH = r"(?:cuda|cu|hip)(?:(?:Ext)?(?:Module|Graph|Cooperative)?Launch|Mem(?:cpy|set))\w*"
_MARKS = r"ProfilerStep#\d+|enumerate\(DataLoader\)"
_WANTED = (
    re.compile(rb'"cat"\s*:\s*"(?:kernel|gpu_mem|Kernel|Mem)'),
    re.compile(rb'"name"\s*:\s*"(?:%b)' % f"{_LAUNCH}|{_MARKS}".encode()),
)
"""Two, each with its own first letters: so they are found more than twice as fast."""
_COPIES = frozenset({"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})
_KERNELS = frozenset({"kernel", "Kernel"})
_ON_CPU = re.compile(rf"(?P<step>ProfilerStep#\d{{1,18}})|(?P<wait>enumerate\(DataLoader\).*)|(?P<launch>{_LAUNCH})", re.DOTALL)
_EPOCH_US = range(10**15, 10**16)
"""Microseconds since 1970, from 2001 to 2286: what Kineto wrote before it told its base."""


class TorchTrace:
    """Keeps the work of each GPU, the calls that launched it, the marks of steps, and the waits of data loaders."""

    name = "torch-trace"
    title = (
        "PyTorch Profiler: Chrome trace (*.pt.trace.json, also gz): GPU busy share, gaps, input wait, communication, launches, step times"
    )
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it begins as Kineto's traces do, or as a list of its events."""
        del path
        begin = opening(head)
        told = b'"schemaVersion"' in begin and b'"deviceProperties"' in begin
        return begin.lstrip()[:1] in {b"{", b"["} and (told or (b'"ph"' in begin and _OF_EVENTS.search(begin) is not None))

    def read(self, source: Source) -> Recording:
        """Read the trace piece by piece."""
        troubles, profile = Troubles(source), Profile()
        events = TraceEvents(source, troubles, _WANTED)
        origin: float | None = None
        for event in events:
            start, seconds = number_in(event.get("ts")), number_in(event.get("dur"))
            if event.get("ph") != "X" or start is None or seconds is None:
                continue
            origin = start if origin is None else origin
            _keep(profile, event, (start - origin) * 1e-6, seconds * 1e-6)
        around = events.around.decode("utf-8", "replace")
        rank = _found(r'"rank"\s*:\s*(\d{1,6})\b', around)
        return recording_of_profile(
            self.name, source, profile, troubles,
            origin_ns=_origin_ns(origin, _found(r'"baseTimeNanoseconds"\s*:\s*(\d{1,20})\b', around)),
            rank=None if rank is None else int(rank),
            model=_model(around),
            node=_found(r'"host_name"\s*:\s*"([\w.-]{1,200})"', around),
        )  # fmt: skip


def _keep(profile: Profile, event: dict[str, Any], start: float, seconds: float) -> None:
    """Take an event into the profile, by its category and name."""
    category, name, args = event.get("cat"), event.get("name"), event.get("args")
    if not isinstance(name, str) or not isinstance(category, str):
        return
    args = args if isinstance(args, dict) else {}
    link = args.get("correlation")
    link = link if isinstance(link, int) else None
    if category in _KERNELS or category in _COPIES:
        device = args.get("device", event.get("pid"))
        if isinstance(device, int) and 0 <= device < 1 << 16:
            profile.work(f"gpu{device}", COPY if category in _COPIES else kind_of_kernel(name), start, seconds, link)
        return
    match _on_cpu(category, name):
        case "step":
            profile.step(int(name.partition("#")[2]), start, seconds)
        case "wait":
            profile.wait(start, seconds)
        case "launch" if link is not None:
            profile.launch(link, start, seconds, several="Graph" in name)


@lru_cache(maxsize=4096)
def _on_cpu(category: str, name: str) -> str | None:
    """Return what a call or mark is; marks that are told once more as the GPU saw them are none."""
    found = None if category.startswith("gpu_") else _ON_CPU.fullmatch(name)
    return found.lastgroup if found else None


def _origin_ns(origin: float | None, base: str | None) -> int | None:
    """Return nanoseconds since 1970 of the first event; None where its clock counts from another moment."""
    if origin is None:
        return None
    since_1970 = round(origin * 1000) + int(base or 0)
    return since_1970 if since_1970 // 1000 in _EPOCH_US else None


def _found(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return match[1] if match else None


def _model(around: str) -> str | None:
    """Return the name of the GPUs where all of the machine have one."""
    names = set(re.findall(r'"id"\s*:\s*\d+\s*,\s*"name"\s*:\s*"([^"\\]+)"', around))
    return names.pop()[:MODEL_LENGTH] if len(names) == 1 else None


IMPORTER: Importer = TorchTrace()
