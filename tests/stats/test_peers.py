"""Workers beside their peers."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.stats.peers import against_peers, slow_share


def test_each_is_divided_by_the_median_of_the_others():
    table = np.array([[1.0, 2.0], [2.0, 2.0], [4.0, 8.0]])
    assert against_peers(table).tolist() == [[1 / 3, 2 / 5], [2 / 2.5, 2 / 5], [4 / 1.5, 4.0]]


def test_of_two_the_other_is_the_peer():
    assert against_peers(np.array([[1.0], [3.0]])).ravel().tolist() == pytest.approx([1 / 3, 3.0])


def test_steps_that_one_did_not_log():
    ratios = against_peers(np.array([[1.0, np.nan], [2.0, 4.0], [2.0, 2.0]]))
    assert ratios[1].tolist() == [2 / 1.5, 2.0]
    assert np.isnan(ratios[0, 1])


def test_many_workers_agree_with_the_exact_way():
    table = np.random.default_rng(0).lognormal(0, 0.1, (40, 30))
    exact = table / np.array([np.median(np.delete(table, worker, axis=0), axis=0) for worker in range(40)])
    assert against_peers(table) == pytest.approx(exact, rel=0.02)


def test_share_of_slow_steps_by_window():
    ratios = np.array([[1.0, 1.2, 1.3, 1.0, np.nan]])
    assert slow_share(ratios, 2, 1.15).tolist() == [[0.5, 1.0, 0.5, 0.0]]


def test_more_than_half_is_where_the_median_is_above():
    ratios = np.random.default_rng(1).lognormal(0.12, 0.2, (3, 300))
    medians = np.median(np.lib.stride_tricks.sliding_window_view(ratios, 21, axis=1), axis=2)
    assert (slow_share(ratios, 21, 1.15) > 0.5).tolist() == (medians > 1.15).tolist()
