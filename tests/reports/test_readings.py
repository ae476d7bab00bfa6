from __future__ import annotations

import numpy as np
import pytest

from trainreport.reports.readings import marked, readings
from trainreport.reports.spec import Axis, Band, FigureSpec, Level, Line, Mark, Moment, Panel

NAN = float("nan")


STEPS = Axis("count", "steps")


def spec(*panels, x=STEPS):
    return FigureSpec(panels, x, 100.0, 50.0)


def line(x, y, label="", weight="strong"):
    return Line(np.asarray(x, float), np.asarray(y, float), label, weight=weight)


def cells(table):
    return [[cell.text.replace("\u00a0", " ") for cell in row.cells] for row in table.rows]


def test_a_straight_line_is_read_at_round_places_and_at_its_end():
    table = readings(spec(Panel((line([0, 230], [0.0, 0.23]),), Axis("share"), "accuracy")))
    assert [column.title for column in table.columns] == ["steps", "0", "50", "100", "150", "200", "230"]
    assert cells(table) == [["accuracy", "0 %", "5 %", "10 %", "15 %", "20 %", "23 %"]]


def test_faint_lines_are_not_read_and_several_have_their_names():
    strong = [line([0, 60], [1, 1], "unseen\n1"), line([0, 60], [2, 2], "training\n2")]
    table = readings(spec(Panel((line([0, 60], [9, 9], weight="faint"), *strong), Axis(unit="W"), "power")))
    assert [row[0] for row in cells(table)] == ["power, W: unseen", "power, W: training"]  # the value below a name is the last column
    assert [row[1] for row in cells(table)] == ["1", "2"]


def test_where_a_line_does_not_reach_there_is_no_number():
    whole, half = line([0, 60], [1, 1]), line([0, 31], [5, 5])
    table = readings(spec(Panel((whole,), title="a"), Panel((half,), title="b")))
    assert [column.title for column in table.columns][1:] == ["0", "10", "20", "30", "40", "50", "60"]
    assert cells(table)[1] == ["b", "5", "5", "5", "5", "–", "–", "–"]  # no further than half a step beyond its end


@pytest.mark.parametrize(("y", "read"), [([1, NAN, 3], "–"), ([1, 2, 3], "2")])
def test_a_gap_stays_a_gap(y, read):
    table = readings(spec(Panel((line([0, 20, 40], y),), title="loss")))
    assert dict(zip([column.title for column in table.columns], cells(table)[0], strict=True))["20"] == read


def test_places_of_the_axis_are_kept():
    x = Axis(low=0.0, high=100.0, places=((10.0, "09:00"), (60.0, "10:00")))
    table = readings(spec(Panel((line([0, 100], [0, 100]),), title="power"), x=x))
    assert [column.title for column in table.columns] == ["", "09:00", "10:00"]
    assert cells(table) == [["power", "10", "60"]]


@pytest.mark.parametrize(
    "panel", [Panel(()), Panel((line([], []),)), Panel((line([NAN], [1]),)), Panel((line([0, 1], [1, 1], weight="faint"),))]
)
def test_nothing_to_read(panel):
    assert readings(spec(panel)) is None


def test_what_is_marked_is_named_once():
    panel = Panel(
        (),
        levels=(Level(0.9, "target 90 %"), Level(0.8, "")),
        marks=(Mark(1, 2, "best\nstep 1"),),
        moments=(Moment(3, "restart"), Moment(4, "restart")),
        bands=(Band(0, 1, "idle"),),
    )
    assert marked(spec(panel, panel)) == "target 90 % · best step 1 · restart · idle"
