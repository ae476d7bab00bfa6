from __future__ import annotations

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
