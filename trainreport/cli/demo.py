"""``trainreport demo``: report on a sample run that ships with trainreport."""

from __future__ import annotations

from importlib.resources import as_file
from pathlib import Path

import click

from trainreport import _resources
from trainreport.cli import COMMANDS

__all__ = ["command"]

DEFAULT_SAMPLE = "overfitting"


@click.command("demo", short_help=COMMANDS["demo"])
@click.argument("name", default=DEFAULT_SAMPLE)
@click.option("--list", "show_list", is_flag=True, help="List the sample runs.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("trainreport-out"), show_default=True, help="Folder to write into."
)
def command(name: str, show_list: bool, output: Path) -> None:
    """Report on a sample run that ships with trainreport (default: overfitting)."""
    from trainreport import api
    from trainreport.cli.progress import Progress
    from trainreport.cli.report import write_report
    from trainreport.errors import UsageError, did_you_mean

    samples = _resources.folder("sample_runs")
    names = sorted(entry.name for entry in samples.iterdir() if entry.is_dir() and (entry / "plan.toml").is_file())
    if show_list:
        for one in names:
            click.echo(one)
        return
    if name not in names:
        raise UsageError(f"no sample run {name!r}{did_you_mean(name, names)}; there are {', '.join(names)}")
    with as_file(samples / name) as folder, Progress(2) as progress:
        analysis = api.analyze(folder / "logs", folder / "plan.toml", progress=progress.file)
        written = write_report(analysis, output, ["html", "pdf"], progress)
    click.echo(f"{analysis.decision.verdict.value}: {analysis.decision.headline}")
    for path in written:
        click.echo(path.resolve())
