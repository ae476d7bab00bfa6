"""``trainreport plan``: make a plan file, check one, lock it, or make alerts of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainreport import _files, _resources
from trainreport.cli import COMMANDS, options
from trainreport.cli.plan_alerts import alerts
from trainreport.cli.plan_lock import lock

if TYPE_CHECKING:
    from trainreport.model.money import Money

__all__ = ["command"]


@click.group("plan", short_help=COMMANDS["plan"])
def command() -> None:
    """Make a plan file, check one, lock it, or make alerts of it."""


@command.command("new")
@options.force
@click.argument("path", type=click.Path(path_type=Path), default=Path("plan.toml"))
def new(path: Path, force: bool) -> None:
    """Write a plan to start from, with every key explained (default: plan.toml)."""
    text = (_resources.folder("templates") / "plan" / "plan.toml").read_text(encoding="utf-8")
    _files.write_whole(path, text.encode(), replace=force)
    click.echo(f"{path}: fill in the criteria, the budget and the rates, then `trainreport plan check {path}`")


@command.command("check")
@click.argument("path", type=click.Path(path_type=Path), default=Path("plan.toml"))
def check(path: Path) -> None:
    """Check a plan file; every fault is named with its line (default: plan.toml)."""
    from trainreport import detectors
    from trainreport.errors import PlanError
    from trainreport.model.plan_reader import read_plan

    plan = read_plan(path)
    faults = detectors.faulty_limits(plan)
    if faults:
        raise PlanError(faults)
    mandatory = sum(criterion.mandatory for criterion in plan.criteria)
    criteria = "1 criterion" if len(plan.criteria) == 1 else f"{len(plan.criteria)} criteria"
    click.echo(f"{path}: in order · {criteria}, {mandatory} mandatory · {_budget(plan.budget.money)}")


command.add_command(lock)
command.add_command(alerts)


def _budget(money: Money | None) -> str:
    from trainreport.model import words

    return "no budget" if money is None else f"budget {words.money(money)}"
