from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers.formats.nvidia_smi import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source
from trainreport.importers.smi.numbers import numbers_of, times_of
from trainreport.importers.smi.table import Table, decode, split, split_fast, split_plain

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


def plain(frame: pd.DataFrame) -> list[tuple[str, str, str, str, float]]:
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
        ("utilization.gpu [%]\n85 %\n", False),
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


def test_rows_stand_as_in_the_file(tmp_path: Path) -> None:
    frame = read(tmp_path, UNITS).frame
    first = frame.loc[frame["time"] == frame["time"].iloc[0], "logged"].tolist()
    assert first == ["utilization.gpu", "memory.used", "memory.total", "power.draw", "temperature.gpu", "clocks.current.sm", "pstate"]
    assert frame["time"].is_monotonic_increasing


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
    assert plain(other.frame) == plain(read(tmp_path, UNITS).frame)


@given(st.permutations(range(11)))
def test_order_of_columns_does_not_matter(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    folder = tmp_path_factory.mktemp("log")
    shuffled = "".join(", ".join(line.split(", ")[place] for place in order) + "\n" for line in UNITS.splitlines())
    assert plain(read(folder, shuffled).frame) == plain(read(folder, UNITS).frame)


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
    recording = read(tmp_path, SHORT + "2025/01/01 00:00:00.000, 5 %\n" + "9" * 1_100_000 + ", 1 %\n2025/01/01 00:00:01.000, 7 %\n")
    assert recording.files[0].rows_read == 2
    assert recording.problems[0].what == "a line of 1100005 characters; expected 2 cells"


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


def test_index_that_numbers_nothing_is_not_believed(tmp_path: Path) -> None:
    header = "timestamp,gpu,index,memory.used\n"
    text = header + "".join(f"2025-09-08T17:26:{second}+08:00,{gpu}, 0, 4\n" for second in (50, 51, 53) for gpu in range(4))
    recording = read(tmp_path, text)
    assert recording.frame["device"].tolist()[::2][:4] == ["gpu0", "gpu1", "gpu2", "gpu3"]
    assert "column index" in recording.problems[0].what


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


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r", "\n\n", ""])), max_size=5))
def test_fast_split_agrees_with_the_plain_one(lines: list[tuple[str, str]]) -> None:
    text = decode("".join(line + end for line, end in lines).encode())
    fast, slow = split_fast(text, 2, SHORT.strip(), 2), split_plain(text, 2, SHORT.strip(), 2, "f")
    if fast is not None:
        assert not slow.problems
        assert cells(fast) == cells(slow)
        assert fast.lines.tolist() == slow.lines.tolist()


@given(st.text(max_size=60))
def test_any_text_is_split_or_listed(text: str) -> None:
    table = split(decode(text.encode()), 2, SHORT.strip(), 2, "f")
    assert len(table.problems) == table.skipped
    assert all(len(column.codes) == len(table.lines) for column in table.columns)


@given(st.lists(st.datetimes(datetime(1981, 1, 1), datetime(2099, 1, 1)), min_size=1, max_size=4))  # noqa: DTZ001  written without a zone
def test_fixed_width_times_agree_with_those_read_one_by_one(moments: list[datetime]) -> None:
    import numpy as np

    texts = [moment.strftime("%Y/%m/%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}" for moment in moments]
    codes = np.arange(len(texts))
    fast = times_of(texts, codes, None).ns.tolist()
    assert fast == times_of([*texts, "no time"], codes, None).ns.tolist()
    assert fast == [
        int(moment.replace(tzinfo=UTC, microsecond=0).timestamp()) * 10**9 + moment.microsecond // 1000 * 10**6 for moment in moments
    ]
