"""Logs whose records come in turn, broken off in every way: the shortcut finds what the plain reader finds."""

from __future__ import annotations

import numpy as np
import pytest
from event_files import read_both_ways, record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event

from trainreport.importers.tfevents import records
from trainreport.importers.tfevents.template import Rhythm, shortest_period


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(records, "_SMALLEST_BLOCK", 2048)


def turns(tags, first_step, count):
    made = []
    for step in range(first_step, first_step + count):
        for number, tag in enumerate(tags):
            event = Event(wall_time=1.7e9 + step, step=step)
            event.summary.value.add(tag=tag, simple_value=step + number / 8)
            made.append(record(event.SerializeToString()))
    return made


@pytest.fixture
def used(monkeypatch):
    """Count the records that were read by a template."""
    found = []
    block = Rhythm.block

    def counting(self, data, limit, offset):
        known = block(self, data, limit, offset)
        found.append(0 if known is None else len(known.starts))
        return known

    monkeypatch.setattr(Rhythm, "block", counting)
    return found


@pytest.mark.parametrize(
    "tags", [["loss"], ["loss", "accuracy"], ["a", "loss", "a"], [f"tag{number}" * (number % 4 + 1) for number in range(20)]]
)
def test_most_records_of_a_regular_log_are_read_by_a_template(tmp_path, used, tags):
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(b"".join(turns(tags, 0, 6000 // len(tags))))
    read_both_ways(path)
    assert sum(used) > 3000


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tags=st.lists(st.sampled_from(["loss", "accuracy", "lr"]), min_size=1, max_size=5),
    first_step=st.sampled_from([0, 100, 16_300, 2_097_000]),
    changes=st.lists(st.tuples(st.sampled_from(["flip", "drop", "insert", "nan"]), st.floats(0, 1, exclude_max=True)), max_size=4),
    cut=st.integers(0, 70),
)
def test_whatever_breaks_the_turn(tmp_path_factory, tags, first_step, changes, cut):
    made = turns(tags, first_step, 1200 // len(tags))
    for kind, where in changes:
        place = int(where * len(made))
        if kind == "flip":
            at = int(where * 1e9) % len(made[place])
            made[place] = made[place][:at] + bytes([made[place][at] ^ 16]) + made[place][at + 1 :]
        elif kind == "drop":
            del made[place]
        elif kind == "insert":
            made.insert(place, turns(["odd"], 7, 1)[0])
        else:
            event = Event(wall_time=float("inf"), step=-1)
            event.summary.value.add(tag=tags[0], simple_value=float("nan"))
            made.insert(place, record(event.SerializeToString()))
    path = tmp_path_factory.mktemp("log") / "events.out.tfevents.1"
    data = b"".join(made)
    path.write_bytes(data[: len(data) - cut])
    read_both_ways(path)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.integers(1, 12), st.lists(st.integers(-1, 2), max_size=6))
def test_shortest_period(turn, times, before):
    codes = np.array(before + turn * times)
    found = shortest_period(codes)
    periods = [n for n in range(1, len(codes) // 8 + 1) if (codes[-8 * n :].reshape(8, n) == codes[-n:]).all()]
    assert found == (periods[0] if periods else None) or (found is None and -1 in codes)
