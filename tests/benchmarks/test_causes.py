"""The simulated machines behave as machines do, and the bench counts what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.accuracy import causes
from benchmarks.accuracy.causes_machine import course, sound


@pytest.mark.parametrize("seed", range(8))
def test_gauges_stay_within_what_is_possible(seed):
    plan = sound(np.random.default_rng(seed))
    ran = course(plan)
    assert ran.utilization.shape == ran.power.shape == ran.temperature.shape == (plan.gpus, len(plan.times))
    assert ran.utilization.min() >= 0.0
    assert ran.utilization.max() <= 1.0
    assert ran.power.max() <= plan.model.limit * plan.cap * 1.05
    assert ran.clock.max() <= plan.model.top_mhz
    assert ran.temperature.min() >= 20.0
    assert 600 * 0.9 <= plan.times[-1] <= 86_400 * 1.1
    assert (np.diff(plan.times) > 0).all()
    assert ran.utilization[:, ran.working].mean() > 0.6


def test_the_same_seed_gives_the_same_run():
    one, two = (causes.run_of(np.random.default_rng(5), ("heat", "leak on the GPU"))[0] for _ in range(2))
    assert one.log.frame.equals(two.log.frame)


def test_causes_of_a_pair_do_not_exclude_each_other():
    found = causes.pairs()
    assert ("processors", "small kernels") not in found
    assert ("processors", "leak on the GPU") in found
    assert all(causes.CAUSES[one].group != causes.CAUSES[two].group for one, two in found)


def test_what_may_be_found_is_not_what_must_be():
    _, truth, either = causes.run_of(np.random.default_rng(1), ("memory nearly full", "fault"))
    assert truth == {"TR204", "TR217"}
    assert not truth & either


def test_every_figure_says_that_it_is_simulated(tmp_path):
    found = list(causes.figures(tmp_path, seed=1, each=1))
    each = [one for one in found if one.bench == "causes"]
    assert len(each) == len(causes.CAUSES) + 2 + len(causes.CODES)
    assert all("simulated" in one.note and 0.0 <= one.value <= 1.0 for one in found)
