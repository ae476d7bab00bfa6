from __future__ import annotations

from pathlib import Path

import pytest

from trainreport.errors import InputError
from trainreport.importers.formats.nvidia_table import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

V396 = """\
Thu Jun  7 12:00:01 2018
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 396.26                 Driver Version: 396.26                    |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla P100-SXM2...  On   | 00000000:06:00.0 Off |                    0 |
| N/A   33C    P0    30W / 300W |     10MiB / 16280MiB |     60%      Default |
+-------------------------------+----------------------+----------------------+
|   1  Tesla P100-SXM2...  On   | 00000000:07:00.0 Off |                    0 |
| N/A   34C    P0    31W / 300W |      0MiB / 16280MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0     23225      C   python                                        10MiB |
+-----------------------------------------------------------------------------+
"""
V530 = """\
| NVIDIA-SMI 530.41.03              Driver Version: 530.41.03    CUDA Version: 12.1     |
|   0  NVIDIA GeForce RTX 3060 L...    Off| 00000000:01:00.0 Off |                  N/A |
| N/A   57C    P0               N/A /  N/A|      6MiB /  6144MiB |      5%      Default |
|                                         |                      |                  N/A |
"""
V580 = """\
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
|  14  NVIDIA RTX 4000 Ada Gene...    On  |   00000000:CC:00.0 Off |                  Off |
|ERR!   68C    P2             99W /  130W |       1MiB /  20475MiB |     93%      Default |
|                                         |                        |                  N/A |
"""
WINDOWS = """\
| NVIDIA-SMI 555.85                 Driver Version: 555.85         CUDA Version: 12.5     |
|   0  NVIDIA GeForce RTX 4070 ...  WDDM  |   00000000:01:00.0  On |                  N/A |
| 30%   45C    P8             12W /  200W |    1024MiB /  12282MiB |      7%      Default |
"""
MIG = """\
|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                   On |
| N/A   42C    P0    64W / 400W |     25MiB / 40536MiB |     N/A      Default |
|                               |                      |              Enabled |
| MIG devices:                                                                |
| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |
|  0    1   0   0  |     11MiB / 20096MiB | 42      0 |  3   0    2    0    0 |
"""


def read(folder: Path, text: str | bytes) -> Recording:
    file = folder / "gpu.log"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return IMPORTER.read(Source(file, "gpu.log"))


def values(recording: Recording, series: str, device: str) -> list[float]:
    frame = recording.frame
    return frame.loc[(frame["series"] == series) & (frame["device"] == device), "value"].tolist()


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (V396, True),
        (V530, True),
        (WINDOWS, True),
        ("\n".join(V580.splitlines()[1:]), True),
        ("| loss | acc |\n|------|-----|\n| 0.5  | 0.9 |\n", False),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", False),
    ],
)
def test_recognises_the_table(head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path("any.log"), head.encode()) is expected


@pytest.mark.parametrize("dress", [str.encode, lambda text: text.replace("\n", "\r\n").encode(), lambda text: text.encode("utf-16")])
def test_loop_of_tables(tmp_path: Path, dress: object) -> None:
    assert callable(dress)
    later = V396.replace("12:00:01", "12:00:11").replace(" 60%", "100%")
    recording = read(tmp_path, dress(V396 + later))
    assert values(recording, "gpu/utilization", "gpu0") == [0.6, 1.0]
    assert values(recording, "gpu/memory_used", "gpu0") == [10 * 2**20] * 2
    assert values(recording, "gpu/power", "gpu1") == [31.0, 31.0]
    assert values(recording, "gpu/power_limit", "gpu1") == [300.0, 300.0]
    assert values(recording, "gpu/temperature", "gpu1") == [34.0, 34.0]
    assert [str(time) for time in recording.frame["time"].unique()] == ["2018-06-07 12:00:01+00:00", "2018-06-07 12:00:11+00:00"]
    assert recording.files[0].clock == "no zone written; taken as UTC"
    assert recording.hardware.gpu_model == "Tesla P100-SXM2..."
    assert recording.hardware.gpu_count == 2
    assert recording.files[0].rows_read == 4
    assert not recording.problems
    assert [event.message for event in recording.events] == ["Fan is N/A in 4 of 4 rows"]


def test_power_that_the_driver_does_not_tell(tmp_path: Path) -> None:
    recording = read(tmp_path, V530)
    assert values(recording, "gpu/utilization", "gpu0") == [0.05]
    assert values(recording, "gpu/power", "gpu0") == []
    assert recording.files[0].clock == "no time written"


def test_gpu_in_error_state_is_an_event_of_its_own(tmp_path: Path) -> None:
    recording = read(tmp_path, V580)
    assert values(recording, "gpu/utilization", "gpu14") == [0.93]
    [error] = [event for event in recording.events if event.level == "error"]
    assert (error.kind, error.message, error.line) == ("gpu-error", "Fan is ERR! in 1 of 1 rows, on gpu14", 2)


def test_windows_and_mig(tmp_path: Path) -> None:
    assert values(read(tmp_path, WINDOWS), "gpu/utilization", "gpu0") == [0.07]
    mig = read(tmp_path, MIG)
    assert values(mig, "gpu/utilization", "gpu0") == []
    assert values(mig, "gpu/memory_used", "gpu0") == [25 * 2**20]


def test_table_that_is_cut(tmp_path: Path) -> None:
    recording = read(tmp_path, V396 + V396[: V396.index("|   1  Tesla") + 80])
    assert recording.files[0].rows_read == 3
    assert [problem.place for problem in recording.problems] == ["line 31"]


def test_frame_without_a_gpu_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no GPU in it"):
        read(tmp_path, "| NVIDIA-SMI 396.26                 Driver Version: 396.26                    |\n")


def test_long_lines_of_blanks_take_no_time(tmp_path: Path) -> None:
    recording = read(tmp_path, V530 + ("|  1 " + " " * 20_000 + "x\n") * 20 + ("| " * 10_000 + "\n") * 20)
    assert recording.files[0].rows_read == 1
