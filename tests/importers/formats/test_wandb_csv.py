from __future__ import annotations

from read_logs import values, written

TABLE = """"Name","State","Notes","Created","Runtime","ID","lr","optimizer","loss","val/accuracy"
"brave-sun-1","finished","","2026-11-01T10:00:00.000Z","3600","a1","0.001","adam","0.25","0.91"
"calm-sea-2","crashed","","2026-11-01T12:00:00.000Z","60","b2","0.01","adam","2.5","0.1"
"""


def test_each_row_is_a_run_with_its_last_values(tmp_path):
    name, (first, second) = written(tmp_path, "wandb_export.csv", TABLE)
    assert name == "wandb-csv"
    assert [(one.name, one.key, one.status) for one in (first, second)] == [
        ("brave-sun-1", "a1", "finished"),
        ("calm-sea-2", "b2", "failed"),
    ]
    assert (values(first, "loss"), values(first, "val/accuracy")) == ([0.25], [0.91])
    assert (second.params["lr"], second.params["optimizer"]) == ("0.01", "adam")
    assert (first.ended_at - first.started_at).total_seconds() == 3600
    assert any("does not tell metrics from config" in event.message for event in first.events)
