from __future__ import annotations

import io

import pandas as pd
from read_logs import steps, values, written

PANEL = """"Step","a - loss","a - loss__MIN","a - loss__MAX","b - loss","b - loss__MIN","b - loss__MAX"
"0","2","2","2","","",""
"10","1.5","1.25","1.75","3","3","3"
"20","","","","2.5","2.5","2.5"
"""


def test_each_run_has_its_own_rows(tmp_path):
    name, (a, b) = written(tmp_path, "panel.csv", PANEL)
    assert name == "wandb-panel"
    assert [(one.name, values(one, "loss"), steps(one, "loss")) for one in (a, b)] == [("a", [2, 1.5], [0, 10]), ("b", [3, 2.5], [10, 20])]


def test_bounds_are_kept_where_they_differ(tmp_path):
    _, (a, b) = written(tmp_path, "panel.csv", PANEL)
    assert values(a, "loss__MIN") == [2, 1.25]
    assert values(b, "loss__MIN") == []


def test_an_axis_that_is_no_step_is_a_measure(tmp_path):
    """The panel is over evaluations, and W&B's own step stands beside."""
    head = '"evaluations","a - _step","a - _step__MIN","a - _step__MAX","a - loss","a - loss__MIN","a - loss__MAX"'
    _, (run,) = written(tmp_path, "panel.csv", f"{head}\n60,0,0,0,2,2,2\n120,1,1,1,1.5,1.5,1.5\n")
    assert (values(run, "evaluations"), steps(run, "evaluations")) == ([60, 120], [0, 1])
    assert (values(run, "loss"), steps(run, "loss")) == ([2, 1.5], [0, 1])


def test_points_are_those_that_pandas_reads(tmp_path):
    _, runs = written(tmp_path, "panel.csv", PANEL)
    theirs = pd.read_csv(io.StringIO(PANEL), index_col="Step")
    for run in runs:
        column = theirs[f"{run.name} - loss"].dropna()
        assert (steps(run, "loss"), values(run, "loss")) == (column.index.tolist(), column.tolist())
