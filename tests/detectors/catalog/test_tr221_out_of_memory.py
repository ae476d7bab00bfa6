"""TR221: memory that ran out."""

from __future__ import annotations

import pytest
from machines import judged

from trainreport.detectors import messages
from trainreport.model.finding import Confidence, Severity, State

FILLS = [0.7] * 90 + [0.985] * 10


def said(message, level="error", at=49.0):
    return [("error" if level == "error" else "text", level, message, at)]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. Set X to avoid fragmentation.",
            "A GPU ran out of memory",
        ),
        ("RuntimeError: CUDA error: out of memory", "ran out of"),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "A GPU ran out of memory"),
        ("ResourceExhaustedError: OOM when allocating tensor with shape[64,3,512,512]", "A GPU ran out of memory"),
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.", "A GPU ran out of memory"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=1.0", "The machine ran out of main memory"),
        ("Out of memory: Killed process 4242 (python) total-vm:1kB", "The machine ran out of main memory"),
        ("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed.", "The machine ran out of main memory"),
    ],
)
def test_messages_of_failed_allocations(message, words):
    (finding,) = judged("TR221", curves={"loss": [1.0] * 50}, events=said(message), status="failed").findings
    assert words in finding.message
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.HIGH)


def test_a_run_that_goes_on_is_major():
    events = said("CUDA out of memory. Tried to allocate 2.00 GiB", level="warning")
    (finding,) = judged("TR221", curves={"loss": [1.0] * 500}, events=events).findings
    assert finding.message == "A GPU ran out of memory; the run went on: CUDA out of memory. Tried to allocate 2.00 GiB."
    assert finding.severity is Severity.MAJOR


def test_a_long_message_is_cut_between_words_and_never_inside_a_number():
    start = "CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 39.56 GiB of which 1.2 GiB is free. "
    message = (start + "Process 4242 has 38.3 GiB memory in use. " * 3).strip()
    (finding,) = judged("TR221", curves={"loss": [1.0] * 50}, events=said(message), status="failed").findings
    shown = finding.message.removeprefix("A GPU ran out of memory: ")
    assert shown.endswith(" …")
    assert len(shown) <= 140
    assert message.startswith(shown.removesuffix("…"))


@pytest.mark.parametrize("most", range(20, 60))
def test_whatever_the_length_only_whole_words_are_quoted(most):
    text = "a total capacity of 39.56 GiB of which 1.25 GiB is free now"
    quoted = messages.quoted(text, most)
    assert set(quoted.removesuffix(".").split()) <= {*text.split(), "…"}
    assert len(quoted) <= most + 1


def test_one_word_that_is_too_long_is_cut():
    assert messages.quoted("x" * 50, 20) == "x" * 19 + "…"


def test_killed_right_after_memory_had_filled_up():
    (finding,) = judged("TR221", {"gpu0": {"gpu/memory_share": FILLS}}, status="killed", ends_s=990.0).findings
    assert finding.message == (
        "The run was killed while the memory of GPU 0 was 98 % full (for 3 % of the time before): most likely it ran out of memory."
    )
    assert finding.confidence is Confidence.MEDIUM
    host = judged("TR221", host={"memory/share": FILLS}, status="failed", ends_s=990.0).findings[0]
    assert host.message.startswith("The run failed while the machine's main memory was 98 % full")


@pytest.mark.parametrize(
    ("share", "given"),
    [
        ([0.985] * 100, {"status": "killed", "ends_s": 990.0}),
        ([0.7] * 100, {"status": "killed", "ends_s": 990.0}),
        (FILLS, {"status": "finished", "ends_s": 990.0}),
        (FILLS, {"status": "unknown", "ends_s": 990.0}),
    ],
    ids=["lived with it", "never full", "finished", "unknown status"],
)
def test_silent(share, given):
    assert judged("TR221", {"gpu0": {"gpu/memory_share": share}}, **given).state is State.CLEAR


@pytest.mark.parametrize(
    "message",
    [
        "Set PYTORCH_CUDA_ALLOC_CONF to avoid CUDA out of memory errors",
        "The batch may be too large: you might run out of memory",
        "GPU memory: 71.3 GiB allocated",
        "zoom of the image",
    ],
)
def test_advice_is_no_report(message):
    assert judged("TR221", curves={"loss": [1.0] * 50}, events=said(message, level="warning")).state is State.CLEAR


def test_a_sampler_that_stopped_before_the_end_says_nothing():
    outcome = judged("TR221", {"gpu0": {"gpu/memory_share": FILLS}}, status="killed", ends_s=5000.0)
    assert outcome.state is State.NOT_APPLICABLE


def test_without_messages_and_memory_it_cannot_be_told():
    assert judged("TR221", curves={"loss": [1.0] * 20}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    plan = "[thresholds]\nTR221.full = 0.99\n"
    assert judged("TR221", {"gpu0": {"gpu/memory_share": FILLS}}, status="killed", ends_s=990.0, plan=plan).state is State.CLEAR
