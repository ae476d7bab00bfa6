"""The emission.csv that eco2AI wrote itself."""

from __future__ import annotations

import pytest
from read_logs import DATA, read, values, written


def test_what_eco2ai_wrote():
    name, (log,) = read(DATA / "emissions" / "emission.csv")
    assert (name, log.name) == ("eco2ai", "churn")
    assert values(log, "eco2AI energy") == pytest.approx([2.549109029355558e-05 * 3.6e6])
    assert values(log, "eco2AI emissions") == [8.475660067155764e-06]
    assert log.tags["energy.place"] == "DE"
    assert log.started_at.isoformat() == "2026-12-01T00:07:06+00:00"


def test_a_row_without_figures_costs_no_run(tmp_path):
    header, row = (DATA / "emissions" / "emission.csv").read_text().splitlines()[:2]
    empty = row.replace("2.549109029355558e-05", "").replace("8.475660067155764e-06", "")
    _, (log,) = written(tmp_path, "emission.csv", f"{header}\n{row}\n{empty}\n")
    assert values(log, "eco2AI energy") == pytest.approx([2.549109029355558e-05 * 3.6e6])
    assert [(one.place, one.what) for one in log.problems] == [("line 3", "neither energy nor emissions; expected numbers")]
