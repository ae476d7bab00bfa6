"""Training compute over a lineage, added up by hand."""

from __future__ import annotations

import pytest
from builders import log_of, training

from trainreport.business.ledger import ledgers
from trainreport.business.lineage import ancestors, lineage
from trainreport.errors import PlanError
from trainreport.model.plan_reader import parse_plan

BASE = '[[lineage]]\nname = "base"\nflop = 4.04e22\nsource = "model card"\n'
TUNED = '[[lineage]]\nname = "run"\nflop = 9e22\nsource = "pack sha256:ab"\n'


def of(plan, **params):
    log = log_of(training({"loss": [1.0] * 5}, params=params))
    agreed = parse_plan(plan)
    return lineage([(log.run, ledger) for ledger in ledgers([log], agreed)], agreed)


def test_runs_given_and_runs_named_are_added_to_two_figures():
    found = of(BASE, total_flos="2e22")
    assert (found.flop, found.runs, [one.name for one in found.before]) == (6e22, 1, ["base"])
    assert "model card" in found.method
    assert [(one.flop, share) for one, share in found.beside()][:2] == [(1e23, pytest.approx(0.6)), (1e25, pytest.approx(0.006))]


def test_a_run_that_is_given_counts_once():
    found = of(BASE + TUNED, total_flos="2e22")
    assert found.flop == 6e22
    assert [one.name for one in ancestors(parse_plan(BASE + TUNED), ["run"])] == ["base"]


def test_a_given_run_of_unknown_compute_is_said():
    found = of(BASE)
    assert (found.flop, found.runs, found.unknown) == (4e22, 0, 1)


def test_nothing_known_at_all():
    assert of("") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[lineage]]\nname = "base"\nflop = 1e20\n', "source is missing"),
        (BASE + BASE, "'base' is named twice"),
        (BASE.replace("4.04e22", "-1"), "more than 0"),
        ("lineage = [1]\n", "expected [[lineage]]"),
    ],
)
def test_faults_of_the_plan(text, told):
    with pytest.raises(PlanError) as caught:
        parse_plan(text)
    assert told in str(caught.value)
