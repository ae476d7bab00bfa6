from __future__ import annotations

from pathlib import Path

import pytest

from trainreport.errors import InputError
from trainreport.importers.formats.nvidia_wide import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

POWER = "timestamp,GPU0,GPU1\n1763638585.215,199.975,256.513\n1763638585.415,196.311,261.444\n"


def read(folder: Path, text: str, name: str = "power_log.csv") -> Recording:
    file = folder / name
    file.write_text(text)
    return IMPORTER.read(Source(file, name))


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("power_log.csv", POWER, True),
        ("gpu_util.csv", POWER, True),
        ("log.csv", POWER, False),
        ("log.csv", "time,gpu0_util,gpu0_power_w,gpu1_util\n2025-01-01 00:00:00,1,2,3\n", True),
        ("power.csv", "time,GPU0,loss\n1,2,3\n", False),
        ("power.csv", "step,GPU0\n1,2\n", False),
    ],
)
def test_recognises_a_column_a_gpu(name: str, head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path(name), head.encode()) is expected


def test_each_column_is_of_its_gpu(tmp_path: Path) -> None:
    recording = read(tmp_path, POWER)
    frame = recording.frame
    assert set(frame["series"]) == {"gpu/power"}
    assert frame.loc[frame["device"] == "gpu1", "value"].tolist() == [256.513, 261.444]
    assert frame["time"].iloc[0].isoformat() == "2025-11-20T11:36:25.215000+00:00"
    assert recording.hardware.gpu_count == 2
    assert "named for power.draw" in recording.mappings[0].why


def test_columns_that_say_what_they_are(tmp_path: Path) -> None:
    text = "time,gpu0_util,gpu0_mem_used_mb,gpu1_util (%)\n2025-01-01 00:00:00,50,100,70\n2025-01-01 00:00:01,60,100,80\n"
    frame = read(tmp_path, text, "log.csv").frame
    assert frame.loc[(frame["device"] == "gpu0") & (frame["series"] == "gpu/utilization"), "value"].tolist() == [0.5, 0.6]
    assert frame.loc[frame["series"] == "gpu/memory_used", "value"].tolist() == [100 * 2**20] * 2
    assert frame.loc[(frame["device"] == "gpu1") & (frame["series"] == "gpu/utilization"), "value"].tolist() == [0.7, 0.8]


def test_other_text_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a column a GPU"):
        read(tmp_path, "a,b\n1,2\n")
