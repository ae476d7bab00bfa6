from __future__ import annotations

import csv
import io
import json

from trainreport.model.run import SourceFile
from trainreport.packs import records


def test_json_is_readable_and_has_no_nan():
    assert records.as_json({"a": "ü"}) == b'{\n  "a": "\xc3\xbc"\n}\n'


def test_compute_has_each_figure_and_its_basis(real):
    found = json.loads((real / "data" / "compute.json").read_text())
    assert {"wall_s", "gpu_hours", "energy_kwh", "carbon_kg", "flop", "cost", "energy_basis", "basis"} <= set(found)
    assert {"hours", "energy", "flop"} <= set(found["basis"])


def test_environment_names_no_machine(real):
    found = json.loads((real / "data" / "environment.json").read_text())
    assert set(found) == {"trainreport", "python", "packages"}
    assert found["packages"]["pandas"]


def test_a_path_that_a_spreadsheet_would_compute_is_text():
    [_, row] = csv.reader(io.StringIO(records.logs_table([FILE], {"=a": "logs/_a"}).decode()))
    assert (row[0], row[-1]) == ("'=a", "logs/_a")


FILE = SourceFile(path="=a", sha256="0" * 64, bytes=1, importer="tensorboard", rows_read=1, rows_skipped=0)
