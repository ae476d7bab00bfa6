"""``trainreport formats``: list the formats read and written."""

from __future__ import annotations

import click

from trainreport.cli import COMMANDS

__all__ = ["command"]

WRITTEN = {
    "html": "the report, one self-contained file (trainreport report)",
    "pdf": "the report for print and mail (trainreport report)",
    "json": "the assessment as data, schema trainreport.assessment/1 (trainreport report, trainreport check)",
    "markdown": "the report as text for pull requests and job summaries (trainreport report, trainreport check)",
    "sarif": "findings for code scanning, SARIF 2.1.0 (trainreport check)",
    "junit": "criteria, detectors and decision as tests, JUnit XML (trainreport check)",
    "text": "findings and decision for a terminal (trainreport check)",
    "parquet": "the unified frame (trainreport frame)",
    "csv": "the unified frame (trainreport frame)",
}


@click.command("formats", short_help=COMMANDS["formats"])
def command() -> None:
    """List the log formats that are read and the outputs that are written."""
    from trainreport.cli.plugged import plug_ins
    from trainreport.importers.registry import all_importers, proven_by
    from trainreport.reports.formats import outside

    width = max(len(name) for name in (*WRITTEN, *outside(), *(one.name for one in all_importers())))
    click.echo("Reads")
    for importer in all_importers():
        click.echo(f"  {importer.name:<{width}} {importer.title} [tested on: {proven_by(importer)}]")
    click.echo("Writes")
    for name, title in WRITTEN.items():
        click.echo(f"  {name:<{width}} {title}")
    for form in outside().values():
        click.echo(f"  {form.name:<{width}} {form.title} (plug-in)")
    left_out = [one for one in plug_ins() if one.fault]
    if left_out:
        click.echo("Left out")
    for one in left_out:
        click.echo(f"  {one}: {one.fault}")
