"""``trainreport explain``: explain a finding by its code."""

from __future__ import annotations

import click

from trainreport.cli import COMMANDS

__all__ = ["command"]


@click.command("explain", short_help=COMMANDS["explain"])
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a finding by its code: what is checked, why it matters, how it decides, what to do.

    Without CODE, list all codes.
    """
    from trainreport import detectors
    from trainreport.detectors.explain import as_text, explain

    if code is None:
        for name, title in detectors.codes().items():
            click.echo(f"{name}  {title}")
        return
    click.echo(as_text(explain(detectors.detector(code))), nl=False)
