"""Run logs from literals, for tests."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from trainreport.importers.assemble import run_log
from trainreport.importers.groups import Group, MachinePart
from trainreport.importers.recording import FileRead, Recording, frame_of
from trainreport.model.run import Hardware, RunLog
from trainreport.model.series import Meaning, interpret

START = datetime(2026, 6, 9, 6, 0, tzinfo=UTC)


def training(curves, *, seconds_per_step=1.0, key="run", importer="tensorboard", folder=None, start=START, tags=None, files=(), **facts):
    """Return a recording; `curves` maps a logged name to values, or to (steps, values)."""
    names = list(curves)
    codes, values, steps = [], [], []
    for position, name in enumerate(names):
        given = curves[name]
        step, value = given if isinstance(given, tuple) else (range(len(given)), given)
        codes += [position] * len(value)
        values += list(value)
        steps += list(step)
    steps = np.array(steps, dtype=np.int64)
    first = steps.min() if len(steps) else 0  # the run starts with its first step
    times = (start.timestamp() + (steps - first) * seconds_per_step) * 1e9
    frame = frame_of(
        names,
        [interpret(name) for name in names],
        np.array(codes, dtype=np.intp),
        np.array(values, dtype=np.float64),
        file=f"{key}/events",
        steps=steps,
        times_ns=times.astype(np.int64),
    )
    end = datetime.fromtimestamp(times.max() / 1e9, UTC) if len(times) else None
    return Recording(
        importer=importer,
        kind="training",
        key=key,
        name=key.rpartition("/")[2],
        frame=frame,
        files=files,
        folder=key if folder is None else folder,
        started_at=start if len(times) else None,
        ended_at=end,
        tags=tags or {},
        **facts,
    )


def machine(devices, *, interval_s=10.0, start=START, folder="run", model="NVIDIA A100", file="gpu.csv", **facts):
    """Return a hardware recording; `devices` maps gpu0 … to {series: values in canonical units}."""
    units = {"gpu/utilization": "1", "gpu/memory_used": "B", "gpu/power": "W"}
    rows = [(device, series, list(values)) for device, table in devices.items() for series, values in table.items()]
    names = sorted({series for _, series, _ in rows})
    device_names = sorted(devices)
    codes = np.concatenate([np.full(len(values), names.index(series)) for _, series, values in rows])
    device_codes = np.concatenate([np.full(len(values), device_names.index(device)) for device, _, values in rows])
    seconds = np.concatenate([np.arange(len(values)) * interval_s for _, _, values in rows]) + start.timestamp()
    frame = frame_of(
        names,
        [Meaning(name, "system", units.get(name, "1"), None, "test") for name in names],
        codes,
        np.concatenate([np.array(values, dtype=float) for _, _, values in rows]),
        file=f"{folder}/{file}",
        times_ns=(seconds * 1e9).astype(np.int64),
        devices=device_names,
        device_codes=device_codes,
    )
    return Recording(
        importer="nvidia-smi",
        kind="machine",
        key=folder,
        name="gpu",
        frame=frame,
        files=(),
        folder=folder,
        started_at=datetime.fromtimestamp(seconds.min(), UTC),
        ended_at=datetime.fromtimestamp(seconds.max(), UTC),
        hardware=Hardware(gpu_model=model, gpu_count=len(devices)),
        **facts,
    )


def log_of(*recordings, run_id="run") -> RunLog:
    """Return the log of one run made of these recordings."""
    group = Group(run_id, run_id)
    for one in recordings:
        if one.kind == "training":
            group.training.append(one)
        else:
            group.machine.append(MachinePart(one))
    return run_log(group, run_id, run_id, {})


def file_read(path, rows=1):
    """Return the entry of a file that a recording was read from."""
    return FileRead(path, path.name, rows)
