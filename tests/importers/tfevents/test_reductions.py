"""Histograms and precision-recall curves as few numbers: values by hand, and from TensorBoard's own writers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.summary_pb2 import HistogramProto
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.util.tensor_util import make_ndarray

from trainreport.importers.tfevents.reductions import average_precision, buckets, histogram, of_tensor

POSITIVE = 1e-12 * 1.1 ** np.arange(775)
EDGES = np.concatenate([-POSITIVE[::-1], [0.0], POSITIVE])  # those of TensorFlow and PyTorch


def proto(values, edges=EDGES):
    """Return a histogram as PyTorch's SummaryWriter makes it: only the buckets between the first and last value."""
    values = np.asarray(values, dtype=np.float64)
    counts, limits = np.histogram(values, bins=edges)
    filled = np.flatnonzero(counts)
    first, last = filled[0], filled[-1]
    return HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values @ values,
        bucket_limit=limits[first : last + 2], bucket=[0, *counts[first : last + 1]],
    )  # fmt: skip


def test_a_histogram_by_hand():
    assert histogram(proto([3.0, 0.0, -4.0, 0.0])) == {"min": -4.0, "max": 3.0, "norm": 5.0, "zero_share": 0.5}


def test_all_zero():
    assert histogram(proto([0.0, 0.0])) == {"min": 0.0, "max": 0.0, "norm": 0.0, "zero_share": 1.0}


def test_gradients_that_vanish_are_not_zeros():
    assert histogram(proto([1e-11, -2e-11]))["zero_share"] == 0.0
    assert histogram(proto([0.0, -1.0, -1e-20]))["zero_share"] == pytest.approx(1 / 3)


def test_a_wide_bucket_around_zero_does_not_tell_the_zeros():
    found = histogram(proto([0.0, 1.0, -1.0], edges=np.linspace(-1, 1, 4)))
    assert set(found) == {"min", "max", "norm"}


def test_none_are_zero_where_no_bucket_reaches_it():
    assert histogram(proto([1.0, 2.0], edges=np.linspace(1, 2, 4)))["zero_share"] == 0.0


def test_an_empty_histogram_says_nothing():
    assert histogram(HistogramProto()) == {}


def test_a_sum_of_squares_that_was_not_written_is_no_norm():
    assert "norm" not in histogram(HistogramProto(min=1, max=2, num=2, bucket_limit=[1, 3], bucket=[0, 2]))


def test_values_that_are_not_finite():
    found = histogram(HistogramProto(min=-math.inf, max=1, num=2, sum_squares=math.inf, bucket_limit=[2], bucket=[2]))
    assert found == {"min": -math.inf, "max": 1.0, "norm": math.inf}
    assert math.isnan(histogram(HistogramProto(min=1, max=2, num=2, sum_squares=math.nan))["norm"])


@settings(deadline=None)
@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 100), st.floats(-100, -1e-6)), min_size=1, max_size=50))
def test_what_a_histogram_keeps_is_what_numpy_finds(values):
    found = histogram(proto(values))
    assert (found["min"], found["max"]) == (min(values), max(values))
    assert found["norm"] == pytest.approx(np.linalg.norm(values))
    if max(map(abs, values)) > 1e-6:
        assert found["zero_share"] == pytest.approx(sum(0 <= value < 1e-12 for value in values) / len(values))


def of_writer(values, count):
    return buckets(make_ndarray(histogram_pb("t", np.array(values), buckets=count).value[0].tensor))


def test_buckets_by_hand():
    # five buckets of width 1 from -3: centres -2.5, 0.5 (0), 1.5 (1, 2)
    assert of_writer([0.0, 1.0, 2.0, -3.0], 5) == {"min": -3.0, "max": 2.0, "norm": math.sqrt(2.5**2 + 0.5**2 + 2 * 1.5**2)}


def test_buckets_of_values_that_are_all_alike():
    assert of_writer([2.0, 2.0], 3) == {"min": 2.0, "max": 2.0, "norm": math.sqrt(8), "zero_share": 0.0}
    assert of_writer([0.0, 0.0], 3) == {"min": 0.0, "max": 0.0, "norm": 0.0, "zero_share": 1.0}
    assert buckets(np.array([[1.5, 2.5, 4.0]])) == {"min": 2.0, "max": 2.0, "norm": 4.0, "zero_share": 0.0}  # TensorFlow 2.0 to 2.7


def test_buckets_of_nothing():
    assert of_writer([], 3) == {}


def test_zero_at_the_upper_end_of_the_last_bucket_is_not_told():
    assert "zero_share" not in of_writer([-1.0, -0.5, 0.0], 2)


def test_zeros_in_a_narrow_bucket_are_told():
    assert of_writer([0.0, 0.0, 0.0, 1.0], 2000)["zero_share"] == 0.75


def test_average_precision_by_hand():
    # thresholds rising: recall 1, 0.5, 0 at precision 2/3, 1, undefined: 0.5 x 1 + 0.5 x 2/3
    assert average_precision(np.array([2 / 3, 1.0, math.nan]), np.array([1.0, 0.5, 0.0])) == pytest.approx(5 / 6)


def test_a_curve_that_ends_above_no_recall_counts_from_none():
    assert average_precision(np.array([0.5, 0.8]), np.array([1.0, 0.6])) == pytest.approx(0.6 * 0.8 + 0.4 * 0.5)


@pytest.mark.parametrize(
    ("plugin", "shape"), [("histograms", (3, 2)), ("pr_curves", (5, 4)), ("images", (6, 3)), ("", (6, 3)), ("scalars", (1, 3))]
)
def test_other_tables_say_nothing(plugin, shape):
    assert of_tensor(plugin, np.ones(shape)) == ("", {})


ANY = st.floats()


@settings(deadline=None)
@given(numbers=st.tuples(ANY, ANY, ANY, ANY), limits=st.lists(ANY, max_size=5), counts=st.lists(ANY, max_size=5), rows=st.integers(1, 4))
def test_any_numbers_give_statistics_and_shares_of_at_most_all(numbers, limits, counts, rows):
    low, high, many, squares = numbers
    table = np.resize([*numbers, *limits, *counts], (rows, 3))
    curve = np.resize([*numbers, *limits, *counts], (6, rows))
    histogram_found = histogram(HistogramProto(min=low, max=high, num=many, sum_squares=squares, bucket_limit=limits, bucket=counts))
    for found in (histogram_found, buckets(table), of_tensor("pr_curves", curve)[1]):
        assert set(found) <= {"norm", "min", "max", "zero_share", "average_precision"}
        assert all(isinstance(value, float) for value in found.values())
        assert not found.get("norm", 0.0) < 0
