"""Time and memory of reading a PyTorch trace of 500 MB: ``python -m benchmarks.profiles [--megabytes 500]``.

Bars: under 600 MB of memory, and at most 1.5 times the time in which orjson parses the events piece by piece. The trace is
made of events as Kineto writes them, with the mix that a training step on a GPU has: of each kernel one launch, two other
calls, four operators and four arrows. Each reading is a process of its own, the best of three.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from trainreport.importers.formats.torch_trace import IMPORTER
from trainreport.importers.recording import Source

if TYPE_CHECKING:
    from collections.abc import Callable

BAR_BYTES = 600e6
BAR_RATIO = 1.5
_KERNELS_A_STEP = 500
_HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42297524224
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
"""
_ADD = "at::native::AUnaryFunctor<float, float, bool, at::native::(anonymous namespace)::CompareEqFunctor<float> >"
_NAMES = (
    f"void at::native::vectorized_elementwise_kernel<4, {_ADD}, at::detail::Array<char*, 2> >(int, {_ADD}, at::detail::Array<char*, 2>)",
    "ampere_sgemm_128x64_nn",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
)


def main() -> None:
    """Write the trace, read it both ways, print what it took, and fail where a bar is missed."""
    parser = argparse.ArgumentParser(description="Time and memory of reading a PyTorch trace.")
    parser.add_argument("--megabytes", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.pt.trace.json"
        write(path, options.megabytes * 1_000_000)
        ours, peak = _best(_read, path)
        theirs, _ = _best(_orjson, path)
        size = path.stat().st_size / 1e6
    ratio = ours / theirs
    print(f"{size:,.0f} MB: trainreport {ours:.2f} CPU s ({size / ours:.0f} MB/s), orjson piecewise {theirs:.2f} CPU s")
    print(f"ratio {ratio:.2f} (bar: {BAR_RATIO}), peak memory {peak / 1e6:,.0f} MB (bar: {BAR_BYTES / 1e6:,.0f} MB)")
    sys.exit(ratio > BAR_RATIO or peak >= BAR_BYTES)


def write(path: Path, size: int) -> None:
    """Write a trace of about `size` bytes."""
    with path.open("w", encoding="ascii") as stream:
        stream.write(_HEAD)
        step, at = 0, 0.0
        while stream.tell() < size:
            events = [_event("user_annotation", f"ProfilerStep#{step}", at, 50.0 * _KERNELS_A_STEP, '"Ev Idx": 0')]
            for place in range(_KERNELS_A_STEP):
                events += _of_kernel(step * _KERNELS_A_STEP + place, at + 50.0 * place)
            stream.write((",\n" if step else "") + ",\n".join(events))
            step, at = step + 1, at + 50.0 * _KERNELS_A_STEP
        stream.write('\n  ],\n  "traceName": "bench"\n}\n')


def _of_kernel(link: int, at: float) -> list[str]:
    args = f'"External id": {link}, "cbid": 211, "correlation": {link}'
    shapes = '"Record function id": 0, "Input Dims": [[4096, 1024], [1024, 1024], []], "Input type": ["float", "float", "Scalar"]'
    kernel = (
        f'"External id": {link}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {link}, "registers per thread": 90,'
        ' "shared memory": 49152, "blocks per SM": 0.592592, "grid": [64, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 4'
    )
    operators = [_event("cpu_op", name, at, 20.5, shapes) for name in ("aten::linear", "aten::addmm", "aten::copy_", "aten::to")]
    calls = [_event("cuda_runtime", name, at + 2, 1.25, args) for name in ("cudaLaunchKernel", "cudaEventQuery", "cudaEventRecord")]
    arrows = [_arrow(ph, link, at + 2) for ph in ("s", "f", "s", "f")]
    return [*operators, *calls, *arrows, _event("kernel", _NAMES[link % len(_NAMES)], at + 10, 30.125, kernel)]


def _event(category: str, name: str, at: float, seconds: float, args: str) -> str:
    pid, tid = (0, 7) if category == "kernel" else (77, 77)
    return (
        f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid},\n'
        f'    "ts": {at:.3f}, "dur": {seconds:.3f},\n    "args": {{\n      {args}\n    }}\n  }}'
    )


def _arrow(ph: str, link: int, at: float) -> str:
    return f'  {{\n    "ph": "{ph}", "id": {link}, "pid": 77, "tid": 77, "ts": {at:.3f},\n    "cat": "ac2g", "name": "ac2g"\n  }}'


def _read(path: Path) -> int:
    return len(IMPORTER.read(Source(path, path.name)).frame)


def _orjson(path: Path) -> int:
    """Parse every event, in pieces of 1 MB that end between two of them; the borders are those that this file writes."""
    count, rest = 0, b""
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            rest += piece
            begin = rest.find(b'"traceEvents": [') + 16 if not count else 0
            last = rest.rfind(b"\n  },\n  {\n")
            count += len(orjson.loads(b"[" + rest[begin : last + 4] + b"]"))
            rest = rest[last + 6 :]
    return count + len(orjson.loads(b"[" + rest[: rest.rfind(b"],")] + b"]"))


def _best(read: Callable[[Path], int], path: Path) -> tuple[float, float]:
    """Return the least CPU seconds of three processes, and the most bytes that one of them took."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = [pool.apply(_timed, (read, path)) for _ in range(3)]
    return min(seconds for seconds, _ in found), max(peak for _, peak in found)


def _timed(read: Callable[[Path], int], path: Path) -> tuple[float, float]:
    begin = time.process_time()
    read(path)
    return time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
