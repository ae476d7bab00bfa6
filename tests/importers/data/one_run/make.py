"""Writes the log of the run in tests/one_run.py by W&B's own data store: `python make.py k3v9x2ab.wandb` (wandb 0.19.11)."""

import json
import math
import sys
from datetime import UTC, datetime

from wandb.proto import wandb_internal_pb2 as records
from wandb.sdk.internal.datastore import DataStore

BEGUN = datetime(2026, 6, 9, 6, 8, tzinfo=UTC).timestamp()


def rows(values):
    """Yield W&B's items of a table."""
    yield from ({"key": name, "value_json": json.dumps(value)} for name, value in values.items())


def history(at, call, values):
    """Return one call of ``wandb.log``."""
    found = records.HistoryRecord()
    found.step.num = call
    for item in rows({**values, "_step": call, "_runtime": at - BEGUN, "_timestamp": at}):
        found.item.add(**item)
    return records.Record(history=found)


def stats(at):
    """Return one sample of the machine."""
    found = records.StatsRecord(stats_type=records.StatsRecord.StatsType.SYSTEM)
    found.timestamp.seconds = int(at)
    works = BEGUN + 120 <= at <= BEGUN + 7320
    for gpu in (0, 1):
        sample = {"gpu": 90 if works else 0, "powerWatts": 300.0 if works else 60.0, "temp": 60}
        for item in rows({f"gpu.{gpu}.{name}": value for name, value in sample.items()}):
            found.item.add(**item)
    return records.Record(stats=found)


def begin():
    """Return the record of the run."""
    run = records.RunRecord(run_id="k3v9x2ab", entity="crm", project="churn", display_name="smooth-river-7", host="node17")
    run.start_time.seconds = int(BEGUN)
    for item in rows({"learning_rate": 5e-05, "seed": 42, "per_device_train_batch_size": 16}):
        run.config.update.add(**item)
    return records.Record(run=run)


def main(path):
    """Write it."""
    store, call = DataStore(), 0
    store.open_for_write(path)
    store.write(begin())
    for minute in range(0, 124, 2):
        at, entry = BEGUN + 60 * minute, minute // 2 - 1  # the first entry at 06:12, the last at 08:10
        store.write(stats(at))
        if not 1 <= entry <= 60:
            continue
        falls = math.exp(-entry / 20)
        told = {"train/loss": round(0.5 + 2 * falls, 4), "train/learning_rate": 5e-5 * (1 - entry / 60), "train/epoch": entry / 20}
        store.write(history(at, call, {**told, "train/global_step": 10 * entry}))
        call += 1
        if entry % 10 == 0:
            held_out = {"eval/loss": round(0.6 + 2 * falls, 4), "eval/runtime": 20.0, "train/global_step": 10 * entry}
            store.write(history(at + 20, call, held_out))
            call += 1
    store.write(records.Record(exit=records.RunExitRecord(exit_code=0, runtime=60 * 124)))
    store.close()


if __name__ == "__main__":
    main(sys.argv[1])
