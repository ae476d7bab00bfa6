from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smi_logs import NO_UNITS, SHORT, UNITS, read, said, series

from trainreport.errors import InputError, StrictError
from trainreport.importers.formats.nvidia_smi import IMPORTER
from trainreport.importers.recording import Importer
from trainreport.importers.smi.table import LONGEST_LINE


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
