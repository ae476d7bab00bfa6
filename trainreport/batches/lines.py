"""Lines of results as tables: parsed once, block by block, for the page and the Parquet files alike."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.model.ledger import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["tables"]

_LINES = 10_000  # that are held at a time
_SURROGATES = re.compile(rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Pairs, and halves without their other: bytes of a name that are no UTF-8."""


def tables(lines: Iterable[bytes]) -> Iterator[pa.Table]:
    """Yield lines of ``results.jsonl`` as tables, in their order; one that has no row at least.

    Raises
    ------
    InputError
        If a line is not as trainreport writes it.
    """
    import pyarrow as pa

    given = iter(lines)
    try:
        yield _table(list(islice(given, _LINES)))
        while block := list(islice(given, _LINES)):
            yield _table(block)
    except pa.ArrowInvalid as error:
        raise InputError(f"results.jsonl is not as trainreport writes it: {error}; begin anew with --force") from None


def _table(block: list[bytes]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    if not block:
        return _schema().empty_table()
    text = b"".join(block)
    if rb"\ud" in text or rb"\uD" in text:
        text = _SURROGATES.sub(lambda found: found[1] or rb"\ufffd", text)
    parse = json.ParseOptions(explicit_schema=_schema(), unexpected_field_behavior="ignore")
    read = json.ReadOptions(block_size=len(text) + 1, use_threads=False)
    return json.read_json(pa.BufferReader(text), read, parse).combine_chunks()


@cache
def _schema() -> pa.Schema:
    import pyarrow as pa

    text, number = pa.string(), pa.float64()
    money = pa.struct({"amount": text, "currency": text})
    finding = pa.struct({"code": text, "severity": text, "confidence": text, "gpu_hours": number, "cost": money, "message": text})
    texts = ("path", "run_id", "name", "team", "project", "status", "verdict", "next_step", "error", "version", "inputs_digest")
    return pa.schema(
        {
            **dict.fromkeys(texts, text),
            **dict.fromkeys(("started_at", "ended_at"), text),
            **dict.fromkeys(("gpu_hours", "energy_kwh"), number),
            "cost": money,
            "codes": pa.list_(text),
            "goodput": pa.struct(dict.fromkeys(BUCKETS, number)),
            "findings": pa.list_(finding),
            "series": pa.struct({"runs": pa.int64(), "spent": money}),
        }
    )
