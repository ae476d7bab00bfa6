"""``trainreport report``: write the report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainreport.cli import COMMANDS, options
from trainreport.errors import OutputExistsError, UsageError, did_you_mean

if TYPE_CHECKING:
    from trainreport.api import Analysis
    from trainreport.cli.progress import Progress

__all__ = ["command", "write_report"]

DEFAULT_FOLDER = Path("trainreport-out")
FORMATS = ("html", "pdf", "markdown", "json")
AUDIENCES = ("sponsor", "manager", "engineer", "auditor", "all")
_SHORT = {"md": "markdown"}
_MARK = ".trainreport"
"""Written into the folder of a report, so that a later run knows that it may replace it."""


@click.command("report", short_help=COMMANDS["report"])
@options.logs
@options.plan
@options.billing
@options.fail_on
@options.force
@click.option("-o", "--output", type=click.Path(path_type=Path), default=DEFAULT_FOLDER, show_default=True, help="Folder to write into.")
@click.option("--format", "forms", default="html,pdf", show_default=True, help=f"Any of {', '.join(FORMATS)}, with commas.")
@click.option(
    "--for",
    "audience",
    type=click.Choice(AUDIENCES),
    default="all",
    show_default=True,
    help="Whose parts it holds; JSON holds all.",
)
@options.look
def command(
    *,
    paths: tuple[Path, ...],
    plan_file: Path | None,
    output: Path,
    forms: str,
    audience: str,
    language: str,
    brand: Path | None,
    force: bool,
    fail_on: str | None,
    as_of: str | None,
    **reading: Any,
) -> None:
    """Write the report as HTML and PDF, or in the formats asked for.

    PATH is a log, or a folder that holds logs. The names of the files written go to stdout.

    --for sponsor writes page 1 alone. Page 1 leads for the others, too: for the manager with criteria, budget,
    the register of risks and the runs; for the engineer with learning, hardware, findings and the runs; for the
    auditor with criteria, what was not judged, how each check decides with its limits, accuracy and provenance.

    A brand file may have name, logo (a PNG, JPEG or SVG beside it), [colours.light] and [colours.dark] (ink, quiet,
    accent, second, bad, good, warn) and [fonts] (regular, semibold, bold: OTF or TTF files beside it). A colour that
    cannot be read on its paper is refused with the contrast measured.
    """
    from trainreport import api
    from trainreport.cli.outcome import exit_code
    from trainreport.cli.progress import Progress

    wanted = _formats(forms)
    _may_write(output, wanted, force=force)
    look = _look(language, brand)
    with Progress(len(wanted)) as progress:
        analysis = api.analyze(paths, plan_file, as_of=as_of, progress=progress.file, **reading)
        written = write_report(analysis, output, wanted, progress, audience=audience, **look)
    for path in written:
        click.echo(path)
    sys.exit(exit_code(analysis.assessment, fail_on))


def write_report(analysis: Analysis, output: Path, forms: list[str], progress: Progress, **look: Any) -> list[Path]:
    """Write the report in each format into the folder `output`, and return the files; `look` as in `Analysis.report`."""
    written = []
    for form in forms:
        progress.step(f"writing {form}")
        written.append(analysis.report(output / _file(form), **look))
    (output / _MARK).write_text("report\n", encoding="utf-8")
    return written


def _look(language: str, brand: Path | None) -> dict[str, Any]:
    """Return language and brand, checked before the work and not after it."""
    from trainreport.reports.brand import read_brand
    from trainreport.reports.language import speaking

    with speaking(language):
        pass
    if brand is not None:
        read_brand(brand)
    return {"language": language, "brand": brand}


def _formats(text: str) -> list[str]:
    from trainreport.reports.formats import outside

    named = [form.strip().lower() for form in text.split(",") if form.strip()]
    wanted = [_SHORT.get(form, form) for form in named]
    known = (*FORMATS, *outside())
    for form in wanted:
        if form not in known:
            raise UsageError(f"--format: {form!r} is not a format of reports{did_you_mean(form, known)}; expected {', '.join(known)}")
    if not wanted:
        raise UsageError(f"--format: no format given; expected any of {', '.join(known)}")
    return sorted(set(wanted), key=known.index)


def _file(form: str) -> str:
    from trainreport.reports.formats import suffixes

    return f"report{next(suffix for suffix, name in suffixes().items() if name == form)}"


def _may_write(output: Path, forms: list[str], *, force: bool) -> None:
    """Say no before the work, not after it, where a file of somebody else's would be replaced."""
    if output.exists() and not output.is_dir():
        raise OutputExistsError(f"{output} is a file; expected a folder to write into, see -o")
    if force or (output / _MARK).is_file():
        return
    for form in forms:
        if (output / _file(form)).exists():
            raise OutputExistsError(f"{output / _file(form)} exists and is not from an earlier report; --force replaces it")
