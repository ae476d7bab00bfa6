"""Rules that every detector keeps."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from trainreport import detectors
from trainreport.detectors import catalog
from trainreport.detectors.explain import SECTIONS, as_text, explain
from trainreport.model.finding import Severity

EVERY = detectors.all_detectors()
# The table of codes in the design: code, name, severity.
DESIGN = {
    "TR101": ("overfitting", Severity.MAJOR),
    "TR102": ("underfitting", Severity.MAJOR),
    "TR103": ("not-learning", Severity.CRITICAL),
    "TR104": ("plateau", Severity.NOTE),
    "TR106": ("non-finite-values", Severity.CRITICAL),
    "TR112": ("trained-past-best", Severity.MINOR),
    "TR201": ("low-gpu-utilization", Severity.MAJOR),
    "TR202": ("gpu-allocated-but-idle", Severity.MAJOR),
}
ROLES = {"ML engineer", "Platform team", "Data lead"}


@pytest.fixture(params=EVERY, ids=lambda one: one.code)
def detector(request):
    return request.param


def test_codes_are_unique_and_in_order():
    codes = [one.code for one in EVERY]
    assert codes == sorted(set(codes))
    assert set(DESIGN) <= set(codes)


def test_name_and_severity_are_the_designs(detector):
    if detector.code in DESIGN:
        assert (detector.name, detector.severity) == DESIGN[detector.code]
    assert re.fullmatch(r"TR\d{3}", detector.code)


def test_the_file_is_named_by_code_and_name(detector):
    file = f"{detector.code.lower()}_{detector.name.replace('-', '_')}.py"
    assert type(detector).__module__.rpartition(".")[2] + ".py" == file
    assert (Path(catalog.__path__[0]) / file).is_file()
    assert detectors.codes()[detector.code] == detector.name


def test_every_section_says_something(detector):
    found = explain(detector)
    assert tuple(found.sections) == SECTIONS
    assert all(len(" ".join(paragraphs)) > 40 for paragraphs in found.sections.values())
    assert found.summary.endswith(".")
    assert found.needs


def test_every_threshold_can_be_defended(detector):
    assert is_dataclass(detector.Thresholds)
    for item in fields(detector.Thresholds):
        assert {"unit", "why", "source", "low", "high"} == set(item.metadata)
        assert item.metadata["low"] <= item.default <= item.metadata["high"]
        assert all(item.metadata[key] for key in ("unit", "why", "source"))
        assert item.metadata["why"].endswith(".")


def test_the_text_for_a_terminal_has_it_all_and_fits(detector):
    text = as_text(explain(detector), width=88)
    assert max(map(len, text.splitlines())) <= 88
    for part in (detector.code, detector.name, *SECTIONS, *(item.name for item in fields(detector.Thresholds))):
        assert part in text


def test_no_action_asks_for_more_hardware_and_each_is_an_order(detector):
    source = Path(catalog.__path__[0], f"{type(detector).__module__.rpartition('.')[2]}.py").read_text()
    texts = re.findall(r'Action\(\s*"([^"]+)"', source)
    assert texts
    for text in texts:
        assert re.match(r"[A-Z][a-z]+ ", text), text
        assert text.endswith(".")
        assert not re.search(r"(more|bigger|larger|faster|additional) (gpu|hardware|machine|node)", text.lower())
    owners = set(re.findall(r'owner="([^"]+)"', source)) | {role for role in ROLES if f'"{role}"' in source}
    assert owners
    assert owners <= ROLES
