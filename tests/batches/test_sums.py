"""What runs took together."""

from __future__ import annotations

from batches.conftest import entry, tally


def test_parts_of_the_paid_time_add_up_over_runs():
    found = tally(
        {**entry("a", hours=10.0, cost="20.00"), "goodput": {"productive": 0.75, "stall": 0.25}},
        {**entry("b", hours=2.0, cost=None), "goodput": {"productive": 0.5, "stall": 0.5}},
        entry("c", hours=100.0),
    )
    assert found.buckets.gpu_hours == {"productive": 8.5, "stall": 3.5}
    assert found.buckets.cost == {"EUR": {"productive": 15.0, "stall": 5.0}}
    assert found.buckets.runs == 2
