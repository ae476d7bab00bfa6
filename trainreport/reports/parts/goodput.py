"""Where the paid time went: one bar, and a table of what each part is and how it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.ledger import BUCKETS
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Row, Section, Slice, Spread, Table
from trainreport.reports.retold import retold

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
        why = words.capital(view.ledger.basis.get("goodput", "").rstrip(".").removeprefix(UNKNOWN))
        text = retold(f"{why}.") if why else words.label("goodput.silent")
        return Section("goodput", words.label("goodput.not_known"), (Paragraph(text),))
    there = [name for name in BUCKETS if getattr(spent, name) >= _LEAST]
    there.sort(key=lambda name: -float(getattr(spent, name)))
    bar = (_bar(spent, there),) if len(there) > 1 else ()
    return Section("goodput", _title(spent, there), (*bar, _table(view, spent, there)))


def _title(spent: Goodput, there: list[str]) -> str:
    hidden = any(text.startswith(HIDDEN) for text in spent.basis.values())
    if spent.productive >= _WHOLE:
        return words.label("goodput.all_seen" if hidden else "goodput.all")
    named = ["productive"] if there[0] == "productive" else []
    named += [name for name in there if name != "productive" and (getattr(spent, name) >= _NAMED or not named)][:1]
    shares = [words.share(getattr(spent, name)) for name in named]
    most = "most" if hidden and named[0] == "productive" else "first"
    said = [words.label(f"goodput.{'then' if i else most}", share=share, took=words.label(f"bucket_took.{name}"))
            for i, (name, share) in enumerate(zip(named, shares, strict=True))]  # fmt: skip
    return words.capital(", ".join(said))


def _bar(spent: Goodput, there: list[str]) -> Spread:
    shares = [float(getattr(spent, name)) for name in there]
    slices = tuple(
        Slice(words.label(f"bucket.{name}"), words.share(share), share, words.label(f"bucket_tone.{name}"))  # type: ignore[arg-type]
        for name, share in zip(there, shares, strict=True)
    )
    return Spread(slices, words.label("goodput.alt", parts=words.joined([f"{one.name} {one.amount}" for one in slices], len(slices))))


def _table(view: View, spent: Goodput, there: list[str]) -> Table:
    columns = [Column(words.label("column.went"), 1.5), Column(words.label("column.share"), 0.7, "right")]
    columns += [Column(words.label("column.time"), 0.8, "right")]
    columns += [Column(words.label("column.cost"), 1.0, "right")] if view.ledger.cost is not None else []
    rows = tuple(_row(view, spent, name) for name in there)
    return Table((*columns, Column(words.label("column.known"), 4.4)), rows, _note(view, spent, there), dense=True)


def _row(view: View, spent: Goodput, name: str) -> Row:
    share, cost = float(getattr(spent, name)), view.ledger.cost
    cells = [Cell(words.label(f"bucket.{name}"), strong=True), Cell(words.share(share)), Cell(words.duration(share * spent.paid_s))]
    cells += [Cell(words.money(cost.times(round(share, 9))))] if cost is not None else []
    basis = words.capital(spent.basis.get(name, ""))
    return Row((*cells, Cell(retold(f"{basis}.") if basis else words.label("goodput.not_recorded"))))


def _note(view: View, spent: Goodput, there: list[str]) -> str:
    """Return what was paid for, and for the parts that are not there whether they are nothing or only not seen."""
    apart = [name for name in BUCKETS if name not in there and spent.basis.get(name, "").startswith((HIDDEN, UNKNOWN))]
    none = [words.within(words.label(f"bucket.{name}")) for name in BUCKETS if name not in (*there, *apart, "unexplained")]
    basis = view.ledger.basis.get("goodput", "").rstrip(".")
    said = [words.label(f"goodput.paid{'_priced' if view.ledger.cost is not None else ''}", time=words.duration(spent.paid_s))]
    said += [words.label("goodput.from", basis=retold(basis))] if basis else []
    said += [words.label("goodput.none", parts=words.joined(none, len(none)))] if none else []
    said += [words.label("goodput.unseen", parts="; ".join(_blind(spent, name) for name in apart))] if apart else []
    return " ".join(said)


def _blind(spent: Goodput, name: str) -> str:
    why = spent.basis[name].removeprefix(HIDDEN).removeprefix(UNKNOWN).rstrip(".")
    return f"{words.within(words.label(f'bucket.{name}'))} ({retold(why)})"
