from __future__ import annotations

from dataclasses import replace

import pandas as pd
from builders import log_of, training

from trainreport.importers.recording import Event
from trainreport.model import schema


def events_of(*events):
    return log_of(replace(training({"loss": [1.0]}), events=events), run_id="r1").events


def test_events_have_the_schema_with_and_without_rows():
    for table in (events_of(), events_of(Event("restart", "again", 1663725801.516023159, 7, "warning", "a/e", 3))):
        assert {name: str(dtype) for name, dtype in table.dtypes.items()} == schema.EVENT_COLUMNS


def test_what_an_event_tells():
    table = events_of(Event("restart", "again", 1663725801.5, 7, "warning", "a/e", 3), Event("text", "hello"))
    first, second = table.to_dict("records")
    assert first["time"] == pd.Timestamp("2022-09-21 02:03:21.5", tz="UTC")
    assert [first[name] for name in ("run", "step", "level", "kind", "message", "file", "line")] == [
        "r1", 7, "warning", "restart", "again", "a/e", 3
    ]  # fmt: skip
    assert [second["run"], second["message"]] == ["r1", "hello"]
    assert table[["time", "step", "line"]].isna().iloc[1].all()


def test_a_time_that_no_clock_shows_is_not_known():
    assert events_of(Event("text", "broken", 1e300))["time"].isna().all()


def test_the_events_of_one_run_are_its_own():
    table = events_of()
    table.loc[0, "message"] = "mine"
    assert len(events_of()) == 0


def test_every_row_bears_the_run():
    frame = log_of(training({"loss": [1.0, 2.0]}), run_id="r1").frame
    assert list(frame["run"].cat.categories) == ["r1"]
    assert frame["run"].tolist() == ["r1", "r1"]


def test_versions_are_taken_from_parameters_and_tags_of_any_tool():
    run = log_of(replace(training({"loss": [1.0]}), params={"git_commit": "4f2a9c1"}, tags={"dataset_version": "v3"})).run
    assert (run.code_version, run.data_version) == ("4f2a9c1", "v3")


def test_a_version_that_an_importer_knows_goes_first():
    run = log_of(replace(training({"loss": [1.0]}), code_version="1", params={"git_commit": "2"})).run
    assert (run.code_version, run.data_version) == ("1", None)
