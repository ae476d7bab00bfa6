from __future__ import annotations

import json


def test_places_of_evidence_exist(real):
    for framework in json.loads((real / "data" / "controls.json").read_text())["frameworks"]:
        for clause in framework["clauses"]:
            for proof in clause["evidence"]:
                for where in proof["where"].split("; "):
                    assert (real / where.split(",")[0]).exists(), where
