"""From the sums over all runs to the page that shows them: what was spent, what came of it, and where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.batches.portfolio import cells, judged, spending
from trainreport.batches.tally import OUTSIDE
from trainreport.reports import page, words
from trainreport.reports.blocks import Document, Headline, KeyFigure, KeyFigures, Masthead, Paragraph, Part
from trainreport.reports.glyphs import cleaned

if TYPE_CHECKING:
    from trainreport.batches.tally import Tally
    from trainreport.reports.blocks import Block

__all__ = ["build", "render"]


def render(tally: Tally) -> str:
    """Return the portfolio as one page of HTML."""
    return page.render(build(tally), "screen")


def build(tally: Tally) -> Document:
    """Return the portfolio as a document."""
    title = f"{words.plural(tally.all.runs, 'training run')} judged"
    parts = [
        _summary(tally, title),
        spending.months(tally),
        spending.owners(tally),
        spending.waste(tally),
        spending.series(tally),
        judged.verdicts(tally),
        judged.findings(tally),
        judged.runs("no-go", "No-go", "Runs with a no-go", tally.refused.listed(), tally.verdicts["no-go"].runs),
        judged.runs("outside", "Outside any plan", "Runs that no plan covers", tally.outside.listed(), tally.codes[OUTSIDE].runs),
        judged.failures(tally),
    ]
    return cleaned(
        Document(
            title="Portfolio of training runs",
            language="en",
            running=title,
            summary=_headline(tally),
            parts=tuple(part for part in parts if part is not None),
            generator=f"trainreport {', '.join(sorted(tally.versions))}",
        )
    )


def _summary(tally: Tally, title: str) -> Part:
    months = sorted(tally.months)
    when = f"{cells.month(months[0])} to {cells.month(months[-1])}" if len(months) > 1 else "".join(map(cells.month, months))
    blocks: list[Block] = [
        Masthead("Portfolio:", title, when or f"trainreport {', '.join(sorted(tally.versions))}"),
        Headline(_headline(tally)),
        Paragraph(_lead(tally), "lead"),
        KeyFigures(_figures(tally)),
        *spending.where_it_went(tally),
        Paragraph(
            "Each folder was judged by itself. `trainreport report` on a folder shows its findings, what they cost, and what to do.",
            "quiet",
        ),
    ]
    return Part("summary", "Summary", title, tuple(blocks), fresh=False)


def _figures(tally: Tally) -> tuple[KeyFigure, ...]:
    refused, outside = tally.verdicts["no-go"], tally.codes[OUTSIDE]
    failed = "folders; the reasons stand below" if tally.failed else "every folder was judged"
    hours = f"known of {words.plural(tally.all.measured, 'run')}"
    took = f"took {cells.money(refused)}" if refused.cost else _part(refused.runs, tally)
    return (
        KeyFigure("Spent", cells.money(tally.all), None, _known(tally), known=bool(tally.all.cost)),
        KeyFigure("GPU-hours", cells.hours(tally.all), None, hours, known=tally.all.measured > 0),
        KeyFigure("No-go", words.count(refused.runs), None, took),
        KeyFigure("Outside any plan", words.count(outside.runs), None, _part(outside.runs, tally)),
        KeyFigure("Not judged", words.count(tally.failed), None, failed),
    )


def _headline(tally: Tally) -> str:
    """Return the sentence that matters most: what went into runs that should not go on, else how the runs stand."""
    refused = tally.verdicts["no-go"]
    if refused.runs:
        took = f", {cells.money(refused)} in all" if refused.cost else ""
        return f"Review {words.plural(refused.runs, 'run')} with a no-go{took}"
    if not tally.all.runs:
        return "Look at the folders that could not be judged"
    if tally.codes[OUTSIDE].runs == tally.all.runs:
        return "Agree on a plan: no run has a target that it can be judged by"
    return f"No run has a no-go; {words.count(_ready(tally))} of {words.count(tally.all.runs)} may go to evaluation"


def _lead(tally: Tally) -> str:
    """Return how the runs stand, and what went for nothing, in plain sentences."""
    if not tally.all.runs:
        return "No run was judged."
    refused, unclear = tally.verdicts["no-go"], tally.verdicts["cannot-tell"]
    said = [f"{words.count(_ready(tally))} of {words.plural(tally.all.runs, 'run')} may go to evaluation"]
    said += [f"{words.count(refused.runs)} should not go on as planned"] if refused.runs else []
    said += [f"{words.count(unclear.runs)} cannot be judged for want of evidence"] if unclear.runs else []
    text = f"{words.joined(said)}."
    if refused.gpu_hours and tally.all.gpu_hours:
        text += f" The refused ones took {words.share(refused.gpu_hours / tally.all.gpu_hours)} of all GPU-hours."
    first = spending.dearest(tally)
    return f"{text} The dearest cause of waste: {first}." if first else text


def _ready(tally: Tally) -> int:
    return tally.verdicts["go"].runs + tally.verdicts["go-with-conditions"].runs


def _part(runs: int, tally: Tally) -> str:
    return f"{words.share(runs / tally.all.runs)} of the runs" if tally.all.runs else "no run was judged"


def _known(tally: Tally) -> str:
    costs = tally.all.cost
    return "amounts in several currencies are not added up" if len(costs) > 1 else "" if costs else "no plan gave a rate"
