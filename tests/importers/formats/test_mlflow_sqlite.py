from __future__ import annotations

import math
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers import load
from trainreport.importers.formats.mlflow_sqlite import IMPORTER
from trainreport.importers.mlflow_store.database import Database
from trainreport.importers.mlflow_store.history import History, read_fast, read_history, read_plain
from trainreport.importers.recording import Importer, Recording, Source

if TYPE_CHECKING:
    from pathlib import Path

# As MLflow's own migrations make them: 0.9, 1.3 (step and is_nan came), 3.17.
V09 = """
CREATE TABLE experiments (experiment_id INTEGER NOT NULL, name VARCHAR(256) NOT NULL, artifact_location VARCHAR(256),
  lifecycle_stage VARCHAR(32), CONSTRAINT experiment_pk PRIMARY KEY (experiment_id), UNIQUE (name));
CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL, name VARCHAR(250), source_type VARCHAR(20), source_name VARCHAR(500),
  entry_point_name VARCHAR(50), user_id VARCHAR(256), status VARCHAR(20), start_time BIGINT, end_time BIGINT,
  source_version VARCHAR(50), lifecycle_stage VARCHAR(20), artifact_uri VARCHAR(200), experiment_id INTEGER,
  CONSTRAINT run_pk PRIMARY KEY (run_uuid));
CREATE TABLE tags ("key" VARCHAR(250) NOT NULL, value VARCHAR(250), run_uuid VARCHAR(32) NOT NULL,
  CONSTRAINT tag_pk PRIMARY KEY ("key", run_uuid));
CREATE TABLE metrics ("key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
  run_uuid VARCHAR(32) NOT NULL, CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, run_uuid));
CREATE TABLE params ("key" VARCHAR(250) NOT NULL, value VARCHAR(250) NOT NULL, run_uuid VARCHAR(32) NOT NULL,
  CONSTRAINT param_pk PRIMARY KEY ("key", run_uuid));
"""
METRICS_13 = """
DROP TABLE metrics;
CREATE TABLE "metrics" ("key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
  run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
  CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, step, run_uuid, value, is_nan), CHECK (is_nan IN (0, 1)));
"""
V13 = V09 + METRICS_13
V317 = (
    V13
    + """
ALTER TABLE runs ADD COLUMN deleted_time BIGINT;
ALTER TABLE experiments ADD COLUMN workspace VARCHAR(63) DEFAULT 'default' NOT NULL;
CREATE INDEX index_metrics_run_uuid_key_step ON metrics (run_uuid, "key", step);
CREATE TABLE datasets (dataset_uuid VARCHAR(36) NOT NULL, experiment_id INTEGER NOT NULL, name VARCHAR(500) NOT NULL,
  digest VARCHAR(36) NOT NULL, dataset_source TEXT NOT NULL, CONSTRAINT dataset_pk PRIMARY KEY (experiment_id, name, digest));
CREATE TABLE inputs (input_uuid VARCHAR(36) NOT NULL, source_type VARCHAR(36) NOT NULL, source_id VARCHAR(36) NOT NULL,
  destination_type VARCHAR(36) NOT NULL, destination_id VARCHAR(36) NOT NULL, step BIGINT DEFAULT '0' NOT NULL);
CREATE TABLE model_versions (name VARCHAR(256) NOT NULL, version INTEGER NOT NULL, current_stage VARCHAR(20),
  source VARCHAR(500), run_id VARCHAR(32), workspace VARCHAR(63) DEFAULT 'default' NOT NULL);
CREATE TABLE registered_model_aliases (alias VARCHAR(256) NOT NULL, version INTEGER NOT NULL, name VARCHAR(256) NOT NULL);
"""
)
START = 1_700_000_000_000
LARGEST = 1.7976931348623157e308
A, B = "a" * 32, "b" * 32


def store(path: Path, schema: str, *statements: str) -> Path:
    """Write a store with one experiment and the runs A and B."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(schema)
    connection.execute("INSERT INTO experiments (experiment_id, name, lifecycle_stage) VALUES (1, 'churn', 'active')")
    for run, status, end in ((A, "FINISHED", START + 5000), (B, "RUNNING", None)):
        connection.execute(
            "INSERT INTO runs (run_uuid, name, source_type, source_name, user_id, status, start_time, end_time, source_version,"
            " lifecycle_stage, experiment_id) VALUES (?, '', 'LOCAL', 'train.py', 'ada', ?, ?, ?, 'abc123', 'active', 1)",
            (run, status, START, end),
        )
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def points(path: Path, rows: list[tuple]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.executemany("INSERT OR IGNORE INTO metrics (run_uuid, key, timestamp, value, step, is_nan) VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()


def read(path: Path, *, strict: bool = False) -> dict[str, Recording]:
    return {one.key: one for one in IMPORTER.read(Source(path, path.name, strict=strict))}


def rows_of(history: History) -> list[tuple]:
    """Return all points, NaN as text so that equal ones are equal."""
    return [
        (run, name, int(some.millis[row]), repr(float(some.values[row])), int(some.steps[row]))
        for run, found in history.metrics.items()
        for name, start, end in found
        for some in [history.points]
        for row in range(start, end)
    ]


def both_ways(path: Path) -> tuple[History | None, History]:
    with Database(path, path.name) as database:
        return read_fast(database), read_plain(database)


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize("schema", [V09, V13, V317], ids=["0.9", "1.3", "3.17"])
def test_every_schema_gives_the_same_run(tmp_path: Path, schema: str) -> None:
    path = store(
        tmp_path / "mlflow.db",
        schema,
        f"INSERT INTO params VALUES ('seed', '7', '{A}')",
        f"INSERT INTO tags VALUES ('mlflow.source.git.commit', 'f00', '{A}')",
        f"INSERT INTO tags VALUES ('mlflow.runName', 'first try', '{A}')",
        *(f"INSERT INTO metrics (key, value, timestamp, run_uuid) VALUES ('val/my loss', {v}, {START + v}, '{A}')" for v in (3, 1)),
    )
    runs = read(path)
    one = runs[A]
    assert (one.name, one.status, one.seed, one.code_version) == ("first try", "finished", "7", "f00")
    assert (one.tags["mlflow.experiment"], one.tags["mlflow.experiment_id"], one.tags["mlflow.user"]) == ("churn", "1", "ada")
    assert one.ended_at == datetime(2023, 11, 14, 22, 13, 25, tzinfo=UTC)
    assert one.frame["value"].tolist() == [3.0, 1.0]
    assert one.frame["step"].isna().tolist() == [schema == V09] * 2
    assert one.frame["phase"].tolist() == ["validation"] * 2
    assert one.frame["file"].tolist() == ["mlflow.db"] * 2
    assert (runs[B].status, runs[B].ended_at, runs[B].code_version) == ("running", None, "abc123")
    assert not one.problems


def test_values_that_are_not_finite(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(
        path,
        [(A, "loss", START, 0.0, 0, 1), (A, "loss", START, LARGEST, 1, 0), (A, "loss", START, -LARGEST, 2, 0), (A, "loss", START, 2, 3, 0)],
    )
    values = read(path)[A].frame["value"].tolist()
    assert math.isnan(values[0])
    assert values[1:] == [math.inf, -math.inf, 2.0]


def test_a_run_that_never_ended_lasts_to_its_last_point(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(path, [(B, "loss", START + 60_000 * step, 1.0, step, 0) for step in range(5)])
    one = read(path)[B]
    assert one.status == "running"
    assert one.ended_at == datetime(2023, 11, 14, 22, 17, 20, tzinfo=UTC)


def test_data_and_models_stand_beside_the_run(tmp_path: Path) -> None:
    path = store(
        tmp_path / "mlflow.db",
        V317,
        "INSERT INTO datasets VALUES ('d1', 1, 'wine', 'beef', 'https://example.invalid/wine.csv')",
        f"INSERT INTO inputs VALUES ('i1', 'DATASET', 'd1', 'RUN', '{A}', 0)",
        f"INSERT INTO model_versions (name, version, current_stage, run_id) VALUES ('churn', 3, 'Production', '{A}')",
        f"INSERT INTO model_versions (name, version, current_stage, run_id) VALUES ('churn', 4, 'None', '{A}')",
        "INSERT INTO model_versions (name, version, current_stage, run_id) VALUES ('churn', 5, 'Deleted_Internal', 'REDACTED-RUN-ID')",
        "INSERT INTO registered_model_aliases VALUES ('champion', 3, 'churn')",
    )
    one = read(path)[A]
    assert one.data_version == "wine@beef"
    assert one.tags["mlflow.registered_model"] == "churn v3 (Production, @champion); churn v4"


def test_deleted_runs_count_only_where_they_are_named(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13, f"UPDATE runs SET lifecycle_stage = 'deleted' WHERE run_uuid = '{B}'")
    points(path, [(run, "loss", START, 1.0, 0, 0) for run in (A, B)])
    assert read(path)[B].events[0].kind == "deleted"
    loaded = load([path])
    assert [log.run.id for log in loaded.logs] == [A]
    assert loaded.skipped[0].reason == f"run {B} was deleted in MLflow; --run reads it all the same"
    assert [log.run.id for log in load([path], runs=[B]).logs] == [B]


def test_runs_of_a_deleted_experiment_are_deleted(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13, "UPDATE experiments SET lifecycle_stage = 'deleted'")
    assert read(path)[A].tags["lifecycle_stage"] == "deleted"


def test_nothing_is_written_and_no_log_is_merged(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    (tmp_path / "mlflow.db-wal").write_bytes(b"not merged")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    problem = read(path)[A].problems[0]
    assert (problem.file, problem.what) == ("mlflow.db-wal", "changes not yet merged into the database; not read")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_another_database_is_refused_with_the_reason(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE notes (text)").connection.commit()
    head = (tmp_path / "other.db").read_bytes()[:4096]
    assert not IMPORTER.recognises(tmp_path / "other.db", head)
    (tmp_path / "other.db").rename(tmp_path / "mlflow.db")
    assert IMPORTER.recognises(tmp_path / "mlflow.db", head)
    with pytest.raises(InputError, match="without MLflow's tables"):
        read(tmp_path / "mlflow.db")


def test_points_of_a_run_that_is_not_there_are_listed(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(path, [("c" * 32, "loss", START, 1.0, 0, 0)])
    assert read(path)[A].problems[0].what == "1 points of a run that is not there"
    with pytest.raises(StrictError, match="not there"):
        read(path, strict=True)


def test_views_and_computed_columns_are_never_run(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    path = store(
        tmp_path / "mlflow.db",
        V13,
        "DROP TABLE params",
        f"CREATE VIEW params AS SELECT x AS key, x AS value, '{A}' AS run_uuid FROM ({endless})",
        "DROP TABLE tags",
        "CREATE TABLE tags (key, run_uuid, value AS (hex(zeroblob(30000))))",
        f"INSERT INTO tags (key, run_uuid) VALUES ('note', '{A}')",
    )
    one = read(path)[A]
    assert one.params == {}
    assert one.tags["note"] == ""
    sqlite3.connect(path).executescript(f"DROP TABLE metrics; CREATE VIEW metrics AS {endless};")
    with pytest.raises(InputError, match="without MLflow's tables"):
        read(path)


def test_cells_of_another_type_are_listed_and_the_others_kept(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(
        path,
        [(A, "loss", START, 0.5, 0, 0), (A, "loss", START, "high", 1, 0), (A, "loss", START, b"\xff", 2, 0), (A, "loss", 1.5, 0.5, 3, 0)],
    )
    points(path, [(A, b"\xff\xfe", START, 0.25, 4, 0), (A, "loss", START, 0.25, 5, 0)])
    one = read(path)[A]
    assert sorted(one.frame["value"].tolist()) == [0.25, 0.25, 0.5]
    assert [problem.place for problem in one.problems] == [f"metric loss of run {A}"] * 3
    assert "'high'" in one.problems[0].what


@pytest.mark.parametrize("size", [100, 5_000, 20_000])
def test_a_damaged_file_ends_in_a_reason(tmp_path: Path, size: int) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(path, [(A, f"metric{step % 7}", START + step, 1.0 / (step + 1), step, 0) for step in range(1000)])
    path.write_bytes(path.read_bytes()[:size])
    try:
        runs = read(path)
    except InputError:
        return
    assert any(problem.what for one in runs.values() for problem in one.problems)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_ends_with_an_error_or_with_what_could_be_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = store(tmp_path_factory.mktemp("damaged") / "mlflow.db", V13)
    points(path, [(run, f"m{step % 3}", START + step, step / 3, step, 0) for step in range(300) for run in (A, B)])
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(100, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        with Database(path, path.name) as database:
            read_history(database)
        runs = read(path)
    except InputError:
        return
    assert all(len(one.frame) <= 600 for one in runs.values())


def test_a_table_that_claims_more_than_the_file_holds(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(path, [(A, "loss", START + step, 0.5, step, 0) for step in range(20_000)])
    with Database(path, path.name) as database:
        root = database.roots["metrics"]
    content = bytearray(path.read_bytes())
    at = (root - 1) * 4096
    assert content[at] == 5  # an interior page: all its cells now point to the same page
    cells = int.from_bytes(content[at + 3 : at + 5], "big")
    places = [at + int.from_bytes(content[at + 12 + 2 * n : at + 14 + 2 * n], "big") for n in range(cells)]
    for place in places:
        content[place : place + 4] = content[places[0] : places[0] + 4]
    path.write_bytes(content)
    _, plain = both_ways(path)
    assert len(plain.points.values) <= len(content) // 4


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)
NUMBERS = st.one_of(st.floats(allow_nan=False), st.integers(-(2**40), 2**40))
ROWS = st.lists(
    st.tuples(st.sampled_from([A, B, ""]), KEYS, st.integers(-(2**62), 2**62), NUMBERS, st.integers(-(2**62), 2**62), st.integers(0, 1)),
    max_size=60,
)


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_both_ways_give_every_value_in_the_order_of_writing(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple]) -> None:
    path = store(tmp_path_factory.mktemp("any") / "mlflow.db", V13)
    points(path, rows)
    fast, plain = both_ways(path)
    assert fast is not None
    assert rows_of(fast) == rows_of(plain)
    kept = [*dict.fromkeys(rows)]
    expected: dict[tuple[str, str], list[int]] = {}
    for run, key, _, _, step, _ in kept:
        expected.setdefault((run, key), []).append(step)
    found = {(run, name): plain.points.steps[start:end].tolist() for run, some in plain.metrics.items() for name, start, end in some}
    assert {place: len(steps) for place, steps in found.items()} == {place: len(steps) for place, steps in expected.items()}


def test_many_pages_are_read_as_sqlite_reads_them(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V317)
    rng = np.random.default_rng(0)
    values = rng.normal(size=30_000)
    points(
        path, [(A if n % 3 else B, f"part{n % 4}/metric {n % 11}", START + n, values[n], n // 11, int(n % 97 == 0)) for n in range(30_000)]
    )
    fast, plain = both_ways(path)
    assert fast is not None
    assert fast.metrics == plain.metrics
    for name in ("millis", "values", "steps"):
        np.testing.assert_array_equal(getattr(fast.points, name), getattr(plain.points, name))
    names, some = fast.of(B)
    assert names == sorted(names)
    assert some.counts.sum() == 10_000 == len(some.values)


def test_a_name_that_needs_more_than_a_page(tmp_path: Path) -> None:
    path = store(tmp_path / "mlflow.db", V13)
    points(path, [(A, "long" * 2000, START, 0.5, 0, 0), (A, "loss", START, 0.25, 0, 0)])
    fast, plain = both_ways(path)
    assert fast is None
    assert sorted(plain.points.values) == [0.25, 0.5]
