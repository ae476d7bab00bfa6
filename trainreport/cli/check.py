"""``trainreport check``: judge runs and print findings and decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from trainreport.cli import COMMANDS, options

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.model.decision import Assessment

__all__ = ["command"]

FORMATS = ("text", "json", "sarif", "junit", "markdown")


@click.command("check", short_help=COMMANDS["check"])
@options.logs
@options.plan
@options.billing
@options.fail_on
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to print it.")
def command(
    *,
    paths: tuple[Path, ...],
    plan_file: Path | None,
    form: str,
    fail_on: str | None,
    as_of: str | None,
    **reading: Any,
) -> None:
    """Judge runs and print findings and decision.

    PATH is a log, or a folder that holds logs. Results go to stdout, nothing is written.
    """
    from trainreport import api
    from trainreport.cli.outcome import exit_code
    from trainreport.cli.progress import Progress

    with Progress() as progress:
        analysis = api.analyze(paths, plan_file, as_of=as_of, progress=progress.file, **reading)
    assessment = analysis.assessment
    click.echo(_rendered(assessment, form, fail_on), nl=False)
    sys.exit(exit_code(assessment, fail_on))


def _rendered(assessment: Assessment, form: str, fail_on: str | None) -> str:
    """Return the assessment in one of `FORMATS`; without `fail_on`, tests of JUnit fail from major on."""
    from trainreport import reports
    from trainreport.model.finding import Severity
    from trainreport.reports.exports import junit, sarif, text

    if form == "text":
        return text.render(assessment)
    if form == "sarif":
        return sarif.render(assessment)
    if form == "junit":
        return junit.render(assessment, Severity[fail_on.upper()] if fail_on else Severity.MAJOR)
    return reports.render(assessment, form).decode()
