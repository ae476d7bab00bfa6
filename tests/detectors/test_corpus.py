"""Real GPU logs with known truth; skipped where the corpus is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainreport import analyze

CORPUS = os.environ.get("TRAINREPORT_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS or not Path(CORPUS).is_dir(), reason="TRAINREPORT_CORPUS names no folder")


def findings(folder):
    """Return what was found about the machine; that no plan was given is found on each."""
    found = analyze(Path(CORPUS, folder)).assessment.leading.findings
    return {(one.code, one.device): one for one in found if one.code != "TR507"}


def test_one_of_two_gpus_is_idle_for_the_whole_log():
    found = findings("nvidia_smi/03")
    assert set(found) == {("TR202", "gpu1")}
    assert "15 MiB" in found["TR202", "gpu1"].message


def test_a_busy_gpu_gives_nothing():
    assert findings("nvidia_smi/01") == {}


def test_a_mean_of_a_few_percent_is_low():
    assert ("TR201", "gpu0") in findings("nvidia_smi/04")
