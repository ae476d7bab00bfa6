"""Further steps to a target at the present slope."""

from __future__ import annotations

import numpy as np
import pytest
from builders import log_of, training

from trainreport.decisions.criteria import judge
from trainreport.decisions.facts import Facts
from trainreport.decisions.slope import steps_to_target
from trainreport.model.case import Case
from trainreport.model.finding import Outcome, State
from trainreport.model.ledger import Ledger
from trainreport.model.plan_reader import parse_plan

LINE = np.linspace(0.50, 0.80, 31)
"""One point every hundred steps."""


def further(values, *, series="accuracy", threshold=0.9, state=State.CLEAR, **more):
    keys = {"id": series, "series": series, "threshold": threshold, **more}
    plan = parse_plan("[[criteria]]\n" + "".join(f"{key} = {value!r}\n" for key, value in keys.items()))
    case = Case(log_of(training({f"val_{series}": ([100 * at for at in range(len(values))], values)})), plan, Ledger())
    return steps_to_target(Facts(case, judge(case), (Outcome("TR104", "plateau", state, ""),), (), None))


def test_a_straight_line_is_followed_to_the_target():
    assert further(LINE) == 1000  # ten points at one point a hundred steps
    assert further(LINE, threshold=0.85) == 500


def test_the_unit_and_the_direction_change_nothing():
    assert further(100 * LINE, unit="share") == 1000
    assert further(LINE, threshold=90, unit="percent") == 1000
    assert further(10 - 10 * LINE, series="rmse", threshold=1.0, comparator="<=") == 1000


def test_the_tolerance_is_on_the_way():
    assert further(LINE, tolerance=0.05) == 500


@pytest.mark.parametrize(
    ("values", "given"),
    [
        (LINE, {"state": State.FOUND}),  # a plateau
        (LINE, {"threshold": 0.7}),  # met
        (LINE[::-1], {}),
        (LINE[:5], {}),
        (np.linspace(0.50, 0.51, 31), {}),  # forty times as far again
    ],
    ids=["flat", "met", "falling", "too few", "too far"],
)
def test_no_slope_leads_there(values, given):
    assert further(values, **given) is None
