"""What the report says of profiles: the trace computed by hand, of one GPU and of six."""

from __future__ import annotations

import json

import pytest
from builders import log_of, training
from made_traces import EVENTS, document
from read_logs import DATA, read, written

from trainreport.decisions.assess import assess
from trainreport.model.plan import Plan
from trainreport.reports.exports import json as as_json
from trainreport.reports.language import speaking
from trainreport.reports.parts import machine, profile
from trainreport.reports.view import View


def viewed(*recordings):
    return View(assess([log_of(training({"val_loss": [2.0, 1.5, 1.0]}), *recordings)], Plan()))


def of_rank(tmp_path, rank, events=None):
    info = {"backend": "nccl", "rank": rank, "world_size": 8}
    return written(tmp_path, f"rank{rank}.pt.trace.json", document(events, distributedInfo=info))[1]


def plain(text):
    return text.replace("\u00a0", " ")


def rows(table):
    return [[plain(cell.text) for cell in row.cells] for row in table.rows]


def test_no_profile_no_section():
    view = viewed()
    assert profile.section(view) == ()
    assert json.loads(as_json.render(view.assessment))["runs"][0]["profile"] is None


def test_one_gpu(tmp_path):
    [found] = profile.section(viewed(of_rank(tmp_path, 5)))
    assert plain(found.title) == "A profile of 2 steps: the GPU was busy 22 % of the time, waiting for data took 25 %"
    window, table, limit = found.blocks
    assert (
        plain(window.text)
        == "The profile covers 2 steps that took 1.4 ms together. It is a window of the run and says nothing of the rest."
    )
    assert [column.title for column in table.columns] == ["What", "Median", "Lowest to highest", "How it is known"]
    told = rows(table)
    assert told[0] == ["Step", "700 µs", "400 µs to 1 ms", "Time of a step as the profiler marked it"]
    assert told[1][:3] == ["GPU busy", "22 %", "0 % to 45 %"]
    assert told[2][:3] == ["Waiting for data, share", "25 %", "0 % to 50 %"]
    assert told[5][:3] == ["Short kernels", "33 %", "one value"]
    assert ["Longest gap", "275 µs", "150 µs to 400 µs"] in [row[:3] for row in told]  # the median of 150 and 400
    assert len(told) == 11
    assert table.note == ""
    assert plain(limit.text).startswith("Most of what is seen to hold a step up is waiting for data: 25 % of it.")
    assert "None is judged" in limit.text


def test_it_stands_before_where_the_paid_time_went(tmp_path):
    part = machine.build(viewed(of_rank(tmp_path, 5)))
    assert part.title == "What the hardware did was recorded in a profile only"
    assert [block.id for block in part.blocks if block.kind == "section"][:2] == ["profile", "goodput"]


def test_of_six_gpus_the_worst_stands_first_and_three_are_named_after_it(tmp_path):
    worse = [one for one in EVENTS if one.get("name") != "gemm"]
    [found] = profile.section(viewed(*(of_rank(tmp_path, rank, worse if rank == 4 else None) for rank in range(6))))
    assert "the least busy of 6 GPUs was busy 20 % of the time" in plain(found.title)
    table = found.blocks[1]
    busy = table.rows[1]
    assert [plain(cell.text) for cell in busy.cells[:4]] == ["GPU busy", "20 %", "0 % to 40 %", "gpu3 rank 4"]
    assert plain(busy.cells[3].note) == "then gpu3 rank 0: 22 %, gpu3 rank 1: 22 %, gpu3 rank 2: 22 % and 2 more"
    assert table.rows[0].cells[3].text == "the same on each of 6"
    assert "the worst stands first" in table.note


def test_launches_that_keep_the_gpu_waiting_are_told_with_short_kernels(tmp_path):
    fed = [one for one in EVENTS if "DataLoader" not in str(one.get("name")) and one.get("name") != "ProfilerStep#8"]
    [found] = profile.section(viewed(of_rank(tmp_path, 5, [one for one in fed if "nccl" not in str(one.get("name"))])))
    assert plain(found.title).startswith("A profile of 1 step: ")
    limit = plain(found.blocks[2].text)
    assert limit.startswith("Most of what is seen to hold a step up is a GPU with nothing queued: ")
    assert "50 % of the kernels ran shorter than the call that launched them." in limit  # one of two
    assert [column.title for column in found.blocks[1].columns] == ["What", "Value", "How it is known"]


def test_without_steps_and_without_gpus(tmp_path):
    unmarked = [one for one in EVENTS if "ProfilerStep" not in str(one.get("name"))]
    [found] = profile.section(viewed(of_rank(tmp_path, 5, unmarked)))
    assert found.title.startswith("A profile of part of the run: the GPU was busy ")
    assert found.blocks[0].text.startswith("The profile tells no single steps")
    [found] = profile.section(viewed(read(DATA / "torch_profile" / "torch.pt.trace.json.gz")[1]))
    # 121.572 / 717.292 = 0.169, 143.275 / 610.447 = 0.235, 123.36 / 464.081 = 0.266, and 0.634: the middle of 0.235 and 0.266
    assert plain(found.title) == "A profile of 4 steps: waiting for data took 25 % of the time"


def test_in_german(tmp_path):
    with speaking("de"):
        [found] = profile.section(viewed(of_rank(tmp_path, 5)))
        assert plain(found.title) == "Ein Profil von 2 Schritten: Die GPU war 22 % der Zeit beschäftigt, das Warten auf Daten nahm 25 %"
        assert rows(found.blocks[1])[0][:3] == ["Schritt", "700 µs", "400 µs bis 1 ms"]


def test_in_json(tmp_path):
    [run] = json.loads(as_json.render(viewed(of_rank(tmp_path, 5)).assessment))["runs"]
    assert (run["profile"]["steps"], run["profile"]["seconds"]) == (2, pytest.approx(1400e-6))
    busy = run["profile"]["measures"][1]
    assert (busy["name"], busy["unit"]) == ("profile/gpu_busy", "1")
    [told] = busy["told"]
    assert told == {
        "node": None,
        "device": "gpu3",
        "rank": 5,
        "n": 2,
        "median": pytest.approx(0.225),
        "low": 0.0,
        "high": pytest.approx(0.45),
    }
