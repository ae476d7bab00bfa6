"""Tables of numbers: what of any text is kept, and where it is said to stand."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers.recording import Source
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import objects_in_lines, objects_in_list, table_of_objects
from trainreport.importers.tables.roles import guess_roles, steps_through
from trainreport.importers.tables.table import TableBuilder, number_of


def source(tmp_path, text, **options):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Source(path, "a.csv", **options)


def table(tmp_path, text, **options):
    given = source(tmp_path, text)
    troubles = Troubles(given)
    return *read_delimited(given, troubles, **options), troubles.all()


@pytest.mark.parametrize(
    ("head", "delimiter", "names"),
    [
        (b"step,loss\n1,2\n", ",", ("step", "loss")),
        (b"\xef\xbb\xbfstep;loss\r\n1;0,5\r\n", ";", ("step", "loss")),
        (b"sep=;\nstep;loss\n1;2\n", ";", ("step", "loss")),
        (b"# step loss\n1 0.5\n", " ", ("step", "loss")),
        (b"# a comment, with commas\nstep\tloss\n1\t2\n", "\t", ("step", "loss")),
        ("step,loss\n1,2\n".encode("utf-16"), ",", ("step", "loss")),
        (b",step,loss,loss\n0,1,2,3\n", ",", ("", "step", "loss", "loss #2")),
    ],
)
def test_headers(head, delimiter, names):
    found = header_of(head)
    assert (found.delimiter, found.names) == (delimiter, names)


@pytest.mark.parametrize("head", [b"", b"1,2\n3,4\n", b"word\n", b"\n\n", b"a,,b\n1,2,3\n"])
def test_what_is_no_header(head):
    assert header_of(head) is None


def test_decimal_commas_go_with_semicolons(tmp_path):
    found, _, problems = table(tmp_path, "step;loss\n1;0,5\n2;1.5\n")
    assert found.columns["loss"].values.tolist() == [0.5, 1.5]
    assert not problems


def test_empty_is_nothing_and_nan_is_a_number(tmp_path):
    found, _, _ = table(tmp_path, "step,loss\n1,\n2,nan\n3,inf\n4,NA\n")
    assert found.columns["loss"].written.tolist() == [False, True, True, False]
    assert found.columns["loss"].values[2] == math.inf


def test_a_header_that_stands_again_is_a_restart(tmp_path):
    found, events, problems = table(tmp_path, "step,loss\n1,2\nstep,loss\n1,3\n")
    assert found.columns["loss"].values.tolist() == [2, 3]
    assert [(event.kind, event.line) for event in events] == [("restart", 3)]
    assert not problems


def test_cells_with_line_ends(tmp_path):
    found, _, problems = table(tmp_path, 'step,note,loss\n1,"a\nb",2\n2,c,3\n', multiline=True)
    assert found.columns["loss"].values.tolist() == [2, 3]
    assert found.columns["note"].texts == {0: "a\nb", 1: "c"}
    assert not problems


def test_strict_raises_on_the_first_bad_line(tmp_path):
    given = source(tmp_path, "step,loss\n1\n", strict=True)
    with pytest.raises(StrictError, match=r"a\.csv, line 2: 1 cells; expected 2"):
        read_delimited(given, Troubles(given))


def test_many_problems_cost_little(tmp_path):
    _, _, problems = table(tmp_path, "step,loss\n" + "1\n" * 500)
    assert len(problems) == 51
    assert problems[-1].what == "and 450 more like these of rows"


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("trainreport.importers.tables.found.LARGEST", 10)
    with pytest.raises(InputError, match="at most 10 are read"):
        table(tmp_path, "step,loss\n1,2\n")


def test_a_table_that_is_too_large_is_read_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr("trainreport.importers.tables.table.MOST_CELLS", 5)
    found, _, problems = table(tmp_path, "step,loss\n" + "1,2\n" * 9)
    assert len(found) == 3
    assert "larger than is read" in problems[0].what


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.one_of(st.none(), NUMBERS)), min_size=1, max_size=30), st.sampled_from(",;\t|"))
def test_what_was_written_is_what_is_read(tmp_path_factory, rows, delimiter):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["a", "b"])
    writer.writerows([repr(a), "" if b is None else repr(b)] for a, b in rows)
    found, _, problems = table(tmp_path_factory.mktemp("t"), text.getvalue())
    assert not problems
    np.testing.assert_array_equal(found.columns["a"].values, [a for a, _ in rows])
    np.testing.assert_array_equal(found.columns["b"].values, [math.nan if b is None else b for _, b in rows])
    assert found.columns["b"].written.tolist() == [b is not None for _, b in rows]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=12))
def test_a_number_is_what_python_takes_for_one_or_nothing(text):
    number = number_of(text)
    if number is not None:
        assert number == float(text) or math.isnan(number)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_table_or_an_input_error(tmp_path_factory, content):
    try:
        found, _, _ = table(tmp_path_factory.mktemp("t"), b"step,loss\n" + content)
    except InputError:
        return
    assert all(len(column.values) == len(found) for column in found.columns.values())


def test_objects(tmp_path):
    troubles = Troubles(source(tmp_path, ""))
    lines = b'{"a": {"b": true, "c": [1]}, "d": "0.5"}\nnonsense\n[{"a": {"b": 0}}]\n{"big": ' + b"9" * 400 + b"}\n"
    found = table_of_objects(objects_in_lines(lines, troubles), troubles)
    assert found.columns["a/b"].values.tolist()[:2] == [1.0, 0.0]
    assert found.columns["d"].values[0] == 0.5
    assert "a/c" not in found.columns
    assert not found.columns["big"].written.any()
    assert [one.place for one in troubles.all()] == ["line 2"]


def test_a_list_that_was_cut_off():
    text = '{"x": 1, "log": [ {"a": 1}, {"a": {"b": "}"}}, {"a": '
    assert list(objects_in_list(text, "log")) == [{"a": 1}, {"a": {"b": "}"}}]
    assert list(objects_in_list(text, "other")) == []


def rows(**columns):
    builder = TableBuilder()
    for place in range(len(next(iter(columns.values())))):
        builder.add(((name, cells[place]) for name, cells in columns.items()), place + 1)
    return builder.table()


def test_roles():
    assert guess_roles(rows(Iter=[0.0, 1.0], Epoch=[0.0, 0.5], time=[1.5, 2.5])) == ("Iter", "Epoch", None, "time")
    assert guess_roles(rows(timestamp=[1.7e12, 1.7e12 + 1], loss=[1.0, 2.0])) == (None, None, "timestamp", None)
    assert guess_roles(rows(step=[0.5, 1.5], loss=[1.0, 2.0])) == (None, None, None, None)


def test_steps_that_begin_anew_in_each_epoch():
    step, epoch = np.array([0.0, 1, 2, 0, 1, 2, 0]), np.array([0.0, 0, 0, 1, 1, 1, 2])
    assert steps_through(step, epoch).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert steps_through(step, np.zeros(7)).tolist() == step.tolist()  # begun anew in one epoch: a restart
    assert steps_through(np.arange(7.0), epoch).tolist() == list(range(7))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 1))
def test_steps_through_rise_by_one_where_each_batch_is_logged(lengths, first):
    step = np.concatenate([np.arange(first, first + length, dtype=float) for length in lengths])
    epoch = np.repeat(np.arange(len(lengths), dtype=float), lengths)
    if all(length > 1 for length in lengths):
        assert np.diff(steps_through(step, epoch)).tolist() == [1.0] * (len(step) - 1)


def test_what_pandas_takes_for_missing_is_missing_or_nan(tmp_path):
    """Words of pandas.read_csv's na_values, as its documentation lists them, and those of other tools."""
    pandas = ("", "#N/A", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null")
    for word in (*pandas, "none", "-", "--", "[N/A]", "[Not Supported]", "undefined"):
        found, _, problems = table(tmp_path, f"step,loss\n1,{word}\n2,0.5\n")
        column = found.columns["loss"]
        assert (column.texts, problems) == ({}, ()), word
        assert bool(column.written[0]) == (word.lower().strip("-") == "nan"), word


@pytest.mark.parametrize(
    "text",
    [
        "| step | loss |\n|-----:|:----:|\n| 1 | 2.5 |\n| 2 | 1.5 |\n",
        "+------+------+\n| step | loss |\n+======+======+\n|    1 |  2.5 |\n+------+------+\n|    2 |  1.5 |\n+------+------+\n",
        " step | loss \n 1 | 2.5\n 2 | 1.5\n",
    ],
)
def test_tables_drawn_with_bars(tmp_path, text):
    """As Markdown, databases and pandas' to_markdown draw them."""
    found, _, problems = table(tmp_path, text)
    assert [found.columns[name].values.tolist() for name in ("step", "loss")] == [[1, 2], [2.5, 1.5]]
    assert problems == ()
