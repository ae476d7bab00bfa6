"""``trainreport explain``: explain a finding by its code."""

from __future__ import annotations

import click

from trainreport.cli import COMMANDS
from trainreport.errors import UsageError

__all__ = ["command"]


@click.command("explain", short_help=COMMANDS["explain"])
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="Explain every finding, one after the other.")
@click.option("--format", "form", type=click.Choice(["text", "markdown"]), default="text", show_default=True, help="How it is written.")
def command(code: str | None, everything: bool, form: str) -> None:
    """Explain a finding by its code: what is checked, why it matters, how it decides, what to do.

    Without CODE, list all codes. --all --format markdown writes the catalogue as one page.
    """
    from trainreport import detectors
    from trainreport.detectors.explain import as_markdown, as_text, catalogue, explain

    if everything and code is not None:
        raise UsageError(f"--all explains every code; expected no CODE beside it, found {code!r}")
    if everything:
        every = [explain(one) for one in detectors.all_detectors()]
        click.echo(catalogue(every) if form == "markdown" else "\n".join(as_text(one) for one in every), nl=False)
    elif code is not None:
        told = explain(detectors.detector(code))
        click.echo(as_markdown(told) if form == "markdown" else as_text(told), nl=False)
    else:
        for one in detectors.all_detectors():
            click.echo(f"{one.code}  {one.name}")
