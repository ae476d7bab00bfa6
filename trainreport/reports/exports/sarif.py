"""The findings as SARIF 2.1.0, for code scanning and the viewers that read it.

A finding's level follows what it does to the decision. A critical finding is an error. A major one stands between a
model and an unconditional go: a warning. Minor ones and notes never change a verdict: notes. The severity itself is
among the properties.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from trainreport.detectors import all_detectors
from trainreport.detectors.explain import as_text, explain
from trainreport.model.finding import State
from trainreport.reports.exports import json as data
from trainreport.reports.exports.gate import accepted

if TYPE_CHECKING:
    from trainreport.detectors import Detector
    from trainreport.detectors.explain import Explanation
    from trainreport.model.decision import Assessment, RunAssessment
    from trainreport.model.finding import Outcome

__all__ = ["as_dict", "render"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"note": "note", "minor": "note", "major": "warning", "critical": "error"}
_BASE = "LOGS"
_BROKE_OFF = "detector-failed"
_OWN_PLACE = ("code", "name", "message", "fingerprint")  # of a finding, said elsewhere than in the properties
_LINK = re.compile(r"\](?=\()")


def render(assessment: Assessment) -> str:
    """Return the SARIF log, in ASCII, with a line end."""
    return json.dumps(as_dict(assessment), indent=2, allow_nan=False) + "\n"


def as_dict(assessment: Assessment) -> dict[str, Any]:
    """Return the SARIF log as plain dictionaries, lists, texts and numbers: one SARIF run for the whole assessment."""
    detectors = all_detectors()
    whole = data.as_dict(assessment)
    places = {detector.code: place for place, detector in enumerate(detectors)}
    found = [(run, finding) for run, one in zip(assessment.runs, whole["runs"], strict=True) for finding in one["findings"]]
    if whole["portfolio"] is not None:
        found += [(assessment.leading, finding) for finding in whole["portfolio"]["findings"]]
    driver = {
        "name": "trainreport",
        "version": assessment.version,
        "rules": [_rule(detector) for detector in detectors],
        "notifications": [{"id": _BROKE_OFF, "shortDescription": _text("A detector broke off; the others are not affected.")}],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _broken_off(assessment)}],
        "originalUriBaseIds": {_BASE: {"description": _text("The PATH that trainreport was given.")}},
        "results": [_result(assessment, one, finding, places) for one, finding in found],
        "columnKind": "unicodeCodePoints",
        "properties": {"decision": whole["decision"], "inputs_digest": whole["inputs_digest"]},
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(detector: Detector) -> dict[str, Any]:
    level = {"level": _LEVELS[detector.severity.word]}
    rule: dict[str, Any] = {"id": detector.code, "name": detector.name, "defaultConfiguration": level}
    try:
        told = explain(detector)
    except ValueError:  # an outside detector without a full explanation still has its findings
        return rule
    return rule | {
        "shortDescription": _text(told.summary),
        "fullDescription": _text(" ".join((*told.sections["What it checks"], *told.sections["Why it matters"]))),
        "help": {**_text(as_text(told)), "markdown": _braced(_help(told))},
        "properties": {"severity": detector.severity.word},
    }


def _help(told: Explanation) -> str:
    """Return the sections of an explanation as Markdown; its texts are written so that they read well in it."""
    pieces = [told.summary]
    for title, paragraphs in told.sections.items():
        pieces += [f"**{title}**", *paragraphs]
    return re.sub(r"\n\n(?=- )", "\n", "\n\n".join(pieces))


def _result(assessment: Assessment, run: RunAssessment, finding: dict[str, Any], places: dict[str, int]) -> dict[str, Any]:
    code, fingerprint = finding["code"], finding["fingerprint"]
    named = {"ruleIndex": places[code]} if code in places else {}
    agreed = accepted(assessment, code)
    why = f"{agreed.who} until {agreed.until}: {agreed.why}" if agreed else ""
    return {
        "ruleId": code,
        **named,
        "level": _LEVELS[finding["severity"]],
        "message": _text(f"{finding['message']} What to do: {finding['action']['text'].rstrip('.')}."),
        "locations": _locations(run, finding),
        "partialFingerprints": {
            "trainreportFinding/v1": fingerprint,
            "primaryLocationLineHash": f"{fingerprint}:1",
        },  # GitHub reads the second
        **({"suppressions": [{"kind": "external", "status": "accepted", "justification": why}]} if agreed else {}),
        "properties": {"run": run.log.run.id, **{key: value for key, value in finding.items() if key not in _OWN_PLACE}},
    }


def _locations(run: RunAssessment, finding: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the files that the evidence is from, else the run's first: GitHub takes no result without a file and a line."""
    files = dict.fromkeys(one["file"] for one in finding["evidence"] if one["file"]) or [file.path for file in run.log.run.files[:1]]
    named = {"logicalLocations": [{"name": run.log.run.name, "fullyQualifiedName": run.log.run.id}]}
    found = [{"physicalLocation": {"artifactLocation": _file(path), "region": {"startLine": 1}}, **named} for path in files]
    return found or [named]


def _file(path: str) -> dict[str, str]:
    return {"uri": quote(path, safe="/", errors="surrogateescape"), "uriBaseId": _BASE}


def _broken_off(assessment: Assessment) -> list[dict[str, Any]]:
    of_runs = [(outcome, f" on run {run.log.run.id}") for run in assessment.runs for outcome in run.outcomes]
    of_all = [(outcome, "") for outcome in assessment.portfolio.outcomes] if assessment.portfolio else []
    return [_notification(outcome, where) for outcome, where in (*of_runs, *of_all) if outcome.state is State.FAILED]


def _notification(outcome: Outcome, where: str) -> dict[str, Any]:
    return {
        "descriptor": {"id": _BROKE_OFF, "index": 0},
        "associatedRule": {"id": outcome.code},
        "level": "error",
        "message": _text(f"{outcome.code} {outcome.name}{where}: {outcome.reason}"),
    }


def _text(text: str) -> dict[str, str]:
    """Return a message; what looks like an embedded link, as a name in a log may, is taken apart."""
    return {"text": _braced(_LINK.sub("] ", text))}


def _braced(text: str) -> str:
    """Return `text` with braces doubled: a single one begins a placeholder in SARIF."""
    return text.replace("{", "{{").replace("}", "}}")
