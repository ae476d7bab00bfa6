"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["billing", "fail_on", "force", "logs", "look", "plan", "reading"]

F = TypeVar("F", bound="Callable[..., object]")


def logs(function: F) -> F:
    """Add PATH... and how the logs are read; all but the paths go to ``api`` by their names, as they are."""
    for decorate in (
        click.option("--run", "run", metavar="ID|NAME", multiple=True, help="Only this run. May be given several times."),
        click.option(
            "--experiment", metavar="NAME|ID", multiple=True, help="Only runs of this MLflow experiment. May be given several times."
        ),
        click.option("--separate", is_flag=True, help="Join nothing: every source is a run of its own."),
        click.option("--strict", is_flag=True, help="Stop at the first record that cannot be read."),
        reading,
        click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)),
    ):
        function = decorate(function)
    return function


def reading(function: F) -> F:
    """Add what is told of logs that do not say it themselves, and what is not to be told of them; it goes to ``api`` by its names."""
    for decorate in (
        click.option(
            "--redact", is_flag=True, help="Put pseudonyms in place of users, hosts, directories and e-mail addresses, in every output."
        ),
        click.option(
            "--interval",
            "interval_s",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Seconds between samples of hardware logs without times.",
        ),
        click.option(
            "--map",
            "map_file",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="TOML that declares columns or lines of logs of your own making. Default: trainreport-map.toml beside them.",
        ),
        click.option(
            "--source-zone",
            metavar="ZONE",
            help="IANA zone of times written without one (nvidia-smi). Default: inferred by overlap, else UTC.",
        ),
    ):
        function = decorate(function)
    return function


def plan(function: F) -> F:
    """Add the plan and what stands for now."""
    for decorate in (
        click.option("--as-of", metavar="TIME", help="What stands for now. Default: the last time in the logs."),
        click.option("--plan", "plan_file", metavar="FILE", type=click.Path(path_type=Path), help="The plan agreed before training."),
    ):
        function = decorate(function)
    return function


def billing(function: F) -> F:
    """Add the invoice and the factors of the grid; they go to ``api`` by their names."""
    function = click.option(
        "--grid",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Carbon factors by hour as CSV (Electricity Maps, ENTSO-E, or time,g_per_kwh), in place of the plan's average.",
    )(function)
    return click.option(
        "--billing",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A cloud invoice as CSV (FOCUS, AWS, Google Cloud): what it charges for a run is its cost.",
    )(function)


def look(function: F) -> F:
    """Add what reports speak and wear."""
    function = click.option(
        "--brand",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="TOML file with name, logo, colours and fonts for HTML and PDF.",
    )(function)
    return click.option("--language", default="en", show_default=True, help="Language of the report: en or de; JSON is in English.")(
        function
    )


def fail_on(function: F) -> F:
    """Add the severity from which findings make the command fail."""
    return click.option(
        "--fail-on",
        type=click.Choice(["note", "minor", "major", "critical"]),
        help="Exit 1 when a finding is at or above this severity.",
    )(function)


def force(function: F) -> F:
    """Add the permission to replace what stands there."""
    return click.option("--force", is_flag=True, help="Replace a file that exists.")(function)
