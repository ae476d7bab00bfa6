"""Carbon hour by hour, and training compute over the lineage beside the thresholds of the law."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainreport.business.lineage import lineage
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Definitions, Paragraph, Row, Section, Table, Term
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.business.lineage import Lineage
    from trainreport.model.ledger import GridCarbon
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["sections"]

_NEAR = 0.001
"""Below this share of the lowest threshold, and without a lineage in the plan, it is no matter for this report."""


def sections(view: View) -> list[Block]:
    """Return the sections that there is something to say in."""
    grid = view.total.grid
    found = lineage([(run.log.run, run.ledger) for run in view.assessment.runs], view.plan)
    carbon: list[Block] = [] if grid is None else [_carbon(view, grid)]
    near = found is not None and (bool(view.plan.lineage) or found.beside()[0][1] >= _NEAR)
    return carbon + ([_compute(found)] if found is not None and near else [])


def _carbon(view: View, grid: GridCarbon) -> Section:
    by = words.label("footprint.factor", kg=words.mass(grid.carbon_kg), factor=words.number(grid.g_per_kwh))
    average = words.label("footprint.factor", kg=words.mass(grid.average_kg), factor=words.number(grid.average_g_per_kwh))
    items = [Term(words.label("footprint.hourly"), (by,)), Term(words.label("footprint.average"), (average,))]
    items.append(Term(words.label("footprint.greenest"), (_greenest(view, grid),)))
    if grid.elsewhere is not None:
        name, kilograms = grid.elsewhere
        items.append(Term(words.label("footprint.elsewhere"), (words.label("footprint.there", region=name, kg=words.mass(kilograms)),)))
    less = None if grid.greenest_kg is None or grid.carbon_kg <= 0 else 1 - grid.greenest_kg / grid.carbon_kg
    known = words.label("footprint.title_untold") if less is None else words.label("footprint.title", share=words.share(max(less, 0.0)))
    source = words.label("footprint.source", file=grid.file, region=grid.region or words.label("footprint.unnamed"))
    return Section("grid", known, (Definitions(tuple(items), narrow=True), Paragraph(source, "quiet")))


def _greenest(view: View, grid: GridCarbon) -> str:
    if grid.greenest_kg is None:
        return words.label("footprint.untold", why=retold(grid.why))
    kilograms = words.mass(grid.greenest_kg)
    if grid.greenest_start_s is None:
        return words.label("footprint.greener", kg=kilograms, why=retold(grid.why))
    at = view.when(datetime.fromtimestamp(grid.greenest_start_s, UTC))
    return words.label("footprint.greener_at", kg=kilograms, at=at, why=retold(grid.why))


def _compute(found: Lineage) -> Section:
    columns = (
        Column(words.label("footprint.threshold"), 1.1, "right"),
        Column(words.label("footprint.share"), 0.9, "right"),
        Column(words.label("footprint.where"), 1.2),
        Column(words.label("footprint.since"), 1.0),
        Column(words.label("footprint.law"), 4.0),
    )
    rows = tuple(
        Row(
            (
                Cell(f"{words.number(one.flop, 2)} FLOP"),
                Cell(words.share(share)),
                Cell(retold(one.jurisdiction)),
                Cell(one.since.isoformat()),
                Cell(retold(f"{words.capital(one.name)}. {one.source}")),
            )
        )
        for one, share in found.beside()
    )
    unknown = "" if not found.unknown else " " + words.label("footprint.unknown", n=words.count(found.unknown))
    note = retold(f"{words.capital(found.method)}.") + unknown
    title = words.label("footprint.compute_at_most" if found.bound else "footprint.compute", flop=words.number(found.flop, 2))
    return Section("lineage", title, (Table(columns, rows, note, dense=True),))
