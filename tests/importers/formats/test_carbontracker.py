"""The log that carbontracker wrote itself."""

from __future__ import annotations

import pytest
from read_logs import DATA, read, values, written

from trainreport.errors import InputError

LOG = DATA / "emissions" / "run_carbontracker_output.log"


def test_what_carbontracker_wrote():
    name, log = read(LOG)
    assert name == "carbontracker"
    assert values(log, "carbontracker energy") == pytest.approx([0.000093781577 * 3.6e6])
    assert values(log, "carbontracker emissions") == pytest.approx([0.041732801978e-3])
    assert log.tags["energy.predicted_kwh"] == "0.000093782122 for 2 epochs"


def test_a_prediction_alone_is_no_measurement(tmp_path):
    with pytest.raises(InputError, match="predicts in it"):
        written(tmp_path, "a_carbontracker_output.log", LOG.read_text().partition("2026-12-01 00:07:05")[0])
