"""Tables of watched DCGM fields: a row a GPU, moment and field, or a column of watts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.gauges.exposition import is_blank
from trainreport.importers.gauges.names import DCGM_FIELDS
from trainreport.importers.gauges.samples import NO_TIME, Samples, recording_of_samples
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.model.clock import from_epoch_seconds
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source
    from trainreport.importers.tables.table import Column

_COLUMNS = {"watts": ("gpu/power", "W")}
"""Columns that hold one field each."""


class DcgmCsv:
    """Reads fields by DCGM's own tags, each at its own moments; reasons for slower clocks are bits of a number."""

    name = "dcgm-csv"
    title = "CSV of watched DCGM fields (GPUId, TimeStampUs, Field, Values)"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the columns are those of a watch of DCGM."""
        del path
        header = header_of(head)
        return header is not None and {"gpuid", "timestampus"} <= header.lower and bool({"field", *_COLUMNS} & header.lower)

    def read(self, source: Source) -> Recording:
        """Read all rows."""
        troubles, samples = Troubles(source), Samples()
        table, events = read_delimited(source, troubles)
        columns = {name.lower(): column for name, column in table.columns.items()}
        missing = {"gpuid", "timestampus"} - columns.keys()
        if missing or ("field" in columns and "values" not in columns):
            raise InputError("expected the columns GPUId, TimeStampUs and Field with Values")
        for row, (gpu, us) in enumerate(zip(columns["gpuid"].values.tolist(), columns["timestampus"].values.tolist(), strict=True)):
            ns = NO_TIME if from_epoch_seconds(us / 1e6) is None else round(us) * 1000
            device = f"gpu{gpu:.0f}" if 0 <= gpu < 10_000 else None
            for name, value in _given(columns, row):
                if is_blank("DCGM", value):
                    samples.blanks[name] += 1
                else:
                    samples.add(name, _meaning(name), value, ns, device=device)
        clock = "UTC, written as microseconds"
        return recording_of_samples(self.name, source, samples, troubles, clock=clock, skipped=table.skipped, events=events)


def _given(columns: dict[str, Column], row: int) -> list[tuple[str, float]]:
    """Return name and number of each field of a row that is given."""
    if "field" in columns:
        name, column = columns["field"].texts.get(row, ""), columns["values"]
        found = [(name[:100], column.values[row])] if name and column.written[row] else []
    else:
        found = [(column.name, column.values[row]) for name, column in columns.items() if name in _COLUMNS and column.written[row]]
    return [(name, float(value)) for name, value in found]


def _meaning(name: str) -> Meaning:
    series, unit = DCGM_FIELDS.get(name) or _COLUMNS.get(name.lower()) or ("", "1")
    reason = name.removeprefix("throttle_reason_")
    own = f"gpu/throttle/{reason}" if reason != name else f"gpu/{name.lower()}"
    return Meaning(series or own, "system", unit, None, "field of DCGM" if series else "field of DCGM, name kept")


IMPORTER: Importer = DcgmCsv()
