"""The emissions.csv that CodeCarbon wrote itself, offline, on a machine without a GPU."""

from __future__ import annotations

import pytest
from read_logs import DATA, read, values, written

from trainreport.importers import load

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


def test_rows_without_figures_cost_no_run_wherever_they_stand(tmp_path):
    """CodeCarbon's own example has such rows, below rows of the same id and of others."""
    empty = ROW.replace("3.715285573303596e-05", "").replace("1.4628398327291495e-07", "")
    _, (only,) = written(tmp_path, "emissions.csv", "\n".join([HEADER, ROW, empty, empty.replace("59e51d8a", "00000000")]))
    assert values(only, "CodeCarbon 3.3.2 energy") == pytest.approx([3.715285573303596e-05 * 3.6e6])
    assert [problem.place for problem in only.problems] == ["line 3", "line 4"]


def test_a_table_drawn_with_bars_is_read_as_its_csv(tmp_path):
    """As editors and notebooks show it."""
    rows = [" | ".join(line.split(",")) for line in (HEADER, ROW)]
    rule = "|---" * len(HEADER.split(",")) + "|"
    _, (only,) = written(tmp_path, "table.md", "\n".join([rule, f"| {rows[0]} |", rule, f"| {rows[1]} |", rule]))
    assert values(only, "CodeCarbon 3.3.2 energy") == pytest.approx([3.715285573303596e-05 * 3.6e6])
    assert only.problems == ()


@pytest.mark.parametrize("mode", ["machine", "process"])
def test_a_run_that_stands_in_two_files_counts_once(tmp_path, mode):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "emissions.csv").write_text(f"{HEADER}\n{ROW.replace(',machine,', f',{mode},')}\n")
    loaded = load([tmp_path])
    (log,) = loaded.logs
    assert (log.frame["series"] == "energy/reported").sum() == 1
    assert [(one.path, one.reason) for one in loaded.skipped] == [
        ("b/emissions.csv", "1 run of it stands in a/emissions.csv too, which counts")
    ]
