from __future__ import annotations

import json
import re

import made_traces
import one_run
import pandas as pd
import pytest
from packs.conftest import call, sample

import trainreport as tr
from trainreport.errors import InputError, UsageError
from trainreport.packs import trace, traced


@pytest.fixture(scope="module")
def read(real):
    return traced.read(real)


@pytest.fixture(scope="module")
def several():
    """Return an assessment of several runs, and its trace."""
    logs, _, plan = sample("search")
    analysis = tr.analyze(logs, plan)
    return analysis, json.loads(trace.trace(analysis.assessment))


def leaves(value, at=""):
    """Yield the place of every number below a value."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, f"{at}/{key}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from leaves(one, f"{at}/{index}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at, value


def uncovered(told, entries):
    places = {one["at"] for one in entries} - {""}
    return [at for at, _ in leaves(told) if not any(at == place or at.startswith(f"{place}/") for place in places)]


def test_every_number_of_the_assessment_has_an_entry(real, read, several):
    assert uncovered(json.loads((real / "data" / "assessment.json").read_text()), read.entries) == []
    analysis, told = several
    assert uncovered(json.loads(analysis.render("json")), told["entries"]) == []


def test_every_entry_ends_at_a_file_a_line_of_the_plan_or_another_entry(read, several):
    for entries in (read.entries, several[1]["entries"]):
        names = {one["ref"] for one in entries}
        assert len(names) == len(entries)
        for one in entries:
            assert set(one.get("made_of", ())) <= names, one
            assert one["how"] or any(key in one for key in ("rows", "plan", "files", "made_of")), one


def traced_of(folder):
    """Return entries by name of what lies in a folder, and its assessment."""
    analysis = tr.analyze(folder)
    return {one["ref"]: one for one in json.loads(trace.trace(analysis.assessment))["entries"]}, json.loads(analysis.render("json"))


def test_gpu_hours_lead_to_the_source_that_counts(tmp_path):
    """Five hours are those of the scheduler; the GPU log shows 4.5 of them, and W&B's samples of the same GPUs count nowhere."""
    one_run.write(tmp_path)
    entries, told = traced_of(tmp_path)
    assert uncovered(told, entries.values()) == []
    assert entries["ledger/gpu_hours"]["made_of"] == ["ledger/gpu_hours/scheduler"]
    assert [(one["file"], one["logged"]) for one in entries["ledger/gpu_hours/scheduler"]["rows"]] == [
        ("sacct.txt", "Elapsed"),
        ("sacct.txt", "GPUs allocated"),
    ]
    assert entries["ledger/gpu_hours/gpu-log"]["value"] == pytest.approx(4.5)
    assert {one["file"] for one in entries["ledger/gpu_hours/gpu-log"]["rows"]} == {"gpu.csv"}
    assert [(one["file"], one["logged"]) for one in entries["ledger/energy_kwh"]["rows"]] == [("gpu.csv", "power.draw")]


def test_measures_of_a_profile_lead_to_the_profilers_rows(tmp_path):
    (tmp_path / "a.pt.trace.json").write_bytes(made_traces.document())
    entries, told = traced_of(tmp_path)
    assert uncovered(told, entries.values()) == []
    busy = entries["profile/profile/gpu_busy"]
    measures = [one["name"] for one in told["runs"][0]["profile"]["measures"]]
    assert busy["at"] == f"/runs/0/profile/measures/{measures.index('profile/gpu_busy')}"
    assert [(one["file"], one["logged"]) for one in busy["rows"]] == [("a.pt.trace.json", "profile/gpu_busy")]


def test_rows_of_the_table_are_those_that_the_trace_names(real, read):
    table = pd.read_csv(real / "data" / "frame.csv")
    best = json.loads((real / "data" / "assessment.json").read_text())["runs"][0]["best_checkpoint"]
    [entry] = traced.found(read, "best")
    source = entry["rows"][0]
    row = table.iloc[source["row"] - 1]
    assert (row["step"], row["value"], row["logged"]) == (best["step"], pytest.approx(best["value"]), source["logged"])
    assert row["file"] in read.files
    lines = (real / "data" / "frame.csv").read_text().splitlines()
    assert lines[source["row"]].split(",")[1] == source["logged"]  # row 1 is line 2
    for entry in read.entries:
        for source in entry.get("rows", ()):
            for number in source["rows"]:
                assert (table["logged"][number - 1], table["file"][number - 1]) == (source["logged"], source["file"])


def test_rows_of_several_runs_are_of_their_run(several):
    analysis, told = several
    frame = analysis.frame
    for entry in told["entries"]:
        for source in entry.get("rows", ()):
            assert {frame["run"].iloc[number - 1] for number in source["rows"]} == {entry["run"]}


def test_evidence_on_another_series_than_the_finding_s_leads_there(tmp_path):
    logs, _, plan = sample("overfitting")
    told = json.loads(trace.trace(tr.analyze(logs, plan).assessment))
    logged = {one["how"].split(";")[0]: one["rows"][0]["logged"] for one in told["entries"] if one["ref"].startswith("TR101/evidence")}
    assert logged["worsening of validation accuracy since its best"] == "epoch_accuracy"
    assert logged["worsening of validation loss since its best"] == "epoch_loss"


NUMBER = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?(?:e\+?\d+)?(?![\w.-]|%2)")


@pytest.mark.parametrize("name", ["compute.json", "decision.md", "model-card.md", "lineage.json"])
def test_numbers_of_the_other_documents_are_found_as_printed(real, read, name):
    text = (real / "data" / name).read_text().split("How to check")[0]
    text = re.sub(r"[0-9a-f]{16,}|\d{4}-\d\d-\d\dT?[\d:.Z]*|TR\d+|CO2\w*|Rule \d+|\"(known_of|runs)\": \d+|\bmax-age\b", "", text)
    numbers = [one for one in NUMBER.findall(text) if float(one) not in (0, 1)]
    assert numbers
    missing = []
    for number in dict.fromkeys(numbers):
        try:
            traced.found(read, number)
        except UsageError:
            missing.append(number)
    assert missing == []


@pytest.mark.parametrize(
    ("ref", "first"),
    [
        ("ledger/energy_kwh", "ledger/energy_kwh"),
        ("LEDGER/Energy_kWh", "ledger/energy_kwh"),
        ("criteria/accuracy", "criteria/accuracy"),
        ("2.53 kWh", "ledger/energy_kwh"),
        ("energy_kwh", "ledger/energy_kwh"),
    ],
)
def test_references_as_an_auditor_would_write_them(read, ref, first):
    assert traced.found(read, ref)[0]["ref"] == first


def test_a_code_brings_its_evidence_and_a_fingerprint_the_same(several):
    read = traced.Trace(several[1], b"")
    finding = next(one for one in read.entries if one.get("fingerprint"))
    by_code = traced.found(read, finding["ref"])
    assert by_code == traced.found(read, finding["fingerprint"])
    assert [one["ref"] for one in by_code][:2] == [finding["ref"], f"{finding['ref']}/evidence/1"]


def test_the_command(real, tmp_path):
    shown = call("trace", real, "best")
    assert shown.exit_code == 0, shown.output
    assert re.search(r"logged as \S+; frame.parquet, row \d+\n    row \d+: step \d+, time 20\d\d-\S+, .*value 0\.\d+", shown.stdout)
    everything = call("trace", real).stdout
    assert "ledger/cost  = " in everything
    unknown = call("trace", real, "nonsense")
    assert isinstance(unknown.exception, UsageError)
    assert isinstance(call("trace", tmp_path).exception, InputError)


def test_a_pack_that_was_changed_is_not_traced(tmp_path, real):
    import shutil

    pack = shutil.copytree(real, tmp_path / "pack")
    (pack / "data" / "trace.json").write_text("{}")
    with pytest.raises(InputError, match="not as it was made"):
        traced.read(pack)


@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"[" * 9000, b"\xff", b'{"schema": "trainreport.trace/1", "entries": [{}], "files": {}}']
)
def test_a_trace_that_is_none(tmp_path, content):
    from trainreport.packs import bag

    items = [bag.Item(name, text, "") for name, text in (("trace.json", content), ("frame.parquet", b"PAR1"))]
    bag.write(tmp_path / "pack", "root", items, [], None, replace=False)
    with pytest.raises(InputError, match="no trace that this version reads"):
        traced.read(tmp_path / "pack")


def test_a_table_that_is_none(tmp_path, real):
    broken = traced.Trace({"entries": [], "files": {}}, b"PAR1 nothing")
    with pytest.raises(InputError, match="cannot be read"):
        broken.rows([1])
    with pytest.raises(InputError, match="cannot be read"):
        traced.read(real).rows([10**9])
