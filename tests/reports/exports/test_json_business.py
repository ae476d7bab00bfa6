"""Business figures in JSON: additions to the schema, on a sample run with a grid and a lineage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trainreport as tr

SAMPLES = Path(__file__).parents[3] / "sample_runs"
LINEAGE = '\n[[lineage]]\nname = "base"\nflop = 4e22\nsource = "model card"\n'


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("business")
    plan, grid = folder / "plan.toml", folder / "grid.csv"
    plan.write_text((SAMPLES / "starved" / "plan.toml").read_text("utf-8") + LINEAGE, encoding="utf-8")
    hours = [f"2026-07-{day:02}T{hour:02}:00:00Z,{100 + 10 * hour}" for day in range(5, 10) for hour in range(24)]
    grid.write_text("\n".join(["time,g_per_kwh", *hours]), encoding="utf-8")
    analysis = tr.analyze(SAMPLES / "starved" / "logs", plan, grid=grid)
    return json.loads(analysis.render("json")), analysis


def test_hours_of_the_uses_are_those_of_the_runs(found):
    report, _ = found
    hours = sum(use["busy_h"] + use["idle_h"] + use["unseen_h"] for use in report["portfolio"]["capacity"]["uses"])
    assert hours == pytest.approx(sum(run["compute"]["gpu_hours"] for run in report["runs"]))
    assert {(one["team"], one["project"]) for one in report["portfolio"]["capacity"]["owners"]} == {("sorting", "parcel-labels")}
    assert report["portfolio"]["capacity"]["next_run"]["known"] is False


def test_carbon_is_that_of_the_hours(found):
    report, analysis = found
    for run in report["runs"]:
        grid = run["compute"]["grid"]
        assert run["compute"]["carbon_kg"] == pytest.approx(run["compute"]["energy_kwh"] * grid["g_per_kwh"] / 1000)
        assert grid["average_g_per_kwh"] == 350
    assert (
        analysis.assessment.inputs_digest
        != tr.analyze(SAMPLES / "starved" / "logs", SAMPLES / "starved" / "plan.toml").assessment.inputs_digest
    )


def test_the_lineage_stands_beside_the_thresholds(found):
    lineage = found[0]["portfolio"]["lineage"]
    assert lineage["flop"] == 4e22
    assert [one["name"] for one in lineage["before"]] == ["base"]
    assert lineage["thresholds"][0]["share"] == pytest.approx(0.4)
    assert any("TR307" in outcome["code"] and outcome["state"] == "found" for outcome in found[0]["runs"][-1]["outcomes"])


def test_courses_have_owner_and_price(found):
    report, _ = found
    titles = {one["title"]: one for one in report["decision"]["what_ifs"]}
    assert all(one["owner"] for one in titles.values())
    leading = next(run for run in report["runs"] if run["run_id"] == report["portfolio"]["best_run"])
    spent = float(leading["compute"]["cost"]["amount"])
    cured = titles["Fix the pipeline"]
    assert float(cured["cost"]["amount"]) + float(cured["saves"]["amount"]) == pytest.approx(spent, abs=0.011)
    ends = [float(leading["course"]["at_completion"][name]["cost"]["amount"]) for name in ("low", "mid", "high")]
    assert spent < ends[0] <= ends[1] <= ends[2]


def test_of_one_run_they_stand_in_the_run():
    analysis = tr.analyze(SAMPLES / "healthy" / "logs", SAMPLES / "healthy" / "plan.toml")
    report = json.loads(analysis.render("json"))
    [run] = report["runs"]
    assert report["portfolio"] is None
    assert run["capacity"]["queue_waits"] == [{"run": run["name"], "seconds": 470}]
    assert run["lineage"]["before"] == []
