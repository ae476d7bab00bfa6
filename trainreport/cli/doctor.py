"""``trainreport doctor``: say what is installed, what is missing, and the command that mends it."""

from __future__ import annotations

import platform
import sys

import click

from trainreport import _optional, _resources
from trainreport._version import __version__
from trainreport.cli import COMMANDS

__all__ = ["command"]

PACKAGES = {
    "numpy": "statistics",
    "pandas": "the unified frame",
    "pyarrow": "frame -o metrics.parquet",
    "google.protobuf": "TensorBoard event files",
    "yaml": "MLflow stores",
    "matplotlib": "charts",
    "jinja2": "HTML",
    "weasyprint": "PDF",
}
DISTRIBUTIONS = {"google.protobuf": "protobuf", "yaml": "pyyaml"}


@click.command("doctor", short_help=COMMANDS["doctor"])
def command() -> None:
    """Say what is installed, what is missing, and the command that mends it."""
    click.echo(f"trainreport {__version__} · Python {platform.python_version()} · {platform.system()} {platform.machine()}")
    missing = [_package(module, purpose) for module, purpose in PACKAGES.items()]
    missing += [_folder(name) for name in ("templates", "sample_runs")]
    commands = [line for line in missing if line]
    if not commands:
        click.echo("Everything is there.")
        return
    click.echo("To mend it:")
    for line in commands:
        click.echo(f"  {line}")
    sys.exit(4)


def _package(module: str, purpose: str) -> str | None:
    """Print one line on a library and return the command that installs it, None where it works."""
    from importlib import import_module
    from importlib.metadata import version

    name = DISTRIBUTIONS.get(module, module)
    try:
        import_module(module)
    except ImportError as error:
        click.echo(f"  ✕ {name:<12} missing, for {purpose} ({error})")
        return f"pip install {name}"
    except OSError as error:  # WeasyPrint without Pango
        click.echo(f"  ✕ {name:<12} lacks a system library, for {purpose} ({str(error).splitlines()[0]})")
        return _optional.pango_command()
    click.echo(f"  ✓ {name:<12} {version(name):<10} {purpose}")
    return None


def _folder(name: str) -> str | None:
    try:
        _resources.folder(name)
    except FileNotFoundError:
        click.echo(f"  ✕ {name:<12} missing from this installation")
        return "pip install --force-reinstall trainreport"
    click.echo(f"  ✓ {name:<12} ships with trainreport")
    return None
