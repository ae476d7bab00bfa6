"""What runs are judged by: given once, checked once, and part of what --resume compares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from batches.conftest import charged, lines

import trainreport as tr
from trainreport import api
from trainreport.batches import runner, terms
from trainreport.batches.terms import Terms
from trainreport.errors import UsageError

GRID = "time,region,g_per_kwh\n2026-01-01T00:00:00Z,DE,400\n2026-01-01T01:00:00Z,DE,300\n"
TWO = GRID + "2026-01-01T00:00:00Z,FR,50\n2026-01-01T01:00:00Z,FR,60\n"
MAP = '[[log]]\nfiles = "*.txt"\nlines = "step {step} loss {loss}"\n'
BRAND = 'name = "Example Ltd"\n'


@pytest.fixture
def files(tmp_path):
    """A good file of each kind."""
    made = {"grid": GRID, "map_file": MAP, "brand": BRAND, "plan": ""}
    for name, text in made.items():
        (tmp_path / f"{name}.x").write_text(text)
    charged(tmp_path / "billing.x", ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "1.00"))
    return {name: tmp_path / f"{name}.x" for name in (*made, "billing")}


@pytest.fixture
def no_job(tmp_path, monkeypatch):
    """Give a folder for results; a job that is begun is a failure."""
    monkeypatch.setattr("trainreport.batches.engine.answers", lambda *_: pytest.fail("a job was begun"))
    return tmp_path / "out"


def test_files_are_meant_wherever_the_worker_stands(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = Terms.of("plan.x", **{name: path.name for name, path in files.items() if name != "plan"}, reports=["html"])
    assert {name: Path(getattr(found, name)) for name in files} == files
    terms.check(found)


@pytest.mark.parametrize(
    ("name", "option", "text", "said"),
    [
        ("billing", "--billing", "a,b\n1,2\n", "neither FOCUS"),
        ("billing", "--billing", None, "no invoice that can be read"),
        ("grid", "--grid", "a,b\n1,2\n", "grid.x"),
        ("grid", "--grid", None, "grid.x"),
        ("grid", "--grid", TWO, "set grid_region in [rates]"),
        ("map_file", "--map", "[[log]]\nnonsense = 1\n", "nonsense"),
        ("map_file", "--map", None, "map_file.x"),
        ("brand", "--brand", "nonsense = 1\n", "nonsense"),
        ("brand", "--brand", None, "brand.x"),
    ],
)
def test_a_faulty_file_is_found_before_any_job(call, tree, files, no_job, *, name, option, text, said):
    tree.events("a")
    if text is None:
        files[name].unlink()
    else:
        files[name].write_text(text)
    code, _, told = call("batch", tree.root, "-o", no_job, "--reports", "html", option, files[name])
    assert code == 2, told
    assert said in told
    assert not no_job.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--source-zone", "Europe/Nowhere"), "Europe/Nowhere"),
        (("--language", "xx", "--reports", "html"), "'xx' is no language"),
        (("--language", "de"), "give --reports too"),
        (("--interval", "0"), "0"),
    ],
)
def test_a_word_that_cannot_be_meant(call, tree, tmp_path, given, said):
    tree.events("a")
    code, _, told = call("batch", tree.root, "-o", tmp_path / "out", *given)
    assert (code, said in told) == (2, True), told
    assert not (tmp_path / "out").exists()


def test_an_invoice_in_another_currency_than_the_plan(tree, files, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[rates]\ngpu_hour = "2.00 USD"\n')
    with pytest.raises(UsageError, match="amounts are never converted"):
        tr.batch(tree.root, tmp_path / "out", plan, billing=files["billing"])


@pytest.mark.parametrize("name", ["grid", "map_file", "billing", "plan"])
def test_what_is_in_a_file_is_part_of_the_judgement(files, name):
    def state():
        found = Terms.of(files["plan"], **{one: path for one, path in files.items() if one != "plan"})
        return found.judging(), found.wording()

    before = state()
    assert before == state()
    with files[name].open("a") as stream:
        stream.write("\n")
    assert (before[0] != state()[0], before[1] == state()[1]) == (True, True)


@pytest.mark.parametrize("changed", [{"source_zone": "Asia/Tokyo"}, {"interval_s": 2.0}, {"as_of": "2030-01-01T00:00:00Z"}])
def test_a_word_is_part_of_the_judgement(changed):
    assert Terms.of(None).judging() != Terms.of(None, **changed).judging()


def test_language_formats_and_what_the_brand_shows_are_part_of_the_wording(files):
    def state(**given):
        found = Terms.of(None, **given)
        return found.judging(), found.wording()

    pages = {"reports": ["html"]}
    states = [state(**pages), state(**pages, language="de"), state(reports=["pdf"]), state(**pages, brand=files["brand"])]
    files["brand"].write_text(BRAND + '[colours.light]\nink = "#101010"\n')
    states.append(state(**pages, brand=files["brand"]))
    assert len({one for _, one in states}) == 5
    assert len({one for one, _ in states}) == 1


def test_other_terms_are_judged_again_and_the_last_judgement_counts(tree, files, tmp_path):
    tree.events("a")
    out, given = tmp_path / "out", Terms.of(None, grid=files["grid"])
    runner.run(tree.root, out, given)
    assert runner.run(tree.root, out, given, resume=True).skipped == 1
    again = runner.run(tree.root, out, replace(given, as_of="2030-01-01T00:00:00Z"), resume=True)
    assert (again.runs, again.skipped) == (1, 0)
    first, last = lines(out)
    assert first["inputs_digest"] == last["inputs_digest"]
    assert first["terms"] != last["terms"]
    assert len(api.Batch(out, again).frame) == 1


def test_reports_speak_the_language_and_wear_the_brand(tree, files, tmp_path):
    tree.events("a")
    tr.batch(tree.root, tmp_path / "out", reports=["html"], language="de", brand=files["brand"])
    page = (tmp_path / "out" / "reports" / "a" / "report.html").read_text()
    assert '<html lang="de"' in page
    assert "Example Ltd" in page


def test_logs_are_read_as_report_reads_them(tree, files, tmp_path):
    """A log without times of its own making, which only the map explains: 3 steps, the loss last at 0.25."""
    tree.text("a", "own.txt", "step 1 loss 1.0\nstep 2 loss 0.5\nstep 3 loss 0.25\n")
    tr.batch(tree.root, tmp_path / "out", map_file=files["map_file"])
    [line] = lines(tmp_path / "out")
    whole = api.analyze(tree.root / "a", map_file=files["map_file"]).assessment
    assert line["error"] is None
    assert (line["inputs_digest"], line["verdict"]) == (whole.inputs_digest, whole.decision.verdict.value)


def test_a_worker_without_the_file_says_so(tree, tmp_path):
    from trainreport.batches import clusters
    from trainreport.batches.holder import Job, Settings

    tree.events("a")
    settings = Settings(runner._version.__version__, Terms(billing="/nowhere/bill.csv"))
    try:
        _, told = clusters.judged(Job(str(tree.root / "a"), "a", ""), settings)
    finally:
        clusters._THREAD.kept[1].end()
        clusters._THREAD.kept = None
    assert told["error"].startswith("this worker cannot read what runs are judged by: /nowhere/bill.csv: no invoice")


def test_nothing_personal_is_written_where_that_is_asked_for(tree, tmp_path):
    """The host stands in the name of a log, the root in an error; a path below ROOT is the user's own word."""
    tree.events("mine/a", "b")
    log = tree.root / "mine" / "a" / "events.out.tfevents.1.host"
    log.rename(log.with_name("events.out.tfevents.1.janedoe-laptop"))
    broken = tree.root / "b" / log.name
    broken.write_bytes(broken.read_bytes()[:40])  # a header, and no number
    done = tr.batch(tree.root, tmp_path / "out", redact=True, reports=["json", "markdown"])
    assert (done.summary.runs, done.summary.failed) == (1, 1)
    assert {one["path"] for one in lines(tmp_path / "out")} == {"mine/a", "b"}
    written = [file for file in (tmp_path / "out").rglob("*.*") if file.is_file()]
    assert len(written) == 7
    for file in written:
        assert b"janedoe" not in file.read_bytes(), file
        assert str(tree.root).encode() not in file.read_bytes(), file
    plain = tr.batch(tree.root, tmp_path / "plain", reports=["json"])
    assert "janedoe" in (plain.output / "reports" / "mine" / "a" / "report.json").read_text()
    assert any(str(tree.root) in (one["error"] or "") for one in lines(tmp_path / "plain"))
