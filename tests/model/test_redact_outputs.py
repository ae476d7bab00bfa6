"""Every output of real-looking logs is without users, hosts, directories and e-mail addresses, and judges as before."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import event_files
import pandas as pd
import pypdf
import pytest

import trainreport as tr
from trainreport import _resources
from trainreport.detectors import detector
from trainreport.errors import UsageError
from trainreport.reports.exports import json as assessment_json
from trainreport.reports.exports import junit, sarif, text
from trainreport.reports.exports.frame import as_csv, as_parquet

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
SAMPLES = sorted(folder for folder in _resources.folder("sample_runs").iterdir() if (folder / "expected.toml").is_file())

ORIGINALS = ("zeldabrook", "quinnfarley", "nodezeta", "gridhost", "kxmailbox", "s3cretpw", "acmebucket", "projectvault", "corp-intern")
META = """\
artifact_uri: s3://zeldabrook:s3cretpw@acmebucket/mlruns/1/abc/artifacts
end_time: 1700000400000
experiment_id: '1'
lifecycle_stage: active
run_id: abc
run_name: zeldabrook-first
source_version: ''
start_time: 1700000000000
status: 3
user_id: zeldabrook
"""
TAGS = {
    "mlflow.user": "zeldabrook",
    "mlflow.source.name": "/home/zeldabrook/projectvault/src/train.py",
    "mlflow.source.git.repoURL": "git@git.corp-intern.example:quinnfarley/churn.git",
    "mlflow.note.content": "Ask kxmailbox@corp-intern.example; ran on gridhost07 of Quinnfarley",
}
SACCT = (
    "JobID|JobName|User|NodeList|WorkDir|Submit|Start|End|Elapsed|State|ExitCode|AllocCPUS|AllocTRES\n"
    "4711|churn-zeldabrook|zeldabrook|gridhost[07-08]|/scratch/zeldabrook/projectvault/x|2023-11-14T22:00:00|2023-11-14T22:13:20|"
    "2023-11-14T22:20:00|00:06:40|COMPLETED|0:0|16|cpu=16,gres/gpu=2,node=2\n"
)
CONSOLE = [
    "zeldabrook@gridhost07:~/projectvault/src$ python train.py",
    *(f"step {step}: loss {2 - step / 100:.3f}" for step in range(0, 100, 5)),
    "wrote /home/zeldabrook/projectvault/out/model.pt, mail sent to kxmailbox@corp-intern.example",
    r"opened \\nodezeta\projectvault\x.bin and C:\Users\quinnfarley\x.bin",
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """What TensorBoard, MLflow, W&B, Slurm and a console leave behind in the home of a user."""
    root = tmp_path_factory.mktemp("t") / "home" / "zeldabrook" / "churn"
    run = root / "quinnfarley-tb"
    run.mkdir(parents=True)
    for number, name in enumerate(("train", "validation")):
        (run / name).mkdir()
        curve = [event_files.scalar("loss", step, 2 - step / 60 + number * step**2 / 4000) for step in range(60)]
        content = b"".join(event_files.record(event.SerializeToString()) for event in [event_files.VERSION, *curve])
        (run / name / f"events.out.tfevents.1700000000.nodezeta-{number}.corp-intern.example.77.0").write_bytes(content)
    store = root / "mlruns" / "1" / "abc"
    files = {
        "meta.yaml": META,
        "params/data": "/projectvault/zeldabrook/train.csv",
        "params/lr": "0.1",
        "metrics/loss": "".join(f"{1700000000000 + 9000 * step} {2 - step / 40} {step}\n" for step in range(40)),
        **{f"tags/{name}": value for name, value in TAGS.items()},
    }
    for name, content in files.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text(content)
    (root / "sacct.txt").write_text(SACCT)
    wandb = root / "wandb" / "run-20231114_221320-qq1" / "files"
    wandb.mkdir(parents=True)
    told = {
        "host": "gridhost07",
        "username": "zeldabrook",
        "email": "kxmailbox@corp-intern.example",
        "program": "/home/zeldabrook/projectvault/train.py",
        "startedAt": "2023-11-14T22:13:20Z",
        "git": {"remote": "https://quinnfarley:s3cretpw@github.com/quinnfarley/churn.git", "commit": "a" * 40},
    }
    (wandb / "wandb-metadata.json").write_text(json.dumps(told))
    (wandb / "wandb-summary.json").write_text(json.dumps({"val/accuracy": 0.9, "_step": 40, "_runtime": 60.0}))
    (wandb / "config.yaml").write_text("wandb_version: 1\n\nout:\n  value: /home/quinnfarley/projectvault/x\nlr:\n  value: 0.1\n")
    (wandb / "output.log").write_text("\n".join(CONSOLE) + "\n")
    (root / "console").mkdir()
    (root / "console" / "train.log").write_text("\n".join(CONSOLE) + "\n")
    (root / "notes-of-zeldabrook.bin").write_bytes(b"\0\1\2")
    return root


@pytest.fixture(scope="module")
def analysis(logs):
    return tr.analyze([logs / "quinnfarley-tb", logs], redact=True)


def left(content, names=ORIGINALS):
    """Which of the names are still there, in any case."""
    found = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return [name for name in names if name in found.lower()]


def test_the_logs_name_everybody_when_nothing_is_asked(logs):
    assert left(tr.analyze(logs).render("json") + as_csv(tr.load(logs).frame), ("zeldabrook", "nodezeta", "gridhost")) != []


@pytest.mark.parametrize("form", ["json", "markdown", "html", "sarif", "junit", "text", "csv", "notebook", "compare", "compared page"])
def test_no_output_names_anybody(analysis, form):
    made = {
        "sarif": lambda: sarif.render(analysis.assessment),
        "junit": lambda: junit.render(analysis.assessment),
        "text": lambda: text.render(analysis.assessment),
        "csv": lambda: as_csv(analysis.frame),
        "notebook": lambda: analysis._repr_html_() + repr(analysis),
        "compare": lambda: "".join(tr.api.Comparison(analysis.assessment).render(one) for one in ("json", "text", "markdown")),
        "compared page": lambda: tr.api.Comparison(analysis.assessment).render("html"),
    }
    content = made[form]() if form in made else analysis.render(form)
    assert len(content) > 100
    assert left(content) == []


def test_the_parquet_file_names_nobody(analysis):
    content = as_parquet(analysis.frame)
    table = pd.read_parquet(io.BytesIO(content))
    assert left(table.astype(str).to_csv()) == []
    assert left(content) == []  # the file has its texts and its metadata in the clear


def test_the_pdf_names_nobody_in_its_text_its_metadata_and_what_is_attached(analysis):
    reader = pypdf.PdfReader(io.BytesIO(analysis.render("pdf")))
    assert left("".join(page.extract_text() for page in reader.pages)) == []
    assert left(f"{reader.metadata} {reader.xmp_metadata.stream.get_data() if reader.xmp_metadata else ''}") == []
    attached = {name: b"".join(contents) for name, contents in reader.attachments.items()}
    assert {"assessment.json", "curves.csv"} <= set(attached)
    assert [name for name, content in attached.items() if left(content) or left(name)] == []


def test_the_pack_names_nobody_and_says_what_was_removed(logs, tmp_path, call):
    for target in (tmp_path / "pack", tmp_path / "pack.zip"):
        code, out, err = call("pack", logs, "--redact", "-o", target)
        assert (code, left(out.replace(str(tmp_path), ""))) == (0, []), err
    code, _, _ = call("verify", tmp_path / "pack")
    assert code == 0
    files = [path for path in (tmp_path / "pack").rglob("*") if path.is_file()]
    assert [path.name for path in files if path.suffix != ".pdf" and (left(path.read_bytes()) or left(path.name))] == []
    with zipfile.ZipFile(tmp_path / "pack.zip") as archive:
        assert left(" ".join(archive.namelist())) == []
    removed = json.loads((tmp_path / "pack" / "data" / "redactions.json").read_text())["redactions"]
    assert {one["kind"] for one in removed} == {"user", "host", "e-mail", "folder"}
    assert all(set(one) == {"kind", "pseudonym", "places"} and one["places"] > 0 for one in removed)
    assert "redactions.json" in (tmp_path / "pack" / "manifest-sha256.txt").read_text()
    assert "redactions.json" in (tmp_path / "pack" / "data" / "index.md").read_text()
    code, out, _ = call("trace", tmp_path / "pack", "redactions/user-1")
    assert (code, "put into the texts of the logs" in out) == (0, True)


def test_the_logs_are_not_filed_beside_what_was_removed_from_them(logs, tmp_path, call):
    code, _, err = call("pack", logs, "--redact", "--include-logs", "-o", tmp_path / "pack")
    assert code == 2
    assert "the logs themselves would show what is removed" in err
    with pytest.raises(UsageError, match="logs themselves"):
        tr.pack(logs, tmp_path / "pack", redact=True, include_logs=True)
    with pytest.raises(UsageError, match="logs themselves"):
        tr.analyze(logs, redact=True).pack(tmp_path / "pack", [logs], include_logs=True)
    assert not (tmp_path / "pack").exists()


def test_commands_take_it(logs, tmp_path, call):
    for arguments in (("check", logs, "--format", "json"), ("compare", logs, "--format", "json", "--separate")):
        code, out, _ = call(*arguments, "--redact")
        assert code in (0, 1, 3)
        told = json.loads(out)
        assert (told["redacted"], left(out)) == (True, [])
        code, out, _ = call(*arguments)
        assert (json.loads(out)["redacted"], json.loads(out)["redactions"]) == (False, [])
    assert call("frame", logs, "--redact", "-o", tmp_path / "x.csv")[0] == 0
    assert left((tmp_path / "x.csv").read_text()) == []
    assert call("report", logs, "--redact", "-o", tmp_path / "out", "--format", "markdown")[0] in (0, 1, 3)
    report = (tmp_path / "out" / "report.md").read_text()
    assert left(report) == []
    assert "What was removed" in report
    assert re.search(r"\| E-mail addresses \| 1 \| \d+ \|", report)


def test_runs_read_before_are_redacted_too(logs):
    runs = tr.load(logs)
    assert left(tr.analyze(runs, redact=True).render("json")) == []
    once = tr.load(logs, redact=True)
    assert tr.analyze(once, redact=True).assessment.redaction is once.redaction
    assert left(as_csv(once.frame).decode() + repr(once) + str(once) + once._repr_html_()) == []


def test_the_same_logs_elsewhere_give_the_same_bytes(logs, tmp_path):
    other = tmp_path / "srv" / "aaron" / "churn"
    shutil.copytree(logs, other)
    one, two = (tr.analyze(root, redact=True) for root in (logs, other))
    assert one.render("json") == two.render("json")
    assert one.render("markdown") == two.render("markdown")


def figures(assessment):
    """The assessment as data, without its sentences."""
    kept = {
        "code",
        "state",
        "verdict",
        "next_step",
        "severity",
        "confidence",
        "series",
        "phase",
        "status",
        "unit",
        "statistic",
        "ref",
        "id",
    }

    def bare(value, key=None):
        if isinstance(value, dict):
            return {name: bare(one, name) for name, one in value.items() if name not in ("redacted", "redactions")}
        if isinstance(value, list):
            return [bare(one, key) for one in value]
        return value if not isinstance(value, str) or key in kept or key in ("inputs_digest", "amount") else "text"

    return bare(assessment_json.as_dict(assessment))


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda folder: folder.name)
def test_findings_verdict_and_figures_are_the_same(folder):
    plan = folder / "plan.toml" if (folder / "plan.toml").is_file() else None
    assert figures(tr.analyze(folder / "logs", plan, redact=True).assessment) == figures(tr.analyze(folder / "logs", plan).assessment)


def test_the_same_of_logs_full_of_names(logs):
    assert figures(tr.analyze(logs, redact=True).assessment) == figures(tr.analyze(logs).assessment)


def test_a_pack_knows_its_parent_and_does_not_name_it(logs, tmp_path):
    tr.pack(logs, tmp_path / "parent")
    tr.pack(logs, tmp_path / "child", parents=[tmp_path / "parent"], redact=True)
    lineage = (tmp_path / "child" / "data" / "lineage.json").read_text()
    alone = json.loads((tmp_path / "parent" / "data" / "lineage.json").read_text())
    assert left(lineage) == []
    assert len(json.loads(lineage)["runs"]) == len(alone["runs"])
    assert json.loads(lineage)["total"] == alone["total"]


def test_what_the_plan_says_stays(logs, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[plan]\ntitle = "Churn"\nowner = "zeldabrook"\n')
    analysis = tr.analyze(logs, plan, redact=True)
    assert analysis.assessment.plan.owner == "zeldabrook"


def test_a_detector_that_breaks_off_names_no_directory(logs, monkeypatch):
    def broken(*_):
        raise FileNotFoundError("/opt/zeldabrook/plugged/limits.json is missing")

    monkeypatch.setattr(type(detector("TR101")), "check", broken)
    analysis = tr.analyze(logs, redact=True)
    reasons = {one.reason for run in analysis.assessment.runs for one in run.outcomes if one.code == "TR101"}
    assert reasons == {"the detector broke off: FileNotFoundError: [folder]/limits.json is missing"}


@pytest.mark.skipif(CORPUS is None, reason="TRAINREPORT_CORPUS is not set")
@pytest.mark.parametrize("kind", ["mlflow_csv", "mlruns", "hf_trainer", "wandb_csv", "tensorboard", "slurm", "dcgm_prom", "training_text"])
def test_real_logs_name_nobody(kind):
    judged = 0
    for folder in sorted(Path(CORPUS or "", kind).iterdir())[:6]:
        try:
            plain, clean = tr.load(folder), tr.load(folder, redact=True)
        except tr.errors.InputError:
            continue
        judged += 1
        paths = [file.path for log in plain.logs for file in log.run.files]
        hosts = {match[1] for path in paths for match in re.finditer(r"tfevents\.\d+\.([^/]+?)(?:\.\d+\.\d+)?(?:\.v2)?$", path)}
        hosts |= {str(node) for log in plain.logs for node in log.frame["node"].cat.categories}
        users = {value for log in plain.logs for key, value in log.run.tags.items() if key in ("mlflow.user", "wandb.user")}
        out = as_csv(clean.frame).decode() + repr(clean.logs) + clean.events.to_csv() + tr.analyze(clean).render("json").decode()
        assert re.findall(r"/(?:home|Users)/(?!user-\d)[^/\s\"']+", out) == []
        assert re.findall(r"[\w.+-]+@[\w-]+\.(?:com|org|net|edu|io)\b", out) == []
        for name in hosts | {user for user in users if len(user) > 4}:
            assert name == "host" or re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", out) is None, name
    assert judged
