"""Tables of XProf in the forms that its sources write: JSON of Google Charts, and CSV with the labels of the columns."""

from __future__ import annotations

import json

import pytest
from made_traces import measured
from read_logs import written

from trainreport.errors import InputError

STEP_COLUMNS = {
    "stepnum": "Step number", "deviceComputeTimeMs": "Device compute", "deviceToDeviceTimeMs": "Device to device",
    "deviceCollectivesTimeMs": "Device collective communication", "hostComputeTimeMs": "Host compute",
    "kernelLaunchTimeMs": "Kernel launch",
    "infeedTimeMs": "Input", "outfeedTimeMs": "Output", "compileTimeMs": "Compilation", "otherTimeMs": "All others",
    "tooltip": "tooltip", "stepTimeMs": "Step time",
}  # fmt: skip
STEPS = [
    ["100", 50.0, 0.0, 10.0, 5.0, 8.0, 25.0, 0.0, 0.0, 2.0, "Step 100,\n duration: 100 ms", 100.0],
    ["101", 50, 0, 0, 0, 0, 0, 0, 0, 0, "", 50],
]
OF_STEPS = {
    ("time/step", 100): 0.1, ("time/data", 100): 0.025, ("profile/input_wait", 100): 0.25, ("profile/communication", 100): 0.1,
    ("profile/kernel_launch", 100): 0.08, ("time/step", 101): 0.05, ("time/data", 101): 0.0, ("profile/input_wait", 101): 0.0,
    ("profile/communication", 101): 0.0, ("profile/kernel_launch", 101): 0.0,
}  # fmt: skip
KERNEL_COLUMNS = {
    "rank": "Rank", "kernel_name": "Kernel Name", "registers_per_thread": "Registers per thread", "op_name": "Op Name",
    "occurrences": "Occurrences", "total_duration_us": "Total Duration (μs)", "avg_duration_us": "Avg Duration (μs)",
}  # fmt: skip
KERNELS = [["1", "gemm<float, 4>", 32, "dot", 30, 3000.0, 100.0], ["2", "ncclKernel_AllReduce", 32, "all-reduce", 10, 1000.0, 100.0]]
OF_KERNELS = {("profile/kernel_time", None): 4e-3, ("profile/kernel_mean", None): 1e-4, ("profile/communication_of_kernels", None): 0.25}


def table(columns, rows, **properties):
    cols = [{"id": name, "label": label, "type": "number"} for name, label in columns.items()]
    return {"cols": cols, "rows": [{"c": [{"v": value} for value in row]} for row in rows], "p": properties}


def as_csv(columns, rows):
    return "".join(",".join('"' + str(cell).replace('"', '""') + '"' for cell in row) + "\n" for row in [list(columns.values()), *rows])


def test_input_pipeline_as_json(tmp_path):
    name, log = written(
        tmp_path, "input_pipeline.json", json.dumps([table(STEP_COLUMNS, STEPS, steptime_ms_average="75.0"), table({}, [])])
    )
    assert name == "xprof-tables"
    assert measured(log) == pytest.approx(OF_STEPS)


def test_input_pipeline_as_csv(tmp_path):
    name, log = written(tmp_path, "input_pipeline.csv", as_csv(STEP_COLUMNS, STEPS))
    assert name == "xprof-tables"
    assert measured(log) == pytest.approx(OF_STEPS)


def test_input_pipeline_of_a_tpu(tmp_path):
    columns = {
        "stepnum": "stepnum",
        "tcInfeedTimeMs": "TensorCore input (in ms)",
        "infeedPercentAverage": "% step time waiting for input data",
    }
    rows = [["1", 10.0, 86.8], ["2", 10.0, 0]]
    for text in (json.dumps([table(columns, rows)]), as_csv(columns, rows)):
        _, log = written(tmp_path, "tpu.json", text)
        assert measured(log) == pytest.approx({("profile/input_wait", 1): 0.868, ("profile/input_wait", 2): 0.0})


def test_overview(tmp_path):
    ops = table({"selfTimePercent": "Time (%)"}, [], device_idle_time_percent="12.5%", remark_text="")
    graph = table({"stepnum": "stepnum", "idleTimeMs": "Idle"}, [["3", 1.0]], steptime_ms_average="9.3")
    _, log = written(tmp_path, "overview_page.json", json.dumps([ops, graph]))
    assert measured(log) == pytest.approx({("time/step", None): 0.0093, ("profile/device_idle", None): 0.125})


def test_kernels(tmp_path):
    for text in (json.dumps(table(KERNEL_COLUMNS, KERNELS)), as_csv(KERNEL_COLUMNS, KERNELS)):
        name, log = written(tmp_path, "kernel_stats.json", text)
        assert name == "xprof-tables"
        assert measured(log) == pytest.approx(OF_KERNELS)


def test_odd_tables_are_left(tmp_path):
    odd = [
        {"cols": 1, "rows": []},
        {"cols": [1], "rows": [1, {"c": 1}, {"c": [1, None]}]},
        7,
        table(STEP_COLUMNS, [["x", *STEPS[0][1:-1], "?"]]),
    ]
    _, log = written(tmp_path, "a.json", json.dumps([table(STEP_COLUMNS, STEPS), *odd]))
    assert measured(log) == pytest.approx(OF_STEPS)


def test_nothing_to_measure(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "a.json", json.dumps([table(STEP_COLUMNS, [])]))
