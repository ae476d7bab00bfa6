"""Where every number comes from: files with their hashes, clocks, joins, names, and what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Definitions, Listing, Paragraph, Part, Row, Section, Table, Term

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.run import NameMapping, Problem, SourceFile
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST = 24
_MOST_FOLDERS = 12


def build(view: View) -> Part:
    """Return the origin of all numbers."""
    runs = [run.log for run in view.assessment.runs]
    files = list({(file.path, file.sha256): file for log in runs for file in log.run.files}.values())
    problems = [problem for log in runs for problem in log.problems]
    joins = list(dict.fromkeys(join for log in runs for join in log.run.joins))
    mappings = list({(m.logged, m.phase): m for log in runs for m in log.run.mappings}.values())
    blocks: list[Block] = [_identity(view), _basis(view)]
    blocks.append(Section("files", "Files read", (_files(files),)) if files else Paragraph("No source file is recorded for these runs."))
    if problems:
        blocks.append(Section("problems", "What could not be read", (_problems(problems),)))
    if view.assessment.skipped:
        blocks.append(Section("skipped", "Files left out", (_skipped(view),), folded=True))
    if joins:
        blocks.append(Section("joins", "What was put together", (Listing(tuple(joins[:_MOST])),), folded=True))
    if mappings:
        blocks.append(Section("names", "How names were understood", (_names(mappings),), folded=True))
    return Part("provenance", "Provenance", _title(files, problems), tuple(blocks), fresh=False)


def _title(files: list[SourceFile], problems: list[Problem]) -> str:
    source = words.plural(len(files), "file").replace(words.GAP, " ")
    tail = (
        f", {words.plural(len(problems), 'place').replace(words.GAP, ' ')} could not be read" if problems else ", all of them read in full"
    )
    return f"Every number comes from {source}{tail}" if files else "Where the numbers come from is not recorded"


def _identity(view: View) -> Definitions:
    source, plan, run = view.plan.source, view.plan, view.run.log.run
    items = [
        Term("Made by", (f"trainreport {view.assessment.version}",)),
        Term("Inputs digest", (view.assessment.inputs_digest,)),
        Term("Plan", ((f"{source.file}, SHA-256 {source.sha256}",) if source else ("No plan was given.",))),
    ]
    if plan.registered is not None:
        items.append(Term("Agreed", (view.when(plan.registered),)))
    items += [
        Term("Run", (f"{run.id} · {words.label(f'status.{run.status}')}",)),
        Term("Ran", (f"{view.when(run.started_at)} to {view.when(run.ended_at)}",)),
    ]
    known = (("Code version", run.code_version), ("Data version", run.data_version), ("Seed", run.seed))
    items += [Term(name, (value or "not recorded",)) for name, value in known]
    hardware = run.hardware
    if hardware.gpu_model or hardware.gpu_count:
        count = f"{hardware.gpu_count} × " if hardware.gpu_count else ""
        items.append(Term("Hardware", (f"{count}{hardware.gpu_model or 'GPU'}",)))
    return Definitions(tuple(items), narrow=True)


def _basis(view: View) -> Block:
    basis = view.ledger.basis
    if not basis:
        return Paragraph("How hours, cost and energy are known is not recorded.", "quiet")
    flop = view.ledger.flop
    told = {**basis, "flop": f"{words.number(flop, 2)} operations, {basis['flop']}"} if flop is not None and "flop" in basis else basis
    terms = tuple(Term(name, (told[key],)) for key, name in words.labels("basis").items() if key in told)
    return Section("basis", "How hours, cost and energy are known", (Definitions(terms, narrow=True),))


def _files(files: Sequence[SourceFile]) -> Table:
    columns = (
        Column("File", 4.5),
        Column("Size", 0.9, "right"),
        Column("Read as", 1.1),
        Column("Rows", 0.8, "right"),
        Column("Clock", 1.8),
    )
    if len(files) > _MOST:
        return _folders(files, columns)
    most_numbers_first = sorted(files, key=lambda file: -file.rows_read)  # of equal ones the order stays
    rows = tuple(
        Row((
            Cell(file.path, note=file.sha256, mono=True),
            Cell(words.memory(file.bytes)),
            Cell(file.importer),
            Cell(words.count(file.rows_read), note=f"{words.count(file.rows_skipped)} skipped" if file.rows_skipped else ""),
            Cell(file.clock or "no times"),
        ))
        for file in most_numbers_first
    )  # fmt: skip
    return Table(columns, rows, dense=True)


def _folders(files: Sequence[SourceFile], columns: tuple[Column, ...]) -> Table:
    """Return many files as one row for each folder, those with most numbers first."""
    together: dict[tuple[str, str, str], list[SourceFile]] = {}
    for file in files:
        together.setdefault((file.path.rpartition("/")[0], file.importer, file.clock or "no times"), []).append(file)
    rows = []
    for (folder, importer, clock), same in sorted(together.items(), key=lambda entry: -sum(file.rows_read for file in entry[1])):
        skipped = sum(file.rows_skipped for file in same)
        name = same[0].path if len(same) == 1 else f"{folder or 'the folder given'}: {words.plural(len(same), 'file')}"
        cells = (
            Cell(name, mono=True),
            Cell(words.memory(sum(file.bytes for file in same))),
            Cell(importer),
            Cell(words.count(sum(file.rows_read for file in same)), note=f"{words.count(skipped)} skipped" if skipped else ""),
            Cell(clock),
        )
        rows.append(Row(cells))
    more = f"And {words.plural(len(rows) - _MOST_FOLDERS, 'more row')}. " if len(rows) > _MOST_FOLDERS else ""
    note = f"{more}“trainreport check --format json” lists every file with its SHA-256."
    return Table(columns, tuple(rows[:_MOST_FOLDERS]), note, dense=True)


def _problems(problems: Sequence[Problem]) -> Table:
    rows = tuple(Row((Cell(one.file), Cell(one.place or "whole file"), Cell(one.what))) for one in problems[:_MOST])
    return Table((Column("File", 2.0), Column("Place", 0.9), Column("What", 3.0)), rows, _more(len(problems), "place"), dense=True)


def _skipped(view: View) -> Table:
    """Return what was left out, files of one folder left out for one reason in one row."""
    together: dict[tuple[str, str], list[str]] = {}
    for one in view.assessment.skipped:
        together.setdefault((one.path.rpartition("/")[0], one.reason), []).append(one.path)
    found = [
        (files[0] if len(files) == 1 else f"{words.plural(len(files), 'file')} in {folder or 'the folder given'}", reason)
        for (folder, reason), files in together.items()
    ]
    rows = tuple(Row((Cell(files), Cell(reason))) for files, reason in found[:_MOST])
    note = f"And files of {words.plural(len(found) - _MOST, 'more folder')}." if len(found) > _MOST else ""
    return Table((Column("File", 2.0), Column("Why", 3.0)), rows, note, dense=True)


def _names(mappings: Sequence[NameMapping]) -> Table:
    rows = tuple(
        Row((Cell(one.logged), Cell(f"{one.phase} {words.series_name(one.series)}"), Cell(one.unit), Cell(one.why)))
        for one in mappings[:_MOST]
    )
    return Table(
        (Column("As logged", 2.0), Column("Understood as", 2.0), Column("Unit", 0.6), Column("Why", 2.6)),
        rows,
        f"And {words.plural(len(mappings) - _MOST, 'more name')}." if len(mappings) > _MOST else "",
        dense=True,
    )


def _more(n: int, thing: str) -> str:
    return f"And {words.plural(n - _MOST, f'more {thing}')}; “trainreport check --format json” lists all." if n > _MOST else ""
