"""The bar of issue 8: TensorBoard, W&B, trainer_state, nvidia-smi and sacct of one run are one run, and each thing counts once.

By hand, of `one_run`: the job held 2 GPUs from 06:00 to 08:30, 5 GPU-hours; nvidia-smi saw both from 06:05 to 08:20,
4.5 of them; 0.5 are of the 5 minutes before its first sample and the 10 after its last. Power is 300 W from 06:10 to
08:10 and 60 W else, so by the trapezoid rule each GPU took 2 h x 300 W, two flanks of a minute at 180 W, and
13 - 1 minutes at 60 W: 2 x (600 + 6 + 12) Wh = 1.236 kWh.
"""

from __future__ import annotations

import one_run
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_run import GPU, SACCT, STATE, TENSORBOARD, WANDB, at, job

import trainreport as tr
from trainreport.business.capacity import capacity
from trainreport.business.compute import device_hours
from trainreport.importers import load
from trainreport.importers.assemble import run_log
from trainreport.importers.join import join
from trainreport.importers.walk import harvest
from trainreport.importers.zones import with_zones
from trainreport.model.finding import State
from trainreport.model.plan import Plan
from trainreport.reports.exports.json import as_dict

PLAN = """
[plan]
title = "Churn"
[rates]
gpu_hour = "2.00 EUR"
[budget]
money = "8 EUR"
"""
TREE = {TENSORBOARD: "output/runs/Jun09_node17", WANDB: "wandb/offline-run-20260609_060800-k3v9x2ab", STATE: "output",
        GPU: "monitor", SACCT: "slurm"}  # fmt: skip


def assessed(folder, plan=None):
    return tr.analyze([folder], plan=plan).assessment


def outcome(run, code):
    return next(one for one in run.outcomes if one.code == code)


@pytest.fixture(scope="module", params=[{}, TREE], ids=["one folder", "folders of their own"])
def run(request, tmp_path_factory):
    """The run, read from one folder and from a tree: all of this must be the same."""
    folder = tmp_path_factory.mktemp("five") / "churn"
    (found,) = assessed(one_run.write(folder, request.param), _plan(folder.parent)).runs
    return found


def test_one_run_of_five_sources(run):
    assert sorted(file.importer for file in run.log.run.files) == ["hf-trainer", "nvidia-smi", "slurm-sacct", "tensorboard", "wandb"]
    assert run.log.run.status == "finished"
    assert run.log.run.seed == "42"
    assert not run.log.problems


def test_each_series_is_one_curve(run):
    """Three tools have the losses; a curve is of one of them, and the others are named, not added."""
    for phase, points in (("train", 60), ("validation", 6)):
        curve = run.log.curves.curve("loss", phase)
        assert len(curve) == points
        assert len(curve.others) == 2
    assert outcome(run, "TR005").state is State.CLEAR
    assert outcome(run, "TR002").state is State.CLEAR  # a second tool's curve is no restart


def test_each_gpu_is_counted_once_though_two_tools_sampled_it(run):
    used = run.log.curves.of_devices("gpu/utilization", "system")
    assert [(one.device, len(one), one.file.rpartition("/")[2]) for one in used] == [("gpu0", 135, GPU), ("gpu1", 135, GPU)]
    assert run.ledger.energy_kwh == pytest.approx(1.236)
    assert run.ledger.basis["energy"].endswith("; 0.5 GPU-hours outside the GPU log are not counted")
    kept = run.log.frame["series"] == "gpu/utilization/wandb"  # nothing is lost
    assert kept.sum() == 2 * 62
    (why,) = {told.why for told in run.log.run.mappings if told.series == "gpu/utilization/wandb"}
    assert why.endswith("; another log of the same GPUs counts, so it is a series of its own")


def test_gpu_hours_are_the_schedulers_and_what_was_not_logged_is_said(run):
    assert run.ledger.gpu_hours == pytest.approx(5)
    assert run.ledger.cost.amount == 10
    assert run.ledger.basis["hours"] == (
        "from the scheduler, Slurm job 4711: 2 GPUs for 2.5 h; the GPU log shows 2 GPUs and 4.5 GPU-hours of it; in the other "
        "0.5 GPU-hours (10 %) nothing was logged: 5 min before its first sample and 10 min after its last"
    )
    told = [(one.source, one.gpus, round(one.gpu_hours, 3), one.counts) for one in run.ledger.hours_told]
    assert told == [("scheduler", 2, 5, True), ("gpu-log", 2, 4.5, False)]


def test_paid_time_is_that_of_the_job(run):
    """Start-up from 06:00 to 06:10; the GPUs idle from 08:11 to 08:20; then nothing tells until 08:30."""
    spread = run.ledger.goodput
    assert spread.paid_s == 9000
    assert spread.start_up == pytest.approx(600 / 9000)
    assert spread.idle_after_end == pytest.approx(540 / 9000, abs=60 / 9000)
    assert spread.start_up + spread.idle_after_end + spread.productive + spread.evaluation + spread.unexplained == pytest.approx(1)


def test_hours_by_device_are_those_that_were_paid_for(run):
    uses = capacity([(run.log, run.ledger)], Plan()).uses
    assert sum(one.busy_h + one.idle_h for one in uses) == pytest.approx(4.5)
    assert sum(one.unseen_h for one in uses) == pytest.approx(0.5)


def test_clocks_without_a_zone(run):
    clocks = {file.importer: file.clock for file in run.log.run.files}
    assert clocks["nvidia-smi"].startswith("no zone written; taken as UTC+02:00")
    assert clocks["slurm-sacct"].startswith("no zone written; taken as UTC+02:00")


def test_over_budget_by_what_was_paid(run):
    """8 EUR would have paid for 4 GPU-hours: the log's 4.5 and the scheduler's 5 are both over it."""
    assert outcome(run, "TR301").state is State.FOUND
    assert "10.00 EUR" in outcome(run, "TR301").findings[0].message


def test_json_and_report_name_the_sources_once(tmp_path):
    folder = one_run.write(tmp_path / "churn")
    analysis = tr.analyze([folder], plan=_plan(tmp_path))
    compute = as_dict(analysis.assessment)["runs"][0]["compute"]
    assert compute["gpu_hours"] == pytest.approx(5)
    scheduler, log = compute["gpu_hours_told"]
    assert scheduler == {
        "source": "scheduler", "gpus": 2, "gpu_hours": pytest.approx(5), "counts": True, "says": "Slurm job 4711: 2 GPUs for 2.5 h"
    }  # fmt: skip
    assert (log["source"], log["gpu_hours"], log["counts"]) == ("gpu-log", pytest.approx(4.5), False)
    assert "0.5 GPU-hours (10 %) nothing was logged" in log["says"]
    analysis.report(tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    assert "Slurm job 4711: 2 GPUs for 2.5 h; the GPU log shows 2 GPUs and 4.5 GPU-hours of it" in " ".join(text.split())


def test_a_value_that_differs_is_a_conflict(tmp_path):
    """Four of 60 entries are more than the 5 % that TR005 lets pass."""
    (run,) = assessed(one_run.write(tmp_path / "churn", odd_at=(7, 20, 33, 50))).runs
    found = outcome(run, "TR005")
    assert found.state is State.FOUND
    assert {finding.message.split(" disagree")[0] for finding in found.findings} == {
        "hf-trainer and tensorboard", "hf-trainer and wandb"
    }  # fmt: skip


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    return harvest(one_run.write(tmp_path_factory.mktemp("five"), TREE)).recordings


@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(5)))
def test_order_of_files_does_not_matter(recordings, order):
    (group,) = join(with_zones([recordings[place] for place in order], None))
    log = run_log(group, "run", "run", {})
    (hours,) = device_hours([log], Plan())
    assert hours.total("gpu") == pytest.approx(5)
    assert hours.basis.count("Slurm job 4711") == 1
    loss = log.curves.curve("loss", "train")
    assert (loss.file.rpartition("/")[2], len(loss), len(loss.others)) == (TENSORBOARD, 60, 2)  # with times, unlike the Trainer's state
    assert len(log.curves.of_devices("gpu/power", "system")) == 2


def test_of_several_jobs_the_one_that_begins_and_ends_with_the_run(tmp_path):
    """One ended before, one began in its time and went on for hours; the clock of all is that of the one that fits."""
    found = load([one_run.write(tmp_path, jobs=(job(4710, at(0), at(1), at(3)), job(4712, at(4), at(6, 20), at(14))))])
    assert _jobs(found) == {"4711"}
    assert [one.reason for one in found.skipped] == [
        "1 job: no run beside them lies in their time; read the file alone to see them",
        "1 job: the run in their time is of another job, which fits it better or which it names",
    ]


def test_of_jobs_that_are_alike_none_is_taken_and_that_is_said(tmp_path):
    found = load([one_run.write(tmp_path, jobs=(job(4713, at(3), at(6, 2), at(8, 25)),))])
    assert _jobs(found) == set()
    (skipped,) = found.skipped
    assert skipped.reason == (
        "2 jobs (4711, 4713): which of them the run in their time is of cannot be told: name a folder or a parameter of the run for its job"
    )
    (run,) = assessed(tmp_path).runs
    assert run.ledger.gpu_hours == pytest.approx(4.5)
    assert run.ledger.basis["hours"] == "from the GPU log: 2 GPUs, first to last sample of each"


def test_of_jobs_that_are_alike_the_one_that_the_folder_names(tmp_path):
    found = load([one_run.write(tmp_path, {**TREE, TENSORBOARD: "output/job4713"}, jobs=(job(4713, at(3), at(6, 2), at(8, 25)),))])
    assert _jobs(found) == {"4713"}


def _jobs(found):
    (log,) = found.logs
    return {key.split("/")[1] for key in log.run.tags if key.startswith("slurm/")}


def _plan(folder):
    path = folder / "plan.toml"
    path.write_text(PLAN)
    return path
