from __future__ import annotations

import json
import re

import pytest
import yaml


def test_the_first_page_leads_to_annex_xi_in_two_steps(real):
    """Step one: the line of the clause. Step two: the file, or the clause with what was found."""
    page = (real / "data" / "index.md").read_text()
    for clause, file, figure in (("1(2)(d)", "compute.json", "5.9e18 FLOP"), ("1(2)(e)", "compute.json", "2.53 kWh, measured")):
        [line] = [line for line in page.splitlines() if f"[{clause} " in line]
        assert "| present |" in line
        assert f"[{file}]({file})" in line
        target = re.search(r"\]\((controls\.md)#([\w-]+)\)", line)
        text = (real / "data" / target[1]).read_text().split(f'<a id="{target[2]}"></a>')[1].split("<a id")[0]
        assert figure in text
    compute = json.loads((real / "data" / "compute.json").read_text())
    assert (compute["flop"], round(compute["energy_kwh"], 3), compute["energy_basis"]) == (5.9e18, 2.534, "measured")


def test_every_link_of_the_pages_leads_somewhere(real):
    data = real / "data"
    for page in ("index.md", "controls.md", "decision.md"):
        for target in re.findall(r"\]\(([^)]+)\)", (data / page).read_text()):
            file, _, place = target.partition("#")
            assert (data / file).exists(), target
            assert not place or f'<a id="{place}"></a>' in (data / file).read_text(), target


def test_the_model_card_has_emissions_in_grams(real):
    _, head, _ = (real / "data" / "model-card.md").read_text().split("---\n", 2)
    found = yaml.safe_load(head)
    assert found["model_name"] == "order-digits-1"
    carbon_kg = json.loads((real / "data" / "assessment.json").read_text())["runs"][0]["compute"]["carbon_kg"]
    assert found["co2_eq_emissions"]["emissions"] == pytest.approx(carbon_kg * 1000, rel=1e-5)


def test_the_decision_record_has_room_for_a_person(real):
    text = (real / "data" / "decision.md").read_text()
    assert all(f"| {word} | |" in text for word in ("Decision", "Name and role", "Date", "Signature"))
