"""What a cloud invoice says that a run cost: FOCUS columns, and AWS and Google Cloud exports mapped to them.

FOCUS (focus.finops.org) is the common form. An AWS Cost and Usage Report, old or 2.0, and a Google Cloud billing
export from BigQuery are told by their columns. Costs are effective costs (commitments spread over what used them)
where the file has them, else billed costs.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.business.compute import fair_seconds
from trainreport.errors import InputError
from trainreport.model import clock
from trainreport.model.digest import sha256_of_file
from trainreport.model.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Row = Mapping[str, str]
    Span = tuple[float, float]

__all__ = ["Bill", "Charge", "Invoice", "billed", "read_charges", "read_invoice"]

_COVERED = {"SavingsPlanCoveredUsage": "savings_plan_savings_plan_effective_cost", "DiscountedUsage": "reservation_effective_cost"}
"""AWS line items paid for by a commitment -> where their effective cost stands."""
_COMMITMENTS = frozenset(("SavingsPlanNegation", "SavingsPlanUpfrontFee", "SavingsPlanRecurringFee", "RIFee"))
"""AWS line items that pay for the commitment itself: their cost is in that of the line items it covers."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of an invoice."""

    start: datetime
    end: datetime
    cost: Money
    """Effective where the file has it, else billed; negative for a credit."""
    resource: str | None = None
    sku: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    """Keys in lower case, without the ``user:`` that AWS puts before them."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """A file of charges."""

    file: str
    sha256: str
    charges: tuple[Charge, ...]
    problems: tuple[str, ...]
    """Lines that could not be read, each with the reason."""
    others: tuple[Span, ...] = ()
    """When runs that are judged elsewhere held their machines: what is charged then is split with them, too."""


class Bill(NamedTuple):
    """What was charged to a run."""

    cost: Money
    charges: int
    """Lines that count, at least in part."""
    split: int
    """... of which only a part is the run's; the charge of such a line is taken to be even over its time."""


def read_charges(lines: Iterable[str]) -> tuple[list[Charge], list[str]]:
    """Return the charges in the lines of a CSV file, and what could not be read, with its line.

    Raises
    ------
    ValueError
        If the columns are none of the three forms.
    """
    rows = csv.DictReader(lines)
    names = {name: _plain_name(name) for name in rows.fieldnames or () if name}
    of_row = _form(set(names.values()))
    charges, problems = [], []
    for row in rows:
        try:
            charges.append(of_row({names[name]: (value or "").strip() for name, value in row.items() if name in names}))
        except (ValueError, InvalidOperation) as error:
            problems.append(f"line {rows.line_num}: {str(error) if isinstance(error, ValueError) else 'a cost that is no number'}")
    return charges, problems


def read_invoice(path: Path) -> Invoice:
    """Return the charges of a CSV file.

    Raises
    ------
    InputError
        If it cannot be read, or its columns are none of the three forms.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            charges, problems = read_charges(stream)
        return Invoice(path.name, sha256_of_file(path), tuple(charges), tuple(problems))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: no invoice that can be read: {error}") from error


def billed(charges: Iterable[Charge], span: Span, tags: Mapping[str, str], everyone: Sequence[Span] = ()) -> Bill | None:
    """Return what was charged to a run, None where no line fits.

    Parameters
    ----------
    charges : iterable of Charge
    span : (float, float)
        From when to when the run held its machine, in seconds since 1970.
    tags : mapping
        Such as the plan's [tags]; keys are compared without regard to case. Empty takes every line.
    everyone : sequence of (float, float)
        The spans of all runs, this one among them: what is charged while several are alive is split between them.

    Raises
    ------
    ValueError
        If the lines that fit are in several currencies: amounts are never converted.
    """
    wanted = {key.lower(): value for key, value in tags.items()}
    total: Money | None = None
    count = split = 0
    for charge in charges:
        share = _overlap(charge, span, everyone or (span,))
        if share <= 0 or any(charge.tags.get(key) != value for key, value in wanted.items()):
            continue
        part = charge.cost.times(share)
        total = part if total is None else total + part
        count, split = count + 1, split + (share < 1)
    return None if total is None else Bill(total, count, split)


def _overlap(charge: Charge, span: Span, everyone: Sequence[Span]) -> Decimal:
    """Return the part of a charge that is a run's; one without a length counts where it stands."""
    start, end = charge.start.timestamp(), charge.end.timestamp()
    if end <= start:
        alive = sum(one[0] <= start < one[1] for one in everyone)
        return Decimal(span[0] <= start < span[1]) / max(alive, 1)
    inside = max(start, span[0]), min(end, span[1])
    return Decimal(str(fair_seconds(inside, everyone))) / Decimal(str(end - start)) if inside[1] > inside[0] else Decimal(0)


def _form(names: set[str]) -> Callable[[Row], Charge]:
    """Return the reader for a set of columns."""
    forms: tuple[tuple[set[str], Callable[[Row], Charge]], ...] = (
        ({"billing_currency", "charge_period_start", "charge_period_end"}, _focus),
        ({"line_item_unblended_cost", "line_item_usage_start_date", "line_item_usage_end_date", "line_item_currency_code"}, _aws),
        ({"cost", "currency", "usage_start_time", "usage_end_time"}, _google),
    )
    for needed, of_row in forms:
        if needed <= names:
            return of_row
    raise ValueError(
        "neither FOCUS (ChargePeriodStart, ChargePeriodEnd, BillingCurrency, BilledCost), nor an AWS Cost and Usage Report "
        "(lineItem/UnblendedCost, …), nor a Google Cloud billing export (usage_start_time, usage_end_time, cost, currency)"
    )


def _focus(row: Row) -> Charge:
    cost = row.get("effective_cost") or row.get("billed_cost", "")
    span = row["charge_period_start"], row["charge_period_end"]
    names, tags = ("resource_id", "sku_id"), _tags_of(row.get("tags", ""))
    return _charge(row, span, Decimal(cost), row["billing_currency"], names=names, tags=tags)


def _aws(row: Row) -> Charge:
    kind = row.get("line_item_line_item_type", "")
    text = row.get(_COVERED.get(kind, "")) or row["line_item_unblended_cost"]
    cost = Decimal(0) if kind in _COMMITMENTS else Decimal(text)
    tags = _tags_of(row.get("resource_tags", ""))
    tags |= {_tag(name.removeprefix("resource_tags_")): value for name, value in row.items() if value and name.startswith("resource_tags_")}
    span = row["line_item_usage_start_date"], row["line_item_usage_end_date"]
    return _charge(row, span, cost, row["line_item_currency_code"], names=("line_item_resource_id", "product_sku"), tags=tags)


def _google(row: Row) -> Charge:
    cost = Decimal(row["cost"])
    for credit in _parsed(row.get("credits", "")):
        cost += Decimal(str(credit.get("amount") or 0))
    resource = "resource.name" if row.get("resource.name") else "resource.global_name"
    span = row["usage_start_time"], row["usage_end_time"]
    return _charge(row, span, cost, row["currency"], names=(resource, "sku.id"), tags=_tags_of(row.get("labels", "")))


def _charge(row: Row, span: tuple[str, str], cost: Decimal, currency: str, *, names: tuple[str, str], tags: dict[str, str]) -> Charge:
    if not cost.is_finite():
        raise ValueError("a cost that is no number")
    if not re.fullmatch(r"[A-Z]{3}", currency):
        raise ValueError(f"{currency!r} is no currency")
    resource, sku = (row.get(name) or None for name in names)
    return Charge(_instant(span[0]), _instant(span[1]), Money(cost, currency), resource, sku, tags)


def _instant(text: str) -> datetime:
    """Return a moment in UTC; invoices are in UTC where they do not say otherwise."""
    moment = datetime.fromisoformat(text.removesuffix("UTC").strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else clock.to_utc(moment)


def _tags_of(text: str) -> dict[str, str]:
    """Return tags from JSON: a mapping, or Google's list of keys and values."""
    if not text:
        return {}
    found = json.loads(text)
    pairs = found.items() if isinstance(found, dict) else [(one.get("key"), one.get("value")) for one in _mappings(found)]
    return {_tag(str(key)): str(value) for key, value in pairs if value is not None}


def _tag(key: str) -> str:
    return re.sub(r"^user[:_]", "", key.strip().lower())


def _parsed(text: str) -> list[dict[str, Any]]:
    return _mappings(json.loads(text)) if text else []


def _mappings(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("a list of tags or credits was expected")
    return found


def _plain_name(name: str) -> str:
    """Return a column's name in small letters: ``lineItem/UnblendedCost`` is ``line_item_unblended_cost``, as in CUR 2.0."""
    name = name.strip().removeprefix("\ufeff")
    table, slash, tag = name.partition("/")
    if slash and table == "resourceTags":  # the key of a tag stays as it is
        return f"resource_tags_{tag}"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("/", "_")).lower()
