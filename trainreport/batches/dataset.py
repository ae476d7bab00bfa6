"""The results as two Parquet files, for DuckDB, pandas or any other tool: a row a run, and a row a finding."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.model.ledger import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["FINDINGS", "RUNS", "amounts", "each_finding", "write"]

RUNS, FINDINGS = "runs.parquet", "findings.parquet"


def write(tables: Iterable[pa.Table], folder: Path) -> None:
    """Write both files.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Of lines, as `lines.tables` gives them: one at least.
    folder : Path

    Raises
    ------
    InputError
        If a cell is not as trainreport writes it, or the folder cannot be written to.
    """
    import pyarrow as pa

    given = iter(tables)
    first = next(given)
    try:
        with _replacing(folder / RUNS, _runs(first)) as runs, _replacing(folder / FINDINGS, _findings(first)) as findings:
            for table in given:
                runs.write_table(_runs(table))
                findings.write_table(_findings(table))
    except pa.ArrowInvalid as error:
        raise InputError(f"{folder}: results.jsonl is not as trainreport writes it: {error}; begin anew with --force") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror or error}") from None


@contextmanager
def _replacing(path: Path, begin: pa.Table) -> Iterator[Any]:
    """Give a writer of a file that begins with some rows, and takes its name once it is whole."""
    import pyarrow.parquet as pq

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        with pq.ParquetWriter(temporary, begin.schema, compression="zstd") as writer:
            writer.write_table(begin)
            yield writer
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _runs(table: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    named = ("path", "run_id", "name", "team", "project", "status", "verdict", "next_step", "gpu_hours", "energy_kwh", "codes")
    columns = {name: table[name] for name in named}
    for name in ("started_at", "ended_at"):
        to_the_microsecond = pc.replace_substring_regex(table[name], r"(\.\d{6})\d+Z$", r"\1Z")
        columns[name] = pc.cast(to_the_microsecond, pa.timestamp("us", "UTC"))
    columns |= amounts(table["cost"])
    columns |= {name: pc.struct_field(table["goodput"], name) for name in BUCKETS}
    return pa.table({**columns, **{name: table[name] for name in ("error", "version", "inputs_digest")}})


def _findings(table: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    of_run, each = each_finding(table)
    columns = {name: table[name].take(of_run) for name in ("path", "run_id", "team", "project")}
    columns |= {name: pc.struct_field(each, name) for name in ("code", "severity", "confidence", "gpu_hours")}
    return pa.table({**columns, **amounts(pc.struct_field(each, "cost")), "message": pc.struct_field(each, "message")})


def each_finding(table: pa.Table) -> tuple[Any, Any]:
    """Return of each finding the row of its run, and the finding itself."""
    import pyarrow.compute as pc

    findings = table["findings"].combine_chunks()
    return pc.list_parent_indices(findings), pc.list_flatten(findings)


def amounts(money: Any) -> dict[str, Any]:
    """Return a column of exact decimals, and one of their currencies."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return {"cost": pc.cast(pc.struct_field(money, "amount"), pa.decimal128(18, 2)), "currency": pc.struct_field(money, "currency")}
