"""What every job of a batch is read and judged by, and how its report is worded.

`Terms` are what is sent to a worker: names, numbers, and the paths of files, which lie in the same place everywhere.
A `Basis` is what stands in those files; it is read once before any job starts, so that a fault in them is found
there, and once by each worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from trainreport.errors import InputError, PlanError, UsageError, did_you_mean
from trainreport.model.digest import fingerprint, sha256_of_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Unpack

    from trainreport.business.billing import Invoice
    from trainreport.business.grid import Grid
    from trainreport.model.plan import Plan
    from trainreport.reports.brand import Brand

    File = str | Path | None

__all__ = ["Basis", "Given", "Terms", "check", "read"]

_ENGLISH = "en"


class Given(TypedDict, total=False):
    """What a batch takes by name, with the meaning that it has for `report`."""

    as_of: str | None
    source_zone: str | None
    interval_s: float | None
    map_file: File
    redact: bool
    billing: File
    grid: File
    reports: Sequence[str]
    language: str
    brand: File


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every job; files by their whole paths."""

    plan: str | None = None
    as_of: str | None = None
    source_zone: str | None = None
    interval_s: float | None = None
    map_file: str | None = None
    redact: bool = False
    """Whether users, hosts, directories and e-mail addresses are put out of everything that is written."""
    billing: str | None = None
    grid: str | None = None
    reports: tuple[str, ...] = ()
    """Formats in which each job's report is written."""
    language: str = _ENGLISH
    brand: str | None = None

    @classmethod
    def of(cls, plan: File, **given: Unpack[Given]) -> Terms:
        """Return the terms that a caller gave, wherever the process that reads them stands."""
        return cls(
            plan=_whole(plan),
            as_of=given.get("as_of"),
            source_zone=given.get("source_zone"),
            interval_s=given.get("interval_s"),
            map_file=_whole(given.get("map_file")),
            redact=given.get("redact", False),
            billing=_whole(given.get("billing")),
            grid=_whole(given.get("grid")),
            reports=tuple(given.get("reports", ())),
            language=given.get("language", _ENGLISH),
            brand=_whole(given.get("brand")),
        )

    def judging(self) -> str:
        """Return what changes with anything that a judgement depends on besides the logs: of files, with what is in them."""
        files = (self.plan, self.map_file, self.billing, self.grid)
        return fingerprint(self.as_of, self.source_zone, repr(self.interval_s), str(self.redact), *map(_content, files))

    def wording(self) -> str:
        """Return what changes with anything that only the reports depend on."""
        from trainreport.reports.brand import read_brand

        look = "" if self.brand is None else repr(read_brand(self.brand))  # with its pictures and fonts
        return fingerprint(*self.reports, self.language, look)


@dataclass(frozen=True, slots=True)
class Basis:
    """What stands in the files of the terms."""

    plan: Plan
    as_of: datetime | None = None
    invoice: Invoice | None = None
    grid: Grid | None = None
    brand: Brand | None = None


def read(terms: Terms) -> Basis:
    """Return what the files of the terms hold.

    Raises
    ------
    TrainreportError
        If one of them cannot be read.
    """
    from trainreport.business.billing import read_invoice
    from trainreport.business.grid import read_grid
    from trainreport.model import clock
    from trainreport.model.plan import Plan
    from trainreport.model.plan_reader import read_plan
    from trainreport.reports.brand import read_brand

    return Basis(
        Plan() if terms.plan is None else read_plan(Path(terms.plan)),
        None if terms.as_of is None else clock.parse_instant(terms.as_of),
        None if terms.billing is None else read_invoice(Path(terms.billing)),
        None if terms.grid is None else read_grid(Path(terms.grid), terms.source_zone),
        None if terms.brand is None else read_brand(terms.brand),
    )


def check(terms: Terms) -> None:
    """Find the faults that every job would have.

    Raises
    ------
    PlanError
        If the plan has faults.
    UsageError
        If anything else cannot be meant, or a file cannot be read.
    """
    from trainreport import detectors
    from trainreport.business.grid import chosen
    from trainreport.decisions.assess import check_currency
    from trainreport.importers.declared import fault_of
    from trainreport.model import clock

    _check_reports(terms)
    if terms.source_zone is not None:
        clock.zone(terms.source_zone)
    if terms.map_file is not None and (fault := fault_of(Path(terms.map_file))):
        raise UsageError(fault)
    try:
        basis = read(terms)
    except InputError as error:  # an argument like any other; what is missing is no log
        raise UsageError(str(error)) from error
    if faults := detectors.faulty_limits(basis.plan):
        raise PlanError(faults)
    check_currency(basis.plan, basis.invoice)
    if basis.grid is not None:
        chosen(basis.grid, basis.plan.rates.grid_region)


def _check_reports(terms: Terms) -> None:
    from trainreport.batches.results import REPORT_NAMES
    from trainreport.reports.language import speaking

    for form in terms.reports:
        if form not in REPORT_NAMES:
            expected = ", ".join(REPORT_NAMES)
            raise UsageError(f"{form!r} is not a format of reports{did_you_mean(form, REPORT_NAMES)}; expected {expected}")
    if not terms.reports and (terms.language != _ENGLISH or terms.brand is not None):
        raise UsageError("language and brand are those of reports on each folder, and none is asked for: give --reports too")
    with speaking(terms.language):
        pass


def _whole(file: File) -> str | None:
    return None if file is None else str(Path(file).resolve())


def _content(file: str | None) -> str:
    return "" if file is None else sha256_of_file(Path(file))
