"""``trainreport frame``: write all numbers as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trainreport.cli import COMMANDS, options

__all__ = ["command"]


@click.command("frame", short_help=COMMANDS["frame"])
@options.logs
@options.force
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="metrics.parquet or metrics.csv")
def command(
    *,
    paths: tuple[Path, ...],
    output: Path,
    force: bool,
    **reading: Any,
) -> None:
    """Write all numbers as one table, lossless: one number a row, with the file that it came from."""
    from trainreport import api
    from trainreport.cli.progress import Progress
    from trainreport.reports.exports.frame import write

    with Progress(1) as progress:
        table = api.load(paths, progress=progress.file, **reading).frame
        progress.step(f"writing {output}")
        write(table, output, replace=force)
    click.echo(f"{output}: {len(table):,} rows")
