"""Small folders of runs."""

from __future__ import annotations

import json
import shutil

import pytest

from trainreport import _resources
from trainreport.batches.lines import tables
from trainreport.batches.tally import Tally

SAMPLES = _resources.folder("sample_runs")
EVENTS = next((SAMPLES / "plateau" / "logs").glob("events*"))
GPU = SAMPLES / "starved" / "logs" / "first" / "gpu.csv"
STORE = SAMPLES / "search" / "logs" / "mlruns"


class Tree:
    """Folders with logs of each tool, copied from the samples."""

    def __init__(self, root):
        self.root = root

    def events(self, *folders):
        for folder in folders:
            self._copy(EVENTS, folder, "events.out.tfevents.1.host")

    def gpu(self, *folders):
        for folder in folders:
            self._copy(GPU, folder, "gpu.csv")

    def store(self, folder):
        shutil.copytree(STORE, self.root / folder)

    def text(self, folder, name, text):
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / folder / name).write_text(text)

    def _copy(self, source, folder, name):
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, self.root / folder / name)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    return Tree(root)


def entry(path="a", verdict="no-go", step="tune", codes=("TR101",), *, hours=1.0, cost="2.50", currency="EUR", error=None):
    return {
        "path": path,
        "run_id": f"run {path}",
        "inputs_digest": "d",
        "version": "0.1.0",
        "verdict": None if error else verdict,
        "next_step": None if error else step,
        "codes": [] if error else list(codes),
        "gpu_hours": hours,
        "cost": None if cost is None else {"amount": cost, "currency": currency},
        "error": error,
    }


def month(number, verdict="no-go", **more):
    return {**entry(f"p/{number}", verdict), "ended_at": f"2026-{number:02}-05T00:00:00Z", **more}


def tally(*entries):
    found = Tally()
    for table in tables(json.dumps(one).encode() + b"\n" for one in entries):
        found.add(table)
    return found


def lines(output):
    return [json.loads(text) for text in (output / "results.jsonl").read_text().splitlines()]


def states(output):
    return sorted((output / "results.jsonl").read_text().splitlines())


def charged(file, *rows):
    """Write an invoice in the columns of FOCUS: from, to, amount in EUR."""
    told = ["ChargePeriodStart,ChargePeriodEnd,BilledCost,BillingCurrency"]
    for start, end, amount in rows:
        first, last = (one if isinstance(one, str) else one.isoformat() for one in (start, end))
        told.append(f"{first},{last},{amount},EUR")
    file.write_text("\n".join(told) + "\n")
    return file
