"""Units that files are written in."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.units import to_canonical


@pytest.mark.parametrize(
    ("value", "written", "expected"),
    [(1.0, "MiB", (1048576.0, "B")), (55.0, "percent", (0.55, "1")), (1500.0, "MHz", (1.5e9, "Hz")), (250_000.0, "mW", (250.0, "W"))],
)
def test_by_hand(value, written, expected):
    found, unit = to_canonical(np.array([value]), written)
    assert (found.tolist(), unit) == ([expected[0]], expected[1])


def test_a_number_beyond_what_a_float_holds_becomes_infinite_without_a_warning():
    assert to_canonical(np.array([1e308, 1.0]), "MiB")[0].tolist() == [np.inf, 1048576.0]
