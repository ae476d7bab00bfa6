"""``trainreport compare``: several runs side by side."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from trainreport.cli import COMMANDS, options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]

FORMATS = ("text", "json", "markdown", "html")


@click.command("compare", short_help=COMMANDS["compare"])
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
    """Put runs side by side: rank, spending, settings with their spread over seeds, which to stop.

    PATH is a log, or a folder that holds logs; together they hold two runs or more. The rank is by the plan's
    criteria, each run at the checkpoint that it is judged at. Results go to stdout, nothing is written.
    """
    from trainreport import api
    from trainreport.cli.outcome import exit_code
    from trainreport.cli.progress import Progress

    with Progress() as progress:
        comparison = api.compare(paths, plan_file, as_of=as_of, progress=progress.file, **reading)
    click.echo(comparison.render(form), nl=False)
    sys.exit(exit_code(comparison.assessment, fail_on))
