from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import training

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
