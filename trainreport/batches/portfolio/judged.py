"""How the runs were judged, what was found in them, and which to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.batches.portfolio import cells
from trainreport.batches.tally import MOST
from trainreport.model.decision import NextStep, Verdict
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Section, Table
from trainreport.reports.parts.sponsor import verdict_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.batches.sums import Sum
    from trainreport.batches.tally import Tally
    from trainreport.reports.blocks import Block

__all__ = ["failures", "findings", "runs", "verdicts"]

_RECORDS = "05"  # first digit of codes that tell of the evidence and the records, not of training
_TOOK = (cells.RUNS, Column("Share", 0.7, "right"), cells.HOURS, cells.COST)


def verdicts(tally: Tally) -> Part:
    """Return how many runs have each verdict, and what to do next."""
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
    blocks: tuple[Block, ...] = (
        Table((Column("Verdict", 2.0), *_TOOK), rows),
        Section("next-steps", "Next steps", (Table((Column("Next step", 4.0), Column("Runs", 1.5, "right")), steps, dense=True),)),
    )
    nothing = (Paragraph("No run was judged.", "quiet"),)
    return Part("verdicts", "Verdicts", "How the runs were judged, and what to do next", blocks if rows else nothing, fresh=False)


def findings(tally: Tally) -> Part | None:
    """Return which findings there are in how many runs."""
    found = sorted((code for code in tally.codes if tally.codes[code].runs), key=lambda code: (-tally.codes[code].runs, code))
    records = [code for code in found if code[2] in _RECORDS]
    causes = [code for code in found if code not in records]
    if not found:
        return None
    title = f"{cells.name_of((causes or records)[0])} is the most frequent finding {'in training' if causes else 'in the records'}"
    blocks: list[Block] = [
        Paragraph("A run counts with each of its findings, so the rows do not add up. Hours and cost are those of the whole runs.", "quiet")
    ]
    for id_, heading, codes in (("causes", "Training, hardware and cost", causes), ("records", "Evidence and records", records)):
        rows = tuple(Row((Cell(cells.name_of(code), note=f"{code} · {_family(code)}"), *_took(tally.codes[code], tally))) for code in codes)
        blocks += [Section(id_, heading, (Table((Column("Finding", 2.0), *_TOOK), rows),))] if rows else []
    return Part("findings", "Findings", title, tuple(blocks), fresh=False)


def runs(part: str, short: str, what: str, listed: Sequence[dict[str, Any]], count: int) -> Part | None:
    """Return a list of runs, the dearest first."""
    if not listed:
        return None
    columns = (Column("Run", 2.4), Column("Verdict", 1.1), Column("Findings", 2.0), cells.HOURS, cells.COST)
    rows = tuple(
        Row(
            (
                cells.run(one),
                Cell("", state=verdict_state(one["verdict"])),
                Cell(words.joined(one["codes"], most=8)),
                *cells.of_run(one),
            )
        )
        for one in listed
    )
    more = f"The {MOST} dearest of {words.count(count)}; results.jsonl has all." if count > len(listed) else ""
    return Part(part, short, f"{what}, the dearest first", (Table(columns, rows, more),), fresh=False)


def failures(tally: Tally) -> Part | None:
    """Return the folders that could not be judged, and why."""
    if not tally.failed:
        return None
    rows = tuple(Row((Cell(words.short(path, 90), mono=True), Cell(words.short(reason, 400)))) for path, reason in tally.failures)
    more = f"The first {MOST} of {words.count(tally.failed)}; results.jsonl has all." if tally.failed > len(rows) else ""
    title = f"{words.plural(tally.failed, 'folder')} could not be judged"
    return Part("failures", "Not judged", title, (Table((Column("Folder", 1.5), Column("Why", 3.0)), rows, more),), fresh=False)


def _took(found: Sum, tally: Tally) -> tuple[Cell, ...]:
    return (Cell(words.count(found.runs)), Cell(words.share(found.runs / tally.all.runs)), *cells.took(found))


def _family(code: str) -> str:
    return words.labels("family").get(code[2:3], "Other")
