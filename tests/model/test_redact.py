"""Users, hosts, directories and e-mail addresses go, wherever tools write them; everything else stays."""

from __future__ import annotations

import re
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport import analyze
from trainreport.api import Runs
from trainreport.model import schema
from trainreport.model.decision import Skipped
from trainreport.model.plan import Ancestor, Criterion, Plan
from trainreport.model.redaction import redacted
from trainreport.model.redaction.nodes import listed_hosts
from trainreport.model.redaction.patterns import key_name
from trainreport.model.run import NameMapping, Problem, Run, RunLog, SourceFile
from trainreport.reports.exports.frame import as_csv


def log(
    run_id="exp",
    *,
    name="exp",
    params=None,
    tags=None,
    files=("log.csv",),
    messages=(),
    problems=(),
    joins=(),
    logged=("val/loss",),
    nodes=(None,),
):
    """A run with two rows for each name of a metric and each node."""
    rows = [(metric, node, files[0], step) for metric in logged for node in nodes for step in (0, 1)]
    frame = schema.conform(
        pd.DataFrame(
            {
                "run": run_id,
                "logged": [row[0] for row in rows],
                "series": [row[0] for row in rows],
                "node": [row[1] for row in rows],
                "file": [row[2] for row in rows],
                "step": [row[3] for row in rows],
                "value": [0.5 + place for place in range(len(rows))],
            }
        )
    )
    events = pd.DataFrame(
        {
            "run": [run_id] * len(messages),
            "time": pd.Series([pd.NaT] * len(messages), dtype="datetime64[ns, UTC]"),
            "step": pd.array([None] * len(messages), dtype="Int64"),
            "level": "info",
            "kind": "log",
            "message": list(messages),
            "file": [files[0]] * len(messages),
            "line": pd.array(range(1, len(messages) + 1), dtype="Int64"),
        }
    ).astype(schema.EVENT_COLUMNS)
    run = Run(
        run_id,
        name,
        params=params or {},
        tags=tags or {},
        files=tuple(SourceFile(path, "0" * 64, 1, "table", 1) for path in files),
        mappings=tuple(NameMapping(metric, metric, "train", "1", "known") for metric in logged),
        joins=tuple(joins),
    )
    return RunLog(run, frame, events, tuple(Problem(*one) for one in problems))


def told(text, **beside):
    """What becomes of a sentence in a log."""
    return redacted([log(messages=[text], **beside)]).logs[0].events["message"].iloc[0]


def value(key, text, **beside):
    """What becomes of a parameter."""
    return redacted([log(params={key: text}, **beside)]).logs[0].run.params[key]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("saved to /home/bob/runs/exp/model.pt", "saved to [folder-1]/model.pt"),
        ("bob: saved to /home/bob", "user-1: saved to [folder-1]"),
        (r"open C:\Users\Ann Lee\run\train.py failed", r"open [folder-1]/train.py failed"),
        ("open C:/Users/bob/train.py", "open [folder-1]/train.py"),
        ("File \"/usr/lib/python3/torch/nn.py\", line 3", "File \"[folder-1]/nn.py\", line 3"),
        ("mail bob.x@corp.example when done", "mail [e-mail-1] when done"),
        ("push to git@github.com:octocat/repo.git", "push to git@github.com:user-1/repo.git"),
        ("from https://bob:s3cret@git.corp.example:8443/team/repo.git", "from https://user-1@host-1:8443/team/repo.git"),
        ("artifacts in s3://key:secret@acme-models/runs/7/model", "artifacts in s3://[folder-1]/model"),
        ("artifacts in gs://acme-models", "artifacts in gs://[folder-1]"),
        ("file:///home/bob/mlruns/1/abc/artifacts", "file://[folder-1]/artifacts"),
        ("file://localhost/home/bob/x/y.py", "file://[folder-1]/y.py"),
        ("ssh://bob@gpu01/home/bob/x/y.py", "ssh://user-1@host-1[folder-1]/y.py"),
        ("sqlite:////home/bob/mlflow.db is the store", "sqlite://[folder-1]/mlflow.db is the store"),
        ("bob@gpu01:~/runs$ python train.py on gpu01", "user-1@host-1:~/runs$ python train.py on host-1"),
        (r"reading \\nas01\share\data\x.csv", r"reading [folder-1]/x.csv"),
        ("scp x bob@gpu01:/data/bob/x/y.bin", "scp x user-1@host-1:[folder-1]/y.bin"),
        ("scp x bob@gpu01:results/a.bin, all results", "scp x user-1@host-1:results/a.bin, all results"),
        ("scp x bob@gpu01:/scratch/a/b.bin, no scratch", "scp x user-1@host-1:[folder-1]/b.bin, no scratch"),
        ("at https://mygithub.com/a/b and https://gist.github.com/a/b", "at https://host-1/a/b and https://gist.github.com/a/b"),
        ("open /Users/Ann Lee/run/train.py, please", "open [folder-1]/train.py, please"),
        ("from /home/ann and /home/bob to /home/ann", "from [folder-1] and [folder-2] to [folder-1]"),
        ("in home/ann@corp.example/run/x.csv", "in home/[e-mail-1]/run/x.csv"),
        ("see ~/work/exp/train.py", "see [folder-1]/train.py"),
        ("cd ~ann/runs", "cd ~user-1/runs"),
        ("gpu01:4242:4242 [0] NCCL INFO Bootstrap", "host-1:4242:4242 [0] NCCL INFO Bootstrap"),
        ("sbatch --mail-user=ann -N 2 job.sh of ann", "sbatch --mail-user=user-1 -N 2 job.sh of user-1"),
        ("hostname = c4-node", "hostname = host-1"),
        ("hostname: c4-node, started on c4-node.", "hostname: host-1, started on host-1."),
        ("runs/Jun09_22-48-29_nlp01.uni.example/x", "runs/Jun09_22-48-29_host-1/x"),
        ("tcp://10.1.2.3:29500 and ip-10-0-0-7", "tcp://host-1:29500 and host-2"),
        ("View run at https://wandb.ai/octocat/p/runs/1", "View run at https://wandb.ai/user-1/p/runs/1"),
        ("arn:aws:iam::123456789012:user/bob did it", "arn:aws:iam::123456789012:user/user-1 did it"),
    ],
)  # fmt: skip
def test_what_looks_personal_in_a_sentence_goes(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "step 10: loss 2.31, acc@1 0.5, mAP@50:95 0.3, 3/4 and/or km/h",
        "see https://pytorch.org/docs/stable/optim.html",
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        "user: root on localhost, http://localhost:6006/",
        "epoch 3/10 [00:12<00:30, 4.2it/s] 2024-01-02T03:04:05",
        "driver 525.60.13, cuDNN 8.9.2.26",
        "A/B: 1 / 2",
    ],
)  # fmt: skip
def test_an_ordinary_sentence_stays(text):
    assert told(text) == text


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("mlflow.user", "neha", "user-1"),
        ("mlflow.user", "Amr El-Agoz", "user-1"),
        ("user", "O'Brien", "user-1"),
        ("user", r"CORP\ann", "user-1"),
        ("users", "['ann', 'bob']", "['user-1', 'user-2']"),
        ("git_author", "Ann Lee <ann@corp.example>", "user-1 <[e-mail-1]>"),
        ("sys/owner", "neha", "user-1"),
        ("env.USERNAME", "neha", "user-1"),
        ("wandb.host", "gpu01.corp.example", "host-1"),
        ("slurm/7/NodeList", "gpu[01-02],login1", "host-1,host-2"),
        ("lsf/7/Hosts", "<n-62-31-1> <2*n-62-31-2>", "<host-1> <2*host-2>"),
        ("MASTER_ADDR", "10.0.0.7", "host-1"),
        ("meta.artifact_uri", r"D:\Work Space\my project\artifacts", "[folder-1]/artifacts"),
        ("git_remote", "https://github.com/octocat/Hello-World.git", "https://github.com/user-1/Hello-World.git"),
        ("nodes", "4", "4"),
        ("n_user", "943", "943"),
        ("user", "1234567", "user-1"),
        ("host", "none", "none"),
        ("memory_per_host", "64G", "64G"),
        ("batch_size", "32", "32"),
        ("lr", "1e-3", "1e-3"),
    ],
)
def test_a_parameter_is_understood_by_its_name(key, text, expected):
    assert value(key, text) == expected


def test_a_name_known_from_one_place_goes_everywhere():
    made = log(
        "runs/neha/exp-1",
        name="neha_exp",
        tags={"mlflow.user": "neha", "mlflow.note": "by Neha, on gpu-7 (neha2 is another)"},
        files=("neha/events.out.tfevents.1650387010.gpu-7.56090.0.v2",),
        messages=["neha started"],
        problems=[("neha/x.csv", "line 1", "neha wrote nothing")],
        joins=["neha/gpu.csv: its times cover this run"],
        nodes=("gpu-7", "gpu-8"),
    )
    found = redacted([made], [Skipped("neha/notes.txt", "of neha")])
    run = found.logs[0].run
    assert (run.id, run.name) == ("runs/user-1/exp-1", "user-1_exp")
    assert run.tags == {"mlflow.user": "user-1", "mlflow.note": "by user-1, on host-1 (neha2 is another)"}
    assert run.files[0].path == "user-1/events.out.tfevents.1650387010.host-1.56090.0.v2"
    assert run.joins == ("user-1/gpu.csv: its times cover this run",)
    assert found.logs[0].problems == (Problem("user-1/x.csv", "line 1", "user-1 wrote nothing"),)
    assert found.logs[0].events["message"].tolist() == ["user-1 started"]
    assert found.logs[0].frame["node"].astype(str).unique().tolist() == ["host-1", "host-2"]
    assert found.logs[0].frame["run"].astype(str).unique().tolist() == ["runs/user-1/exp-1"]
    assert found.skipped == (Skipped("user-1/notes.txt", "of user-1"),)


@pytest.mark.parametrize("name", ["loss", "data", "1", "accuracy", "val", "a", "0.5", "memory", "true", "1e5"])
def test_a_name_that_is_a_word_or_a_number_changes_nothing_but_its_own_place(name):
    made = log(
        params={"batch_size": "1", "dropout": "0.5", "monitor": "val/loss", "data": "data/train.csv", "shuffle": "true", "n": "1e5"},
        tags={"mlflow.user": name},
        files=(f"events.out.tfevents.1650387010.{name}.56090.0",),
        messages=["CUDA out of memory: loss 1 accuracy 0.5"],
        logged=("val/loss", "accuracy"),
        nodes=("accuracy",),
    )
    found = redacted([made]).logs[0]
    host = name if name == "true" else f"host-{1 + sorted({'accuracy', name}).index(name)}"
    assert found.run.params == made.run.params
    assert found.run.files[0].path == f"events.out.tfevents.1650387010.{host}.56090.0"
    assert found.run.tags["mlflow.user"] == (name if name == "true" else "user-1")
    assert found.events["message"].tolist() == made.events["message"].tolist()
    assert found.frame["logged"].tolist() == made.frame["logged"].tolist()
    assert found.frame["series"].tolist() == made.frame["series"].tolist()
    assert set(found.frame["node"].astype(str)) == {f"host-{1 + sorted({'accuracy', name} - {'true'}).index('accuracy')}"}


def test_names_of_metrics_stay_but_for_homes_addresses_and_hosts_in_their_labels():
    names = ("user/neha/reward", "/train/loss", "acc@top5.mean", "eval//home/neha/x/acc", 'power{cluster="gpu-7"}', "m/a@corp.com")
    found = redacted([log(tags={"user": "neha", "host": "gpu-7"}, logged=names)])
    changed = ["user/neha/reward", "/train/loss", "acc@top5.mean", "eval/[folder-1]/acc", 'power{cluster="host-1"}', "m/[e-mail-1]"]
    assert found.logs[0].frame["logged"].astype(str).drop_duplicates().tolist() == changed
    plan = Plan(criteria=(Criterion(id="a", series="eval//home/neha/x/acc", threshold=0.5), Criterion(id="b", series="loss", threshold=1)))
    assert [one.series for one in found.redaction.fitted(plan).criteria] == ["eval/[folder-1]/acc", "loss"]


def test_an_earlier_run_of_the_plan_is_still_known_by_its_name():
    plan = Plan(owner="neha", lineage=(Ancestor("runs/neha/exp", 1e20, "card of neha"), Ancestor("other", 1e20, "card")))
    fitted = redacted([log("runs/neha/exp", tags={"user": "neha"})]).redaction.fitted(plan)
    assert [one.name for one in fitted.lineage] == ["runs/user-1/exp", "other"]
    assert (fitted.owner, fitted.lineage[0].source) == ("neha", "card of neha")


def test_below_the_paths_given_a_path_is_kept():
    files = ("/home/bob/a/run 1/x.csv", "/srv/b/y.csv")
    made = log("/home/bob/a/run 1", files=files, params={"output_dir": "/home/bob/a/run 1/ckpt", "code": "/home/bob/src/train.py"})
    found = redacted([made], roots=["/home/bob/a/", "/srv/b"]).logs[0].run
    assert [one.path for one in found.files] == ["[folder-1]/run 1/x.csv", "[folder-3]/y.csv"]
    assert found.id == "[folder-1]/run 1"
    assert found.params == {"output_dir": "[folder-1]/run 1/ckpt", "code": "[folder-2]/train.py"}


def test_where_the_logs_lie_and_in_which_order_they_are_read_changes_nothing():
    one, other = log("a", tags={"user": "zoe", "host": "n1"}), log("b", tags={"user": "amy", "host": "n2"})
    first = redacted([one, other], roots=["/home/aaron/logs"])
    again = redacted([other, one], roots=["/data/logs"])
    assert [run.run for run in first.logs] == [run.run for run in reversed(again.logs)]
    assert first.redaction.removed == again.redaction.removed
    assert first.logs[0].run.tags["user"] == "user-2"


def test_what_looks_like_a_pseudonym_already_is_not_taken_for_one():
    found = redacted([log("user-1/a", tags={"user": "bob", "host": "host-1"}), log("bob/a", files=("bob/x.csv",))])
    assert [one.run.id for one in found.logs] == ["user-1/a", "user-2/a"]
    assert found.logs[0].run.tags["host"] == "host-2"


def test_two_runs_never_become_one():
    found = redacted([log("Bob/a", tags={"user": "bob"}), log("bob/a"), log("BOB/a")])
    assert len({one.run.id for one in found.logs}) == 3
    assert [set(one.frame["run"].astype(str)) for one in found.logs] == [{one.run.id} for one in found.logs]


def test_more_than_nine_names_keep_their_order():
    nodes = tuple(f"n{number:02d}" for number in range(12))
    found = redacted([log(nodes=nodes)]).logs[0].frame["node"].astype(str).unique().tolist()
    assert found == sorted(found) == [f"host-{number:02d}" for number in range(1, 13)]


def test_the_list_of_what_was_removed_holds_no_original():
    found = redacted([log(tags={"user": "neha", "note": "neha@corp.example on /home/neha/x/y"})]).redaction
    assert [one._asdict() for one in found.removed] == [
        {"kind": "user", "pseudonym": "user-1", "places": 1},
        {"kind": "e-mail", "pseudonym": "[e-mail-1]", "places": 1},
        {"kind": "folder", "pseudonym": "[folder-1]", "places": 1},
    ]
    assert "neha" not in repr(found)


def test_a_text_that_comes_later_is_redacted_too():
    redaction = redacted([log(tags={"user": "neha"})]).redaction
    assert redaction.text("neha and /home/ann/x/y.py and ann@corp.example") == "user-1 and [folder]/y.py and [e-mail]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu[01-03,7],login1", ["gpu[01-03,7]", "gpu01", "gpu02", "gpu03", "gpu7", "login1"]),
        ("r[1-2]n[8-9]", ["r[1-2]n[8-9]", "r1n8", "r1n9", "r2n8", "r2n9"]),
        ("node1/0*8+node2/1", ["node1", "node2"]),
        ("<4*hostA> <hostB>", ["hostA", "hostB"]),
        ("10.0.0.1:29500", ["10.0.0.1"]),
        ("n[0-999999999]", ["n[0-999999999]"]),
        ("n[1-", ["n", "1-"]),
        ("", []),
    ],
)
def test_lists_of_nodes(text, expected):
    assert listed_hosts(text) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [("mlflow.user", "user"), ("slurm/7/NodeList", "node_list"), ("_Username", "username"), ("userName", "user_name"), ("USER", "user")],
)
def test_names_of_parameters_in_one_spelling(key, expected):
    assert key_name(key) == expected


def left(names, text):
    """Which of the names stand in a text, as words of their own."""
    return [name for name in names if re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text)]


NAMES = st.from_regex(r"[a-z][a-z0-9]{3,8}(?:[-_.][a-z0-9]{1,5})?", fullmatch=True).map(lambda name: f"q{name}q")


def planted(user, host, mail, folder):
    """A run that names somebody wherever a run can."""
    return log(
        f"{user}/{host}",
        name=f"run of {user}",
        params={"out": f"/{folder}/{user}/x/model.pt", "cmd": f"python {user}.py --host {host} --to {mail}@corp.example"},
        tags={"user": user, "hostname": host, "remote": f"ssh://{user}:pw@{host}.example:22/{user}/repo.git"},
        files=(f"{user}/events.out.tfevents.1650387010.{host}.1.0",),
        messages=[f"{user}@{host}:/{folder}/x/y$ {mail}@corp.example", f"{host}, {user.upper()}; {host.title()}"],
        problems=[(f"{user}.csv", "line 1", f"{user} is no number")],
        joins=[f"{host}/gpu.csv: its times cover {user}"],
        logged=("train/loss", "val/loss"),
        nodes=(host, f"{host}.example"),
    )


@given(user=NAMES, host=NAMES, mail=NAMES, folder=NAMES)
def test_planted_names_are_nowhere_left(user, host, mail, folder):
    made = planted(user, host, mail, folder)
    found = redacted([made]).logs[0]
    everything = f"{found.run} {found.frame.astype(str).to_csv()} {found.events.to_csv()} {found.problems}".lower()
    assert left((user, host, mail, folder), everything) == []
    assert found.frame["value"].tolist() == made.frame["value"].tolist()
    assert found.frame.dtypes.astype(str).tolist() == made.frame.dtypes.astype(str).tolist()


@settings(max_examples=12)
@given(user=NAMES, host=NAMES, mail=NAMES, folder=NAMES)
def test_planted_names_are_in_no_output_and_judge_nothing(user, host, mail, folder):
    runs = Runs((planted(user, host, mail, folder),))
    clean, plain = analyze(runs, redact=True), analyze(runs)
    outputs = [clean.render(form).decode() for form in ("json", "markdown", "html")]
    assert left((user, host, mail, folder), " ".join((*outputs, as_csv(clean.frame).decode())).lower()) == []
    assert clean.assessment.inputs_digest == plain.assessment.inputs_digest
    assert clean.decision.verdict == plain.decision.verdict
    assert [(one.code, one.severity, one.evidence) for one in clean.findings] == [
        (
            one.code,
            one.severity,
            tuple(replace(each, file=each.file and clean.assessment.redaction.text(each.file)) for each in one.evidence),
        )
        for one in plain.findings
    ]


@given(st.text(max_size=80))
def test_any_text_is_taken(text):
    again = redacted([log(params={text: text}, tags={"user": text, "host": text}, messages=[text], files=(text,), logged=(text,))])
    assert len(again.logs[0].frame) == 2
