"""``trainreport plan alerts``: warn about the plan's limits while it runs."""

from __future__ import annotations

from pathlib import Path

import click

from trainreport import _files
from trainreport.cli import options

__all__ = ["alerts"]

_FORMATS = ("prometheus", "grafana", "cloudwatch", "text")


@click.command("alerts")
@options.force
@click.argument("path", type=click.Path(path_type=Path), default=Path("plan.toml"))
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True, help="What the rules are for.")
@click.option("--select", default="", metavar="MATCHERS", help='Labels that pick the plan\'s GPUs and jobs, as namespace="churn".')
@click.option("-o", "output", type=click.Path(path_type=Path), metavar="FILE", help="Where to write. Default: standard output.")
def alerts(path: Path, form: str, select: str, output: Path | None, force: bool) -> None:
    """Write alert rules for the limits of a plan, to be set before training (default: plan.toml).

    Budget, deadline, idle, hot and full GPUs, a loss that diverges, no progress; each with its limit's source.
    """
    from trainreport import alerts as rules
    from trainreport import detectors
    from trainreport.errors import PlanError
    from trainreport.model.plan_reader import read_plan

    plan = read_plan(path)
    faults = detectors.faulty_limits(plan)
    if faults:
        raise PlanError(faults)
    text = rules.render(plan, form, select)
    if output is None:
        click.echo(text, nl=False)
        return
    _files.write_whole(output, text.encode(), replace=force)
    click.echo(f"{output}: {len(rules.alerts(plan, select))} alerts for {form}")
