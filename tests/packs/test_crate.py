from __future__ import annotations

import json

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
