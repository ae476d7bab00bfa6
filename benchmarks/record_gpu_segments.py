"""Drives a real NVIDIA GPU through labelled stretches of work while nvidia-smi logs, and checks the detectors on the result.

    python benchmarks/record_gpu_segments.py FOLDER [--minutes 2] [--device 0] [--dry-run]

Writes into `FOLDER` for each segment a folder with ``gpu.csv`` (nvidia-smi, one sample a second), and ``labels.json`` with what was
done when and which codes are expected; then prints, for each segment, what the detectors of the GPU found beside what was expected.
Needs torch with CUDA and nvidia-smi; ``--dry-run`` prints the schedule and needs neither.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS = (
    "timestamp,index,name,pstate,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,power.limit,"
    "clocks.sm,clocks.max.sm,temperature.gpu,clocks_throttle_reasons.active"
)
JUDGED = frozenset(f"TR{number}" for number in (201, 202, 204, 205, 206, 207, 208, 215, 217))
"""Codes that a GPU log alone can bring; others are not compared."""


@dataclass(frozen=True)
class Segment:
    """A stretch of one kind of work."""

    name: str
    what: str
    expected: tuple[str, ...]
    """Codes that must be found."""
    allowed: tuple[str, ...] = ()
    """Codes that may be found: they depend on the machine."""


SEGMENTS = (
    Segment("matrix_products", "large half-precision matrix products without a pause", (), ("TR206", "TR207", "TR208")),
    Segment("elementwise", "adding large tensors: bound by memory bandwidth", (), ("TR206", "TR207", "TR208", "TR215")),
    Segment("tiny_kernels", "many small kernels one after the other: bound by launches", ("TR215",), ("TR201", "TR206")),
    Segment("sleep_between_steps", "a tenth of a second of work, then 0.4 s of sleep", ("TR201",), ("TR206", "TR203")),
    Segment("spinning", "one kernel that waits in a loop on one multiprocessor", ("TR215",), ("TR206",)),
    Segment(
        "growing_memory",
        "matrix products, and memory that grows from step to step and is kept",
        ("TR205",),
        ("TR204", "TR206", "TR207", "TR208"),
    ),
    Segment("idle", "a context is held, nothing runs", ("TR202",), ("TR206",)),
)
LONGER_S = {"idle": 420.0, "growing_memory": 300.0}
"""Segments whose finding needs longer than a minute or two, whatever ``--minutes`` says."""


def main(arguments: list[str] | None = None) -> int:
    """Record, label and check; return 1 where a finding is missing or too much."""
    parser = argparse.ArgumentParser(prog="record_gpu_segments.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where logs and labels are written; must not hold labels yet")
    parser.add_argument("--minutes", type=float, default=2.0, help="length of each segment")
    parser.add_argument("--device", type=int, default=0, help="number of the GPU")
    parser.add_argument("--dry-run", action="store_true", help="print the schedule and stop")
    given = parser.parse_args(arguments)
    if given.minutes <= 0:
        parser.error("--minutes must be above 0")
    schedule = [(segment, max(60 * given.minutes, LONGER_S.get(segment.name, 0.0))) for segment in SEGMENTS]
    for segment, seconds in schedule:
        print(f"{seconds:6.0f} s  {segment.name:<20} {segment.what}; expected: {', '.join(segment.expected) or 'nothing'}")
    print(f"{sum(seconds for _, seconds in schedule):6.0f} s  in all")
    if given.dry_run:
        return 0
    problem = missing()
    if problem or (given.folder / "labels.json").exists():
        print(problem or f"{given.folder} holds labels already; give an empty folder", file=sys.stderr)
        return 2
    labels = [record(given.folder, segment, seconds, given.device) for segment, seconds in schedule]
    (given.folder / "labels.json").write_text(json.dumps(labels, indent=1))
    return check(given.folder)


def missing() -> str | None:
    """Return what this machine lacks, None where it has all."""
    if shutil.which("nvidia-smi") is None:
        return "nvidia-smi is not here; use --dry-run to see the schedule"
    try:
        import torch
    except ImportError:
        return "torch is not installed; pip install torch"
    return None if torch.cuda.is_available() else "torch sees no CUDA device"


def record(folder: Path, segment: Segment, seconds: float, device: int) -> dict[str, Any]:
    """Do the work of one segment while nvidia-smi logs, and return its label."""
    import torch

    target = folder / segment.name
    target.mkdir(parents=True)
    work = WORK[segment.name](torch, torch.device("cuda", device))
    work()  # compiled and allocated before the log begins
    torch.cuda.synchronize(device)
    with (target / "gpu.csv").open("w") as stream:
        command = ["nvidia-smi", f"--query-gpu={FIELDS}", "--format=csv", "--loop=1", f"--id={device}"]
        logger = subprocess.Popen(command, stdout=stream)
        began = time.time()  # noqa: TID251 - labels are moments
        try:
            while time.time() - began < seconds:  # noqa: TID251
                work()
                torch.cuda.synchronize(device)
        finally:
            logger.terminate()
            logger.wait(10)
    del work
    torch.cuda.empty_cache()
    return {**asdict(segment), "from_s": began, "to_s": time.time(), "device": torch.cuda.get_device_name(device)}  # noqa: TID251


def check(folder: Path) -> int:
    """Print what the detectors find in each segment beside what is expected; return 1 where they differ."""
    from trainreport import analyze

    wrong = 0
    for label in json.loads((folder / "labels.json").read_text()):
        found = {finding.code for finding in analyze(folder / label["name"]).findings} & JUDGED
        absent = set(label["expected"]) - found
        extra = found - set(label["expected"]) - set(label["allowed"])
        wrong += bool(absent or extra)
        verdict = "right" if not absent and not extra else f"missing {sorted(absent)}, too much {sorted(extra)}"
        print(f"{label['name']:<20} found {', '.join(sorted(found)) or 'nothing':<24} {verdict}")
    return int(wrong > 0)


def matrix_products(torch: Any, device: Any) -> Callable[[], None]:
    """Return work of large products."""
    left, right = (torch.randn(8192, 8192, device=device, dtype=torch.float16) for _ in range(2))
    return lambda: _times(50, lambda: torch.matmul(left, right))


def elementwise(torch: Any, device: Any) -> Callable[[], None]:
    """Return work that moves memory and computes little."""
    left, right = (torch.randn(2**27, device=device) for _ in range(2))
    return lambda: _times(100, lambda: left.add_(right))


def tiny_kernels(torch: Any, device: Any) -> Callable[[], None]:
    """Return work of very small kernels."""
    small = torch.randn(64, device=device)
    return lambda: _times(2000, lambda: small.add_(1.0))


def sleep_between_steps(torch: Any, device: Any) -> Callable[[], None]:
    """Return work for a fifth of the time."""
    left, right = (torch.randn(4096, 4096, device=device, dtype=torch.float16) for _ in range(2))

    def step() -> None:
        until = time.perf_counter() + 0.1
        while time.perf_counter() < until:
            torch.matmul(left, right)
            torch.cuda.synchronize(device)
        time.sleep(0.4)

    return step


def spinning(torch: Any, device: Any) -> Callable[[], None]:
    """Return a kernel that waits on one multiprocessor, as a process does inside a collective operation."""
    with torch.cuda.device(device):
        return lambda: torch.cuda._sleep(500_000_000)  # private, and the only kernel of torch that spins


def growing_memory(torch: Any, device: Any) -> Callable[[], None]:
    """Return products that keep a little more memory with each step, until nine tenths are in use."""
    work = matrix_products(torch, device)
    kept: list[Any] = []
    total = torch.cuda.get_device_properties(device).total_memory

    def step() -> None:
        work()
        if torch.cuda.memory_allocated(device) < 0.9 * total:
            kept.append(torch.empty(total // 3000, dtype=torch.uint8, device=device))
        time.sleep(0.05)

    return step


def idle(torch: Any, device: Any) -> Callable[[], None]:
    """Return no work, with memory held."""
    held = torch.empty(2**30, dtype=torch.uint8, device=device)
    return lambda: time.sleep(1.0 if held is not None else 0.0)


WORK: dict[str, Callable[[Any, Any], Callable[[], None]]] = {
    work.__name__: work for work in (matrix_products, elementwise, tiny_kernels, sleep_between_steps, spinning, growing_memory, idle)
}


def _times(count: int, work: Callable[[], object]) -> None:
    for _ in range(count):
        work()


if __name__ == "__main__":
    sys.exit(main())
