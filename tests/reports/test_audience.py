"""Who gets which parts, and the parts that only some of them get."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta

import pytest

from trainreport import detectors
from trainreport.errors import UsageError
from trainreport.model.finding import Outcome, Severity, State
from trainreport.model.money import Money
from trainreport.model.plan import Accepted, Budget
from trainreport.reports import page
from trainreport.reports.audience import AUDIENCES
from trainreport.reports.document import _PARTS, build
from trainreport.reports.parts import budget, method, risks
from trainreport.reports.spec import FigureSpec
from trainreport.reports.view import View

WANTED = {
    "sponsor": ["decision"],
    "manager": ["decision", "reasons-and-criteria", "budget", "risks", "capacity", "runs", "glossary", "sign"],
    "engineer": ["decision", "learning", "machine", "capacity", "findings", "runs", "glossary"],
    "auditor": ["decision", "reasons-and-criteria", "coverage", "method", "accuracy", "provenance", "glossary", "sign"],
    "all": [
        "decision", "reasons-and-criteria", "budget", "risks", "learning", "machine", "capacity", "findings", "runs", "coverage",
        "accuracy", "provenance", "glossary", "sign",
    ],
}  # fmt: skip


def plain(text):
    return text.replace("\u00a0", " ")


def rows(part):
    [table] = [block for block in part.blocks if block.kind == "table"]
    return [
        [plain(" ".join(text for text in (cell.state.word if cell.state else "", cell.text) if text)) for cell in row.cells]
        for row in table.rows
    ]


def links(tree):
    """Yield ids and targets of links in a document."""
    if isinstance(tree, tuple):
        for item in tree:
            yield from links(item)
    elif is_dataclass(tree) and not isinstance(tree, FigureSpec):
        for item in fields(tree):
            value = getattr(tree, item.name)
            if isinstance(value, str) and value and item.name in ("id", "link", "target"):
                yield item.name, value
            yield from links(value)


class TestSelection:
    @pytest.mark.parametrize("audience", sorted(WANTED))
    def test_each_audience_gets_its_parts_in_the_order_of_the_report(self, made, audience):
        assert [part.id for part in build(made.several(), audience=audience).parts] == WANTED[audience]
        assert list(AUDIENCES[audience]) == WANTED[audience]

    def test_a_single_run_is_not_compared(self, made):
        assert "runs" not in [part.id for part in build(made.exam(), audience="manager").parts]

    def test_every_part_is_for_somebody(self):
        assert {part for one in AUDIENCES.values() for part in one} == {*_PARTS, "glossary", "sign"}

    @pytest.mark.parametrize("audience", sorted(WANTED))
    def test_the_parts_are_those_of_the_whole_report(self, made, audience):
        whole = {part.id: part.title for part in build(made.exam()).parts}
        for part in build(made.exam(), audience=audience).parts:
            assert whole.get(part.id, part.title) == part.title

    @pytest.mark.parametrize("audience", sorted(WANTED))
    def test_no_link_leads_nowhere(self, case, audience):
        found = list(links(build(case[1], audience=audience).parts))
        assert {value for name, value in found if name != "id"} <= {value for name, value in found if name == "id"}

    def test_the_whole_report_keeps_its_links(self, made):
        found = list(links(build(made.exam()).parts))
        assert ("target", "sign") in found
        assert any(name == "link" and value.startswith("f-") for name, value in found)

    def test_page_1_alone_says_where_the_rest_is(self, made):
        [one] = build(made.exam(), audience="sponsor").parts
        last = one.blocks[-1]
        assert last.link is None
        assert last.text.endswith("A person decides.")
        assert "pages that follow" not in last.text
        assert "<nav" in page.render(build(made.exam(), audience="sponsor"), "screen")

    def test_only_who_gets_findings_gets_the_cards_of_all_runs(self, made):
        for audience, kinds in (("manager", set()), ("engineer", {"card"})):
            [part] = [one for one in build(made.several(), audience=audience).parts if one.id == "runs"]
            assert {block.kind for block in part.blocks} & {"card"} == kinds

    def test_an_unknown_audience_is_named_with_the_nearest(self, made):
        with pytest.raises(UsageError, match=r"'sponsors' is no audience; did you mean 'sponsor'\?"):
            build(made.exam(), audience="sponsors")


class TestBudget:
    def test_each_limit_stands_beside_what_was_used(self, made):
        part = budget.build(View(made.exam()))
        assert rows(part)[0][:4] == ["Money", "40.00 EUR", "28.50 EUR", "40 % over"]
        assert part.title == "Beyond what was agreed: money"

    def test_what_was_agreed_and_not_measured_is_not_known(self, made):
        whole = made.exam()
        whole = replace(
            whole, plan=made.plan(budget=Budget(carbon_kg=5.0)), runs=(replace(whole.runs[0], ledger=made.ledger(carbon_kg=None)),)
        )
        part = budget.build(View(whole))
        assert ["Carbon", "–", "5.0 kg CO₂e", "not known"] in [row[:4] for row in rows(part)]
        assert part.title == "What was used of the agreed limits is not known"

    def test_money_of_another_currency_is_not_compared(self, made):
        whole = replace(made.exam(), plan=made.plan(budget=Budget(money=Money.parse("10 USD"))))
        assert rows(budget.build(View(whole)))[0][:4] == ["Money", "40.00 EUR", "10.00 USD", "not known"]

    @pytest.mark.parametrize(("days", "word"), [(-1, "passed"), (1, "not passed")])
    def test_the_deadline(self, made, days, word):
        whole = made.exam()
        limit = whole.runs[0].log.run.ended_at + timedelta(days=days)
        part = budget.build(View(replace(whole, plan=made.plan(budget=Budget(deadline=limit)))))
        assert rows(part)[-1][0::3][:2] == ["Deadline", word]

    def test_without_limits_the_heading_says_so(self, made):
        assert budget.build(View(made.no_plan())).title == "No budget and no deadline were agreed"


class TestRisks:
    def test_it_holds_every_finding_of_weight_with_cost_action_and_who(self, made):
        whole = made.exam()
        part = risks.build(View(whole))
        grave = [one for one in whole.runs[0].findings if one.severity >= Severity.MAJOR]
        assert len(rows(part)) == len(grave) > 0
        for row, finding in zip(sorted(rows(part), key=lambda row: row[1]), sorted(grave, key=lambda one: one.message), strict=True):
            assert row[0].lower() == finding.severity.word
            assert plain(finding.message) == row[1]
            assert finding.action.text.rstrip(".") in row[3]
            assert row[4] == finding.action.owner[:1].upper() + finding.action.owner[1:]
            assert row[2]

    def test_the_gravest_comes_first(self, made):
        order = ["Critical", "Major"]
        places = [order.index(row[0]) for row in rows(risks.build(View(made.several())))]
        assert places == sorted(places)
        assert places[0] == 0

    def test_findings_of_other_runs_stand_once_a_kind(self, made):
        whole = made.several()
        last = replace(whole.runs[-1], outcomes=())
        found = rows(risks.build(View(replace(whole, runs=(*whole.runs[:-1], last)))))
        assert len(found) == 2  # TR401 over all, and overfitting in three other runs
        [table] = risks.build(View(replace(whole, runs=(*whole.runs[:-1], last)))).blocks
        assert "in 2 other runs" in table.rows[1].cells[1].note

    def test_an_accepted_one_says_who_accepted_it(self, made):
        whole = made.exam()
        [first, *_] = sorted(whole.runs[0].findings, key=lambda one: -one.severity)
        agreed = Accepted(first.code, date(2027, 1, 31), "Platform team", "known")
        part = risks.build(View(replace(whole, plan=made.plan(accepted=(agreed,)))))
        notes = [row.cells[3].note for row in part.blocks[0].rows if first.code in row.cells[1].note]
        assert notes == ["Accepted by Platform team until 2027-01-31: known"] * len(notes)
        assert notes

    def test_none_of_weight_is_said(self, made):
        assert risks.build(View(made.healthy())).title == "Risks and who acts: none of weight was found"


class TestMethod:
    def judged(self, made, plan):
        outcome = Outcome("TR101", "overfitting", State.CLEAR, "clear")
        skipped = Outcome("TR102", "underfitting", State.NOT_APPLICABLE, "no plan")
        whole = made.healthy()
        return View(replace(whole, plan=plan, runs=(replace(whole.runs[0], outcomes=(outcome, skipped)),)), "auditor")

    def test_only_checks_that_were_made_are_explained(self, made):
        part = method.build(self.judged(made, made.plan()))
        assert part.title == "1 check was made, each by a written rule"
        [row] = part.blocks[1].blocks[0].rows
        assert row.cells[0].note == "TR101"
        assert "running median" in row.cells[1].text

    def test_a_limit_that_the_plan_changed_is_marked(self, made):
        name = next(iter(detectors.detector("TR101").Thresholds.__dataclass_fields__))
        part = method.build(self.judged(made, made.plan(thresholds={("TR101", name): 0.123})))
        assert part.blocks[0].text.startswith(f"The plan changed TR101.{name}.")
        text = part.blocks[1].blocks[0].rows[0].cells[2].text
        assert f"{name} = 12 %, changed in the plan" in plain(text) or f"{name} = 0.123, changed in the plan" in plain(text)

    def test_otherwise_no_limit_was_changed(self, made):
        part = method.build(self.judged(made, made.plan()))
        assert part.blocks[0].text.startswith("The plan changed no limit of these checks.")
        assert "changed" not in part.blocks[1].blocks[0].rows[0].cells[2].text
