"""Reports of Nsight Systems in SQLite, made here after the documented schema."""

from __future__ import annotations

import sqlite3

import pytest
from made_traces import measured
from read_logs import read, steps, values

from trainreport.errors import InputError
from trainreport.importers.registry import recognise

SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL,
  streamId INT NOT NULL, correlationId INT NOT NULL, globalPid INT NOT NULL, demangledName INT NOT NULL, shortName INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL,
  streamId INT NOT NULL, correlationId INT NOT NULL, globalPid INT NOT NULL, bytes INT NOT NULL, copyKind INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL, eventClass INT NOT NULL, globalTid INT NOT NULL,
  correlationId INT NOT NULL, nameId INT NOT NULL, returnValue INT NOT NULL);
CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT, eventType INT NOT NULL, globalTid INT, text TEXT, textId INT);
CREATE TABLE TARGET_INFO_GPU (id INT NOT NULL, name TEXT, totalMemory INT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT NOT NULL, cudaId INT NOT NULL, pid INT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT, utcTime TEXT, localTime TEXT);
"""
NAMES = {
    1: "gemm",
    2: "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    3: "cudaLaunchKernel_v7000",
    4: "cudaMemcpyAsync_v3020",
    5: "iteration 7",
    6: "iteration 8",
}
PID_A, PID_B = 300 << 24, 301 << 24
"""PID = globalTid / 0x1000000 % 0x1000000, as the documentation has it."""
START_NS = 1_790_857_026_000_000_000
MS = 1_000_000


def made(path, *statements, kernels=(), calls=(), copies=(), ranges=()):
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", NAMES.items())
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, 7, ?, ?, 0, ?)", kernels)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, ?, 1, 7, ?, ?, 4096, 1)", copies)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0)", calls)
    connection.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, ?)", ranges)
    connection.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3', 85520809984)")
    connection.execute(f"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({START_NS}, '', '')")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


# Two steps of 10 ms from 5 s on; on the GPU a kernel of 4 ms, one of NCCL that overlaps it by 1 ms, a copy of 1 ms.
AT = 5000 * MS
KERNELS = [(AT + MS, AT + 5 * MS, 0, 1, PID_A, 1), (AT + 4 * MS, AT + 7 * MS, 0, 2, PID_A, 2), (AT + 12 * MS, AT + 13 * MS, 0, 4, PID_A, 1)]
COPIES = [(AT + 8 * MS, AT + 9 * MS, 0, 3, PID_A)]
CALLS = [
    (AT, AT + 10_000, PID_A + 5, 1, 3),
    (AT + 10_000, AT + 20_000, PID_A + 5, 2, 3),
    (AT + 7_500_000, AT + 7_510_000, PID_A + 5, 3, 4),
    (AT + 8_500_000, AT + 10 * MS, PID_A + 5, 4, 3),
    (AT + 11 * MS, AT + 11_010_000, PID_B + 5, 4, 3),  # of another process, whose correlations count up from 1 as well
]
RANGES = [
    (AT, AT + 10 * MS, PID_A + 5, None, 5),
    (AT + 10 * MS, AT + 20 * MS, PID_A + 5, None, 6),
    (AT, AT + 9 * MS, PID_B + 5, "step 1", None),
]


def test_what_was_computed_by_hand(tmp_path):
    name, log = read(made(tmp_path / "report.sqlite", kernels=KERNELS, copies=COPIES, calls=CALLS, ranges=RANGES))
    assert name == "nsys-sqlite"
    found = measured(log)
    assert steps(log, "time/step (profiled)") == [7, 8], "of the thread that marked most"
    assert values(log, "time/step (profiled)") == pytest.approx([0.010, 0.010])
    assert found["profile/gpu_busy", 7] == pytest.approx(0.6)  # [1, 7) ms
    assert found["profile/gpu_busy", 8] == pytest.approx(0.1)
    assert found["profile/communication", 7] == pytest.approx(0.3)
    assert found["profile/communication_exposed", 7] == pytest.approx(0.2)
    assert found["profile/copies", 7] == pytest.approx(0.1)
    assert found["profile/idle", 7] == pytest.approx(0.003)
    assert found["profile/longest_gap", 8] == pytest.approx(0.007)
    # 1 ms before the first kernel and 1 ms before the copy; the last kernel was launched at 8.5, before the copy ended at 9
    assert found["profile/launch_wait", 7] == pytest.approx(0.2)
    assert found["profile/launch_wait", 8] == 0
    assert found["profile/short_kernels", 7] == 0
    assert found["profile/short_kernels", 8] == 1  # 1 ms, launched in 1.5 ms
    assert log.hardware.gpu_model == "NVIDIA H100 80GB HBM3"
    assert log.ended_at is not None
    assert log.ended_at.timestamp() == pytest.approx(START_NS / 1e9 + 5.020, abs=1e-6)
    assert log.problems == ()


def test_devices_are_numbered_as_the_machine_does(tmp_path):
    kernels = [(0, 10, 0, 1, PID_A, 1), (0, 10, 0, 1, PID_B, 1)]
    two = [f"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES ({gpu}, 0, {pid})" for gpu, pid in ((4, 300), (5, 301))]
    _, log = read(made(tmp_path / "report.sqlite", *two, kernels=kernels))
    assert set(log.frame["device"]) == {"gpu4", "gpu5"}


def test_tables_are_written_lazily(tmp_path):
    drop = [
        f"DROP TABLE {name}" for name in ("NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "TARGET_INFO_SESSION_START_TIME", "TARGET_INFO_GPU")
    ]
    name, log = read(made(tmp_path / "report.sqlite", *drop, kernels=KERNELS))
    assert name == "nsys-sqlite"
    assert measured(log)["profile/gpu_busy", None] == pytest.approx(7 / 12)
    assert "profile/launch_wait" not in set(log.frame["series"])
    assert log.started_at is None


def test_odd_rows_are_left(tmp_path):
    odd = [
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('x', 5, 0, 1, 7, 1, 1, 0, 1)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9, 5, 0, 1, 7, 1, 1, 0, 1)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 5, -1, 1, 7, 1, 1, 0, 1)",
        "INSERT INTO NVTX_EVENTS VALUES (1, NULL, 59, 1, 'step 3', NULL)",
    ]
    _, log = read(made(tmp_path / "report.sqlite", *odd, kernels=KERNELS))
    assert set(log.frame["device"]) == {"gpu0"}


def test_nothing_in_it_and_cut_off(tmp_path):
    with pytest.raises(InputError, match="nothing of that can be measured"):
        read(made(tmp_path / "empty.sqlite"))
    path = made(tmp_path / "cut.sqlite", kernels=KERNELS * 2000)
    path.write_bytes(path.read_bytes()[:-60_000])
    reason = recognise(path)
    assert isinstance(reason, str), "SQLite opens no database that lacks pages"
    assert "a SQLite database without the tables" in reason


def test_a_damaged_page(tmp_path):
    path = made(tmp_path / "torn.sqlite", kernels=KERNELS * 2000)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    _, log = read(path)
    assert "SQLite stopped reading" in log.problems[0].what
    assert log.problems[0].place == "table CUPTI_ACTIVITY_KIND_KERNEL"
    assert measured(log)["profile/gpu_busy", None] == pytest.approx(7 / 12)
