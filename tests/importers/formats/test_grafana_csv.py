"""CSV of Grafana panels; the forms are those of its documentation and of its versions 6 to 11."""

from __future__ import annotations

import io
import math

import pandas as pd
import pytest
from read_logs import meanings, values, written

from trainreport.errors import InputError
from trainreport.importers.registry import recognise

COLUMNS = """"Time","DCGM_FI_DEV_GPU_UTIL{Hostname=""node-a"", gpu=""0""}","DCGM_FI_DEV_GPU_UTIL{Hostname=""node-a"", gpu=""1""}"
"2026-06-09 06:00:00","83","7"
"2026-06-09 06:00:15","84",""
"""


def test_series_in_columns(tmp_path):
    name, log = written(tmp_path, "panel.csv", COLUMNS)
    assert name == "grafana-csv"
    assert log.frame["value"].tolist() == [0.83, 0.07, 0.84]
    assert log.frame["device"].tolist() == ["gpu0", "gpu1", "gpu0"]
    assert log.frame["node"].tolist() == ["node-a"] * 3
    assert set(log.frame["series"]) == {"gpu/utilization"}
    assert log.files[0].clock == "no zone written; taken as UTC"
    assert log.kind == "machine"
    assert not log.problems


def test_sep_and_bom_of_excel(tmp_path):
    body = '"Time";"GPU 0"\n1780984800000;83\n1780984815000;null\n'
    _, log = written(tmp_path, "GPU Utilization-data-2026-06-09.csv", b"\xef\xbb\xbfsep=;\r\n" + body.replace("\n", "\r\n").encode())
    assert values(log, "GPU 0") == [0.83]
    assert meanings(log)["GPU 0"] == ("gpu/utilization", "system", "1")
    assert log.frame["device"].tolist() == ["gpu0"]
    assert log.started_at.isoformat() == "2026-06-09T06:00:00+00:00"


def test_series_in_rows(tmp_path):
    """As Grafana 6 writes them."""
    text = '"Series";"Time";"Value"\n"nvidia_smi_power_draw_watts{uuid=""a""}";"2026-06-09T08:00:00+02:00";250.5\n'
    _, log = written(tmp_path, "grafana_data_export.csv", text)
    assert log.frame["value"].tolist() == [250.5]
    assert log.frame["series"].tolist() == ["gpu/power"]
    assert log.started_at.isoformat() == "2026-06-09T06:00:00+00:00"


def test_formatted_numbers(tmp_path):
    text = '"Time","GPU 0 memory used","GPU 0 power","GPU 0 temp"\n"2026-06-09 06:00:00","1.5 GiB","1,250 W","45 °C"\n'
    _, log = written(tmp_path, "panel.csv", text)
    assert log.frame["value"].tolist() == [1.5 * 2**30, 1250, 45]
    assert log.frame["unit"].tolist() == ["B", "W", "degC"]


def test_a_number_of_another_kind_is_named(tmp_path):
    _, log = written(tmp_path, "panel.csv", '"Time","GPU 0 power","GPU 0 temp"\n"2026-06-09 06:00:00","12 s","45"\n')
    assert log.frame["value"].tolist() == [45]
    assert log.problems[0].what == "GPU 0 power: found '12 s'; expected a number"


def test_a_training_csv_is_left_to_others(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text('"Time","step","loss"\n"2026-06-09 06:00:00","1","2.5"\n')
    importer = recognise(path)
    assert not isinstance(importer, str)
    assert importer.name == "table"


def test_nothing_below_the_header(tmp_path):
    with pytest.raises(InputError, match="no number below it"):
        written(tmp_path, "panel.csv", '"Time","GPU 0"\n"2026-06-09 06:00:00","null"\n')


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("85 %", 0.85),
        ("85%", 0.85),
        ("8.5e1", 0.85),
        ("1,085 %", 10.85),
        ("83.33333333333333", 0.8333333333333333),
        ("83.33333333333333%", 0.8333333333333333),
        ("NaN", math.nan),
        ("+Inf", math.inf),
    ],
)
def test_shares_however_they_are_written(tmp_path, cell, value):
    _, log = written(tmp_path, "panel.csv", f'"Time","GPU 0 utilization"\n"2026-06-09 06:00:00","{cell}"\n')
    assert log.frame["value"].tolist() == pytest.approx([value], nan_ok=True)
    assert not log.problems


@pytest.mark.parametrize(
    ("cell", "bytes_"),
    [("1.5 GB", 1.5e9), ("1.5 GiB", 1.5 * 2**30), ("512 MiB", 2**29), ("512 MB", 512e6), ("1024", 2**30), ("1.2 K", 1200 * 2**20)],
)
def test_memory_in_the_units_of_grafana(tmp_path, cell, bytes_):
    """Its bytes(IEC) are GiB, its bytes(SI) GB; without a unit the metric's own, MiB, counts."""
    _, log = written(tmp_path, "panel.csv", f'"Time","DCGM_FI_DEV_FB_USED{{gpu=""0""}}"\n"2026-06-09 06:00:00","{cell}"\n')
    assert log.frame["value"].tolist() == pytest.approx([bytes_])


def test_a_comma_before_decimals_where_semicolons_set_cells_apart(tmp_path):
    text = 'sep=;\n"Time";"loss";"GPU 0 power"\n"2026-06-09 06:00:00";"0,125";"1.250,5 W"\n'
    _, log = written(tmp_path, "panel.csv", text)
    assert log.frame["value"].tolist() == [0.125, 1250.5]


def test_a_panel_of_gpus_alone_is_taken_once(tmp_path):
    """A log with a column a GPU has the same columns; the quotes are Grafana's."""
    text = '"Time","GPU 0","GPU 1"\n2026-06-09 06:00:00,85 %,7\n'
    name, log = written(tmp_path, "GPU Utilization-data.csv", text)
    assert name == "grafana-csv"
    assert log.frame["value"].tolist() == [0.85, 0.07]
    assert log.frame["device"].tolist() == ["gpu0", "gpu1"]


def test_legends_that_stand_twice_are_two_series(tmp_path):
    """Grafana numbers them, as in the second pair; in older versions it did not."""
    name = "DCGM_FI_DEV_FB_USED"
    for second, legends in ((f"{name} #2", (name, name)), (f"{name} 2", (f"{name} 1", f"{name} 2"))):
        text = '"Time",' + ",".join(f'"{one}"' for one in legends) + '\n"2026-06-09 06:00:00",1,2\n'
        _, log = written(tmp_path, "panel.csv", text)
        assert values(log, second) == [2 * 2**20]
        assert set(log.frame["series"]) == {"gpu/memory_used"}


def test_moments_in_columns_are_not_taken_for_series(tmp_path):
    path = tmp_path / "panel.csv"
    path.write_text('"Series","2026-06-09 06:00:00","2026-06-09 06:00:15"\n"GPU 0 util","5","6"\n')
    assert isinstance(recognise(path), str)


def test_plain_numbers_are_those_that_pandas_reads(tmp_path):
    text = '"Time","a_seconds","b_seconds"\n1780984800000,1.25,\n1780984815000,-3e-05,null\n1780984830000,.5,7\n'
    _, log = written(tmp_path, "panel.csv", text)
    theirs = pd.read_csv(io.StringIO(text))
    for name in ("a_seconds", "b_seconds"):
        assert values(log, name) == theirs[name].dropna().tolist()
