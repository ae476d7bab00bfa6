from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys

import bagit
import pandas as pd
import pytest
from packs.conftest import call, contents, sample

import trainreport as tr
from trainreport.errors import InputError, OutputExistsError
from trainreport.packs import create, signing
from trainreport.packs.verify import verify


def test_the_pack_holds_what_it_promises(real):
    names = set(contents(real / "data"))
    assert {
        "index.md", "assessment.json", "frame.parquet", "frame.csv", "report.pdf", "report.html", "plan.toml", "ro-crate-metadata.json",
        "controls.md", "controls.csv", "controls.json", "decision.md", "model-card.md", "environment.json", "runs.json", "compute.json",
        "calibration.json", "methods.txt", "logs.csv", "trace.json", "lineage.json", "bom.cdx.json", "bom.spdx3.json",
    } == {name for name in names if not name.startswith("logs/")}  # fmt: skip
    assert (real / "data" / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_standard_tools_find_it_in_order(real, keys):
    bagit.Bag(str(real)).validate()
    subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "manifest-sha256.txt", "tagmanifest-sha256.txt"], cwd=real, check=True)
    found = verify(real, signing.load_public(keys.public))
    assert (found.changes, found.signed_with is not None) == ([], True)


def test_the_pdf_of_the_pack_is_found_in_order(real):
    validator = pytest.importorskip("page", reason="page-validation is not installed")
    for profile in (validator.ValidationProfile.PDF_A_3A, validator.ValidationProfile.PDF_UA_1):
        failures = validator.validate_pdf_bytes((real / "data" / "report.pdf").read_bytes(), profile=profile).failures
        # the validator takes a last CR of a stream for an end of line; tests/reports/formats/test_pdf.py counts the lengths itself
        assert {one.rule_id for one in failures} <= {"PDFA3A-STREAM-LENGTH-001"}


def test_logs_are_filed_as_they_were(real):
    logs, _, _ = sample("healthy")
    with (real / "data" / "logs.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["in_pack"] for row in rows} == {name for name in contents(real / "data") if name.startswith("logs/")}
    for row in rows:
        content = (real / "data" / row["in_pack"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]
        assert content == (logs / row["path"]).read_bytes()


def test_tables_and_assessment_are_those_of_the_api(real):
    logs, _, plan = sample("healthy")
    analysis = tr.analyze(logs, plan)
    table = pd.read_parquet(real / "data" / "frame.parquet")
    pd.testing.assert_frame_equal(table, analysis.frame, check_categorical=False, check_dtype=False)
    assert (real / "data" / "assessment.json").read_bytes() == analysis.render("json")
    assert (real / "data" / "plan.toml").read_bytes() == plan.read_bytes()


@pytest.mark.full
def test_the_same_logs_give_the_same_bytes_in_any_place_zone_and_locale(tmp_path):
    packs = []
    elsewhere = {"TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1767225600"}
    for name, more in (("a", {"TZ": "UTC", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1767225600"}), ("deeper/b", elsewhere)):
        place = tmp_path / name
        logs, _, plan = sample("starved")
        shutil.copytree(logs, place / "logs")
        shutil.copy(plan, place / "plan.toml")
        arguments = [sys.executable, "-m", "trainreport", "pack", place / "logs", "--plan", place / "plan.toml", "-o", place / "pack.zip"]
        subprocess.run([*arguments, "--include-logs"], check=True, capture_output=True, env={**os.environ, **more})
        packs.append((place / "pack.zip").read_bytes())
    assert packs[0] == packs[1]


def tiny(tmp_path, name, monkeypatch, **more):
    """Write a pack of a CSV log without drawing a report."""
    monkeypatch.setattr(create.reports, "render", lambda _, form: form.encode())
    logs, _, plan = sample("healthy")
    if not (tmp_path / "plan.toml").exists():
        shutil.copy(plan, tmp_path / "plan.toml")
    analysis = tr.analyze(logs, tmp_path / "plan.toml")
    create.create(analysis.assessment, {}, tmp_path / name, paths=[logs], **more)
    return tmp_path / name


def test_a_locked_plan_is_filed_and_counts(tmp_path, monkeypatch):
    plain = tiny(tmp_path, "plain", monkeypatch)
    assert call("plan", "lock", tmp_path / "plan.toml", "--at", "2026-06-06T00:00:00Z").exit_code == 0
    locked = tiny(tmp_path, "locked", monkeypatch)
    assert not (plain / "data" / "plan.lock.json").exists()
    assert (locked / "data" / "plan.lock.json").read_bytes() == (tmp_path / "plan.lock.json").read_bytes()
    assert "Plan fixed by its digest: version 1, locked 2026-06-06T00:00:00Z" in (locked / "data" / "controls.md").read_text()
    assert "before the run began and stand unchanged" in (locked / "data" / "controls.md").read_text()
    (tmp_path / "plan.lock.json").write_text("{}")
    with pytest.raises(InputError, match="no lock file"):
        tiny(tmp_path, "broken", monkeypatch)


def test_without_logs_their_digests_are_filed(tmp_path, monkeypatch):
    pack = tiny(tmp_path, "pack", monkeypatch)
    assert not (pack / "data" / "logs").exists()
    with (pack / "data" / "logs.csv").open(newline="") as stream:
        assert {row["in_pack"] for row in csv.DictReader(stream)} == {""}


def test_a_date_is_shown_only_where_one_is_given(tmp_path, monkeypatch):
    assert "Bagging-Date" not in (tiny(tmp_path, "a", monkeypatch) / "bag-info.txt").read_text()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    pack = tiny(tmp_path, "b", monkeypatch)
    assert "Bagging-Date: 2026-01-01\n" in (pack / "bag-info.txt").read_text()
    assert '"datePublished": "2026-01-01T00:00:00Z"' in (pack / "data" / "ro-crate-metadata.json").read_text()


def test_a_log_that_is_gone_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(create, "_documents", lambda *_, **__: [])
    logs, _, plan = sample("healthy")
    shutil.copytree(logs, tmp_path / "logs")
    analysis = tr.analyze(tmp_path / "logs", plan)
    shutil.rmtree(tmp_path / "logs" / "mlruns")
    with pytest.raises(InputError, match="gone or changed since it was read"):
        create.create(analysis.assessment, {}, tmp_path / "pack", paths=[tmp_path / "logs"], include_logs=True)
    assert not (tmp_path / "pack").exists()


def test_several_folders_and_no_plan(tmp_path):
    first, second = sample("healthy")[0], sample("overfitting")[0]
    made = call("pack", first, second, "-o", tmp_path / "pack", "--include-logs")
    assert made.exit_code == 0, made.output
    assert verify(tmp_path / "pack").changes == []
    assert not (tmp_path / "pack" / "data" / "plan.toml").exists()
    assert len(json.loads((tmp_path / "pack" / "data" / "runs.json").read_text())) >= 2
    assert "../" not in (tmp_path / "pack" / "manifest-sha256.txt").read_text()


def test_nothing_is_read_when_the_pack_may_not_be_written(tmp_path):
    (tmp_path / "pack").mkdir()
    assert isinstance(call("pack", tmp_path / "missing", "-o", tmp_path / "pack").exception, OutputExistsError)
