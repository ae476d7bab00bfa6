"""--experiment and --run, on the sample with seven MLflow runs."""

from __future__ import annotations

import json

import pandas as pd
from click.testing import CliRunner

from trainreport import _resources
from trainreport.cli import command_line, main

LOGS = str(_resources.folder("sample_runs") / "mlflow_experiment" / "logs")


def call(*arguments):
    return CliRunner().invoke(command_line, [str(one) for one in arguments])


def test_only_the_runs_that_were_asked_for(tmp_path):
    everything = json.loads(call("check", LOGS, "--format", "json").stdout)["runs"]
    assert len(everything) > 2
    names = [run["name"] for run in everything[:2]]
    some = json.loads(call("check", LOGS, "--format", "json", "--run", names[0], "--run", names[1]).stdout)["runs"]
    assert sorted(run["name"] for run in some) == sorted(names)
    target = tmp_path / "metrics.csv"
    assert call("frame", LOGS, "--run", names[0], "-o", target).exit_code == 0
    assert pd.read_csv(target)["run"].nunique() == 1
    experiment = json.loads(call("check", LOGS, "--format", "json", "--experiment", "441623992711372887").stdout)["runs"]
    assert len(experiment) == len(everything)


def test_a_name_that_is_not_there_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["trainreport", "check", LOGS, "--run", "width-8-rate-0.003-seed-11"])
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    told = capsys.readouterr().err
    assert code == 2
    assert "run 'width-8-rate-0.003-seed-11' is not in the logs; did you mean 'width-8-rate-0.003-seed-1'?" in told
