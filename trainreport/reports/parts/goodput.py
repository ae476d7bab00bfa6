"""Where the paid time went: one bar, and a table of what each part is and how it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.ledger import BUCKETS
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Row, Section, Slice, Spread, Table

if TYPE_CHECKING:
    from trainreport.model.ledger import Goodput
    from trainreport.reports.view import View

__all__ = ["HIDDEN", "UNKNOWN", "section"]

HIDDEN = "not told apart from productive: "
"""What the basis of a part begins with that may be inside another; written by ``business.goodput``."""
UNKNOWN = "not known: "
_NAMED = 0.05  # a loss from here on is named in the heading
_WHOLE = 0.9995
_LEAST = 0.0005  # a part below this is no row


def section(view: View) -> Section:
    """Return where the paid time of the leading run went, or in one sentence why it is not known."""
    spent = view.ledger.goodput
    if spent is None:
        why = view.ledger.basis.get("goodput", "not known: the ledger does not say").rstrip(".")
        return Section("goodput", "Where the paid time went is not known", (Paragraph(f"{words.capital(why.removeprefix(UNKNOWN))}."),))
    there = [name for name in BUCKETS if getattr(spent, name) >= _LEAST]
    there.sort(key=lambda name: -float(getattr(spent, name)))
    bar = (_bar(spent, there),) if len(there) > 1 else ()
    return Section("goodput", _title(spent, there), (*bar, _table(view, spent, there)))


def _title(spent: Goodput, there: list[str]) -> str:
    hidden = any(text.startswith(HIDDEN) for text in spent.basis.values())
    if spent.productive >= _WHOLE:
        return "No paid time was seen to go into anything but training" if hidden else "All of the paid time trained the model"
    named = ["productive"] if there[0] == "productive" else []
    named += [name for name in there if name != "productive" and (getattr(spent, name) >= _NAMED or not named)][:1]
    most = "at most " if hidden and named[0] == "productive" else ""
    said = [f"{words.share(getattr(spent, name))}{'' if i else ' of the paid time'} {_took(name)}" for i, name in enumerate(named)]
    return words.capital(most + ", ".join(said))


def _took(name: str) -> str:
    return words.label(f"bucket_took.{name}")


def _bar(spent: Goodput, there: list[str]) -> Spread:
    shares = [float(getattr(spent, name)) for name in there]
    slices = tuple(
        Slice(words.label(f"bucket.{name}"), words.share(share), share, words.label(f"bucket_tone.{name}"))  # type: ignore[arg-type]
        for name, share in zip(there, shares, strict=True)
    )
    return Spread(slices, f"Bar of the paid time: {words.joined([f'{one.name} {one.amount}' for one in slices], len(slices))}.")


def _table(view: View, spent: Goodput, there: list[str]) -> Table:
    columns = [Column("Where it went", 1.5), Column("Share", 0.7, "right"), Column("Time", 0.8, "right")]
    columns += [Column("Cost", 1.0, "right")] if view.ledger.cost is not None else []
    rows = tuple(_row(view, spent, name) for name in there)
    return Table((*columns, Column("How it is known", 4.4)), rows, _note(view, spent, there), dense=True)


def _row(view: View, spent: Goodput, name: str) -> Row:
    share, cost = float(getattr(spent, name)), view.ledger.cost
    cells = [Cell(words.label(f"bucket.{name}"), strong=True), Cell(words.share(share)), Cell(words.duration(share * spent.paid_s))]
    cells += [Cell(words.money(cost.times(round(share, 9))))] if cost is not None else []
    return Row((*cells, Cell(f"{words.capital(spent.basis.get(name, 'not recorded'))}.")))


def _note(view: View, spent: Goodput, there: list[str]) -> str:
    """Return what was paid for, and for the parts that are not there whether they are nothing or only not seen."""
    apart = [name for name in BUCKETS if name not in there and spent.basis.get(name, "").startswith((HIDDEN, UNKNOWN))]
    none = [words.label(f"bucket.{name}").lower() for name in BUCKETS if name not in (*there, *apart, "unexplained")]
    basis = view.ledger.basis.get("goodput", "").rstrip(".")
    priced = "; cost spread evenly over it" if view.ledger.cost is not None else ""
    said = [f"Paid time: {words.duration(spent.paid_s)} from the first to the last sign of the run or its machine{priced}."]
    said += [f"Known from {basis}."] if basis else []
    said += [f"None seen, or next to none: {words.joined(none, len(none))}."] if none else []
    said += [f"Not to be seen: {'; '.join(_blind(spent, name) for name in apart)}."] if apart else []
    return " ".join(said)


def _blind(spent: Goodput, name: str) -> str:
    why = spent.basis[name].removeprefix(HIDDEN).removeprefix(UNKNOWN).rstrip(".")
    return f"{words.label(f'bucket.{name}').lower()} ({why})"
