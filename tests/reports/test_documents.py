from __future__ import annotations

import os
from pathlib import Path

from trainreport.reports.document import build

GOLDEN = Path(__file__).parents[1] / "golden"


def texts(made, assessment):
    return "\n".join(made.plain(build(assessment))) + "\n"


def test_the_text_of_each_case_is_the_golden_one(made, case, monkeypatch):
    """TRAINREPORT_GOLDEN=write writes them anew; read the difference before you commit it."""
    from trainreport import detectors
    from trainreport.detectors import accuracy
    from trainreport.reports.parts import explained, findings

    monkeypatch.setattr(explained, "why", lambda code: f"Why {code} matters.")  # the detectors' own words are tested with them
    assert findings.explained is explained
    monkeypatch.setattr(accuracy, "measured", lambda: made.FIGURES)
    monkeypatch.setattr(detectors, "codes", lambda: {f"TR10{i}": "any" for i in range(1, 6)})
    name, assessment = case
    file = GOLDEN / f"report_{name}.txt"
    text = texts(made, assessment)
    if os.environ.get("TRAINREPORT_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_the_exam_case_says_what_the_field_expects(made):
    text = texts(made, made.exam()).lower()
    for words in ("it memorises", "stop paying", "checkpoint", "cost", "data", "85 %", "78 %", "98 %", "40 % over"):
        assert words in text


def test_no_part_is_empty_and_each_heading_is_a_message(case):
    for part in build(case[1]).parts:
        assert part.blocks
        assert len(part.title.split()) >= 3


def test_building_twice_gives_the_same_text(made, case):
    assert texts(made, case[1]) == texts(made, case[1])
