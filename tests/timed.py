"""Runs whose entries come at given moments, for tests of lost time."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pandas as pd
from builders import START, machine

from trainreport import detectors
from trainreport.importers.recording import frame_of
from trainreport.importers.restarts import mark_restarts
from trainreport.model.case import Case, Family
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import concat
from trainreport.model.series import interpret


def moment(seconds: float) -> datetime:
    """Return the moment some seconds after `START`."""
    return datetime.fromtimestamp(START.timestamp() + seconds, UTC)


def rows(name, seconds, values=None, steps=None, *, file="events", rank=None):
    """Return a frame of one name with entries at these seconds after `START`; steps count from 1."""
    seconds = np.asarray(seconds, dtype=float)
    values = np.ones(len(seconds)) if values is None else np.asarray(values, dtype=float)
    steps = np.arange(1, len(seconds) + 1) if steps is None else np.asarray(steps)
    frame = frame_of(
        [name],
        [interpret(name)],
        np.zeros(len(seconds), dtype=np.intp),
        values,
        file=file,
        steps=steps.astype(np.int64),
        times_ns=np.round((START.timestamp() + seconds) * 1e9).astype(np.int64),
    )
    return frame if rank is None else frame.assign(rank=pd.array([rank] * len(frame), dtype="Int32"))


def log_at(*frames, gpu=None, interval_s=10.0, gpu_from=0.0, began=None, ended=None, **facts):
    """Return a log of frames, with GPU utilization (device -> values) sampled from `gpu_from` seconds on."""
    parts = [frame.astype({"rank": "Int32"}) for frame in frames]
    if gpu:
        series = {device: {"gpu/utilization": values, "gpu/memory_used": [3e10] * len(values)} for device, values in gpu.items()}
        parts.append(machine(series, interval_s=interval_s, start=moment(gpu_from)).frame)
    table = mark_restarts(concat(parts))
    times = table.loc[table["phase"] != "system", "time"].dropna()
    first = moment(began) if began is not None else times.min().to_pydatetime(warn=False)
    last = moment(ended) if ended is not None else times.max().to_pydatetime(warn=False)
    return RunLog(Run("run", "run", started_at=first, ended_at=last, **facts), table, table.iloc[:0])


def judged(code, log, *, plan="", ledger=None, family=()):
    """Return the outcome of one detector on a log."""
    case = Case(log, parse_plan(plan) if plan else Plan(), ledger or Ledger(), Family(family))
    (outcome,) = detectors.run(case, [detectors.detector(code)])
    assert outcome.state is not State.FAILED, outcome.reason
    return outcome
