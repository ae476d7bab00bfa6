from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packs.conftest import contents

import trainreport as tr


def test_the_crate_names_every_file_and_what_it_was_made_from(real):
    crate = json.loads((real / "data" / "ro-crate-metadata.json").read_text())
    graph = {one["@id"]: one for one in crate["@graph"]}
    assert len(graph) == len(crate["@graph"])
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root, action = graph["./"], graph["#assessment"]
    assert root["conformsTo"] == {"@id": "https://w3id.org/ro/wfrun/process/0.5"}
    assert {one["@id"] for one in root["hasPart"]} == set(contents(real / "data")) - {"ro-crate-metadata.json"}
    assert graph[action["instrument"]["@id"]]["softwareVersion"] == tr.__version__
    for one in [*root["hasPart"], *action["object"], *action["result"]]:
        assert one["@id"] in graph


def python_of_the_validator():
    """Return the Python that has rocrate-validator: its own environment, for it wants older libraries than ours."""
    given = os.environ.get("TRAINREPORT_ROCRATE_PYTHON")
    return given or (sys.executable if importlib.util.find_spec("rocrate_validator") and importlib.util.find_spec("rocrate") else None)


@pytest.mark.full
@pytest.mark.skipif(
    python_of_the_validator() is None,
    reason="no rocrate-validator; TRAINREPORT_ROCRATE_PYTHON names the Python of an environment with roc-validator and rocrate",
)
def test_the_validator_finds_every_required_check_of_the_profile_met(real, tmp_path):
    command = [python_of_the_validator(), Path(__file__).parent / "check_crate.py"]
    checked = subprocess.run([*command, real / "data"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, "0 issues\n"), checked.stdout + checked.stderr
    (tmp_path / "broken").mkdir()
    graph = json.loads((real / "data" / "ro-crate-metadata.json").read_text())
    graph["@graph"] = [one for one in graph["@graph"] if one["@id"] != "#trainreport"]  # the instrument of the action
    (tmp_path / "broken" / "ro-crate-metadata.json").write_text(json.dumps(graph))
    assert subprocess.run([*command, tmp_path / "broken"], capture_output=True, check=False).returncode == 1
