"""A trace of two steps whose measures were computed by hand, in microseconds."""

from __future__ import annotations

import json

BASE_NS = 1_790_857_026_000_000_000
START_US = 5_000_000_000.0
"""2026-10-01 13:50:26 UTC of the base, and 5,000 s."""


def event(category, name, start, length, **args):
    pid, tid = (args["device"], args["stream"]) if category.startswith(("kernel", "gpu_")) else (77, 77)
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": START_US + start, "dur": length, "args": args}


def on_gpu(category, name, start, length, **args):
    return event(category, name, start, length, **{"device": 3, "stream": 7, **args})


def call(name, start, length, link):
    return event("cuda_runtime", name, start, length, correlation=link)


EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 77, "args": {"name": 'python {not} "a" brace\\'}},
    event("user_annotation", "ProfilerStep#7", 0, 1000),
    event("user_annotation", "ProfilerStep#8", 1000, 400),
    on_gpu("gpu_user_annotation", "ProfilerStep#7", 100, 750),
    call("cudaLaunchKernel", 90, 8, 1),
    call("cudaLaunchKernel", 150, 5, 2),
    call("cudaMemcpyAsync", 550, 20, 3),
    call("cudaLaunchKernel", 640, 60, 4),
    event("cpu_op", 'aten::mm {"ph": "X", "cat": "kernel"}', 80, 30, nested=[{"cat": "kernel", "ph": "X", "ts": 1, "dur": 9}]),
    on_gpu("kernel", 'gemm<float, {lambda()#1}>["x\\', 100, 200, correlation=1),
    on_gpu("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 200, 300, correlation=2, stream=20),
    on_gpu("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 600, 50, correlation=3),
    on_gpu("kernel", "gemm", 800, 50, correlation=4),
    event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 1000, 200),
    {"ph": "s", "id": 1, "pid": 77, "tid": 77, "ts": START_US + 90, "cat": "ac2g", "name": "ac2g"},
]

# Kernels run in [100, 500) and [800, 850); copies in [600, 650); idle are 100, 100, 150 and 150.
EXPECTED = {
    ("time/step", 7): 1000e-6,
    ("time/step", 8): 400e-6,
    ("time/data", 7): 0.0,
    ("time/data", 8): 200e-6,
    ("profile/input_wait", 7): 0.0,
    ("profile/input_wait", 8): 0.5,
    ("profile/gpu_busy", 7): 0.45,
    ("profile/gpu_busy", 8): 0.0,
    ("profile/communication", 7): 0.30,
    ("profile/communication", 8): 0.0,
    ("profile/communication_exposed", 7): 0.20,  # 450 in kernels, 200 + 50 of it computing
    ("profile/communication_exposed", 8): 0.0,
    ("profile/copies", 7): 0.05,
    ("profile/copies", 8): 0.0,
    ("profile/idle", 7): 500e-6,
    ("profile/idle", 8): 400e-6,
    ("profile/longest_gap", 7): 150e-6,
    ("profile/longest_gap", 8): 400e-6,
    # before the first kernel 100, before the copy 100: both launched when the GPU idled already; the last kernel was in the queue
    ("profile/launch_wait", 7): 0.20,
    ("profile/launch_wait", 8): 0.0,
    ("profile/short_kernels", 7): 1 / 3,  # 50 < 60
}


def document(events=None, **around):
    """Return a trace as Kineto writes it; what stands behind the events, too."""
    head = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA A100"}, {"id": 1, "name": "NVIDIA A100"}],
        "distributedInfo": {"backend": "nccl", "rank": 5, "world_size": 8},
    }
    tail = {"traceName": "t.json", "baseTimeNanoseconds": BASE_NS}
    return json.dumps({**head, "traceEvents": EVENTS if events is None else events, **tail, **around}, indent=2).encode()


def measured(recording):
    """Return the values of a recording by series and step."""
    steps = [None if missing else step for step, missing in zip(recording.frame["step"], recording.frame["step"].isna(), strict=True)]
    return dict(zip(zip(recording.frame["series"], steps, strict=True), recording.frame["value"], strict=True))
