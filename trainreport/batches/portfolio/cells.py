"""Cells and columns that several tables of the portfolio share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport import detectors
from trainreport.batches.tally import amount_of
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column

if TYPE_CHECKING:
    from trainreport.batches.sums import Sum

__all__ = ["COST", "HOURS", "RUNS", "hours", "money", "month", "name_of", "of_run", "price", "run", "took"]

RUNS, HOURS, COST = Column("Runs", 0.7, "right"), Column("GPU-hours", 0.9, "right"), Column("Cost", 1.2, "right")


def took(found: Sum) -> tuple[Cell, Cell]:
    """Return the GPU-hours and the cost of some runs."""
    return Cell(hours(found)), Cell(money(found))


def run(entry: dict[str, Any]) -> Cell:
    """Return which run a line is of."""
    return Cell(words.short(entry["run_id"], 60), note=words.short(entry["path"], 90), strong=True)


def of_run(entry: dict[str, Any]) -> tuple[Cell, Cell]:
    """Return the GPU-hours and the cost that a line, or a finding of it, tells."""
    told = entry["gpu_hours"]
    return Cell("–" if told is None else words.number(told)), Cell(price(entry["cost"]))


def price(told: dict[str, str] | None) -> str:
    """Return an amount as a line tells it."""
    return "–" if told is None else words.money(amount_of(told))


def money(found: Sum) -> str:
    """Return the cost of some runs."""
    return " and ".join(words.money(amount) for amount in found.money) or "–"


def hours(found: Sum) -> str:
    """Return the GPU-hours of some runs."""
    return words.number(found.gpu_hours) if found.measured else "–"


def month(text: str) -> str:
    """Return ``November 2026`` for ``2026-11``."""
    year, _, number = text.partition("-")
    return f"{words.month(int(number))} {year}"


def name_of(code: str) -> str:
    """Return the name of a finding; the code itself where this version does not know it."""
    return next((words.capital(words.finding_name(one.name)) for one in detectors.all_detectors() if one.code == code), code)
