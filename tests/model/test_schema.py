from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.model import schema


def test_conform_gives_exactly_the_declared_columns_and_dtypes():
    frame = schema.conform(pd.DataFrame({"value": [1.0, float("nan"), float("inf")], "logged": ["a", "b", "a"]}))
    assert list(frame.columns) == [column.name for column in schema.COLUMNS]
    assert [str(frame[column.name].dtype) for column in schema.COLUMNS] == [column.dtype for column in schema.COLUMNS]
    assert frame["flags"].tolist() == [0, schema.NOT_FINITE, schema.NOT_FINITE]


def test_conform_twice_is_conform_once():
    frame = training({"loss": [3.0, 2.0], "val_acc": [0.1, 0.2]}).frame
    pd.testing.assert_frame_equal(schema.conform(frame), frame)


def test_unknown_column_is_refused():
    with pytest.raises(ValueError, match="not part of the frame's schema"):
        schema.conform(pd.DataFrame({"valeu": [1.0]}))


def test_time_without_zone_is_refused():
    with pytest.raises(ValueError, match="no time zone"):
        schema.conform(pd.DataFrame({"value": [1.0], "time": pd.to_datetime(["2026-01-01"])}))


def test_empty_frame_has_the_schema():
    frame = schema.empty_frame()
    assert len(frame) == 0
    assert [str(frame[column.name].dtype) for column in schema.COLUMNS] == [column.dtype for column in schema.COLUMNS]


def test_concat_unites_categories_and_keeps_every_row():
    one, other = training({"loss": [3.0, 2.0]}).frame, training({"val_acc": [0.5]}).frame
    both = schema.concat([one, other])
    assert both["logged"].tolist() == ["loss", "loss", "val_acc"]
    assert [str(both[column.name].dtype) for column in schema.COLUMNS] == [column.dtype for column in schema.COLUMNS]
    assert np.array_equal(both["value"], [3.0, 2.0, 0.5])


LABEL = st.sampled_from([None, "a", "b", "c"])
ROW = st.fixed_dictionaries(
    {
        "logged": st.sampled_from(["x", "y", "z"]),
        "device": LABEL,
        "step": st.none() | st.integers(-5, 2**53),
        "epoch": st.none() | st.floats(0, 9),
        "time": st.none() | st.integers(0, 2**32).map(lambda second: pd.Timestamp(second, unit="s", tz="UTC")),
        "value": st.floats(),
        "rank": st.none() | st.integers(0, 9),
    }
)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(ROW, min_size=1, max_size=4), min_size=1, max_size=4))
def test_concat_is_what_pandas_makes_of_the_rows(parts):
    def framed(rows):
        data = {name: [row[name] for row in rows] for name in parts[0][0]}
        data["time"] = pd.Series(data["time"], dtype="datetime64[ns, UTC]")
        data["device"] = pd.Categorical(data["device"], dtype=schema.category_type(tuple(sorted({one for one in data["device"] if one}))))
        return schema.conform(pd.DataFrame(data))

    both = schema.concat([framed(rows) for rows in parts])
    pd.testing.assert_frame_equal(both, framed([row for rows in parts for row in rows]), check_exact=True, check_categorical=False)
    assert list(both["logged"].cat.categories) == list(
        dict.fromkeys(label for rows in parts for label in sorted({row["logged"] for row in rows}))
    )


def test_concat_of_one_counts_its_rows_from_zero():
    frame = training({"loss": [3.0, 2.0, 1.0]}).frame
    assert schema.concat([frame]) is frame
    assert list(schema.concat([frame[1:]]).index) == [0, 1]


def test_concat_of_very_many_labels():
    frames = [training({f"layer{start + number}": [1.0] for number in range(100)}).frame for start in (0, 100)]
    assert schema.concat(frames)["logged"].tolist() == [f"layer{number}" for number in range(200)]


def test_rows_are_numbered_by_their_texts_a_missing_one_last():
    kind = pd.CategoricalDtype(["b", "a"])
    frame = pd.DataFrame({"one": ["a", "b", "a", None, "b"], "same": ["x"] * 5, "other": [None, "b", "a", "a", "b"]}).astype(
        {"one": kind, "same": "category", "other": kind}
    )
    number = schema.numbered(frame, ["one", "same", "other"])
    assert schema.in_order(number).tolist() == [1, 4, 2, 0, 3]
    assert number[1] == number[4]
    assert schema.in_order(number + (1 << 40)).tolist() == [1, 4, 2, 0, 3]
