"""Several runs side by side: right ranks, spreads and differences, from curves written by hand."""

from __future__ import annotations

import math

import pytest
from builders import log_of, training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.decisions.assess import assess
from trainreport.model.plan import Criterion, Plan
from trainreport.reports.comparison import _FREEDOM_AND_T, compared
from trainreport.reports.document import build_comparison
from trainreport.reports.parts import ranking
from trainreport.reports.view import View

GOAL = Plan(criteria=(Criterion("accuracy", "accuracy", 0.90, unit="share"),))


def run(name, peak, *, steps=20, falls=0.0, **facts):
    """Return the log of a run whose accuracy rises evenly to `peak`, and falls by `falls` in the last step."""
    course = [peak * (at + 1) / (steps - 1) for at in range(steps - 1)] + [peak - falls]
    return log_of(training({"val_accuracy": course, "val_loss": [1.0 - value / 2 for value in course]}, key=name, **facts), run_id=name)


def seeds(values, **settings):
    return [
        run(f"{'-'.join(settings.values())}-s{seed}", value, params={**settings, "seed": str(seed)}) for seed, value in enumerate(values)
    ]


def found(logs, plan=GOAL):
    return compared(assess(logs, plan))


def names(comparison):
    return [(entry.place, entry.run.log.run.id) for entry in comparison.entries]


class TestRanks:
    def test_the_best_by_the_criterion_comes_first(self):
        assert names(found([run("b", 0.7), run("a", 0.8), run("c", 0.6)])) == [(1, "a"), (2, "b"), (3, "c")]

    def test_where_less_is_better_the_lowest_comes_first(self):
        plan = Plan(criteria=(Criterion("loss", "loss", 0.6, comparator="<="),))
        assert names(found([run("b", 0.7), run("a", 0.8), run("c", 0.6)], plan)) == [(1, "a"), (2, "b"), (3, "c")]
        assert found([run("b", 0.7), run("a", 0.8)], plan).entries[0].run.best.value == pytest.approx(0.6)

    def test_all_mandatory_criteria_met_goes_before_a_better_first_one(self):
        plan = Plan(criteria=(Criterion("accuracy", "accuracy", 0.5, unit="share"), Criterion("loss", "loss", 0.55, comparator="<=")))
        other = training({"val_accuracy": [0.5, 0.95], "val_loss": [0.9, 0.7]}, key="accurate")
        assert names(found([log_of(other, run_id="accurate"), run("both", 0.92)], plan)) == [(1, "both"), (2, "accurate")]

    def test_a_run_that_is_judged_by_something_else_has_no_place(self):
        other = log_of(training({"val_f1": [0.1, 0.99]}, key="other"), run_id="other")
        assert names(found([other, run("a", 0.8)])) == [(1, "a"), (None, "other")]

    def test_runs_without_any_measure_of_quality_have_no_place(self):
        logs = [log_of(training({"train/loss": [1.0, 0.5]}, key=name), run_id=name) for name in ("a", "b")]
        comparison = found(logs)
        assert {place for place, _ in names(comparison)} == {None}
        assert comparison.noise is None
        assert ranking.title(View(assess(logs, GOAL)), comparison) == "2 runs, none with a checkpoint to judge"

    @settings(max_examples=15)
    @given(st.lists(st.integers(1, 99), min_size=2, max_size=6, unique=True))
    def test_the_first_is_the_leading_run_whatever_the_order(self, percent):
        whole = assess([run(f"r{value}", value / 100) for value in percent], GOAL)
        comparison = compared(whole)
        assert comparison.entries[0].run is whole.leading
        assert [entry.run.log.run.id for entry in comparison.entries] == [f"r{value}" for value in sorted(percent, reverse=True)]


class TestSeeds:
    WIDE = (0.80, 0.82, 0.84)
    NARROW = (0.60, 0.62, 0.64)

    def test_mean_and_spread_of_each_configuration(self):
        wide, narrow = found([*seeds(self.NARROW, width="16"), *seeds(self.WIDE, width="64")]).groups
        assert (wide.settings, len(wide.values)) == ((("width", "64"),), 3)
        assert (wide.mean, wide.sd) == (pytest.approx(0.82), pytest.approx(0.02))  # by hand
        assert (narrow.mean, narrow.sd) == (pytest.approx(0.62), pytest.approx(0.02))

    def test_noise_is_pooled_over_configurations(self):
        comparison = found([*seeds(self.WIDE, width="64"), *seeds(self.NARROW, width="16")])
        assert comparison.noise == pytest.approx(0.02)
        assert comparison.repeated
        assert comparison.basis == "6 runs that repeat 2 configurations"

    def test_far_apart_is_more_than_chance_and_near_is_not(self):
        # 4 degrees of freedom: t = 2.776; two runs differ by chance by up to 2.776 * 0.02 * sqrt(2) = 0.0785.
        comparison = found([*seeds(self.WIDE, width="64"), *seeds(self.NARROW, width="16")])
        assert [entry.apart for entry in comparison.entries] == ["leads", "no", "no", "yes", "yes", "yes"]
        assert [group.apart for group in comparison.groups] == ["leads", "yes"]

    def test_means_need_a_smaller_difference_than_single_runs(self):
        # Means of three: 2.776 * 0.02 * sqrt(2 / 3) = 0.0453. The means differ by 0.05, the best two runs by 0.05 as well.
        comparison = found([*seeds(self.WIDE, width="64"), *seeds([value - 0.05 for value in self.WIDE], width="16")])
        assert [group.apart for group in comparison.groups] == ["leads", "yes"]
        assert {entry.apart for entry in comparison.entries[1:4]} == {"no"}

    def test_a_single_run_has_no_spread(self):
        comparison = found([*seeds(self.WIDE, width="64"), run("alone", 0.5, params={"width": "8"})])
        assert comparison.groups[-1].sd is None

    def test_a_setting_that_a_run_lacks_is_a_difference(self):
        comparison = found([run("a", 0.8, params={"lr": "1"}), run("b", 0.7, params={"lr": "1", "dropout": "0.1"})])
        assert comparison.differing == ("dropout",)
        assert len(comparison.groups) == 2

    def test_a_run_without_a_place_makes_no_difference(self):
        parent = log_of(training({"train/loss": [1.0, 0.5]}, key="parent", params={"trials": "2"}), run_id="parent")
        comparison = found([*seeds(self.WIDE, width="64"), *seeds(self.NARROW, width="16"), parent])
        assert comparison.differing == ("width",)
        assert comparison.entries[-1].settings == (("width", "–"),)

    def test_without_parameters_nothing_is_grouped(self):
        assert found([run("a", 0.8), run("b", 0.7)]).groups == ()

    def test_noise_within_curves_never_says_more_than_chance(self):
        comparison = found([run(name, value, params={"lr": name}) for name, value in (("a", 0.9), ("b", 0.3), ("c", 0.2))])
        assert not comparison.repeated
        assert {entry.apart for entry in comparison.entries[1:]} <= {"no", "not known"}

    def test_the_table_of_t_is_right(self):
        from scipy import stats

        for freedom, t in _FREEDOM_AND_T:
            assert t == pytest.approx(stats.t.ppf(0.975, freedom), abs=0.001)

    def test_a_difference_by_chance_is_rarely_called_more(self):
        """Two alike configurations of three seeds: 5 % of the pairs of means at most, measured on 400."""
        import numpy as np

        from trainreport.reports.comparison import _Spread

        rng = np.random.default_rng(7)
        values = rng.normal(size=(400, 2, 3))
        pooled = np.sqrt(values.var(axis=2, ddof=1).mean(axis=1))
        means = values.mean(axis=2)
        called = [_Spread(float(sd), True, 4, 1).apart(float(a - b), 3, 3) == "yes" for sd, (a, b) in zip(pooled, means, strict=True)]
        assert 0.02 < sum(called) / 400 < 0.08  # 5 % within three standard errors


class TestStopping:
    def advice(self, logs, plan=GOAL):
        return {entry.run.log.run.id: entry.advice for entry in found(logs, plan).entries}

    def test_a_run_that_ended_is_not_stopped(self):
        assert {one.word for one in self.advice([run("a", 0.8, status="finished"), run("b", 0.7, status="killed")]).values()} == {"ended"}

    def test_a_running_one_with_its_own_no_go_is(self):
        [broken] = [log_of(training({"val_accuracy": [0.5] * 10, "train/loss": [math.nan] * 10}, key="x", status="running"), run_id="x")]
        advice = self.advice([run("a", 0.8, status="finished"), broken])["x"]
        assert advice.word == "stop"
        assert not advice.why.startswith("If it still runs")

    def test_where_the_status_is_not_known_the_advice_says_if(self):
        assert self.advice([run("a", 0.95), run("b", 0.94)])["a"].why.startswith("If it still runs: The criteria are met")

    def test_a_run_long_silent_has_ended(self):
        from datetime import timedelta

        from builders import START

        later = run("later", 0.94, start=START + timedelta(days=2))
        advice = self.advice([run("a", 0.95), later])
        assert advice["a"] == ("ended", "nothing was logged after it")
        assert advice["later"].word == "stop"

    def test_alike_reasons_stand_together(self):
        reasons = found([run("a", 0.95), run("b", 0.95)]).stops_by_reason()
        assert list(reasons.values()) == [["a", "b"]]

    def test_a_run_behind_the_others_is_stopped_beyond_chance_only(self):
        others = [*seeds((0.80, 0.81, 0.79, 0.80), width="64")]
        late = run("late", 0.40, params={"width": "8"}, status="running")
        near = run("near", 0.795, params={"width": "9"}, status="running")
        advice = self.advice([*others, late, near], Plan())
        assert advice["late"].word == "stop"
        assert "behind the median of the others at the same step" in advice["late"].why
        assert advice["near"].word != "stop"


class TestDocument:
    def test_spreads_of_shares_are_points(self):
        whole = assess([*seeds(TestSeeds.WIDE, width="64"), *seeds(TestSeeds.NARROW, width="16")], GOAL)
        assert "about 2.0 points from run to run" in ranking.noise_sentence(View(whole), compared(whole)).replace("\u00a0", " ")

    def test_it_says_how_many_are_within_chance(self):
        whole = assess([*seeds(TestSeeds.WIDE, width="64"), *seeds(TestSeeds.NARROW, width="16")], GOAL)
        assert build_comparison(whole).summary.replace("\u00a0", " ") == "Of 6 runs, 64-s2 leads with 84.0 %, 2 within chance of it"

    @pytest.mark.parametrize(
        ("other", "title"), [(0.30, "Over seeds, the first of 2 settings leads"), (0.01, "The two settings cannot be told apart")]
    )
    def test_the_heading_over_settings_says_whether_they_differ(self, other, title):
        wide = TestSeeds.WIDE
        whole = assess([*seeds(wide, width="64"), *seeds([value - other for value in wide], width="16")], GOAL)
        [section] = ranking.seeds(View(whole), compared(whole))
        assert section.title == title

    @pytest.mark.parametrize(
        ("versions", "words"),
        [(("1", "2"), "different versions"), (("1", None), "taken for granted"), (("1", "1"), ""), ((None, None), "granted")],
    )
    def test_it_says_whether_the_data_is_the_same(self, versions, words):
        logs = [run(name, 0.8, data_version=version) for name, version in zip("ab", versions, strict=True)]
        said = ranking.data_sentence(found(logs))
        assert words in said
        assert bool(said) is bool(words)
