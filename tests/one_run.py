"""What five tools left of one run, each as it writes: two GPUs trained for two hours inside a job of two and a half.

In UTC, of 2026-06-09: handed in at 03:00, the job from 06:00 to 08:30, nvidia-smi from 06:05 to 08:20, W&B from 06:08
to 08:12, training from 06:10 to 08:10 with an entry each two minutes. Slurm and nvidia-smi write Berlin's time and no zone.
"""

from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime, timedelta

from event_files import record
from read_logs import DATA
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary

DAY = datetime(2026, 6, 9, tzinfo=UTC)
TENSORBOARD, WANDB, STATE, GPU, SACCT = (
    "events.out.tfevents.1780985400.node17.4242.0", "run-k3v9x2ab.wandb", "trainer_state.json", "gpu.csv", "sacct.txt"
)  # fmt: skip
_ENTRIES = range(1, 61)
_SACCT = "JobID|JobName|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|AllocCPUS|ReqMem|MaxRSS|ReqTRES|AllocTRES"
_TRES = "billing=16,cpu=16,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1"


def at(hour, minute=0, second=0):
    """Return a moment of the day."""
    return DAY + timedelta(hours=hour, minutes=minute, seconds=second)


def loss(entry, *, held_out=False):
    """Return the loss at an entry, as Trainer rounds it."""
    return round((0.6 if held_out else 0.5) + 2 * math.exp(-entry / 20), 4)


def write(folder, places=None, *, odd_at=None, jobs=()):
    """Write all five; `places` gives the folder of some, `odd_at` entries at which the Trainer's state differs, `jobs` others of Slurm."""
    places = places or {}
    texts = {TENSORBOARD: _events(), STATE: _state(odd_at or ()), GPU: _smi(), SACCT: sacct(job(4711, at(3), at(6), at(8, 30)), *jobs)}
    for name, content in texts.items():
        path = folder / places.get(name, ".") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    there = folder / places.get(WANDB, ".")
    there.mkdir(parents=True, exist_ok=True)
    shutil.copy(DATA / "one_run" / "k3v9x2ab.wandb", there / WANDB)
    return folder


def job(number, submit, start, end, *, name="train", gpus=2, state="COMPLETED"):
    """Return sacct's lines of a job and its steps, in Berlin's time."""
    tres = _TRES.replace("=2", f"={gpus}")
    submit, start, end, lasted = (*(f"{moment + timedelta(hours=2):%Y-%m-%dT%H:%M:%S}" for moment in (submit, start, end)), end - start)
    lasted = f"{DAY + lasted:%H:%M:%S}"
    own = f"{number}|{name}|{submit}|{start}|{end}|{lasted}|08:00:00|{state}|0:0|16|64G||{tres}|{tres}"
    steps = [
        f"{number}.{step}|{step}|{start}|{start}|{end}|{lasted}||{state}|0:0|16||{rss}||cpu=16,gres/gpu:a100={gpus},gres/gpu={gpus},mem=64G,node=1"
        for step, rss in (("batch", "41234568K"), ("extern", "900K"))
    ]
    return "\n".join((own, *steps))


def sacct(*jobs):
    """Return what ``sacct -P`` prints."""
    return "\n".join((_SACCT, *jobs, ""))


def _events():
    events = [Event(wall_time=at(6, 10).timestamp(), file_version="brain.Event:2")]
    for entry in _ENTRIES:
        when = at(6, 10, 120 * entry).timestamp()
        named = {"train/loss": loss(entry), "train/learning_rate": 5e-5 * (1 - entry / 60)}
        events += [_scalar(tag, entry, value, when) for tag, value in named.items()]
        if entry % 10 == 0:
            events.append(_scalar("eval/loss", entry, loss(entry, held_out=True), when + 20))
    return b"".join(record(event.SerializeToString()) for event in events)


def _scalar(tag, entry, value, when):
    return Event(wall_time=when, step=10 * entry, summary=Summary(value=[Summary.Value(tag=tag, simple_value=value)]))


def _state(odd_at):
    history = []
    for entry in _ENTRIES:
        told = {"epoch": entry / 20, "step": 10 * entry}
        odd = 0.1 if entry in odd_at else 0.0
        history.append({**told, "learning_rate": 5e-5 * (1 - entry / 60), "loss": loss(entry) + odd})
        if entry % 10 == 0:
            history.append({**told, "eval_loss": loss(entry, held_out=True), "eval_runtime": 20.0})
    history.append({"epoch": 3.0, "step": 600, "total_flos": 1e15, "train_loss": 0.82, "train_runtime": 7200.0})
    state = {"epoch": 3.0, "global_step": 600, "log_history": history, "logging_steps": 10, "max_steps": 600, "num_train_epochs": 3}
    return json.dumps(state, indent=2, sort_keys=True) + "\n"


def _smi():
    lines = ["timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]"]
    for minute in range(135):
        when = at(6, 5) + timedelta(minutes=minute)
        works = at(6, 10) <= when <= at(8, 10)
        sample = "90 %, 30000 MiB, 81920 MiB, 300.00 W" if works else "0 %, 15 MiB, 81920 MiB, 60.00 W"
        lines += [f"{when + timedelta(hours=2):%Y/%m/%d %H:%M:%S}.{gpu}50, {gpu}, NVIDIA A100-SXM4-80GB, {sample}" for gpu in (0, 1)]
    return "\n".join((*lines, ""))
