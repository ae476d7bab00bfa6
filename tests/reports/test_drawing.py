from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np

from trainreport.reports import figures, layout, panels
from trainreport.reports.clock_axis import clock_places
from trainreport.reports.decimate import decimate, smooth, smoothing_window
from trainreport.reports.pen import text_width
from trainreport.reports.spec import Axis, Band, Fan, FigureSpec, Level, Line, Mark, Panel
from trainreport.reports.ticks import places


def spec(x, y, **changes):
    panel = Panel((Line(np.asarray(x, dtype=float), np.asarray(y, dtype=float), "end"),), Axis(low=0.0, high=1.0), **changes)
    return FigureSpec((panel,), Axis("count", "steps"), 84.0, 50.0)


def test_spikes_survive():
    y = np.zeros(100_000)
    y[[777, 50_000]] = 1.0, -1.0
    x, kept = decimate(np.arange(100_000.0), y, 1000)
    assert len(kept) <= 2000
    assert {1.0, -1.0} <= set(kept)
    assert list(x[np.nonzero(kept)]) == [777.0, 50_000.0]


def test_gaps_stay_gaps():
    y = np.ones(10_000)
    y[2000:4000] = np.nan
    y[9000] = np.inf
    x, kept = decimate(np.arange(10_000.0), y, 100)
    assert np.isnan(kept[(x >= 2000) & (x < 4000)]).all()
    assert not np.isinf(kept).any()


def test_few_points_are_kept_and_unknown_places_left_out():
    x, y = decimate(np.array([1.0, np.nan, 3.0]), np.array([1.0, 2.0, 3.0]))
    assert list(x) == [1.0, 3.0]
    assert list(y) == [1.0, 3.0]


def test_smoothing_keeps_a_line_straight_and_leaves_gaps():
    line = np.arange(50.0)
    assert np.allclose(smooth(line, 9), line)
    line[7] = np.nan
    assert np.isnan(smooth(line, 9)[7])
    assert smoothing_window(29) == 1
    assert smoothing_window(1200) == 61


def test_a_million_points_draw_at_once():
    rng = np.random.default_rng(0)
    figures.draw(spec([0, 1], [0, 1]))
    big = spec(np.arange(1e6), rng.random(1_000_000))
    before = time.process_time()
    svg = figures.draw(big)
    assert time.process_time() - before < 0.8
    assert len(svg) < 60_000


def test_the_same_chart_is_the_same_text():
    given = {
        "levels": (Level(0.9, "target"),),
        "bands": (Band(1.0, 2.0, "after"),),
        "marks": (Mark(1.0, 0.5, "best\nstep 1"),),
    }
    first, second = (figures.draw.__wrapped__(spec([0, 1, 2], [0.1, 0.5, 0.4], **given)) for _ in range(2))
    assert first == second
    assert re.match(r"<svg .*</svg>$", first, flags=re.DOTALL)


def test_labels_are_never_read_as_mathematics_and_never_break_the_markup():
    svg = figures.draw(spec([0, 1], [0, 1], title="$\\frac{a}{b$ <script>&amp;]]> -->"))
    assert "<script" not in svg


def test_what_is_left_of_a_drawing_is_whole():
    given = {"levels": (Level(0.9, "target of the plan"),), "marks": (Mark(1.0, 0.5, "best of all\nstep 1"),)}
    drawing = ET.fromstring(figures.draw(spec([0, 1, 2], [0.1, 0.5, 0.4], **given)))  # raises where a namespace is not declared
    defined = {one.get("id") for one in drawing.iter("{http://www.w3.org/2000/svg}path") if one.get("d")}
    used = [one.get("href") for one in drawing.iter("{http://www.w3.org/2000/svg}use")]
    assert len(used) > 40
    assert {name.removeprefix("#") for name in used} <= defined


def test_charts_of_nothing_are_drawn():
    for y in ([np.nan, np.nan], [np.inf, 0.5], [0.5, 0.5]):
        assert "<svg" in figures.draw(spec([0, 1], y))
    assert "<svg" in figures.draw(spec([], []))
    assert "<svg" in figures.draw(spec([5], [0.5]))


def test_dark_colours_are_added_not_exchanged():
    svg = figures.draw(spec([0, 1], [0, 1]))
    dark = figures.with_dark(svg)
    assert "prefers-color-scheme:dark" in dark
    assert svg.replace("<defs>", "", 1) in dark.replace(re.search(r"<style>@media.*?</style>", dark).group(), "").replace("<defs>", "", 1)


def test_ticks_are_round_and_the_unit_stands_on_the_last():
    assert places(Axis("share"), 0.4, 1.0, 4)[-1] == (1.0, "100 %")
    assert [text for _, text in places(Axis("count", "steps"), 0, 60_000, 3)] == ["0", "20,000", "40,000", "60,000 steps"]
    assert [text for _, text in places(Axis(log=True), 1e-3, 10.0, 3)] == ["0.001", "0.01", "0.1", "1", "10"]


def test_clock_places_are_round_in_the_zone_over_a_change_of_summer_time():
    start = 1_774_735_200.0 - 3600 * 12  # 28 March 2026, 23:00 UTC is an hour before the change in Berlin
    texts = [text for _, text in clock_places(start, start + 86_400, "Europe/Berlin")]
    assert len(texts) <= 10
    assert all(re.fullmatch(r"\d\d:00|\d+ [A-Z][a-z]{2}", text) for text in texts)


def test_labels_of_ticks_never_touch_and_the_last_one_stays():
    written = []

    class Pen:
        def text(self, x, y, text, colour):
            written.append((x, x + text_width(text, layout.LABEL_PT), text))

    panel = Panel((Line(np.array([0.0, 60_000.0]), np.array([0.0, 1.0])),), Axis(low=0.0, high=1.0))
    narrow = FigureSpec((panel,) * 3, Axis("count", "steps"), 120.0, 40.0, columns=3)
    for at in layout.place(narrow):
        written.clear()
        panels._x_labels(Pen(), at)
        assert written[0][2] == "60,000 steps"
        assert all(right < left for (left, _, _), (_, right, _) in pairwise(written))


def test_a_fan_reaches_beyond_its_line_and_is_labelled():
    fan = Fan(2.0, 0.4, 4.0, 0.4, 0.5, 0.6, "0.4 to 0.6")
    given = spec([0, 1, 2], [0.1, 0.3, 0.4], fans=(fan,))
    [at] = layout.place(given)
    assert at.x_range == (0.0, 4.0)
    assert at.label_room >= text_width("0.4 to 0.6", layout.LABEL_PT)
    assert figures.draw(given) != figures.draw(spec([0, 1, 2], [0.1, 0.3, 0.4]))
