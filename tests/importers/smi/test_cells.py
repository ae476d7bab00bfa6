"""Cells, lines and times of nvidia-smi tables, the fast ways against the plain ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from smi_logs import SHORT, read

from trainreport.importers.smi.numbers import GIVEN, number_of, numbers_of, numbers_of_cells
from trainreport.importers.smi.table import Column, Table, Text, plain, split, split_fast, split_plain
from trainreport.importers.smi.times import fixed_width, times_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("text", "value"), [("33.09 W", 33.09), ("2 kW", 2000.0), ("1e2", 100.0), ("-3", -3.0)])
def test_number_in_the_unit_of_the_header(text: str, value: float) -> None:
    assert numbers_of([text], "W").values.tolist() == [value]


def cells(table: Table) -> list[list[str]]:
    return [[column.texts[code] for code in column.codes.tolist()] for column in table.columns]


CELL = st.sampled_from(["1 %", " 2", "", "[N/A]", '"', "a\x00b", "é", "timestamp", "utilization.gpu [%]", "\t", " "])
LINE = st.lists(CELL, min_size=1, max_size=3).map(",".join)


def text_of(written: str) -> Text:
    return Text(plain(written.encode("utf-8", "replace")), 0, 2, "f")


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r", "\n\n", ""])), max_size=5), st.sampled_from([1, 2]))
def test_fast_split_agrees_with_the_plain_one(lines: list[tuple[str, str]], width: int) -> None:
    text = text_of("".join(line + end for line, end in lines))
    end = len(text.content.rstrip())
    fast, slow = split_fast(text, end, width, SHORT.strip()), split_plain(text, end, width, SHORT.strip())
    if fast is not None:
        assert not slow.problems
        assert cells(fast) == cells(slow)
        assert fast.lines.tolist() == slow.lines.tolist()


@given(st.text(max_size=60), st.sampled_from([1, 2]))
def test_any_text_is_split_or_listed(written: str, width: int) -> None:
    table = split(text_of(written), width, SHORT.strip())
    assert len(table.problems) == table.skipped
    assert all(len(column.codes) == len(table.lines) for column in table.columns)


def test_column_of_many_texts_is_read_as_one_of_few(tmp_path: Path) -> None:
    rows = [f"2025/01/01 {n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.{n % 1000:03d}, {n / 4:.2f} W\n" for n in range(5000)]
    many = read(tmp_path, "timestamp, power.draw [W]\n" + "".join(rows)).frame
    mixed = read(tmp_path, "timestamp, power.draw [W]\n" + "".join(rows) + "2025/01/02 00:00:00.000, [N/A]\n").frame
    assert many["value"].tolist() == [n / 4 for n in range(5000)]
    assert many.equals(mixed)


@pytest.mark.parametrize("dress", ["{}", " {}", "{} W", " {} W ", "{} "])
def test_numbers_of_cells_in_every_dress(dress: str) -> None:
    found = numbers_of_cells(pa.chunked_array([[dress.format(f"{n}.25") for n in range(3000)]] * 2), "")
    assert found is not None
    assert found.values.tolist() == [n + 0.25 for n in range(3000)] * 2


def test_cells_with_nothing_between_blanks_and_unit_are_no_numbers() -> None:
    assert numbers_of_cells(pa.chunked_array([[" 1 W", " W"]]), "") is None
    assert numbers_of_cells(pa.chunked_array([[" 1 ", " "]]), "") is None


@given(
    st.lists(st.sampled_from(["1 W", "2.5 W", "33", "nan", "[N/A]", "1e3 W", "-4 W", "0x4", ".5 W", "7 %", "8  W", "Active"]), min_size=1)
)
def test_many_texts_are_the_numbers_that_each_is(texts: list[str]) -> None:
    few = [number_of(text) for text in texts]
    many = numbers_of(texts * 256, "")
    for place, (value, state, unit) in enumerate(few):
        assert many.states[place] == (state if state != GIVEN or unit in {"", many.unit} else 2)
        if many.states[place] == GIVEN:
            assert many.values[place] == pytest.approx(value, nan_ok=True)
    found = numbers_of_cells(pa.chunked_array([[f" {text} " for text in texts]]), "")
    if found is not None:
        assert found.values.tolist() == [value for value, _, _ in few]


@given(st.lists(st.datetimes(datetime(1981, 1, 1), datetime(2099, 1, 1)), min_size=1, max_size=4))  # noqa: DTZ001  written without a zone
def test_fixed_width_times_agree_with_those_read_one_by_one(moments: list[datetime]) -> None:
    texts = [moment.strftime("%Y/%m/%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}" for moment in moments]
    fast = fixed_width(np.array([list(text.encode()) for text in texts], dtype=np.uint8))
    assert fast is not None
    assert fast.tolist() == times_of(Column.from_cells(texts), None).ns.tolist()
    assert fast.tolist() == [
        int(moment.replace(tzinfo=UTC, microsecond=0).timestamp()) * 10**9 + moment.microsecond // 1000 * 10**6 for moment in moments
    ]


@pytest.mark.parametrize(
    "text", ["2025/02/29 00:00:00.000", "2025/00/01 00:00:00.000", "2025/01/01 24:00:00.000", "2025/01/01 00:00:60.000"]
)
def test_impossible_time_of_fixed_width_is_none(text: str) -> None:
    assert fixed_width(np.array([list(text.encode())], dtype=np.uint8)) is None
