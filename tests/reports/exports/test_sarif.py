"""SARIF 2.1.0: the structure by hand, from the standard's tables of properties.

The whole log was also validated against the standard's JSON schema (draft 4, with jsonschema 4.26) for every case here and
every sample run; the schema is not ours to ship.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from markdown_it import MarkdownIt

from trainreport.detectors import all_detectors
from trainreport.detectors.explain import SECTIONS, explain
from trainreport.model.finding import Outcome, Severity, State
from trainreport.model.plan import Accepted
from trainreport.reports.exports import sarif

MESSAGE = ({"text"}, {"markdown", "id", "arguments", "properties"})
REFERENCE = (set(), {"id", "index", "guid", "toolComponent", "properties"})
PROPERTIES = {  # object -> (required, further allowed) properties, sections 3.13 to 3.58
    "log": ({"version", "runs"}, {"$schema", "inlineExternalProperties", "properties"}),
    "run": ({"tool"}, {"invocations", "results", "originalUriBaseIds", "columnKind", "artifacts", "properties"}),
    "tool": ({"driver"}, {"extensions", "properties"}),
    "driver": ({"name"}, {"version", "semanticVersion", "informationUri", "rules", "notifications", "properties"}),
    "rule": (
        {"id"},
        {"name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration", "messageStrings", "properties"},
    ),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "level", "kind", "locations", "partialFingerprints", "fingerprints", "suppressions", "rank", "properties"},
    ),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message", "properties"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications", "toolConfigurationNotifications", "exitCode", "properties"}),
    "notification": ({"message"}, {"descriptor", "associatedRule", "level", "locations", "timeUtc", "exception", "properties"}),
    "suppression": ({"kind"}, {"status", "justification", "location", "guid", "properties"}),
}


def keeps_to(kind, thing):
    required, allowed = PROPERTIES[kind]
    assert required <= set(thing) <= required | allowed, (kind, set(thing) - required - allowed)


def log(assessment):
    whole = json.loads(sarif.render(assessment))
    return whole, whole["runs"][0]


def results(assessment):
    return log(assessment)[1]["results"]


def with_findings(made, *findings, **changes):
    exam = made.exam()
    run = replace(exam.runs[0], outcomes=made.outcomes(*findings))
    return replace(exam, runs=(run,), **changes)


def test_structure_is_that_of_the_standard(case):
    whole, run = log(case[1])
    assert whole["version"] == "2.1.0"
    driver = run["tool"]["driver"]
    for kind, things in {
        "log": [whole],
        "run": [run],
        "tool": [run["tool"]],
        "driver": [driver],
        "rule": [*driver["rules"], *driver["notifications"]],
        "result": run["results"],
        "location": [place for one in run["results"] for place in one["locations"]],
        "invocation": run["invocations"],
        "notification": [one for invocation in run["invocations"] for one in invocation["toolExecutionNotifications"]],
    }.items():
        for thing in things:
            keeps_to(kind, thing)
    for one in run["results"]:
        assert driver["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["level"] in {"none", "note", "warning", "error"}
        assert set(one["message"]) == {"text"}


def test_every_finding_is_a_result_once(made):
    assert [one["ruleId"] for one in results(made.exam())] == ["TR101", "TR301", "TR202"]
    several = results(made.several())
    assert sum(one["ruleId"] == "TR401" for one in several) == 1
    assert {one["properties"]["run"] for one in several if one["ruleId"] == "TR101"} == {f"sweep/dropout-0.{i}" for i in (1, 3, 5)}
    assert results(made.healthy()) == []


@pytest.mark.parametrize(("severity", "level"), [("NOTE", "note"), ("MINOR", "note"), ("MAJOR", "warning"), ("CRITICAL", "error")])
def test_level_by_severity(made, severity, level):
    [one] = results(with_findings(made, replace(made.OVERFITTING, severity=Severity[severity])))
    assert (one["level"], one["properties"]["severity"]) == (level, severity.lower())


def test_a_result_carries_evidence_cost_and_fingerprint(made):
    one = results(made.exam())[0]
    assert one["message"]["text"] == (
        "After step 20,000 accuracy on unseen data fell from 85 % to 78 %, while on training data it rose to 98 %. "
        "What to do: Go back to the checkpoint of step 20,000 and decide about the data before another run."
    )
    assert one["partialFingerprints"] == {"trainreportFinding/v1": "0123456789abcdef", "primaryLocationLineHash": "0123456789abcdef:1"}
    told = one["properties"]
    assert (told["confidence"], told["evidence"][0]["value"], told["waste"]["gpu_s"]) == ("high", 0.07, 24000)
    assert told["impact"]["money"] == {"amount": "26.70", "currency": "EUR"}


def test_files_are_percent_encoded_and_relative(made):
    def found(path):
        evidence = replace(made.OVERFITTING.evidence[0], file=path)
        [one] = results(with_findings(made, replace(made.OVERFITTING, evidence=(evidence, evidence))))
        [place] = one["locations"]
        assert place["physicalLocation"]["region"] == {"startLine": 1}
        assert place["logicalLocations"] == [{"name": "churn-3", "fullyQualifiedName": "churn-3"}]
        return place["physicalLocation"]["artifactLocation"]

    assert found("logs/a b#1%?ü.csv") == {"uri": "logs/a%20b%231%25%3F%C3%BC.csv", "uriBaseId": "LOGS"}
    assert found("c:d/[x].csv")["uri"] == "c%3Ad/%5Bx%5D.csv"
    assert found(b"\xff.csv".decode(errors="surrogateescape"))["uri"] == "%FF.csv"


def test_a_finding_without_a_file_stands_at_the_first_of_its_run(made):
    one = results(with_findings(made, made.OVER_BUDGET))[0]
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "logs/train.tfevents"


def test_a_detector_that_broke_off_is_a_notification(made):
    invocation = log(made.exam())[1]["invocations"][0]
    [one] = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert (one["level"], one["associatedRule"]["id"]) == ("error", "TR222")
    assert one["message"]["text"] == "TR222 network-bottleneck on run churn-3: the detector broke off: ValueError: no rows"


def test_what_the_owner_accepts_is_suppressed_until_its_day(made):
    agreed = made.plan(accepted=(Accepted("TR101", date(2026, 12, 31), "Data lead", "New data is ordered"),))

    def suppressed(day):
        assessment = with_findings(made, made.OVERFITTING, made.IDLE, plan=agreed, as_of=datetime(*day, tzinfo=UTC))
        return {one["ruleId"]: one.get("suppressions") for one in results(assessment)}

    [one] = suppressed((2026, 12, 31))["TR101"]
    keeps_to("suppression", one)
    assert one == {"kind": "external", "status": "accepted", "justification": "Data lead until 2026-12-31: New data is ordered"}
    assert suppressed((2026, 12, 31))["TR202"] is None
    assert suppressed((2027, 1, 1))["TR101"] is None


def test_what_a_log_says_is_no_placeholder_and_no_link(made):
    [one] = results(with_findings(made, replace(made.OVERFITTING, message="Run {0} [here](https://evil.example) fell [a].")))
    assert one["message"]["text"].startswith("Run {{0}} [here] (https://evil.example) fell [a].")


def test_numbers_that_are_none_are_null(made):
    evidence = replace(made.OVERFITTING.evidence[0], value=float("nan"), high=float("inf"))
    [one] = results(with_findings(made, replace(made.OVERFITTING, evidence=(evidence,))))
    assert (one["properties"]["evidence"][0]["value"], one["properties"]["evidence"][0]["high"]) == (None, None)


def test_an_outside_code_has_a_result_without_a_rule(made):
    [one] = results(with_findings(made, replace(made.OVERFITTING, code="XY001")))
    assert one["ruleId"] == "XY001"
    assert "ruleIndex" not in one


def test_an_outside_detector_without_explanation_still_has_a_rule(made, monkeypatch):
    class Bare(type(all_detectors()[0])):
        """Says nothing of itself."""

        code, name, severity = "XY001", "bare", Severity.MAJOR

    monkeypatch.setattr(sarif, "all_detectors", lambda: [Bare()])
    rules = log(made.healthy())[1]["tool"]["driver"]["rules"]
    assert rules == [{"id": "XY001", "name": "bare", "defaultConfiguration": {"level": "warning"}}]


def test_several_runs_tell_broken_detectors_of_each(made):
    several = made.several()
    broken = Outcome("TR404", "unpruned-search", State.FAILED, "the detector broke off: ValueError: x")
    several = replace(several, portfolio=replace(several.portfolio, outcomes=(*several.portfolio.outcomes, broken)))
    told = [one["message"]["text"] for one in log(several)[1]["invocations"][0]["toolExecutionNotifications"]]
    assert len(told) == 7
    assert told[-1] == "TR404 unpruned-search: the detector broke off: ValueError: x"


def test_each_rule_explains_itself_in_markdown_that_shows_its_text(made):
    reader = MarkdownIt("gfm-like", {"linkify": False})
    rules = log(made.healthy())[1]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [one.code for one in all_detectors()]
    for rule, one in zip(rules, all_detectors(), strict=True):
        shown = reader.render(rule["help"]["markdown"])
        assert set(re.findall(r"<(\w+)", shown)) <= {"p", "strong", "ul", "li", "code"}, rule["id"]
        assert re.findall("<strong>(.*?)</strong>", shown) == list(SECTIONS), rule["id"]
        told = [text.removeprefix("- ").replace("``", "") for texts in explain(one).sections.values() for text in texts]
        assert [text for text in told if text not in html.unescape(re.sub("<[^>]*>", "", shown))] == []


def test_the_log_is_plain_ascii_and_the_same_each_time(made):
    text = sarif.render(made.no_plan())
    assert text.isascii()
    assert text == sarif.render(made.no_plan())
