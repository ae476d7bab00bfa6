"""Which importers there are, that none is large, and that no file is taken by two."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from read_logs import DATA

from trainreport.importers import formats
from trainreport.importers.registry import HEAD_BYTES, all_importers, is_built_in, is_general, proven_by, recognise

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
BUILT_IN = [one for one in all_importers() if is_built_in(one)]
WORDS = {"output made here", "corpus", "documentation only"}


def test_sizes():
    """Print lines and files of each importer; the median is at most 120."""
    sizes = {path.stem: len(path.read_text().splitlines()) for path in Path(formats.__path__[0]).glob("*.py") if path.stem != "__init__"}
    for name, lines in sorted(sizes.items(), key=lambda one: one[1]):
        sys.stdout.write(f"{lines:>4} lines, 1 file  {name}\n")
    sys.stdout.write(f"median {median(sizes.values()):g} of {len(sizes)}\n")
    assert median(sizes.values()) <= 120
    assert max(sizes.values()) <= 200


@pytest.mark.parametrize("importer", BUILT_IN, ids=lambda one: one.name)
def test_each_says_what_it_was_proven_by(importer):
    assert set(proven_by(importer).split(", ")) <= WORDS


@pytest.mark.parametrize("path", sorted(path for path in DATA.rglob("*") if path.is_file()), ids=lambda path: path.name)
def test_no_made_log_is_taken_twice(path):
    assert len(takers(path)) <= 1, takers(path)


@pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")
def test_no_file_of_the_corpus_is_taken_twice():
    files = [path for path in sorted(Path(CORPUS or "").rglob("*")) if path.is_file()]
    assert files
    assert {path: names for path in files if len(names := takers(path)) > 1} == {}


@pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")
@pytest.mark.parametrize("category", ["hf_trainer", "lightning_csv", "keras_csv", "ultralytics", "llamafactory", "training_text"])
def test_every_training_log_of_the_corpus_is_taken_and_not_for_one_of_gpus(category):
    files = [
        path
        for path in (Path(CORPUS or "") / category).rglob("*")
        if path.suffix in {".csv", ".jsonl", ".log"} or path.name == "trainer_state.json"
    ]
    assert files
    for path in files:
        importer = recognise(path)
        assert not isinstance(importer, str), (path, importer)
        assert not importer.name.startswith("nvidia")


def test_a_file_that_nobody_takes_has_a_reason(tmp_path):
    reasons = {
        "a.npz": (b"PK\x03\x04rest", "an archive"),
        "a.csv": (b"name,height\nada,1.7\n", "a table (name, height) of which no column is known as step"),
        "a.json": (b'{"a": 1}', "JSON without a log_history, an MLflow run, or lines with a step, an epoch or a time (it has a)"),
        "a.txt": (b"hello\n", "text without lines such as"),
        "a.yaml": (b"a: 1\n", "settings"),
        "a.bin": (b"\0\1\2", "binary"),
        "a.log": (b"", "empty file"),
        "powershell.log": ("hello\n".encode("utf-16"), "text without lines such as"),
        "a.md": (b"When training, we aim for speed since cores are, as it were\nthe bottleneck, and so on\n", "text without lines such as"),
        "long.json": (b'{"meta": {"x": [' + b"1, " * 3000 + b"1]}}", "an epoch or a time (it has meta)"),
    }
    for name, (content, reason) in reasons.items():
        (tmp_path / name).write_bytes(content)
        assert reason in str(recognise(tmp_path / name)), name


def test_the_arrays_of_an_archive_are_named(tmp_path):
    np.savez(tmp_path / "evaluations.npz", results=np.zeros(2), timesteps=np.arange(2))
    assert str(recognise(tmp_path / "evaluations.npz")).endswith("an archive of arrays of NumPy (results, timesteps)")


def takers(path):
    """Return the importers that take a file; general ones count where no other does."""
    head = path.read_bytes()[:HEAD_BYTES]
    able = [one for one in BUILT_IN if one.recognises(path, head)]
    return [one.name for one in able if not is_general(one)] or [one.name for one in able]
