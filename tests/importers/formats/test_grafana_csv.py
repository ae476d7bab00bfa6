"""CSV of Grafana panels; the forms are those of its documentation and of its versions 6 to 11."""

from __future__ import annotations

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
