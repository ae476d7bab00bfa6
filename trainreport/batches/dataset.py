"""The results as two Parquet files, for DuckDB, pandas or any other tool: a row a run, and a row a finding."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.model.ledger import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["FINDINGS", "RUNS", "write"]

RUNS, FINDINGS = "runs.parquet", "findings.parquet"
_LINES = 10_000  # that are held at a time
_SURROGATES = re.compile(rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Pairs, and halves without their other: bytes of a name that are no UTF-8."""


def write(lines: Iterable[bytes], folder: Path) -> None:
    """Write both files.

    Parameters
    ----------
    lines : iterable of bytes
        Of ``results.jsonl``; those that count.
    folder : Path

    Raises
    ------
    InputError
        If a line is not as trainreport writes it, or the folder cannot be written to.
    """
    import pyarrow as pa

    given = iter(lines)
    try:
        with _replacing(folder / RUNS, _runs(_table([]))) as runs, _replacing(folder / FINDINGS, _findings(_table([]))) as findings:
            while block := list(islice(given, _LINES)):
                table = _table(block)
                runs.write_table(_runs(table))
                findings.write_table(_findings(table))
    except pa.ArrowInvalid as error:
        raise InputError(f"{folder}: results.jsonl is not as trainreport writes it: {error}; begin anew with --force") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror or error}") from None


@contextmanager
def _replacing(path: Path, like: pa.Table) -> Iterator[Any]:
    """Give a writer of a file that takes its name once it is whole."""
    import pyarrow.parquet as pq

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        with pq.ParquetWriter(temporary, like.schema, compression="zstd") as writer:
            yield writer
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _table(block: list[bytes]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    if not block:
        return _schema().empty_table()
    text = b"".join(block)
    if rb"\ud" in text or rb"\uD" in text:
        text = _SURROGATES.sub(lambda found: found[1] or rb"\ufffd", text)
    parse = json.ParseOptions(explicit_schema=_schema(), unexpected_field_behavior="ignore")
    return json.read_json(pa.BufferReader(text), json.ReadOptions(block_size=len(text) + 1, use_threads=False), parse)


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
        }
    )


def _runs(table: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    named = ("path", "run_id", "name", "team", "project", "status", "verdict", "next_step", "gpu_hours", "energy_kwh", "codes")
    columns = {name: table[name] for name in named}
    for name in ("started_at", "ended_at"):
        to_the_microsecond = pc.replace_substring_regex(table[name], r"(\.\d{6})\d+Z$", r"\1Z")
        columns[name] = pc.cast(to_the_microsecond, pa.timestamp("us", "UTC"))
    columns |= _amount(table["cost"])
    columns |= {name: pc.struct_field(table["goodput"], name) for name in BUCKETS}
    return pa.table({**columns, **{name: table[name] for name in ("error", "version", "inputs_digest")}})


def _findings(table: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    findings = table["findings"].combine_chunks()
    of_run, each = pc.list_parent_indices(findings), pc.list_flatten(findings)
    columns = {name: table[name].take(of_run) for name in ("path", "run_id", "team", "project")}
    columns |= {name: pc.struct_field(each, name) for name in ("code", "severity", "confidence", "gpu_hours")}
    return pa.table({**columns, **_amount(pc.struct_field(each, "cost")), "message": pc.struct_field(each, "message")})


def _amount(money: Any) -> dict[str, Any]:
    """Return a column of exact decimals, and one of their currencies."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return {"cost": pc.cast(pc.struct_field(money, "amount"), pa.decimal128(18, 2)), "currency": pc.struct_field(money, "currency")}
