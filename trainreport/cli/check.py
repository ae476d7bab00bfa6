"""``trainreport check``: judge runs and print findings and decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from trainreport.cli import COMMANDS, options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("check", short_help=COMMANDS["check"])
@options.logs
@options.plan
@options.fail_on
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it.")
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
    from trainreport.reports.exports import json, text

    with Progress() as progress:
        analysis = api.analyze(paths, plan_file, as_of=as_of, progress=progress.file, **reading)
    assessment = analysis.assessment
    click.echo(json.render(assessment) if form == "json" else text.render(assessment), nl=False)
    sys.exit(exit_code(assessment, fail_on))
