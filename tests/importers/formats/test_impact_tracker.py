from __future__ import annotations

import json

import pytest
from read_logs import values, written

from trainreport.errors import InputError


def samples(*powers):
    lines = [
        {"timestamp": 1_790_000_000 + 10 * at, "rapl_power_draw_absolute": 100, "nvidia_draw_absolute": power}
        for at, power in enumerate(powers)
    ]
    return "\n".join(map(json.dumps, lines))


def test_power_is_integrated(tmp_path):
    name, log = written(tmp_path, "impacttracker/data.json", samples(200, 300, 300))
    assert name == "impact-tracker"
    assert values(log, "experiment-impact-tracker energy/gpu") == pytest.approx([10 * 250 + 10 * 300])
    assert values(log, "experiment-impact-tracker energy") == pytest.approx([5500 + 2000])
    assert any("never opened" in event.message for event in log.events)


def test_one_sample_tells_no_energy(tmp_path):
    with pytest.raises(InputError, match="fewer than two samples"):
        written(tmp_path, "impacttracker/data.json", samples(200))
