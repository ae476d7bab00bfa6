"""What a child that breaks its limits or dies is answered with."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from trainreport.batches.children import Keeper, Limits


def work(job):
    """Do what the job says."""
    what = json.loads(job)
    if what == "hang":
        time.sleep(60)
    elif what == "die":
        os.kill(os.getpid(), signal.SIGTERM)
    elif what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "exit":
        os._exit(7)
    elif what == "memory":
        bytearray(1 << 30)
    elif what == "print":
        os.write(1, b"noise")
    elif what == "second time":  # fails in a child that has served before
        served.append(1)
        if len(served) > 1:
            os._exit(7)
    else:
        served.append(1)
    return json.dumps({"lines": [str(os.getpid())]}).encode()


served: list[int] = []


@pytest.fixture
def ask(monkeypatch):
    """Answer jobs; stdin is a pipe that stays open, as it is for a worker."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        keeper = Keeper(work, Limits(1.0, 0.25))
        yield lambda what: json.loads(keeper.answer(json.dumps(what).encode()))
        keeper.end()
    os.close(writing)


def test_one_child_serves_several_jobs(ask):
    assert ask("a") == ask("b") != {"lines": [str(os.getpid())]}


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("hang", "took longer than the limit of 1 s; --time-limit raises it"),
        ("memory", "needed more memory than the limit of 0.25 GiB; --memory-limit raises it"),
        ("die", "its process was ended by SIGTERM"),
        ("killed", "its process was ended by SIGKILL: the system was out of memory, or somebody killed it"),
        ("exit", "its process ended with exit code 7"),
    ],
)
def test_trouble_is_an_answer_and_the_next_job_is_served(ask, what, reason):
    for _ in range(2):
        assert ask(what) == {"error": reason}
        assert "lines" in ask("a")


def test_a_job_is_not_blamed_for_those_before_it(ask):
    served.clear()
    ask("a")
    assert "lines" in ask("second time")


def test_a_child_is_replaced_after_some_jobs(ask):
    assert len({ask("a")["lines"][0] for _ in range(120)}) == 3


def test_what_a_job_prints_is_no_answer(ask, capfd):
    assert "lines" in ask("print")
    assert capfd.readouterr().out == ""


def test_the_keeper_ends_when_nobody_waits(monkeypatch):
    reading, writing = os.pipe()
    os.close(writing)
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        keeper = Keeper(work, Limits(30.0, 0.25))
        began = time.monotonic()
        with pytest.raises(SystemExit):
            keeper.answer(b'"hang"')
    assert time.monotonic() - began < 20
