from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from trainreport.business import goodput as business
from trainreport.detectors import accuracy as measured_accuracy
from trainreport.model.finding import Confidence, Impact, Outcome, Severity, State
from trainreport.model.money import Money
from trainreport.model.run import SourceFile
from trainreport.reports import figures
from trainreport.reports.blocks import Card, Figure, Figures, Paragraph, Section, Spread, Table
from trainreport.reports.parts import accuracy, coverage, criteria, findings, forecast, goodput, machine, provenance, runs, search, sponsor
from trainreport.reports.view import View, by_weight


def of(kind, blocks):
    """Return the blocks of a kind, sections opened."""
    found = []
    for block in blocks:
        found += [block] if isinstance(block, kind) else []
        found += of(kind, block.blocks) if isinstance(block, Section) else of(kind, block.items) if isinstance(block, Figures) else []
    return found


def section(part, name):
    return next(block for block in part.blocks if isinstance(block, Section) and block.id == name)


def changed(assessment, **ledger):
    """Return the assessment with other figures in the ledger of its only run."""
    run = assessment.runs[0]
    return replace(assessment, runs=(replace(run, ledger=replace(run.ledger, **ledger)),))


def with_outcomes(assessment, *outcomes):
    return replace(assessment, runs=(replace(assessment.runs[0], outcomes=outcomes),))


def cells(table):
    return [[cell.text.replace("\u00a0", " ") for cell in row.cells] for row in table.rows]


class TestGoodput:
    def test_the_heading_says_what_was_paid_for_and_the_largest_loss(self, made):
        found = section(machine.build(View(made.running())), "goodput")
        assert found.title.replace("\u00a0", " ") == "At most 61 % of the paid time trained the model, 20 % was spent waiting for data"

    def test_parts_stand_in_hours_shares_and_money(self, made):
        [table] = of(Table, goodput.section(View(made.running())).blocks)
        assert cells(table)[:2] == [
            [
                "Training",
                "61 %",
                "6.1 h",
                "12.20 EUR",
                "Time between logged steps that is none of the others; checkpoint may be part of it.",
            ],
            ["Waiting for data", "20 %", "2.0 h", "4.00 EUR", "Mean of time/data over the usual step time."],
        ]
        assert [row[0] for row in cells(table)] == [
            "Training",
            "Waiting for data",
            "Evaluation",
            "Standstill",
            "Start-up",
            "Idle after the end",
        ]
        assert "None seen, or next to none: work lost." in table.note
        assert "regular pauses (no pauses that come back regularly stand out)" in table.note

    def test_without_a_price_there_is_no_column_of_cost(self, made):
        [table] = of(Table, goodput.section(View(changed(made.running(), cost=None))).blocks)
        assert [column.title for column in table.columns] == ["Where it went", "Share", "Time", "How it is known"]

    def test_labels_stand_in_the_bar_where_there_is_room(self, made):
        [bar] = of(Spread, goodput.section(View(made.running())).blocks)
        shown = [one.shown.replace("\u00a0", " ") for one in bar.items]
        assert shown == ["Training 61 %", "Waiting for data 20 %", "8 %", "5 %", "4 %", ""]
        assert "Idle after the end 2" in bar.alt
        assert sum(one.weight for one in bar.items) == 1000

    def test_one_part_alone_is_no_bar(self, made):
        spent = made.running().runs[0].ledger.goodput
        whole = replace(spent, productive=1.0, start_up=0.0, input_wait=0.0, evaluation=0.0, stall=0.0, idle_after_end=0.0)
        found = goodput.section(View(changed(made.running(), goodput=whole)))
        assert not of(Spread, found.blocks)
        assert found.title == "No paid time was seen to go into anything but training"
        seen = replace(whole, basis={"productive": "all of it"})
        assert goodput.section(View(changed(made.running(), goodput=seen))).title == "All of the paid time trained the model"

    def test_where_a_loss_is_larger_than_training_it_leads(self, made):
        spent = replace(made.running().runs[0].ledger.goodput, productive=0.2, stall=0.46)
        found = goodput.section(View(changed(made.running(), goodput=spent)))
        assert found.title.replace("\u00a0", " ") == "46 % of the paid time was standstill"

    def test_where_nothing_is_known_one_sentence_says_why(self, made):
        basis = {"goodput": "not known: no steps of training were logged with times"}
        [only] = goodput.section(View(changed(made.exam(), basis=basis))).blocks
        assert only == Paragraph("No steps of training were logged with times.")

    def test_the_words_that_the_ledger_uses_are_those_that_are_read(self):
        assert goodput.HIDDEN == business._HIDDEN


class TestForecast:
    def test_page_1_has_the_fan_and_a_sentence(self, made):
        part = sponsor.build(View(made.running()))
        chart = next(figure for figure in of(Figure, part.blocks) if figure.id == "progress")
        [fan] = chart.spec.panels[0].fans
        assert (fan.x, fan.y, fan.end, fan.low, fan.mid, fan.high) == (60_000.0, 0.84, 100_000.0, 0.855, 0.88, 0.91)
        assert fan.label.replace("\u00a0", " ") == "86 to 91 %\nforetold"
        assert "80 % interval at step 100,000" in chart.caption
        assert "foretold for step 100,000: 86" in chart.alt
        assert "polygon" not in figures.draw(chart.spec)  # drawn as a path, like everything
        assert "Forecast: 34\u00a0% chance of 90\u00a0%, from 120 evaluations over 60 %" in part.blocks[-1].text

    def test_managers_read_chance_interval_and_what_it_rests_on(self, made):
        told = section(criteria.build(View(made.running())), "forecast")
        assert told.title.replace("\u00a0", " ") == "The chance of reaching 90 % is 34 %"
        terms = {item.term: item.text[0].replace("\u00a0", " ") for item in told.blocks[0].items}
        by = "step 100,000 or 10 June 2026, 04:52 Berlin"
        assert terms["Chance"] == f"34 % that accuracy on unseen data reaches 90 % by {by}"
        assert terms["Where it will end"] == "86 % to 91 % (80 % interval); as likely above as below 88 %"
        assert terms["It rests on"].startswith("From 120 evaluations over 60 %")

    def test_where_there_is_none_the_reason_stands_with_what_was_not_judged(self, made):
        assessment = changed(made.exam(), basis={"forecast": "not forecast: the 1,200 steps that were planned are used up"})
        assert not forecast.section(View(assessment))
        assert forecast.sentence(View(assessment)) == ""
        rows = cells(section(coverage.build(View(assessment)), "not-judged").blocks[0])
        assert ["Cost", "Not forecast: the 1,200 steps that were planned are used up", "forecast of the target"] in rows

    @pytest.mark.parametrize("change", [{"at_step": None}, {"at_step": 60_000}, {"at_step": 240_001}, {"low": None}, {"criterion": "loss"}])
    def test_no_fan_where_its_end_is_not_known_or_out_of_sight(self, made, change):
        told = replace(made.running().runs[0].ledger.forecast, **change)
        view = View(changed(made.running(), forecast=told))
        assert forecast.fan(view, view.progress) == ()

    def test_a_target_that_is_reached_is_said_to_be(self, made):
        assessment = made.healthy()
        told = replace(made.running().runs[0].ledger.forecast, probability=1.0, low=0.93, high=0.93)
        found = forecast.section(View(changed(assessment, forecast=told)))[0]
        assert found.title.replace("\u00a0", " ") == "90 % is reached already"
        assert found.blocks[0].items[1].text[0].replace("\u00a0", " ").startswith("93 % (80 % interval)")


class TestFindings:
    def test_gravest_first_then_dearest(self, made):
        cheap = replace(made.OVERFITTING, impact=Impact(made.euro(1), None, ""))
        grave = replace(made.IDLE, severity=Severity.CRITICAL)
        assert by_weight([cheap, made.OVER_BUDGET, made.IDLE, grave]) == (grave, made.OVER_BUDGET, cheap, made.IDLE)

    def test_small_gaps_in_the_records_are_one_table_with_links(self, made):
        part = findings.build(View(made.running()))
        assert [card.code for card in of(Card, part.blocks)] == ["TR202"]
        gaps = section(part, "records")
        assert gaps.title == "2 things are missing from the records"
        assert [row.id for row in gaps.blocks[0].rows] == ["f-5555555555555555", "f-6666666666666666"]
        assert gaps.blocks[0].rows[0].cells[1].note == "missing code version · TR503 · high confidence"

    def test_a_grave_gap_in_the_records_stays_a_card(self, made):
        grave = replace(made.OVER_BUDGET, code="TR507", name="run-outside-any-plan")
        part = findings.build(View(with_outcomes(made.exam(), Outcome("TR507", grave.name, State.FOUND, "", (grave,)))))
        assert [card.code for card in of(Card, part.blocks)] == ["TR507"]

    def test_findings_over_all_runs_stand_with_the_runs(self, made):
        view = View(made.several())
        assert "TR401" not in [card.code for card in of(Card, findings.build(view).blocks)]
        assert "One more (critical) is about all runs together" in findings.build(view).blocks[0].text
        assert [card.code for card in of(Card, runs.build(view).blocks)] == ["TR401"]

    def test_the_same_finding_of_other_runs_is_one_row(self, made):
        table = section(runs.build(View(made.several())), "other-findings").blocks[0]
        assert len(table.rows) == 1
        assert table.rows[0].cells[2].text == "2 runs: sweep/dropout-0.3 and sweep/dropout-0.1"


class TestSearch:
    @staticmethod
    def tried(made, bests, hours=None):
        """Return an assessment of runs one after the other, each with its best value."""
        whole = made.several()
        found = []
        for i, value in enumerate(bests):
            run = whole.runs[i]
            info = replace(run.log.run, started_at=made.START + timedelta(days=(hours or list(range(9)))[i]))
            found.append(replace(run, log=replace(run.log, run=info), best=made.checkpoint(value=value)))
        leading = max(range(len(bests)), key=lambda i: bests[i])
        portfolio = replace(whole.portfolio, best_run=found[leading].log.run.id)
        return replace(whole, runs=tuple(found), portfolio=portfolio)

    def test_best_so_far_against_what_was_spent(self, made):
        figure = search.build(View(self.tried(made, [0.80, 0.84, 0.82, 0.83])))
        [line] = figure.spec.panels[0].lines
        assert line.x.tolist() == [40.0, 80.0, 80.0, 120.0, 120.0, 160.0, 160.0]
        assert line.y.tolist() == [0.80, 0.80, 0.84, 0.84, 0.84, 0.84, 0.84]
        assert figure.title.replace("\u00a0", " ") == "50 % of the money came after the best run"
        assert figure.spec.x.unit == "EUR"
        assert len(figure.spec.panels[0].marks) == 5

    def test_runs_stand_in_the_order_of_their_starts(self, made):
        figure = search.build(View(self.tried(made, [0.80, 0.84, 0.82], hours=[0, 2, 1])))
        assert figure.title == "The last of 3 runs is the best"
        assert [mark.y for mark in figure.spec.panels[0].marks[:3]] == [0.80, 0.82, 0.84]

    def test_no_chart_of_two_runs_or_without_starts(self, made):
        assert search.build(View(self.tried(made, [0.80, 0.84]))) is None
        assessment = self.tried(made, [0.80, 0.84, 0.82])
        first = assessment.runs[0]
        blind = replace(first, log=replace(first.log, run=replace(first.log.run, started_at=None)))
        assert search.build(View(replace(assessment, runs=(blind, *assessment.runs[1:])))) is None

    def test_runs_in_two_currencies_are_counted_in_hours(self, made):
        assessment = self.tried(made, [0.80, 0.84, 0.82])
        first = assessment.runs[0]
        dollars = replace(first, ledger=replace(first.ledger, cost=Money(Decimal(40), "USD")))
        figure = search.build(View(replace(assessment, runs=(dollars, *assessment.runs[1:]))))
        assert figure.spec.x.unit == "GPU-hours"
        assert figure.spec.panels[0].lines[0].x.tolist()[-1] == 30.0


class TestCoverage:
    @pytest.fixture
    def many(self, made):
        reasons = {"TR201": "no GPU log", "TR202": "no GPU log", "TR301": "no budget", "TR109": "no gradients"}
        found = Outcome("TR101", "overfitting", State.FOUND, "", (made.OVERFITTING,))
        clear = Outcome("TR001", "truncated-or-corrupt-log", State.CLEAR, "all read")
        odd = Outcome("ACME1", "outside", State.CLEAR, "fine")
        gone = [Outcome(code, f"check-{code[2:]}", State.NOT_APPLICABLE, why) for code, why in reasons.items()]
        return View(with_outcomes(made.exam(), found, clear, odd, *gone))

    def test_counts_by_family_add_up(self, many):
        part = coverage.build(many)
        rows = cells(part.blocks[0])
        assert rows[0] == ["Others", "–", "1", "–", ""]
        assert ["Learning", "1", "–", "1", "TR101"] in rows
        assert sum(int(n) for row in rows for n in row[1:4] if n != "–") == 7
        assert part.title == "Of 7 checks, 1 found something and 4 could not be made"

    def test_checks_with_the_same_reason_share_a_row_and_the_family_is_said_once(self, many):
        rows = cells(section(coverage.build(many), "not-judged").blocks[0])
        assert rows == [
            ["Learning", "No gradients", "check 109 (TR109)"],
            ["Compute", "No GPU log", "check 201 (TR201), check 202 (TR202)"],
            ["Cost", "No budget", "check 301 (TR301)"],
        ]

    def test_page_1_counts_many_and_names_few(self, many, made):
        assert (
            coverage.on_page_1(many) == "Not judged: 4 of 7 checks, 2 on compute, 1 on learning and 1 on cost; why stands under Coverage."
        )
        few = with_outcomes(made.exam(), Outcome("TR212", "poor-scaling", State.NOT_APPLICABLE, "one GPU"))
        assert coverage.on_page_1(View(few)) == "Not judged: poor scaling."


class TestAccuracy:
    @pytest.fixture
    def part(self, made, monkeypatch):
        monkeypatch.setattr(measured_accuracy, "measured", lambda: made.FIGURES)
        return accuracy.build(View(made.exam()))

    def test_of_alike_figures_the_worst_is_shown(self, part):
        [table] = of(Table, part.blocks)
        assert cells(table)[2] == ["Causes, simulated", "Recall, dead rank (TR209), lowest of 2", "0.96", "", "200 logs each; simulated"]
        assert table.rows[2].cells[3].state.word == "met ≥\u00a00.95"

    def test_a_bar_that_is_missed_says_so_and_one_without_too(self, part):
        [table] = of(Table, part.blocks)
        assert table.rows[1].cells[3].state.word == "missed ≥\u00a00.92"
        assert table.rows[3].cells[3].text == "none set"
        assert part.title == "How often these judgements are right: 3 of 4 bars are reached"

    def test_a_bench_and_its_note_are_said_once(self, part):
        [table] = of(Table, part.blocks)
        assert cells(table)[1] == ["", "Macro-F1, 40 points", "0.91", "", ""]

    def test_checks_without_a_figure_are_named(self, part):
        text = part.blocks[-1].text
        assert text.startswith("TR001 to TR006")
        assert "TR101" not in text
        assert "TR208" in text

    def test_without_a_file_it_says_that_nothing_was_measured(self, made, monkeypatch):
        def missing():
            raise FileNotFoundError

        monkeypatch.setattr(measured_accuracy, "measured", missing)
        assert "not measured" in accuracy.build(View(made.exam())).title


def test_confidence_stands_beside_the_files_it_rests_on(made):
    card = findings.card(View(made.exam()), replace(made.OVERFITTING, confidence=Confidence.LOW))
    assert card.details[0].text[-1] == "Confidence: low. From logs/validation.tfevents."


def test_many_files_stand_as_folders_with_their_sums(made):
    assessment = made.exam()
    run = assessment.runs[0]
    many = tuple(SourceFile(f"mlruns/{i % 2}/metrics/m{i}", "a" * 64, 1024, "mlflow", 10 * (i % 2 + 1), 0, "UTC") for i in range(40))
    log = replace(run.log, run=replace(run.log.run, files=many))
    part = provenance.build(View(replace(assessment, runs=(replace(run, log=log),))))
    table = section(part, "files").blocks[0]
    assert cells(table) == [
        ["mlruns/1/metrics: 20 files", "20.0 KiB", "mlflow", "400", "UTC"],
        ["mlruns/0/metrics: 20 files", "20.0 KiB", "mlflow", "200", "UTC"],
    ]
    assert "every file with its SHA-256" in table.note


def test_training_compute_stands_with_what_it_rests_on(made):
    basis = section(provenance.build(View(made.running())), "basis").blocks[0]
    terms = {item.term: item.text[0] for item in basis.items}
    assert terms["Training compute"].startswith("5.8e18 operations, at most:")
    assert "Goodput" not in terms
