from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers import load
from trainreport.importers.formats.mlflow_csv import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

SEARCH_RUNS = """\
,run_id,experiment_id,status,artifact_uri,start_time,end_time,metrics.val_loss,metrics.gap,params.lr,params.seed,tags.mlflow.runName,note
0,r1,7,FINISHED,s3://bucket/7,2026-04-19 08:55:13.629000+00:00,2026-04-19 08:56:13.629000+00:00,0.25,inf,0.1,3,first,kept
1,r2,7,RUNNING,s3://bucket/7,2026-04-19 09:00:00+00:00,,,,,,,
"""
UI = """\
Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,max_depth,model,mean_squared_error
2021-12-08 00:32:32,233ms,r1,first,LOCAL,C:\\Users\\a b\\train.py,ada,FINISHED,10,tree,0.5
2021-12-08 00:22:03,1.5min,r2,,LOCAL,train.py,ada,FAILED,,linear,
"""
BARE = """\
run_id,experiment_id,status,start_time,end_time,val_f1,inference_latency_ms,learning_rate,f1_weight,mlflow.user,dataset_version
r1,1,FINISHED,2026-04-19 08:55:13+00:00,2026-04-19 08:56:13+00:00,0.75,0.2,0.1,2,ada,3
"""


def read(folder: Path, text: str, **given: object) -> list[Recording]:
    path = folder / "runs.csv"
    path.write_text(text, encoding="utf-8")
    return list(IMPORTER.read(Source(path, path.name, **given)))


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (SEARCH_RUNS, True),
        (UI, True),
        (BARE, True),
        ("\ufeff" + UI, True),
        (BARE.replace(",", ";"), True),
        ("epoch,loss\n1,2\n", False),
        ("run_id,loss\n", False),
        ("timestamp, index, name\n", False),
        ("", False),
        ('"' * 4096, False),
    ],
)
def test_recognises_tables_of_runs_only(head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path("runs.csv"), head.encode()[:4096]) is expected


def test_search_runs(tmp_path: Path) -> None:
    one, other = read(tmp_path, SEARCH_RUNS)
    assert (one.key, one.name, one.status, one.seed) == ("r1", "first", "finished", "3")
    assert one.params == {"lr": "0.1", "seed": "3"}
    assert one.tags["note"] == "kept"
    assert one.tags["mlflow.experiment_id"] == "7"
    assert one.frame["logged"].tolist() == ["gap", "val_loss"]
    assert one.frame["value"].tolist() == [float("inf"), 0.25]
    assert one.frame["step"].isna().all()
    assert one.frame["time"].tolist() == [datetime(2026, 4, 19, 8, 56, 13, 629000, tzinfo=UTC)] * 2
    assert [event.message for event in one.events] == ["the export holds the last value of each metric only; curves need the store itself"]
    assert (other.status, other.ended_at, len(other.frame), dict(other.params)) == ("running", None, 0, {})
    assert one.files[0].clock == "UTC, as written"


def test_download_of_the_ui(tmp_path: Path) -> None:
    one, other = read(tmp_path, UI)
    assert one.started_at == datetime(2021, 12, 8, 0, 32, 32, tzinfo=UTC)
    assert one.ended_at == datetime(2021, 12, 8, 0, 32, 32, 233000, tzinfo=UTC)
    assert (other.ended_at - other.started_at).total_seconds() == 90
    assert one.params == {"max_depth": "10", "model": "tree"}
    assert one.frame["series"].tolist() == ["mse"]
    assert one.tags["mlflow.user"] == "ada"
    assert (other.status, other.name, len(other.frame)) == ("failed", "r2", 0)
    assert one.files[0].clock == "no zone written; taken as UTC"
    assert "as metrics: mean_squared_error; as parameters: max_depth, model" in one.events[-1].message
    berlin, _ = read(tmp_path, UI, zone="Europe/Berlin")
    assert berlin.started_at == datetime(2021, 12, 7, 23, 32, 32, tzinfo=UTC)


def test_names_without_prefixes(tmp_path: Path) -> None:
    [one] = read(tmp_path, BARE)
    assert one.frame["logged"].tolist() == ["inference_latency_ms", "val_f1"]
    assert one.params == {"learning_rate": "0.1", "f1_weight": "2"}
    assert one.tags["dataset_version"] == "3"


def test_day_and_month_that_could_be_either_are_no_times(tmp_path: Path) -> None:
    one, other = read(tmp_path, UI.replace("2021-12-08 00:32:32", "08-12-2021 00:32").replace("2021-12-08 00:22:03", "08-12-2021 00:22"))
    assert one.started_at is None
    assert one.ended_at is None
    assert one.frame["time"].isna().all()
    assert one.problems[0].what.startswith("2 start times such as '08-12-2021 00:32'; expected year-month-day")
    assert other.problems == ()


def test_bad_rows_are_listed_and_good_ones_kept(tmp_path: Path) -> None:
    text = SEARCH_RUNS + "2,r3\n3,,7,FINISHED,,,,,,,,,\n4,r4,7,FINISHED,,,,high,,,,,\n"
    recordings = read(tmp_path, text)
    assert [one.key for one in recordings] == ["r1", "r2", "r4"]
    assert recordings[0].problems[0].place == "line 4"
    assert recordings[2].problems[0].what == "metric val_loss: found 'high'; expected a number"
    with pytest.raises(StrictError, match="line 4"):
        read(tmp_path, text, strict=True)


@pytest.mark.parametrize("text", [SEARCH_RUNS.split("\n", maxsplit=1)[0] + "\n", 'run_id,experiment_id,status\n"'])
def test_a_table_without_runs(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read(tmp_path, text)


def test_one_run_twice_is_read_once(tmp_path: Path) -> None:
    read(tmp_path, SEARCH_RUNS)
    (tmp_path / "copy.csv").write_text(SEARCH_RUNS.replace("0.25", ""))
    loaded = load([tmp_path])
    assert [(log.run.id, len(log.frame)) for log in loaded.logs] == [("r1", 2)]
    assert "run r1: a copy of the one in runs.csv, which was read instead" in [one.reason for one in loaded.skipped]


CELLS = st.text(max_size=12)


@given(st.lists(st.lists(CELLS, min_size=8, max_size=8), max_size=6))
@settings(max_examples=80, deadline=None)
def test_any_cell_is_kept_or_listed(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["run_id", "experiment_id", "status", "start_time", "end_time", "metrics.loss", "params.a", "tags.b"])
    writer.writerows([[f"r{n}", *row[1:]] for n, row in enumerate(rows)])
    folder = tmp_path_factory.mktemp("cells")
    try:
        recordings = read(folder, stream.getvalue())
    except InputError:
        assert not rows
        return
    for one, row in zip(recordings, rows, strict=False):
        assert len(one.frame) == 1 or not row[5].strip() or one.problems
