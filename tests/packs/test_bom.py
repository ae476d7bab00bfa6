"""Bills of materials, checked by the official schemas and classes."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import jsonschema
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packs.conftest import sample
from spdx_python_model import v3_0_1 as official

import trainreport as tr
from trainreport.packs import bom


@pytest.fixture(scope="module")
def judged():
    """Return the assessments of three samples: with measured energy, without a GPU log, and of several runs."""
    return [tr.analyze(logs, plan).assessment for logs, _, plan in map(sample, ("overfitting", "plateau", "search"))]


def compute(pack):
    return json.loads((pack / "data" / "compute.json").read_text())


def test_cyclonedx_fits_its_schema(judged):
    for one in judged:
        assert JsonStrictValidator(SchemaVersion.V1_7).validate_str(bom.cyclonedx(one).decode()) is None


def test_spdx_is_what_the_official_classes_read(judged):
    for one in judged:
        objects = official.SHACLObjectSet()
        official.JSONLDDeserializer().read(io.BytesIO(bom.spdx(one)), objects)
        [package] = objects.foreach_type(official.ai_AIPackage)
        kinds = {official.RelationshipType.hasConcludedLicense, official.RelationshipType.hasDeclaredLicense}
        assert {link.relationshipType for link in objects.foreach_type(official.Relationship)} == kinds
        assert package.suppliedBy
        assert objects.missing_ids == set()


@pytest.mark.skipif(not os.environ.get("TRAINREPORT_SPDX_SCHEMA"), reason="TRAINREPORT_SPDX_SCHEMA names no SPDX 3.0.1 JSON schema")
def test_spdx_fits_the_official_json_schema(judged):
    schema = json.loads(Path(os.environ["TRAINREPORT_SPDX_SCHEMA"]).read_text())
    for one in judged:
        jsonschema.Draft202012Validator(schema).validate(json.loads(bom.spdx(one)))


def test_each_has_its_own_units(real):
    found = compute(real)
    [use] = json.loads((real / "data" / bom.CYCLONEDX).read_text())["metadata"]["component"]["modelCard"]["considerations"][
        "environmentalConsiderations"
    ]["energyConsumptions"]
    assert use["activityEnergyCost"] == {"value": pytest.approx(found["energy_kwh"], rel=1e-5), "unit": "kWh"}
    assert use["co2CostEquivalent"] == {"value": pytest.approx(found["carbon_kg"] / 1000, rel=1e-5), "unit": "tCO2eq"}
    graph = json.loads((real / "data" / bom.SPDX).read_text())["@graph"]
    [model] = [one for one in graph if one["type"] == "ai_AIPackage"]
    [training] = model["ai_energyConsumption"]["ai_trainingEnergyConsumption"]
    assert training["ai_energyUnit"] == "kilowattHour"
    assert training["ai_energyQuantity"] == pytest.approx(found["energy_kwh"], rel=1e-5)


def test_ids_follow_from_the_inputs(judged):
    first, again, other = judged[0], judged[0], judged[1]
    assert bom.cyclonedx(first) == bom.cyclonedx(again)
    assert json.loads(bom.cyclonedx(first))["serialNumber"] != json.loads(bom.cyclonedx(other))["serialNumber"]


def test_a_date_given_is_the_date_of_both(judged, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert json.loads(bom.cyclonedx(judged[0]))["metadata"]["timestamp"] == "2026-01-01T00:00:00Z"
    assert json.loads(bom.spdx(judged[0]))["@graph"][0]["created"] == "2026-01-01T00:00:00Z"
