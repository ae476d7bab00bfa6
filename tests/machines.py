"""Cases with gauges of GPUs and machines from literals, for tests of the detectors that read them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pandas as pd

from trainreport import detectors
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import EVENT_COLUMNS, concat
from trainreport.model.series import Meaning

START = datetime(2026, 6, 9, 6, 0, tzinfo=UTC).timestamp()
MIB, GIB = 2.0**20, 2.0**30
UNITS = {
    "gpu/memory_used": "B", "gpu/memory_total": "B", "gpu/power": "W", "gpu/power_limit": "W", "gpu/power_limit_default": "W",
    "gpu/clock_sm": "MHz", "gpu/clock_sm_max": "MHz", "gpu/temperature": "degC", "network/received": "B", "network/sent": "B",
    "time/step": "s", "time/data": "s",
}  # fmt: skip


def case_of(
    gpus=None, *, host=None, curves=None, events=(), interval_s=10.0, step_s=1.0, times=True, plan="", gpu_hours=None, ends_s=None, **run
):
    """Return a case.

    `gpus` maps gpu0 … to {series: values}, `host` a series to values, both sampled every `interval_s`; `curves` a series to values, one a
    step of `step_s`, or to (steps, values); a single number stands for as many of it as the longest has. `events` are
    (kind, level, message, seconds). Clocks are in MHz, `run` are facts of the run.
    """
    frames = [_gauges(table, device, interval_s, times) for device, table in (gpus or {}).items()]
    frames += [_gauges(host, None, interval_s, times)] if host else []
    frames += [_curve(name, given, step_s, times) for name, given in (curves or {}).items()]
    rows = [
        {
            "run": "r",
            "time": None if at is None else pd.Timestamp(START + at, unit="s", tz="UTC"),
            "kind": kind,
            "level": level,
            "message": message,
            "file": "log",
            "line": 7,
        }
        for kind, level, message, at in events
    ]
    table = pd.DataFrame(rows, columns=list(EVENT_COLUMNS)).astype(EVENT_COLUMNS)
    ended = None if ends_s is None else datetime.fromtimestamp(START + ends_s, UTC)
    log = RunLog(Run("r", "r", datetime.fromtimestamp(START, UTC), ended, **run), concat(frames), table)
    return Case(log, parse_plan(plan) if plan else Plan(), Ledger(gpu_hours=gpu_hours))


def judged(code, gpus=None, **given):
    """Return the outcome of one detector."""
    (found,) = detectors.run(case_of(gpus, **given), [detectors.detector(code)])
    assert found.state is not State.FAILED, found.reason
    return found


def _gauges(table, device, interval_s, times):
    size = max(np.size(values) for values in table.values())
    names = list(table)
    seconds = START + np.tile(np.arange(size) * interval_s, len(names))
    return frame_of(
        names,
        [Meaning(name, "system", UNITS.get(name, "1"), None, "test") for name in names],
        np.repeat(np.arange(len(names)), size),
        np.concatenate([np.broadcast_to(np.asarray(values, dtype=float), size) for values in table.values()]),
        file="gauges.csv",
        times_ns=(seconds * 1e9).astype(np.int64) if times else None,
        devices=[device] if device else None,
        device_codes=np.zeros(size * len(names), dtype=np.intp) if device else None,
    )


def _curve(name, given, step_s, times):
    steps, values = given if isinstance(given, tuple) else (range(len(given)), given)
    steps = np.array(steps, dtype=np.int64)
    return frame_of(
        [name],
        [Meaning(name, "train", UNITS.get(name, "1"), None, "test")],
        np.zeros(len(values), dtype=np.intp),
        np.array(values, dtype=float),
        file="events",
        steps=steps,
        times_ns=((START + steps * step_s) * 1e9).astype(np.int64) if times else None,
    )
