"""TR217: a GPU with a fault."""

from __future__ import annotations

import pytest
from machines import MIB, judged

from trainreport.model.finding import Confidence, Severity, State

BUSY = [0.9] * 50


def gpu(**more):
    return {"gpu0": {"gpu/utilization": BUSY} | {f"gpu/{name}": values for name, values in more.items()}}


def said(message, *, kind="error", level="error"):
    return [(kind, level, message, 100.0)]


@pytest.mark.parametrize(
    ("message", "severity"),
    [
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.", Severity.CRITICAL),
        ("[12.3] NVRM: Xid (PCI:0000:81:00): 48, An uncorrectable double bit error (DBE) has been detected", Severity.CRITICAL),
        ("NVRM: Xid (PCI:0000:81:00): 31, pid=77, MMU Fault", Severity.MAJOR),
        ("NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked for remapping", Severity.MAJOR),
        ("Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error", Severity.CRITICAL),
        ("RuntimeError: CUDA error: uncorrectable ECC error encountered", Severity.CRITICAL),
    ],
)
def test_messages_of_faults(message, severity):
    (finding,) = judged("TR217", events=said(message)).findings
    assert finding.severity is severity
    assert message.rstrip(".") in finding.message
    assert finding.evidence[0].method == "count; first in line 7"


def test_the_same_fault_is_counted():
    events = said("NVRM: Xid (PCI:0000:3b:00): 79, pid=1") + said("NVRM: Xid (PCI:0000:3b:00): 79, pid=2")
    (finding,) = judged("TR217", events=events).findings
    assert finding.message == "A GPU reported Xid 79, 2 times: NVRM: Xid (PCI:0000:3b:00): 79, pid=1."
    assert finding.confidence is Confidence.HIGH


def test_a_cell_with_an_error_is_major_unless_the_gpu_is_frozen():
    events = said("fan.speed is ERR! in 1 of 50 rows, on gpu0", kind="gpu-error")
    assert judged("TR217", gpu(memory_used=900 * MIB), events=events).findings[0].severity is Severity.MAJOR
    finding = judged("TR217", gpu(memory_used=1 * MIB), events=events).findings[0]
    assert finding.severity is Severity.CRITICAL
    assert finding.message.endswith("it shows 90 % utilization with 1.0 MiB of memory in use, which cannot be.")


def test_a_lost_gpu_is_critical():
    events = said("utilization.gpu is [GPU is lost] in 3 of 50 rows, on gpu0", kind="gpu-error")
    assert judged("TR217", gpu(memory_used=900 * MIB), events=events).findings[0].severity is Severity.CRITICAL


def test_uncorrected_errors_that_rise():
    (finding,) = judged("TR217", gpu(**{"ecc_errors/uncorrected_volatile_total": [0.0] * 30 + [2.0] * 20})).findings
    assert finding.message == "Uncorrected memory errors on GPU 0 rose from 0 to 2 during the run."
    assert (finding.severity, finding.device, finding.evidence[0].value) == (Severity.CRITICAL, "gpu0", 2.0)


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"ecc_errors/corrected_volatile_total": list(range(50))},
        {"ecc_errors/uncorrected_aggregate_total": [3.0] * 50},
        {"ecc_errors/uncorrected_volatile_total": [0.0, 2.0] * 25},
    ],
    ids=["nothing", "corrected", "from before", "no counter"],
)
def test_silent(table):
    assert judged("TR217", gpu(**table)).state is State.CLEAR


@pytest.mark.parametrize("message", ["ECC is enabled", "GPU 0 is used for training", "maxid: 79", "Exits with code 31"])
def test_harmless_messages(message):
    assert judged("TR217", events=said(message, level="info", kind="text")).state is State.CLEAR


def test_without_messages_and_gpu_log_it_cannot_be_told():
    assert judged("TR217", curves={"loss": [1.0] * 20}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    table = gpu(**{"ecc_errors/uncorrected_volatile_total": [0.0] * 30 + [2.0] * 20})
    assert judged("TR217", table, plan="[thresholds]\nTR217.rise = 5\n").state is State.CLEAR
