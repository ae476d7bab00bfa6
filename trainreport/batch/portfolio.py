"""From the sums over all runs to the page that shows them: what was spent, what came of it, and where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport import detectors
from trainreport.batch.tally import MOST, OUTSIDE, amount_of
from trainreport.model.decision import NextStep, Verdict
from trainreport.reports import page, words
from trainreport.reports.blocks import (
    Cell,
    Column,
    Document,
    Headline,
    KeyFigure,
    KeyFigures,
    Masthead,
    Paragraph,
    Part,
    Row,
    Section,
    Table,
)
from trainreport.reports.glyphs import cleaned
from trainreport.reports.parts.sponsor import verdict_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.batch.tally import Sum, Tally
    from trainreport.reports.blocks import Block

__all__ = ["build", "render"]

_RECORDS = "05"  # first digit of codes that tell of the evidence and the records, not of training
_TOOK = (Column("Runs", 0.7, "right"), Column("Share", 0.7, "right"), Column("GPU-hours", 0.9, "right"), Column("Cost", 1.2, "right"))


def render(tally: Tally) -> str:
    """Return the portfolio as one page of HTML."""
    return page.render(build(tally), "screen")


def build(tally: Tally) -> Document:
    """Return the portfolio as a document."""
    title = f"{words.plural(tally.all.runs, 'training run')} judged"
    parts = [
        _summary(tally, title),
        _verdicts(tally),
        _causes(tally),
        _runs("no-go", "No-go", "Runs with a no-go", tally.refused.listed(), tally.verdicts["no-go"].runs),
        _runs("outside", "Outside any plan", "Runs that no plan covers", tally.outside.listed(), tally.codes[OUTSIDE].runs),
        _failures(tally),
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
    refused, outside = tally.verdicts["no-go"], tally.codes[OUTSIDE]
    items = (
        KeyFigure("Spent", _money(tally.all), None, _known(tally.all), known=bool(tally.all.cost)),
        KeyFigure(
            "GPU-hours", _hours(tally.all), None, f"known of {words.plural(tally.all.measured, 'run')}", known=tally.all.measured > 0
        ),
        KeyFigure("No-go", words.count(refused.runs), None, f"took {_money(refused)}" if refused.cost else _part(refused.runs, tally)),
        KeyFigure("Outside any plan", words.count(outside.runs), None, _part(outside.runs, tally)),
        KeyFigure(
            "Not judged", words.count(tally.failed), None, "folders; the reasons stand below" if tally.failed else "every folder was judged"
        ),
    )
    blocks: list[Block] = [
        Masthead("Portfolio:", title, f"trainreport {', '.join(sorted(tally.versions))}"),
        Headline(_headline(tally)),
        KeyFigures(items),
        Paragraph(
            "Each folder was judged by itself. Amounts are those of whole runs, not of what was wasted in them; "
            "`trainreport report` on a folder shows its findings, what they cost, and what to do.",
            "quiet",
        ),
    ]
    return Part("summary", "Summary", title, tuple(blocks), fresh=False)


def _headline(tally: Tally) -> str:
    """Return the sentence that matters most: what went into runs that should not go on, else how the runs stand."""
    refused = tally.verdicts["no-go"]
    if refused.runs:
        took = f", {_money(refused)} in all" if refused.cost else ""
        return f"Review {words.plural(refused.runs, 'run')} with a no-go{took}"
    if tally.all.runs and tally.codes[OUTSIDE].runs == tally.all.runs:
        return "Agree on a plan: no run has a target that it can be judged by"
    return f"No run has a no-go; {words.count(tally.verdicts['go'].runs)} of {words.count(tally.all.runs)} may go to evaluation"


def _verdicts(tally: Tally) -> Part:
    rows = tuple(
        Row((Cell("", state=verdict_state(verdict.value)), *_took(tally.verdicts[verdict.value], tally)))
        for verdict in Verdict
        if tally.verdicts[verdict.value].runs
    )
    steps = tuple(
        Row((Cell(words.capital(words.label(f"next_step.{step.value}"))), Cell(words.count(tally.steps[step.value]))))
        for step in NextStep
        if tally.steps[step.value]
    )
    blocks = (
        Table((Column("Verdict", 2.0), *_TOOK), rows),
        Section("next-steps", "Next steps", (Table((Column("Next step", 4.0), Column("Runs", 1.5, "right")), steps, dense=True),)),
    )
    return Part("verdicts", "Verdicts", "How the runs were judged, and what to do next", blocks if rows else (_none(),), fresh=False)


def _causes(tally: Tally) -> Part | None:
    found = sorted((code for code in tally.codes if tally.codes[code].runs), key=lambda code: (-tally.codes[code].runs, code))
    records = [code for code in found if code[2] in _RECORDS]
    causes = [code for code in found if code not in records]
    if not found:
        return None
    names = {one.code: words.capital(words.finding_name(one.name)) for one in detectors.all_detectors()}
    first = (causes or records)[0]
    title = f"{names.get(first, first)} is the most frequent finding {'in training' if causes else 'in the records'}"
    blocks: list[Block] = [
        Paragraph("A run counts with each of its findings, so the rows do not add up. Hours and cost are those of the whole runs.", "quiet")
    ]
    for id_, heading, codes in (("causes", "Training, hardware and cost", causes), ("records", "Evidence and records", records)):
        rows = tuple(
            Row((Cell(names.get(code, code), note=f"{code} · {_family(code)}"), *_took(tally.codes[code], tally))) for code in codes
        )
        blocks += [Section(id_, heading, (Table((Column("Finding", 2.0), *_TOOK), rows),))] if rows else []
    return Part("findings", "Findings", title, tuple(blocks), fresh=False)


def _runs(part: str, short: str, what: str, listed: Sequence[dict[str, Any]], count: int) -> Part | None:
    """Return a list of runs, the dearest first."""
    if not listed:
        return None
    columns = (
        Column("Run", 2.4),
        Column("Verdict", 1.1),
        Column("Findings", 2.0),
        Column("GPU-hours", 0.9, "right"),
        Column("Cost", 1.0, "right"),
    )
    rows = tuple(
        Row(
            (
                Cell(words.short(one["run_id"], 60), note=words.short(one["path"], 90), strong=True),
                Cell("", state=verdict_state(one["verdict"])),
                Cell(words.joined(one["codes"], most=8)),
                Cell("–" if one["gpu_hours"] is None else words.number(one["gpu_hours"])),
                Cell("–" if one["cost"] is None else words.money(amount_of(one["cost"]))),
            )
        )
        for one in listed
    )
    more = f"The {MOST} dearest of {words.count(count)}; results.jsonl has all." if count > len(listed) else ""
    return Part(part, short, f"{what}, the dearest first", (Table(columns, rows, more),), fresh=False)


def _failures(tally: Tally) -> Part | None:
    if not tally.failed:
        return None
    rows = tuple(Row((Cell(words.short(path, 90), mono=True), Cell(words.short(reason, 400)))) for path, reason in tally.failures)
    more = f"The first {MOST} of {words.count(tally.failed)}; results.jsonl has all." if tally.failed > len(rows) else ""
    title = f"{words.plural(tally.failed, 'folder')} could not be judged"
    return Part("failures", "Not judged", title, (Table((Column("Folder", 1.5), Column("Why", 3.0)), rows, more),), fresh=False)


def _took(found: Sum, tally: Tally) -> tuple[Cell, ...]:
    return (Cell(words.count(found.runs)), Cell(words.share(found.runs / tally.all.runs)), Cell(_hours(found)), Cell(_money(found)))


def _part(runs: int, tally: Tally) -> str:
    return f"{words.share(runs / tally.all.runs)} of the runs" if tally.all.runs else "no run was judged"


def _known(found: Sum) -> str:
    return "amounts in several currencies are not added up" if len(found.cost) > 1 else "" if found.cost else "no plan gave a rate"


def _money(found: Sum) -> str:
    return " and ".join(words.money(amount) for amount in found.money) or "–"


def _hours(found: Sum) -> str:
    return words.number(found.gpu_hours) if found.measured else "–"


def _family(code: str) -> str:
    return words.labels("family").get(code[2:3], "Other")


def _none() -> Paragraph:
    return Paragraph("No run was judged.", "quiet")
