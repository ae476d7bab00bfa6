"""The small files of a run's folder: the fast reading of meta.yaml against YAML's own, and links on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.mlflow_store.folder import is_within, load_yaml, read_regular, whole

if TYPE_CHECKING:
    from pathlib import Path

MLFLOW = """\
artifact_uri: file:///home/some one/mlruns/1/a-b/artifacts
end_time: null
experiment_id: '1'
name: '2024-01-01: it''s'
run_name: first try
source_version: ''
start_time: 1700000000000
tags: []
"""


def test_what_mlflow_writes_is_regular() -> None:
    assert read_regular(MLFLOW.replace("''s", "")) == {
        "artifact_uri": "file:///home/some one/mlruns/1/a-b/artifacts",
        "end_time": "null",
        "experiment_id": "1",
        "name": "2024-01-01: it",
        "run_name": "first try",
        "source_version": "",
        "start_time": "1700000000000",
        "tags": [],
    }


@pytest.mark.parametrize(
    "text", [MLFLOW, "a: b: c\n", "a: b #c\n", "a: - b\n", "a: *b\n", "a:\n", "a: b", "a: b\n  c\n", "A: b\n", "a: b:\n", "---\na: b\n"]
)
def test_what_needs_yaml_is_left_to_it(text: str) -> None:
    assert read_regular(text) is None


PIECE = st.sampled_from([*"ab1.:'#-[]{}&*!|>%@`,?~/\\\"= \n\t", "''", ": ", " #", "null", "é", "k: ", "\nk: ", "\nkey: '"])


@given(st.lists(PIECE, max_size=12).map(lambda pieces: "k: " + "".join(pieces) + "\n"))
def test_what_is_regular_is_what_yaml_reads(text: str) -> None:
    found = read_regular(text)
    assert found is None or found == yaml.load(text, Loader=yaml.BaseLoader)


def test_a_file_with_a_quote_in_a_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "meta.yaml").write_text(MLFLOW)
    assert load_yaml(tmp_path / "meta.yaml", "meta.yaml")["name"] == "2024-01-01: it's"


def test_links_on_the_way_are_followed_to_where_they_lead(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "real").mkdir(parents=True)
    (tmp_path / "beside").mkdir()
    (top / "inner").symlink_to(top / "real")
    (top / "outer").symlink_to(tmp_path / "beside")
    inside = [part for part in ("real/x", "not there/x", "inner/x", "outer/x") if is_within(top, part)]
    assert inside == ["real/x", "not there/x", "inner/x"]


def test_the_whole_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "metric").write_bytes(b"1 2 3\n" * 50_000)
    assert whole(tmp_path / "metric") == b"1 2 3\n" * 50_000
