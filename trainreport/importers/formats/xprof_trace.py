"""Traces of TensorFlow's profiler and XProf (``*.trace.json.gz``), which JAX writes too: Chrome's trace format, one host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainreport.importers.profiles.profile import COPY, Profile, kind_of_kernel
from trainreport.importers.profiles.result import recording_of_profile
from trainreport.importers.profiles.stream import TraceEvents, number_in, opening
from trainreport.importers.tables.found import Troubles

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_IS_ONE = re.compile(rb'"metadata"\s*:\s*\{\s*"highres-ticks"\s*:\s*true\s*\}.{0,4096}?"process_name"', re.DOTALL)
_DEVICE = re.compile(r"(?:.*[ ])?/device:([A-Z]{2,8}):(\d{1,5})\b.*")
_STEPS = "Steps"
_WORK = re.compile(r"Stream #.*|XLA Ops")
"""Rows of a device that hold what ran on it; others group the same time by name scope, module or operator."""
_MOST = 100_000
"""Rows, and steps of the host, that are kept."""


class XprofTrace:
    """Keeps the work and the steps of each device; steps that only the host marked where no device has any."""

    name = "xprof-trace"
    title = "TensorFlow Profiler, XProf and JAX: trace.json.gz: busy share of GPUs and TPUs, gaps, communication, step times"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it begins as XProf's traces do."""
        del path
        begin = opening(head)
        return begin.lstrip()[:1] == b"{" and b'"traceEvents"' in begin and _IS_ONE.search(begin) is not None

    def read(self, source: Source) -> Recording:
        """Read the trace piece by piece; its clock begins with the recording, so it has no times since 1970."""
        troubles, rows = Troubles(source), _Rows()
        for event in TraceEvents(source, troubles):
            rows.take(event)
        profile = rows.profile
        if not profile.steps:
            for number, start, seconds in rows.host_steps:
                profile.step(number, start, seconds)
        return recording_of_profile(self.name, source, profile, troubles, origin_ns=None)


class _Rows:
    """What the rows of the trace are, and the profile of what stands in them; their names come before their events."""

    def __init__(self) -> None:
        self.profile = Profile()
        self.host_steps: list[tuple[int, float, float]] = []
        self._devices: dict[Any, str] = {}
        self._rows: dict[tuple[Any, Any], str] = {}
        self._steps_of: str | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take an event."""
        owner, row, args = event.get("pid"), event.get("tid"), event.get("args")
        args = args if isinstance(args, dict) else {}
        if not isinstance(owner, int | str) or not isinstance(row, int | str | None):
            return
        if event.get("ph") == "M":
            self._name(event.get("name"), owner, row, args.get("name"))
        elif event.get("ph") == "X":
            start, seconds = number_in(event.get("ts")), number_in(event.get("dur", 0))
            if start is not None and seconds is not None:
                self._keep(event.get("name"), (owner, row), (start * 1e-6, seconds * 1e-6), args.get("step_num"))

    def _name(self, what: Any, owner: Any, row: Any, name: Any) -> None:
        if not isinstance(name, str) or len(self._rows) + len(self._devices) > _MOST:
            return
        if what == "process_name" and (device := _DEVICE.fullmatch(name)) is not None:
            self._devices[owner] = f"{device[1].lower()}{int(device[2])}"
        elif what == "thread_name":
            self._rows[owner, row] = name

    def _keep(self, name: Any, place: tuple[Any, Any], time: tuple[float, float], step: Any) -> None:
        device, named = self._devices.get(place[0]), self._rows.get(place, "")
        if not isinstance(name, str):
            return
        if device is None:
            if isinstance(step, int | str) and (number := _whole(str(step))) is not None and len(self.host_steps) < _MOST:
                self.host_steps.append((number, *time))
        elif named == _STEPS and (number := _whole(name)) is not None:
            self._steps_of = self._steps_of or device
            if device == self._steps_of:  # each device marks them; those of the first stand for all
                self.profile.step(number, *time)
        elif _WORK.fullmatch(named):
            self.profile.work(device, COPY if name.startswith(("Memcpy", "Memset")) else kind_of_kernel(name), *time)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


IMPORTER: Importer = XprofTrace()
