from __future__ import annotations

from pathlib import Path

import pytest

from trainreport.errors import InputError
from trainreport.importers.formats.nvidia_dmon import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

DMON = """\
# gpu    pwr  gtemp  mtemp     sm    mem     fb  rxpci   mclk
# Idx      W      C      C      %      %     MB   MB/s    MHz
    0    110     52      -     85      7   1000     20   1593
    1     58     45      -      0      0      3      0   1593
# gpu    pwr  gtemp  mtemp     sm    mem     fb  rxpci   mclk
# Idx      W      C      C      %      %     MB   MB/s    MHz
    0    112     53      -     95      8   1001     21   1593
    1     57     45      -      0      0      3      0   1593
"""
DATED = """\
#Date       Time        gpu     sm    mem    enc    dec
#YYYYMMDD   HH:MM:SS    Idx      %      %      %      %
 20250607   12:00:01      0     85      7      0      0
 20250607   12:00:02      0     95      -      0      0
"""
PMON = """\
# gpu         pid  type    sm    mem    enc    dec    command
# Idx           #   C/G     %      %      %      %    name
    0       4711     C     80     20      -      -    python train.py
    0       4712     C      5      1      -      -    Xorg
    1          -     -      -      -      -      -    -
    0       4711     C     81     21      -      -    python
"""


def read(folder: Path, text: str, interval_s: float | None = None) -> Recording:
    file = folder / "gpu.log"
    file.write_text(text)
    return IMPORTER.read(Source(file, "gpu.log", interval_s=interval_s))


def values(recording: Recording, series: str, device: str) -> list[float]:
    frame = recording.frame
    return frame.loc[(frame["series"] == series) & (frame["device"] == device), "value"].tolist()


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("head", "expected"),
    [(DMON, True), (DATED, True), (PMON, True), (DMON.replace("\n", "\r\n"), True), ("# gpu sm\n1 2\n", False), ("# a b\n# c d\n", False)],
)
def test_recognises_two_header_lines(head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path("any.log"), head.encode()) is expected


@pytest.mark.parametrize(
    "dress", [lambda text: text, lambda text: text.replace("\n", "\r\n"), lambda text: "nohup: ignoring input\n" + text]
)
def test_numbers_of_dmon(tmp_path: Path, dress: object) -> None:
    assert callable(dress)
    recording = read(tmp_path, dress(DMON))
    assert values(recording, "gpu/utilization", "gpu0") == [0.85, 0.95]
    assert values(recording, "gpu/utilization", "gpu1") == [0.0, 0.0]
    assert values(recording, "gpu/power", "gpu0") == [110.0, 112.0]
    assert values(recording, "gpu/memory_used", "gpu0") == [1000 * 2**20, 1001 * 2**20]
    assert values(recording, "gpu/pcie_received", "gpu0") == [20e6, 21e6]
    assert values(recording, "gpu/clock_memory", "gpu1") == [1.593e9, 1.593e9]
    assert not recording.problems
    assert recording.hardware.gpu_count == 2
    assert recording.frame["time"].isna().all()
    assert "mtemp is - in 4 of 4 rows" in [event.message for event in recording.events]
    assert {mapping.logged: mapping.series for mapping in recording.mappings}["sm"] == "gpu/utilization"


def test_lines_of_problems_count_headers(tmp_path: Path) -> None:
    recording = read(tmp_path, DMON + "    0    112     53\n")
    assert [problem.place for problem in recording.problems] == ["line 9"]


def test_date_and_time_are_one_time(tmp_path: Path) -> None:
    recording = read(tmp_path, DATED)
    assert [str(time) for time in recording.frame["time"].iloc[:2]] == ["2025-06-07 12:00:01+00:00", "2025-06-07 12:00:02+00:00"]
    assert recording.files[0].clock == "no zone written; taken as UTC"
    assert values(recording, "gpu/memory_utilization", "gpu0") == [0.07]


def test_time_without_date_is_no_time(tmp_path: Path) -> None:
    recording = read(tmp_path, "#Time        gpu     sm\n#HH:MM:SS    Idx      %\n 12:00:01      0     85\n 12:00:02      0     85\n")
    assert recording.frame["time"].isna().all()
    assert "without its date" in recording.events[0].message


def test_interval(tmp_path: Path) -> None:
    frame = read(tmp_path, DMON, interval_s=1).frame
    mine = frame[(frame["logged"] == "sm") & (frame["device"] == "gpu1")]
    assert mine["time"].diff().dt.total_seconds().tolist()[1:] == [1.0]


def test_processes_are_kept_apart(tmp_path: Path) -> None:
    recording = read(tmp_path, PMON)
    frame = recording.frame
    assert values(recording, "gpu/utilization", "gpu0") == []
    assert frame.loc[frame["logged"] == "pid 4711 sm", "value"].tolist() == [0.8, 0.81]
    assert frame.loc[frame["logged"] == "pid 4712 mem", "value"].tolist() == [0.01]
    assert set(frame["series"]) == {"gpu/process_utilization", "gpu/process_memory_utilization"}
    assert not recording.problems


def test_commas_instead_of_blanks(tmp_path: Path) -> None:
    recording = read(tmp_path, "#gpu, pwr, sm\n#Idx, W, %\n0, 110, 85\n0, 111, 86\n")
    assert values(recording, "gpu/utilization", "gpu0") == [0.85, 0.86]


def test_header_alone_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row below it"):
        read(tmp_path, "# gpu    pwr  sm\n# Idx      W   %\n")
    with pytest.raises(InputError, match="no row below it"):
        read(tmp_path, PMON[: PMON.index("    0")])
    with pytest.raises(InputError, match="no two header lines"):
        read(tmp_path, "1 2 3\n")
