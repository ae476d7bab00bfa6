from __future__ import annotations

from read_logs import values, written

from trainreport.importers import load

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


def keys(tmp_path, header, *rows):
    _, found = written(tmp_path, "runs.csv", "\n".join((header, *rows, "")))
    return [one.key for one in found]


def test_the_same_run_in_two_projects_is_two_runs(tmp_path):
    """Ids and names are unique within a project only."""
    header = "name,state,_step,_runtime,_timestamp,url,loss"
    rows = [f"a,finished,1,2,1780984800,https://wandb.ai/team/{project}/runs/x1,{loss}" for project, loss in (("p", 1), ("q", 2))]
    assert keys(tmp_path, header, *rows) == ["team/p/x1", "team/q/x1"]
    found = load([tmp_path])
    assert [(log.run.id, log.frame["value"].tolist()) for log in found.logs] == [("team/p/x1", [1]), ("team/q/x1", [2])]


def test_the_same_name_without_an_id(tmp_path):
    assert keys(tmp_path, "Name,State,Runtime,loss", "a,finished,1,1", "b,finished,1,1", "a,finished,1,2") == [
        "runs.csv/a, line 2", "runs.csv/b", "runs.csv/a, line 4",
    ]  # fmt: skip
    assert keys(tmp_path, "Name,State,Runtime,Project,loss", "a,finished,1,p,1", "a,finished,1,q,2") == ["p/a", "q/a"]


def test_a_run_that_was_exported_twice_counts_as_it_was_exported_last(tmp_path):
    _, (run,) = written(tmp_path, "runs.csv", "Name,State,Runtime,ID,loss\na,running,1,x1,3\na,finished,2,x1,2\n")
    assert (run.key, run.status, values(run, "loss")) == ("x1", "finished", [2])


def test_cells_that_say_nothing_are_no_problem(tmp_path):
    text = "Name,State,Runtime,ID,loss,acc\na,finished,1,x1,None,N/A\nb,finished,1,x2,null,-\nc,finished,1,x3,0.5,0.25\n"
    _, runs = written(tmp_path, "runs.csv", text)
    assert [(values(one, "loss"), values(one, "acc")) for one in runs] == [([], []), ([], []), ([0.5], [0.25])]
    assert all(one.problems == () and not {"loss", "acc"} & one.params.keys() for one in runs)


def test_what_is_counted_per_second_is_measured(tmp_path):
    """Steps alone are rather set, as max_steps."""
    text = "Name,State,Runtime,ID,max_steps,eval/steps_per_second\na,finished,1,x1,100,4.5\n"
    _, (run,) = written(tmp_path, "runs.csv", text)
    assert (values(run, "eval/steps_per_second"), run.params) == ([4.5], {"max_steps": "100"})
