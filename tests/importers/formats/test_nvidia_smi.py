from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers.formats.nvidia_smi import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source
from trainreport.importers.smi.numbers import GIVEN, number_of, numbers_of, numbers_of_cells
from trainreport.importers.smi.table import LONGEST_LINE, Column, Table, Text, plain, split, split_fast, split_plain
from trainreport.importers.smi.times import fixed_width, times_of
from trainreport.model.schema import CLOCK_REPAIRED, UNIT_REPAIRED

if TYPE_CHECKING:
    import pandas as pd

UNITS = """\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], \
temperature.gpu, clocks.current.sm [MHz], pstate, fan.speed [%]
2024/11/23 12:23:29.950, 0, NVIDIA A100-SXM4-80GB, 92 %, 25073 MiB, 81920 MiB, 250.50 W, 61, 1410 MHz, P0, [N/A]
2024/11/23 12:23:29.951, 1, NVIDIA A100-SXM4-80GB, 0 %, 15 MiB, 81920 MiB, 33.00 W, 30, 210 MHz, P8, [N/A]
2024/11/23 12:23:30.954, 0, NVIDIA A100-SXM4-80GB, 50 %, 25073 MiB, 81920 MiB, [Unknown Error], 62, 1410 MHz, P0, [N/A]
2024/11/23 12:23:30.955, 1, NVIDIA A100-SXM4-80GB, 0 %, 15 MiB, 81920 MiB, 33.25 W, 30, 210 MHz, P8, [N/A]
"""
NO_UNITS = UNITS
for _unit in (" [%]", " [MiB]", " [W]", " [MHz]", " %", " MiB", " W", " MHz"):
    NO_UNITS = NO_UNITS.replace(_unit, "")
SHORT = "timestamp, utilization.gpu [%]\n"


def read(folder: Path, text: str | bytes, zone: str | None = None, *, strict: bool = False) -> Recording:
    file = folder / "gpu.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return IMPORTER.read(Source(file, "node1/gpu.csv", zone, strict))


def series(frame: pd.DataFrame, name: str, device: str) -> list[float]:
    return frame.loc[(frame["series"] == name) & (frame["device"] == device), "value"].tolist()


def said(frame: pd.DataFrame) -> list[tuple[str, str, str, str, float]]:
    """Return what a frame says, whatever the order of its columns in the log was."""
    return sorted(zip(frame["time"].astype(str), frame["device"], frame["series"], frame["unit"], frame["value"], strict=True))


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (UNITS, True),
        ("timestamp, power.draw [W]\n", True),
        ("nohup: ignoring input\ntimestamp,utilization.gpu,memory.used\n", True),
        ("\ufefftimestamp, utilization.gpu [%]\r\n", True),
        ("utilization.gpu [%]\n85 %\n", True),
        ("utilization\n85 %\n", False),
        ("timestamp,name,index,loss\n", False),
        ("epoch,time,train/box_loss,metrics/mAP50(B)\n", False),
        ("timestamp,project_name,run_id,gpu_power,cpu_power\n", False),
        ("# gpu     sm    mem    enc    dec\n", False),
        ("GPUId,TimeStampUs,Field,Values\n", False),
        ("", False),
    ],
)
def test_recognises_by_query_fields(head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path("any.log"), head.encode()) is expected


def test_numbers_are_in_canonical_units(tmp_path: Path) -> None:
    recording = read(tmp_path, UNITS)
    frame = recording.frame
    assert series(frame, "gpu/utilization", "gpu0") == pytest.approx([0.92, 0.5])
    assert series(frame, "gpu/utilization", "gpu1") == [0.0, 0.0]
    assert series(frame, "gpu/memory_used", "gpu1") == [15 * 2**20, 15 * 2**20]
    assert series(frame, "gpu/power", "gpu0") == [250.5]
    assert series(frame, "gpu/power", "gpu1") == [33.0, 33.25]
    assert series(frame, "gpu/temperature", "gpu0") == [61.0, 62.0]
    assert series(frame, "gpu/clock_sm", "gpu0") == [1.41e9, 1.41e9]
    assert series(frame, "gpu/pstate", "gpu1") == [8.0, 8.0]
    assert set(frame["phase"]) == {"system"}
    assert set(frame["file"]) == {"node1/gpu.csv"}
    assert set(frame["logged"]) >= {"utilization.gpu", "power.draw"}
    assert frame["step"].isna().all()


def test_rows_stand_measure_by_measure_each_as_in_the_file(tmp_path: Path) -> None:
    frame = read(tmp_path, UNITS).frame
    order = ["utilization.gpu", "memory.used", "memory.total", "power.draw", "temperature.gpu", "clocks.current.sm", "pstate"]
    assert list(dict.fromkeys(frame["logged"])) == order
    assert all(part["time"].is_monotonic_increasing for _, part in frame.groupby("logged", observed=True))
    assert frame.loc[frame["logged"] == "power.draw", "value"].tolist() == [250.5, 33.0, 33.25]


def test_what_is_known_of_the_machine(tmp_path: Path) -> None:
    recording = read(tmp_path, UNITS)
    assert (recording.kind, recording.key, recording.name, recording.folder) == ("machine", "node1", "gpu", "node1")
    assert recording.hardware.gpu_model == "NVIDIA A100-SXM4-80GB"
    assert recording.hardware.gpu_count == 2
    assert recording.hardware.gpu_memory_bytes == 81920 * 2**20
    assert recording.started_at == datetime(2024, 11, 23, 12, 23, 29, 950000, tzinfo=UTC)
    assert recording.ended_at == datetime(2024, 11, 23, 12, 23, 30, 955000, tzinfo=UTC)
    assert recording.files[0].rows_read == 4
    assert not recording.problems


def test_words_for_no_number_are_counted_not_problems(tmp_path: Path) -> None:
    events = read(tmp_path, UNITS).events
    assert [(event.message, event.line) for event in events] == [
        ("power.draw is [Unknown Error] in 1 of 4 rows", 4),
        ("fan.speed is [N/A] in 4 of 4 rows", 2),
    ]


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: ("\ufeff" + text).encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace(", ", ",").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: (text + "\n\n").encode(),
        lambda text: text.replace("\n", "\n\n").encode(),
        lambda _: NO_UNITS.encode(),
    ],
)
def test_dress_does_not_matter(tmp_path: Path, dress: object) -> None:
    assert callable(dress)
    other = read(tmp_path, dress(UNITS))
    assert not other.problems
    assert said(other.frame) == said(read(tmp_path, UNITS).frame)


@given(st.permutations(range(11)))
def test_order_of_columns_does_not_matter(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    folder = tmp_path_factory.mktemp("log")
    shuffled = "".join(", ".join(line.split(", ")[place] for place in order) + "\n" for line in UNITS.splitlines())
    assert said(read(folder, shuffled).frame) == said(read(folder, UNITS).frame)


def test_header_again_is_no_row(tmp_path: Path) -> None:
    recording = read(tmp_path, UNITS + UNITS)
    assert recording.files[0].rows_read == 8
    assert not recording.problems


def test_lines_above_the_header_are_events(tmp_path: Path) -> None:
    recording = read(tmp_path, "nohup: ignoring input\n" + SHORT + "2025/01/01 00:00:00.000, 5 %\nbad\n")
    assert recording.events[0].message == "nohup: ignoring input"
    assert recording.problems[0].place == "line 4"
    assert recording.problems[0].what == "1 cells, expected 2 as in the header: 'bad'"


@pytest.mark.parametrize("tail", ["2025/01/01 00:00:02.000", "2025/01/01 00:00:02.000, 9", "2025/01/01 00:00:02.000, 9\n", "20"])
def test_cut_end_is_a_problem(tmp_path: Path, tail: str) -> None:
    text = SHORT + "2025/01/01 00:00:00.000, 5 %\n2025/01/01 00:00:01.000, 7 %\n" + tail
    recording = read(tmp_path, text)
    kept = series(recording.frame, "gpu/utilization", "gpu0")
    if tail.endswith("9\n"):  # a whole line: the unit may be missing for another reason
        assert kept == pytest.approx([0.05, 0.07, 0.09])
        return
    assert kept == pytest.approx([0.05, 0.07])
    assert [problem.place for problem in recording.problems] == ["line 4"]
    assert (recording.files[0].rows_read, recording.files[0].rows_skipped) == (2, 1)


def test_cell_that_is_no_number_is_a_problem(tmp_path: Path) -> None:
    recording = read(tmp_path, SHORT + "2025/01/01 00:00:00.000, 5 %\n2025/01/01 00:00:01.000, five\n2025/01/01 00:00:02.000, 7 W\n")
    assert series(recording.frame, "gpu/utilization", "gpu0") == pytest.approx([0.05])
    assert recording.problems[0].place == "line 3"
    assert recording.problems[0].what == "utilization.gpu is 'five' (2 such cells); expected a number or [N/A]"


def test_strict_raises(tmp_path: Path) -> None:
    with pytest.raises(StrictError, match=r"node1/gpu\.csv: line 3"):
        read(tmp_path, SHORT + "2025/01/01 00:00:00.000, 5 %\nbad\n", strict=True)


@pytest.mark.parametrize("text", ["loss,acc\n1,2\n", SHORT, ""])
def test_nothing_to_read_is_an_input_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"node1/gpu\.csv"):
        read(tmp_path, text)


def test_enormous_line_is_a_problem(tmp_path: Path) -> None:
    recording = read(tmp_path, SHORT + "2025/01/01 00:00:00.000, 5 %\n" + "9" * LONGEST_LINE + ", 1 %\n2025/01/01 00:00:01.000, 7 %\n")
    assert recording.files[0].rows_read == 2
    assert recording.problems[0].what == f"a line of {LONGEST_LINE + 5} characters; expected 2 cells"


@pytest.mark.parametrize(
    ("written", "zone", "expected", "clock"),
    [
        ("2024/07/01 12:00:00.250", None, "2024-07-01 12:00:00.250000+00:00", "no zone written; taken as UTC"),
        (
            "2024/07/01 12:00:00.250",
            "Europe/Berlin",
            "2024-07-01 10:00:00.250000+00:00",
            "no zone written; read as Europe/Berlin, as given",
        ),
        ("2024/01/01 12:00:00", "Europe/Berlin", "2024-01-01 11:00:00+00:00", "no zone written; read as Europe/Berlin, as given"),
        ("2024-07-01T12:00:00+08:00", "Europe/Berlin", "2024-07-01 04:00:00+00:00", "UTC, from the offset or epoch seconds written"),
        ("1719835200.5", None, "2024-07-01 12:00:00.500000+00:00", "UTC, from the offset or epoch seconds written"),
    ],
)
def test_times(tmp_path: Path, written: str, zone: str | None, expected: str, clock: str) -> None:
    recording = read(tmp_path, f"{SHORT}{written}, 5 %\n", zone)
    assert str(recording.frame["time"].iloc[0]) == expected
    assert recording.files[0].clock == clock


def test_hour_that_comes_twice(tmp_path: Path) -> None:
    texts = [
        "2024/10/27 01:59:00.000",
        "2024/10/27 02:30:00.000",
        "2024/10/27 02:59:00.000",
        "2024/10/27 02:00:00.000",
        "2024/10/27 02:29:59.000",
        "2024/10/27 03:00:00.000",
    ]
    frame = read(tmp_path, SHORT + "".join(f"{text}, 1 %\n" for text in texts), "Europe/Berlin").frame
    assert [str(time)[11:16] for time in frame["time"]] == ["23:59", "00:30", "00:59", "01:00", "01:29", "02:00"]


def test_time_that_is_none_keeps_the_row(tmp_path: Path) -> None:
    recording = read(tmp_path, SHORT + "2025/02/31 00:00:00.000, 5 %\n2025/03/01 00:00:01.000, 7 %\n")
    assert recording.frame["time"].isna().tolist() == [True, False]
    assert recording.problems[0].what.startswith("timestamp is '2025/02/31 00:00:00.000' (1 such cells)")


def test_without_times(tmp_path: Path) -> None:
    recording = read(tmp_path, "index, utilization.gpu [%]\n0, 5 %\n1, 7 %\n")
    assert recording.frame["time"].isna().all()
    assert recording.frame["device"].tolist() == ["gpu0", "gpu1"]
    assert recording.files[0].clock == "no time written"


def test_uuid_numbers_the_gpus_in_order_of_appearance(tmp_path: Path) -> None:
    recording = read(tmp_path, "uuid, utilization.gpu [%], driver_version\nGPU-b, 5 %, 535.54\nGPU-a, 7 %, 535.54\nGPU-b, 6 %, 535.54\n")
    assert recording.frame["device"].tolist() == ["gpu0", "gpu1", "gpu0"]
    assert recording.tags == {"gpu0.uuid": "GPU-b", "gpu1.uuid": "GPU-a", "driver_version": "535.54"}


def test_order_within_a_sample_tells_the_gpu_and_is_said(tmp_path: Path) -> None:
    rows = [("00.457", 1), ("00.460", 2), ("00.464", 3), ("02.470", 4), ("02.470", 5), ("02.470", 6), ("04.470", 7)]
    recording = read(tmp_path, SHORT + "".join(f"2025/01/01 00:00:{second}, {value} %\n" for second, value in rows))
    assert recording.frame["device"].tolist() == ["gpu0", "gpu1", "gpu2", "gpu0", "gpu1", "gpu2", "gpu0"]
    assert recording.events[0].kind == "device-inferred"
    assert recording.hardware.gpu_count == 3


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


@pytest.mark.parametrize(("text", "value"), [("33.09 W", 33.09), ("2 kW", 2000.0), ("1e2", 100.0), ("-3", -3.0)])
def test_number_in_the_unit_of_the_header(text: str, value: float) -> None:
    assert numbers_of([text], "W").values.tolist() == [value]


def cells(table: Table) -> list[list[str]]:
    return [[column.texts[code] for code in column.codes.tolist()] for column in table.columns]


CELL = st.sampled_from(["1 %", " 2", "", "[N/A]", '"', "a\x00b", "é", "timestamp", "utilization.gpu [%]", "\t", " "])
LINE = st.lists(CELL, min_size=1, max_size=3).map(",".join)


def text_of(written: str) -> Text:
    return Text(plain(written.encode("utf-8", "replace")), 0, 2, "f")


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r", "\n\n", ""])), max_size=5), st.sampled_from([1, 2]))
def test_fast_split_agrees_with_the_plain_one(lines: list[tuple[str, str]], width: int) -> None:
    text = text_of("".join(line + end for line, end in lines))
    end = len(text.content.rstrip())
    fast, slow = split_fast(text, end, width, SHORT.strip()), split_plain(text, end, width, SHORT.strip())
    if fast is not None:
        assert not slow.problems
        assert cells(fast) == cells(slow)
        assert fast.lines.tolist() == slow.lines.tolist()


@given(st.text(max_size=60), st.sampled_from([1, 2]))
def test_any_text_is_split_or_listed(written: str, width: int) -> None:
    table = split(text_of(written), width, SHORT.strip())
    assert len(table.problems) == table.skipped
    assert all(len(column.codes) == len(table.lines) for column in table.columns)


def test_column_of_many_texts_is_read_as_one_of_few(tmp_path: Path) -> None:
    rows = [f"2025/01/01 {n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.{n % 1000:03d}, {n / 4:.2f} W\n" for n in range(5000)]
    many = read(tmp_path, "timestamp, power.draw [W]\n" + "".join(rows)).frame
    mixed = read(tmp_path, "timestamp, power.draw [W]\n" + "".join(rows) + "2025/01/02 00:00:00.000, [N/A]\n").frame
    assert many["value"].tolist() == [n / 4 for n in range(5000)]
    assert many.equals(mixed)


@pytest.mark.parametrize("dress", ["{}", " {}", "{} W", " {} W ", "{} "])
def test_numbers_of_cells_in_every_dress(dress: str) -> None:
    found = numbers_of_cells(pa.chunked_array([[dress.format(f"{n}.25") for n in range(3000)]] * 2), "")
    assert found is not None
    assert found.values.tolist() == [n + 0.25 for n in range(3000)] * 2


def test_cells_with_nothing_between_blanks_and_unit_are_no_numbers() -> None:
    assert numbers_of_cells(pa.chunked_array([[" 1 W", " W"]]), "") is None
    assert numbers_of_cells(pa.chunked_array([[" 1 ", " "]]), "") is None


@given(
    st.lists(st.sampled_from(["1 W", "2.5 W", "33", "nan", "[N/A]", "1e3 W", "-4 W", "0x4", ".5 W", "7 %", "8  W", "Active"]), min_size=1)
)
def test_many_texts_are_the_numbers_that_each_is(texts: list[str]) -> None:
    few = [number_of(text) for text in texts]
    many = numbers_of(texts * 256, "")
    for place, (value, state, unit) in enumerate(few):
        assert many.states[place] == (state if state != GIVEN or unit in {"", many.unit} else 2)
        if many.states[place] == GIVEN:
            assert many.values[place] == pytest.approx(value, nan_ok=True)
    found = numbers_of_cells(pa.chunked_array([[f" {text} " for text in texts]]), "")
    if found is not None:
        assert found.values.tolist() == [value for value, _, _ in few]


@given(st.lists(st.datetimes(datetime(1981, 1, 1), datetime(2099, 1, 1)), min_size=1, max_size=4))  # noqa: DTZ001  written without a zone
def test_fixed_width_times_agree_with_those_read_one_by_one(moments: list[datetime]) -> None:
    texts = [moment.strftime("%Y/%m/%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}" for moment in moments]
    fast = fixed_width(np.array([list(text.encode()) for text in texts], dtype=np.uint8))
    assert fast is not None
    assert fast.tolist() == times_of(Column.from_cells(texts), None).ns.tolist()
    assert fast.tolist() == [
        int(moment.replace(tzinfo=UTC, microsecond=0).timestamp()) * 10**9 + moment.microsecond // 1000 * 10**6 for moment in moments
    ]


@pytest.mark.parametrize(
    "text", ["2025/02/29 00:00:00.000", "2025/00/01 00:00:00.000", "2025/01/01 24:00:00.000", "2025/01/01 00:00:60.000"]
)
def test_impossible_time_of_fixed_width_is_none(text: str) -> None:
    assert fixed_width(np.array([list(text.encode())], dtype=np.uint8)) is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("6/19/2025 5:48:52 PM", "2025-06-19 17:48:52+00:00"),
        ("06/19/2025 17:48:52.5", "2025-06-19 17:48:52.500000+00:00"),
        ("19/06/2025 17:48:52", "2025-06-19 17:48:52+00:00"),
        ("Sat Jun  7 12:00:01 2025", "2025-06-07 12:00:01+00:00"),
        ("Sat 07 Jun 2025 12:00:01 PM UTC", "2025-06-07 12:00:01+00:00"),
        ("Sat Jun  7 12:00:01 CEST 2025", "2025-06-07 12:00:01+00:00"),
        ("1719835200500", "2024-07-01 12:00:00.500000+00:00"),
    ],
)
def test_other_ways_to_write_a_time(tmp_path: Path, written: str, expected: str) -> None:
    assert str(read(tmp_path, f"{SHORT}{written}, 5 %\n").frame["time"].iloc[0]) == expected


def test_date_that_could_be_two_is_said(tmp_path: Path) -> None:
    recording = read(tmp_path, SHORT + "06/07/2025 12:00:00, 5 %\n06/07/2025 12:00:01, 5 %\n")
    assert recording.frame["time"].iloc[0].month == 6
    assert "month/day/year" in recording.problems[0].what


@given(st.permutations(range(3)), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_order_of_gpus_within_a_sample_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory,
    order: list[int],
    end: str,
    units: bool,
) -> None:
    folder = tmp_path_factory.mktemp("log")
    header = "timestamp, index, utilization.gpu [%], power.draw [W]"

    def log(places: list[int]) -> str:
        rows = [f"2025/01/01 00:00:0{second}.000, {gpu}, {gpu * 10 + second} %, {gpu}.50 W" for second in range(3) for gpu in places]
        text = end.join([header, *rows, ""])
        return text if units else text.replace(" %", "").replace(" W", "").replace(" [W]", "").replace(" [%]", "")

    assert said(read(folder, log(order)).frame) == said(read(folder, log([0, 1, 2]).replace("\r\n", "\n")).frame)
