"""The model as a bill of materials: CycloneDX 1.7 (kWh and tonnes) and SPDX 3.0.1 with the AI profile (kWh).

Both are made from the same figures, with ids and times that follow from the inputs alone.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from trainreport.business.flop import two_figures
from trainreport.model import clock
from trainreport.packs.bag import made_at
from trainreport.packs.evidence import ledger
from trainreport.packs.records import as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.decision import Assessment, CriterionResult
    from trainreport.model.ledger import Ledger

__all__ = ["CYCLONEDX", "SPDX", "cyclonedx", "spdx"]

CYCLONEDX, SPDX = "bom.cdx.json", "bom.spdx3.json"
_UNKNOWN = "1970-01-01T00:00:00Z"
"""Where nothing says when: both formats, or their reader, ask for a time."""
_NAMESPACE = uuid.UUID("6f1b8b0e-5d0f-5d0a-9f0e-1c9d5d7a2f10")
_SPDX_NO_ASSERTION = "https://spdx.org/rdf/3.0.1/terms/Core/NoAssertion"


def cyclonedx(assessment: Assessment) -> bytes:
    """Return the CycloneDX ML-BOM: the model with its card, and the tool that wrote it."""
    total, plan = ledger(assessment), assessment.plan
    model = {
        "type": "machine-learning-model",
        "bom-ref": "model",
        "name": _name(assessment),
        **({"supplier": {"name": plan.model["supplier"]}} if plan.model.get("supplier") else {}),
        **({"description": plan.objective} if plan.objective else {}),
        "modelCard": _card(assessment, total),
        "properties": _properties(assessment, total),
    }
    tool = {"type": "application", "name": "trainreport", "version": assessment.version}
    return as_json({
        "$schema": "http://cyclonedx.org/schema/bom-1.7.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.7",
        "serialNumber": f"urn:uuid:{_uuid(assessment)}",
        "version": 1,
        "metadata": {"timestamp": _when(assessment), "tools": {"components": [tool]}, "component": model},
    })  # fmt: skip


def spdx(assessment: Assessment) -> bytes:
    """Return the SPDX document: the model as an AI package, with its energy, hyperparameters and metrics."""
    base = f"urn:trainreport:{_uuid(assessment)}"
    info, tool, supplier = "_:creation", f"{base}:tool", f"{base}:supplier"
    named = {"creationInfo": info}
    head = {"type": "CreationInfo", "@id": info, "specVersion": "3.0.1", "created": _when(assessment)}
    graph = [
        {**head, "createdBy": [supplier], "createdUsing": [tool]},
        {"type": "Tool", "spdxId": tool, **named, "name": f"trainreport {assessment.version}"},
        {"type": "Organization", "spdxId": supplier, **named, "name": assessment.plan.model.get("supplier") or "not stated"},
        _package(assessment, base, named, supplier),
        *(_license(kind, base, named) for kind in ("hasConcludedLicense", "hasDeclaredLicense")),
        {"type": "SpdxDocument", "spdxId": f"{base}:document", **named, "profileConformance": ["core", "software", "ai"],
         "rootElement": [f"{base}:model"], "element": [f"{base}:model", supplier, tool]},
    ]  # fmt: skip
    return as_json({"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": graph})


def _package(assessment: Assessment, base: str, named: dict[str, str], supplier: str) -> dict[str, Any]:
    total, plan, run = ledger(assessment), assessment.plan, assessment.leading.log.run
    energy = {} if total.energy_kwh is None else {"ai_energyConsumption": _spdx_energy(total.energy_kwh)}
    criteria = assessment.leading.criteria
    metrics = [_entry(one.id, _digits(one.value)) for one in criteria if one.value is not None]
    limits = [_entry(one.id, f"{one.comparator} {_digits(one.threshold)}") for one in criteria]
    parameters = [_entry(key, value) for key, value in sorted(run.params.items())]
    about = "; ".join(f"{one['name'].removeprefix('trainreport:')} {one['value']}" for one in _properties(assessment, total))
    return {
        "type": "ai_AIPackage",
        "spdxId": f"{base}:model",
        **named,
        "name": _name(assessment),
        "suppliedBy": supplier,
        "software_packageVersion": run.id,
        "software_primaryPurpose": "model",
        "software_downloadLocation": _SPDX_NO_ASSERTION,
        "releaseTime": _when(assessment),
        **({"summary": plan.model["intended_use"]} if plan.model.get("intended_use") else {}),
        **({"ai_informationAboutTraining": about} if about else {}),
        **({"ai_hyperparameter": parameters} if parameters else {}),
        **({"ai_metric": metrics} if metrics else {}),
        **({"ai_metricDecisionThreshold": limits} if limits else {}),
        **energy,
    }


def _license(kind: str, base: str, named: dict[str, str]) -> dict[str, Any]:
    """Return that nothing is said of the licence; the profile asks for both kinds."""
    ends = {"from": f"{base}:model", "to": ["expandedlicensing_NoAssertionLicense"]}
    return {"type": "Relationship", "spdxId": f"{base}:{kind}", **named, "relationshipType": kind, **ends}


def _spdx_energy(kwh: float) -> dict[str, Any]:
    amount = {"type": "ai_EnergyConsumptionDescription", "ai_energyQuantity": _rounded(kwh), "ai_energyUnit": "kilowattHour"}
    return {"type": "ai_EnergyConsumption", "ai_trainingEnergyConsumption": [amount]}


def _entry(key: str, value: str) -> dict[str, str]:
    return {"type": "DictionaryEntry", "key": key, "value": value}


def _card(assessment: Assessment, total: Ledger) -> dict[str, Any]:
    use = assessment.plan.model.get("intended_use")
    considerations: dict[str, Any] = {"useCases": [use]} if use else {}
    if total.energy_kwh is not None:
        considerations["environmentalConsiderations"] = {"energyConsumptions": [_energy(total, total.energy_kwh)]}
    metrics = [_metric(one) for one in assessment.leading.criteria if one.value is not None]
    return {
        **({"quantitativeAnalysis": {"performanceMetrics": metrics}} if metrics else {}),
        **({"considerations": considerations} if considerations else {}),
    }


def _energy(total: Ledger, kwh: float) -> dict[str, Any]:
    spent = {"value": _rounded(kwh), "unit": "kWh"}
    carbon = {} if total.carbon_kg is None else {"co2CostEquivalent": {"value": _rounded(total.carbon_kg / 1000), "unit": "tCO2eq"}}
    provider = {"organization": {"name": "not stated"}, "energySource": "unknown", "energyProvided": spent}
    basis = [{"name": "trainreport:energy_basis", "value": f"{total.energy_basis}; {total.basis.get('energy', 'basis not stated')}"}]
    return {"activity": "training", "energyProviders": [provider], "activityEnergyCost": spent, **carbon, "properties": basis}


def _metric(one: CriterionResult) -> dict[str, str]:
    return {"type": one.id, "value": _digits(one.value or 0.0)}


def _properties(assessment: Assessment, total: Ledger) -> list[dict[str, str]]:
    """Return what has no field of its own in the format, each figure with its unit in its name."""
    run = assessment.leading.log.run
    told: Sequence[tuple[str, object]] = (
        ("flop", None if total.flop is None else f"{two_figures(total.flop):g}"),
        ("flop_basis", total.basis.get("flop") if total.flop is not None else None),
        ("gpu_hours", None if total.gpu_hours is None else _digits(total.gpu_hours)),
        ("wall_s", None if total.wall_s is None else _digits(total.wall_s)),
        ("gpu_model", run.hardware.gpu_model),
        ("code_version", run.code_version),
        ("data_version", run.data_version),
        ("inputs_digest", f"sha256:{assessment.inputs_digest}"),
    )
    return [{"name": f"trainreport:{name}", "value": str(value)} for name, value in told if value is not None]


def _name(assessment: Assessment) -> str:
    return assessment.plan.model.get("name") or assessment.leading.log.run.name


def _when(assessment: Assessment) -> str:
    moment = made_at() or assessment.as_of
    return _UNKNOWN if moment is None else str(clock.iso(moment.replace(microsecond=0)))


def _uuid(assessment: Assessment) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, assessment.inputs_digest)


def _rounded(value: float) -> float:
    return float(_digits(value))


def _digits(value: float) -> str:
    return f"{value:.6g}"
