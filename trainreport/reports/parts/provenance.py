"""Where every number comes from: files with their hashes, clocks, joins, names, and what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Definitions, Listing, Paragraph, Part, Row, Section, Table, Term
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.redaction import Redaction
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
    read = Section("files", words.label("provenance.files"), (_files(files),)) if files else Paragraph(words.label("provenance.no_files"))
    blocks.append(read)
    if view.assessment.redaction is not None:
        blocks.append(Section("redacted", words.label("provenance.redacted"), (_removed(view.assessment.redaction),)))
    if problems:
        blocks.append(Section("problems", words.label("provenance.problems"), (_problems(problems),)))
    if view.assessment.skipped:
        blocks.append(Section("skipped", words.label("provenance.skipped"), (_skipped(view),), folded=True))
    if joins:
        blocks.append(Section("joins", words.label("provenance.joins"), (Listing(tuple(map(retold, joins[:_MOST]))),), folded=True))
    if mappings:
        blocks.append(Section("names", words.label("provenance.names"), (_names(mappings),), folded=True))
    return Part("provenance", words.label("short.provenance"), _title(files, problems), tuple(blocks), fresh=False)


def _title(files: list[SourceFile], problems: list[Problem]) -> str:
    if not files:
        return words.label("provenance.unknown")
    tail = words.counted("provenance.places", len(problems)) if problems else words.label("provenance.whole")
    return words.counted("provenance.from", len(files), tail=tail)


def _identity(view: View) -> Definitions:
    source, plan, run = view.plan.source, view.plan, view.run.log.run
    items = [
        _term("made_by", f"trainreport {view.assessment.version}"),
        _term("digest", view.assessment.inputs_digest),
        _term("plan", f"{source.file}, SHA-256 {source.sha256}" if source else words.label("criteria.no_plan")),
    ]
    if plan.registered is not None:
        items.append(_term("agreed", view.when(plan.registered)))
    items += [
        _term("run", f"{run.id} · {words.label(f'status.{run.status}')}"),
        _term("ran", words.label("evidence.range", low=view.when(run.started_at), high=view.when(run.ended_at))),
    ]
    known = (("code", run.code_version), ("data", run.data_version), ("seed", run.seed))
    items += [_term(name, value or words.label("status.unknown")) for name, value in known]
    hardware = run.hardware
    if hardware.gpu_model or hardware.gpu_count:
        count = f"{hardware.gpu_count} × " if hardware.gpu_count else ""
        items.append(_term("hardware", f"{count}{hardware.gpu_model or 'GPU'}"))
    return Definitions(tuple(items), narrow=True)


def _term(name: str, text: str) -> Term:
    return Term(words.label(f"identity.{name}"), (text,))


def _basis(view: View) -> Block:
    basis = view.ledger.basis
    if not basis:
        return Paragraph(words.label("provenance.no_basis"), "quiet")
    flop = view.ledger.flop
    told = {name: retold(text) for name, text in basis.items()}
    if flop is not None and "flop" in basis:
        told["flop"] = words.label("provenance.operations", n=words.number(flop, 2), basis=told["flop"])
    terms = tuple(Term(name, (told[key],)) for key, name in words.labels("basis").items() if key in told)
    return Section("basis", words.label("provenance.basis"), (Definitions(terms, narrow=True),))


def _files(files: Sequence[SourceFile]) -> Table:
    columns = (
        Column(words.label("column.file"), 4.5),
        Column(words.label("column.size"), 0.9, "right"),
        Column(words.label("column.read_as"), 1.1),
        Column(words.label("column.rows"), 0.8, "right"),
        Column(words.label("column.clock"), 1.8),
    )
    if len(files) > _MOST:
        return _folders(files, columns)
    most_numbers_first = sorted(files, key=lambda file: -file.rows_read)  # of equal ones the order stays
    rows = tuple(
        Row((
            Cell(file.path, note=file.sha256, mono=True),
            Cell(words.memory(file.bytes)),
            Cell(file.importer),
            Cell(words.count(file.rows_read), note=_left_out(file.rows_skipped)),
            Cell(_clock(file)),
        ))
        for file in most_numbers_first
    )  # fmt: skip
    return Table(columns, rows, dense=True)


def _left_out(rows: int) -> str:
    return words.label("provenance.rows_skipped", n=words.count(rows)) if rows else ""


def _clock(file: SourceFile) -> str:
    return retold(file.clock) if file.clock else words.label("provenance.no_clock")


def _folders(files: Sequence[SourceFile], columns: tuple[Column, ...]) -> Table:
    """Return many files as one row for each folder, those with most numbers first."""
    together: dict[tuple[str, str, str], list[SourceFile]] = {}
    for file in files:
        together.setdefault((file.path.rpartition("/")[0], file.importer, _clock(file)), []).append(file)
    rows = []
    for (folder, importer, clock), same in sorted(together.items(), key=lambda entry: -sum(file.rows_read for file in entry[1])):
        skipped = sum(file.rows_skipped for file in same)
        name = same[0].path if len(same) == 1 else f"{folder or words.label('provenance.given')}: {_count_of_files(len(same))}"
        cells = (
            Cell(name, mono=True),
            Cell(words.memory(sum(file.bytes for file in same))),
            Cell(importer),
            Cell(words.count(sum(file.rows_read for file in same)), note=_left_out(skipped)),
            Cell(clock),
        )
        rows.append(Row(cells))
    more = f"{words.label('more.any', n=len(rows) - _MOST_FOLDERS)} " if len(rows) > _MOST_FOLDERS else ""
    note = f"{more}{words.label('provenance.json_files')}"
    return Table(columns, tuple(rows[:_MOST_FOLDERS]), note, dense=True)


def _removed(redaction: Redaction) -> Block:
    """Return what was removed, one row a kind: how many different ones, in how many places."""
    rows = []
    for kind, name in words.labels("removed").items():
        times = [one.places for one in redaction.removed if one.kind == kind]
        if times:
            rows.append(Row((Cell(name), Cell(words.count(len(times))), Cell(words.count(sum(times))))))
    if not rows:
        return Paragraph(words.label("provenance.redacted_none"), "quiet")
    columns = (
        Column(words.label("column.removed"), 2.0),
        Column(words.label("column.different"), 1.0, "right"),
        Column(words.label("column.in_places"), 1.0, "right"),
    )
    return Table(columns, tuple(rows), words.label("provenance.redacted_note"), dense=True)


def _problems(problems: Sequence[Problem]) -> Table:
    rows = tuple(
        Row((Cell(one.file), Cell(retold(one.place) or words.label("provenance.whole_file")), Cell(retold(one.what))))
        for one in problems[:_MOST]
    )
    columns = (
        Column(words.label("column.file"), 2.0),
        Column(words.label("column.place"), 0.9),
        Column(words.label("column.what"), 3.0),
    )
    note = words.label("provenance.json_all", n=len(problems) - _MOST) if len(problems) > _MOST else ""
    return Table(columns, rows, note, dense=True)


def _skipped(view: View) -> Table:
    """Return what was left out, files of one folder left out for one reason in one row."""
    together: dict[tuple[str, str], list[str]] = {}
    for one in view.assessment.skipped:
        together.setdefault((one.path.rpartition("/")[0], one.reason), []).append(one.path)
    found = [
        (files[0] if len(files) == 1 else _files_in(len(files), folder), retold(reason)) for (folder, reason), files in together.items()
    ]
    rows = tuple(Row((Cell(files), Cell(reason))) for files, reason in found[:_MOST])
    note = words.label("more.any", n=len(found) - _MOST) if len(found) > _MOST else ""
    return Table((Column(words.label("column.file"), 2.0), Column(words.label("column.why"), 3.0)), rows, note, dense=True)


def _count_of_files(n: int) -> str:
    return words.counted("provenance.count", n).replace(" ", words.GAP)


def _files_in(n: int, folder: str) -> str:
    return words.label("provenance.in_folder", files=_count_of_files(n), folder=folder or words.label("provenance.given"))


def _names(mappings: Sequence[NameMapping]) -> Table:
    rows = tuple(
        Row((Cell(one.logged), Cell(words.phase_series(one.series, one.phase)), Cell(one.unit), Cell(retold(one.why))))
        for one in mappings[:_MOST]
    )
    columns = (
        Column(words.label("column.as_logged"), 2.0),
        Column(words.label("column.understood"), 2.0),
        Column(words.label("column.unit"), 0.6),
        Column(words.label("column.why"), 2.6),
    )
    return Table(columns, rows, words.label("more.any", n=len(mappings) - _MOST) if len(mappings) > _MOST else "", dense=True)
