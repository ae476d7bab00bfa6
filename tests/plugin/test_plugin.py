"""An outside package, really installed: what it adds works, what is at fault in it is named and breaks nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent / "acme"
ACME_LOG = "ACME\n1 0.9\n2 0.7\nthree\n3 0.6\n"


@pytest.fixture(scope="module")
def trainreport(tmp_path_factory):
    """Install the package into a folder of its own, offline, and run trainreport with it."""
    site = tmp_path_factory.mktemp("site")
    wheels = tmp_path_factory.mktemp("wheels")
    build = "import os, sys; from hatchling import build as b; os.chdir(sys.argv[1]); print(b.build_wheel(sys.argv[2]))"
    built = subprocess.run([sys.executable, "-c", build, PACKAGE, wheels], capture_output=True, text=True, check=True).stdout.split()[-1]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", site, wheels / built]
    subprocess.run(install, check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*arguments):
        words = [sys.executable, "-m", "trainreport", *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "run.acme").write_text(ACME_LOG)
    (folder / "touchy.txt").write_text("TOUCHY\n")
    return folder


def test_importer_detector_and_format_work_and_the_faulty_ones_are_named(trainreport, logs, tmp_path):
    out = tmp_path / "out"
    done = trainreport("report", logs, "-o", out, "--format", "outline,json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(out / "report.json"), str(out / "report.outline")]
    [run] = json.loads((out / "report.json").read_text())["runs"]
    assert [file["importer"] for file in run["files"]] == ["acme"]
    assert [(one["place"], one["what"]) for one in run["problems"]] == [("line 4", "no step and value: 'three'")]
    found = {one["code"]: one for one in run["findings"]}
    assert found["ACME01"]["message"] == "The run was evaluated 3 times only."
    assert {one["code"] for one in run["outcomes"]} > {"TR101", "ACME01"}
    assert "Findings" not in (out / "report.outline").read_text().splitlines()[0]
    assert len((out / "report.outline").read_text().splitlines()) > 5


def test_a_problem_line_names_each_faulty_one(trainreport, logs):
    told = trainreport("check", logs).stdout
    assert "plug-in acme-broken of acme-trainreport 1.2 (trainreport.importers)" in told
    assert "does not load: ModuleNotFoundError: No module named 'acme_trainreport.no_such_module'" in " ".join(told.split())
    assert "plug-in acme-taken of acme-trainreport 1.2 (trainreport.detectors)" in told
    assert "touchy.txt: importer acme-touchy of an outside package: RuntimeError: cannot read" in told


def test_formats_lists_what_is_added_and_what_is_left_out(trainreport):
    told = trainreport("formats").stdout
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert any(line.startswith("acme Acme logs") for line in lines)
    assert "outline the titles of the parts (plug-in)" in lines
    left_out = lines[lines.index("Left out") + 1 :]
    assert [line.split()[1] for line in left_out] == ["acme-broken", "acme-class", "acme-taken", "acme-html"]
    assert "AcmeLog is a class; expected an object of it" in left_out[1]
    assert "its code TR101 is that of a built-in detector" in left_out[2]
    assert "is that of a built-in format" in left_out[3]


def test_doctor_names_them_and_says_what_to_do(trainreport):
    done = trainreport("doctor")
    assert done.returncode == 4
    assert "✓ plug-in acme-log of acme-trainreport 1.2 (trainreport.importers)" in done.stdout
    assert "✕ plug-in acme-broken of acme-trainreport 1.2 (trainreport.importers)" in done.stdout
    assert done.stdout.count("pip install --upgrade acme-trainreport") == 1


def test_a_format_that_breaks_off_is_an_error_with_its_name(trainreport, logs, tmp_path):
    done = trainreport("report", logs, "-o", tmp_path / "out", "--format", "failing")
    assert done.returncode == 4
    assert "format 'failing', which an outside package brings, broke off: RuntimeError: no ink" in done.stderr


def test_an_unknown_format_lists_the_outside_ones(trainreport, logs, tmp_path):
    done = trainreport("report", logs, "-o", tmp_path / "out", "--format", "outlin")
    assert done.returncode == 2
    assert "did you mean 'outline'?" in done.stderr


def test_the_detector_explains_itself_and_takes_a_limit_from_the_plan(trainreport, logs, tmp_path):
    assert "Acme wants many evaluations." in trainreport("explain", "ACME01").stdout
    plan = tmp_path / "plan.toml"
    plan.write_text("[thresholds]\nACME01.least = 3\n")
    told = json.loads(trainreport("check", logs, "--plan", plan, "--format", "json").stdout)
    assert {one["code"]: one["state"] for one in told["runs"][0]["outcomes"]}["ACME01"] == "clear"


def test_a_report_for_the_auditor_holds_the_outside_detector(trainreport, logs, tmp_path):
    for language in ("en", "de"):
        done = trainreport("report", logs, "-o", tmp_path / language, "--format", "markdown", "--for", "auditor", "--language", language)
        assert done.returncode == 0, done.stderr
        assert "It counts them." in (tmp_path / language / "report.md").read_text()
