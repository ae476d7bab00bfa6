"""The emissions.csv that CodeCarbon wrote itself, offline, on a machine without a GPU."""

from __future__ import annotations

import pytest
from read_logs import DATA, read, values, written

HEADER, ROW = (DATA / "emissions" / "emissions.csv").read_text().splitlines()[:2]


def test_what_codecarbon_wrote():
    name, (first, second) = read(DATA / "emissions" / "emissions.csv")
    assert name == "codecarbon"
    assert values(first, "CodeCarbon 3.3.2 energy") == pytest.approx([3.715285573303596e-05 * 3.6e6])
    assert values(first, "CodeCarbon 3.3.2 emissions") == [1.4628398327291495e-07]
    assert (first.tags["energy.pue"], first.tags["energy.place"]) == ("1.2", "quebec, Canada")
    assert first.ended_at.isoformat() == "2026-12-01T00:04:07+00:00"
    assert (first.ended_at - first.started_at).total_seconds() == pytest.approx(4.014525686)
    assert first.key != second.key


def test_of_rows_with_one_id_the_last_counts(tmp_path):
    later = ROW.replace("3.715285573303596e-05", "0.5")
    _, (only,) = written(tmp_path, "emissions.csv", "\n".join([HEADER, ROW, later]))
    assert values(only, "CodeCarbon 3.3.2 energy") == [0.5 * 3.6e6]


def test_a_row_without_figures_is_listed_and_the_others_are_read(tmp_path):
    bad = ROW.replace("59e51d8a", "00000000").replace("3.715285573303596e-05", "x").replace("1.4628398327291495e-07", "y")
    _, (only,) = written(tmp_path, "emissions.csv", "\n".join([HEADER, bad, ROW]))
    assert any("line 2" in problem.place for problem in only.problems)


def test_a_run_of_no_finite_length_has_no_start(tmp_path):
    for odd in ("inf", "nan", "1e300"):
        _, (only,) = written(tmp_path, "emissions.csv", "\n".join([HEADER, ROW.replace("4.014525686001434", odd)]))
        assert only.started_at is None
