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
    "TR001": ("truncated-or-corrupt-log", Severity.MINOR),
    "TR002": ("restart-or-rewind", Severity.MINOR),
    "TR003": ("clock-trouble", Severity.MINOR),
    "TR004": ("no-validation-series", Severity.MAJOR),
    "TR005": ("conflicting-sources", Severity.MINOR),
    "TR006": ("run-did-not-finish", Severity.MAJOR),
    "TR101": ("overfitting", Severity.MAJOR),
    "TR102": ("underfitting", Severity.MAJOR),
    "TR103": ("not-learning", Severity.CRITICAL),
    "TR104": ("plateau", Severity.NOTE),
    "TR105": ("divergence", Severity.CRITICAL),
    "TR106": ("non-finite-values", Severity.CRITICAL),
    "TR107": ("loss-spikes", Severity.MINOR),
    "TR108": ("oscillation", Severity.MAJOR),
    "TR109": ("vanishing-gradients", Severity.MAJOR),
    "TR110": ("exploding-gradients", Severity.MAJOR),
    "TR111": ("learning-rate-schedule", Severity.MINOR),
    "TR112": ("trained-past-best", Severity.MINOR),
    "TR113": ("stopped-while-improving", Severity.NOTE),
    "TR114": ("suspicious-validation", Severity.MAJOR),
    "TR115": ("metric-loss-disagreement", Severity.MINOR),
    "TR116": ("validation-too-sparse", Severity.MINOR),
    "TR201": ("low-gpu-utilization", Severity.MAJOR),
    "TR202": ("gpu-allocated-but-idle", Severity.MAJOR),
    "TR203": ("input-pipeline-starvation", Severity.MAJOR),
    "TR204": ("memory-near-limit", Severity.MINOR),
    "TR205": ("memory-growth", Severity.MAJOR),
    "TR206": ("oversized-gpu", Severity.MINOR),
    "TR207": ("thermal-throttling", Severity.MAJOR),
    "TR208": ("power-capped", Severity.MINOR),
    "TR209": ("straggler-or-imbalance", Severity.MAJOR),
    "TR210": ("stall", Severity.MAJOR),
    "TR211": ("step-time-degradation", Severity.MINOR),
    "TR212": ("poor-scaling", Severity.MAJOR),
    "TR213": ("cpu-bottleneck", Severity.MAJOR),
    "TR214": ("io-bottleneck", Severity.MAJOR),
    "TR215": ("busy-but-not-working", Severity.MAJOR),
    "TR216": ("slow-start", Severity.MINOR),
    "TR217": ("gpu-faults", Severity.CRITICAL),
    "TR218": ("queue-wait", Severity.NOTE),
    "TR219": ("idle-after-end", Severity.MINOR),
    "TR220": ("lost-work", Severity.MINOR),
    "TR221": ("out-of-memory", Severity.CRITICAL),
    "TR222": ("network-bottleneck", Severity.MAJOR),
    "TR301": ("over-budget", Severity.MAJOR),
    "TR302": ("forecast-over-budget", Severity.MAJOR),
    "TR303": ("behind-schedule", Severity.MAJOR),
    "TR304": ("spend-after-best", Severity.MINOR),
    "TR305": ("spot-suitable", Severity.NOTE),
    "TR306": ("energy-or-carbon-over-budget", Severity.MAJOR),
    "TR307": ("compute-threshold-near", Severity.MAJOR),
    "TR308": ("target-unlikely-in-budget", Severity.MAJOR),
    "TR401": ("sunk-cost", Severity.CRITICAL),
    "TR402": ("no-baseline", Severity.NOTE),
    "TR403": ("baseline-not-beaten", Severity.MAJOR),
    "TR404": ("unpruned-search", Severity.MINOR),
    "TR405": ("noise-not-progress", Severity.MINOR),
    "TR501": ("criteria-not-registered-before-training", Severity.MAJOR),
    "TR502": ("missing-hyperparameters", Severity.MINOR),
    "TR503": ("missing-code-version", Severity.MINOR),
    "TR504": ("missing-data-version", Severity.MINOR),
    "TR505": ("missing-seed", Severity.MINOR),
    "TR506": ("no-checkpoint-evidence", Severity.MINOR),
    "TR507": ("run-outside-any-plan", Severity.MINOR),
}
ROLES = {"ML engineer", "Platform team", "Data lead"}


@pytest.fixture(params=EVERY, ids=lambda one: one.code)
def detector(request):
    return request.param


def test_codes_are_unique_and_in_order():
    codes = [one.code for one in EVERY]
    assert codes == sorted(set(codes))
    assert set(DESIGN) == set(codes)


def test_name_and_severity_are_the_designs(detector):
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
