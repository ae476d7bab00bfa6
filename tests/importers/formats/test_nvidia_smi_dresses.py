"""nvidia-smi tables with headers that are wrong, people's own, or missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from smi_logs import read, series

from trainreport.errors import InputError
from trainreport.importers.formats.nvidia_smi import IMPORTER
from trainreport.importers.recording import Source
from trainreport.model.schema import CLOCK_REPAIRED, UNIT_REPAIRED


def test_header_that_is_not_of_its_query_is_found_by_its_numbers(tmp_path: Path) -> None:
    header = "timestamp,gpu,index,memory.used\n"
    text = header + "".join(
        f"2025-09-08T17:26:{second}+08:00,{gpu}, {(second * gpu) % 97}, 4\n" for second in (50, 51, 53) for gpu in range(3)
    )
    recording = read(tmp_path, text)
    assert series(recording.frame, "gpu/utilization", "gpu2") == pytest.approx([0.03, 0.05, 0.09])
    assert "column 'gpu' does; read as utilization.gpu and index" in recording.problems[0].what
    why = {mapping.logged: mapping.why for mapping in recording.mappings}
    assert "holds whole numbers from 0 to 100" in why["index"]


def test_index_that_numbers_nothing_is_not_believed(tmp_path: Path) -> None:
    text = "timestamp,index,memory.used\n" + "".join(f"2025/09/08 17:26:{second}.003, 0, 4\n" for second in (50, 51, 53) for _ in range(4))
    recording = read(tmp_path, text)
    assert recording.frame["device"].tolist()[:4] == ["gpu0", "gpu1", "gpu2", "gpu3"]
    assert "column index" in recording.problems[0].what


def test_rows_of_one_second_are_not_taken_for_gpus(tmp_path: Path) -> None:
    rows = "".join(f"2025/09/08 17:26:{second}, {{}}5 %\n" for second in (50, 51, 53) for _ in range(4))
    one = read(tmp_path, "timestamp,index,utilization.gpu\n" + rows.replace("{}", "0, "))
    assert set(one.frame["device"]) == {"gpu0"}
    assert not one.problems
    unknown = read(tmp_path, "timestamp,utilization.gpu\n" + rows.replace("{}", ""))
    assert set(unknown.frame["device"]) == {"gpu0"}
    assert "4 GPUs, or one sampled 4 times" in unknown.problems[0].what


def test_share_above_a_hundred_loses_its_meaning(tmp_path: Path) -> None:
    recording = read(tmp_path, "index, utilization.gpu, utilization.memory\n0, 12206, 5\n0, 12206, 5\n")
    assert "gpu/utilization" not in set(recording.frame["series"])
    assert "goes to 12206" in recording.problems[0].what


def test_memory_used_above_the_total_is_exchanged(tmp_path: Path) -> None:
    recording = read(tmp_path, "index, memory.used [MiB], memory.total [MiB]\n0, 12206 MiB, 5 MiB\n0, 12206 MiB, 6 MiB\n")
    assert series(recording.frame, "gpu/memory_used", "gpu0") == [5 * 2**20, 6 * 2**20]
    assert "exchanged" in recording.problems[0].what
    assert recording.hardware.gpu_memory_bytes == 12206 * 2**20


def test_milliwatts_under_a_heading_of_watts_are_divided_and_flagged(tmp_path: Path) -> None:
    recording = read(
        tmp_path, "timestamp,gpu_power_w,gpu_energy_kwh\n2025-07-03T08:43:07,4939.00,0.00137\n2025-07-03T08:43:08,6629.00,0.00184\n"
    )
    power = recording.frame[recording.frame["series"] == "gpu/power"]
    assert power["value"].tolist() == [4.939, 6.629]
    assert power["flags"].tolist() == [UNIT_REPAIRED] * 2
    assert set(recording.frame.loc[recording.frame["series"] != "gpu/power", "flags"]) == {0}
    assert "median of 5784 W" in recording.problems[0].what


def test_spike_of_power_is_no_milliwatt(tmp_path: Path) -> None:
    text = "index, power.draw [W]\n" + "0, 300.00 W\n" * 9 + "0, 5000.00 W\n"
    assert series(read(tmp_path, text).frame, "gpu/power", "gpu0")[-1] == 5000.0


def test_header_before_every_row_and_a_single_column(tmp_path: Path) -> None:
    recording = read(tmp_path, "utilization.gpu [%]\n85 %\nutilization.gpu [%]\n100 %\n")
    assert series(recording.frame, "gpu/utilization", "gpu0") == [0.85, 1.0]
    assert not recording.problems


def test_interval_gives_times_to_rows_without_any(tmp_path: Path) -> None:
    file = tmp_path / "gpu.csv"
    file.write_text("index, utilization.gpu [%]\n0, 5 %\n1, 7 %\n0, 6 %\n1, 8 %\n")
    recording = IMPORTER.read(Source(file, "gpu.csv", interval_s=10))
    gpu1 = recording.frame[recording.frame["device"] == "gpu1"]
    assert gpu1["time"].diff().dt.total_seconds().tolist()[1:] == [10.0]
    assert set(gpu1["flags"]) == {CLOCK_REPAIRED}
    assert recording.started_at is None
    assert "10 s apart, as given" in recording.files[0].clock


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("Time,GPU_ID,Utilization", "1736203508.75,1,40", {("gpu1", "gpu/utilization"): 0.4}),
        (
            "timestamp,memory_used_mb,memory_total_mb,memory_percent,gpu_util,temperature,power_watts",
            "2025-12-10 03:09:34,600,32000,1.5,25,38,105.38",
            {("gpu0", "gpu/memory_used"): 600 * 2**20, ("gpu0", "gpu/memory_share"): 0.015, ("gpu0", "gpu/power"): 105.38},
        ),
        ("timestamp,gpu_utilization,memory_used,memory_total", "1746556382.8,42, 1070, 15360", {("gpu0", "gpu/utilization"): 0.42}),
    ],
)
def test_headers_that_people_write(tmp_path: Path, header: str, row: str, expected: dict[tuple[str, str], float]) -> None:
    text = f"{header}\n{row}\n"
    assert IMPORTER.recognises(Path("gpu_usage.csv"), text.encode())
    frame = read(tmp_path, text).frame
    values = dict(zip(zip(frame["device"], frame["series"], strict=True), frame["value"], strict=True))
    assert {key: values[key] for key in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("results.csv", "epoch,time,train/box_loss,val/box_loss\n1,12.5,0.9,0.8\n"),
        ("emissions.csv", "timestamp,project_name,run_id,gpu_power,cpu_power\n2025-07-03T01:43:18,codecarbon,fd0f,10,20\n"),
        ("metrics.csv", "step,time,utilization,loss\n1,2,3,4\n"),
        ("loss.csv", "0.61\n0.60\n0.59\n"),
        ("numbers.csv", "0,1,2\n1,2,3\n"),
        ("gpu_monitor.log", "2025-09-09 16:58:53 - \x1b[0;34m开始GPU监控...\x1b[0m\n2025-09-09 16:59:00 - 监控\n"),
        ("gpu_monitor.log", "GPU服务启动中...\n * Serving Flask app 'app'\n"),
        ("gpu.csv", "2025/02/03 11:58:03.433, NVIDIA A100, 45, 60\n2025/02/03 11:58:04.433, NVIDIA A100, 47, 61\n"),
    ],
)
def test_what_is_none_of_these_is_not_recognised(name: str, head: str) -> None:
    assert not IMPORTER.recognises(Path(name), head.encode())


def test_rows_without_a_header_are_named_for_what_they_can_only_be(tmp_path: Path) -> None:
    rows = "".join(
        f"{gpu}, GPU-{gpu}04f693d-767b, GeForce GTX TITAN X, {50 + gpu}, {gpu * 40}, {800 + gpu * 500}, 12206\n" for gpu in (0, 1, 2)
    )
    assert IMPORTER.recognises(Path("usage.csv"), rows.encode())
    recording = read(tmp_path, rows)
    assert series(recording.frame, "gpu/utilization", "gpu2") == [0.8]
    assert series(recording.frame, "gpu/memory_used", "gpu1") == [1300 * 2**20]
    assert series(recording.frame, "gpu/temperature", "gpu0") == [50.0]
    assert recording.hardware.gpu_model == "GeForce GTX TITAN X"
    [event] = recording.events
    assert event.kind == "header-inferred"
    assert "column 5 is utilization.gpu" in event.message
    assert all("is " in mapping.why for mapping in recording.mappings)


def test_single_row_without_a_header(tmp_path: Path) -> None:
    frame = read(tmp_path, "2025/02/03 11:58:03.433, NVIDIA GeForce RTX 3080 Ti, 0, 0, 12288, 12043, 2\n").frame
    values = dict(zip(frame["series"], frame["value"], strict=True))
    assert values["gpu/memory_used"] == 2 * 2**20
    assert values["gpu/utilization"] == 0.0


def test_rows_with_units_and_no_header(tmp_path: Path) -> None:
    row = "2025/02/03 11:58:0{}.433, {} %, {} %, {} MiB, 24564 MiB, {}.50 W, 60\n"
    frame = read(tmp_path, row.format(3, 90, 40, 1000, 200) + row.format(4, 80, 30, 2000, 210)).frame
    values = {name: part["value"].tolist() for name, part in frame.groupby("series", observed=True)}
    assert values["gpu/utilization"] == pytest.approx([0.9, 0.8])
    assert values["gpu/memory_utilization"] == pytest.approx([0.4, 0.3])
    assert values["gpu/memory_used"] == [1000 * 2**20, 2000 * 2**20]
    assert values["gpu/power"] == [200.5, 210.5]


def test_column_of_power_needs_a_file_named_for_it(tmp_path: Path) -> None:
    assert IMPORTER.recognises(Path("power_log.csv"), b"61.07\n60.46\n")
    assert not IMPORTER.recognises(Path("log.csv"), b"61.07\n60.46\n")
    with pytest.raises(InputError, match="could be anything"):
        read(tmp_path, "61.07\n60.46\n")


def test_fields_without_a_series_of_their_own_are_kept(tmp_path: Path) -> None:
    reasons = "clocks_event_reasons.active, clocks_throttle_reasons.sw_power_cap"
    header = f"index, utilization.gpu, {reasons}, ecc.errors.uncorrected.volatile.total, ecc.mode.current"
    recording = read(tmp_path, f"{header}\n0, 5, 0x0000000000000004, Active, 2, Enabled\n")
    values = dict(zip(recording.frame["series"], recording.frame["value"], strict=True))
    assert values == {
        "gpu/utilization": 0.05,
        "gpu/throttle_reasons": 4.0,
        "gpu/throttle/sw_power_cap": 1.0,
        "gpu/ecc_errors/uncorrected_volatile_total": 2.0,
    }
    assert recording.tags == {"ecc.mode.current": "Enabled"}
