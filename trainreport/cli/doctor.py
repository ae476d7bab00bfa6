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
OPTIONAL = {
    "cryptography": ("sign", "pack --sign, verify --key, plan lock --sign"),
    "asn1crypto": ("sign", "time stamps of packs"),
    "polars": ("polars", "to_polars()"),
    "xarray": ("xarray", "to_xarray()"),
}
"""Module -> what to install, and what it is for; nothing is amiss without them."""
DISTRIBUTIONS = {"google.protobuf": "protobuf", "yaml": "pyyaml"}


@click.command("doctor", short_help=COMMANDS["doctor"])
def command() -> None:
    """Say what is installed, what is missing, and the command that mends it."""
    click.echo(f"trainreport {__version__} · Python {platform.python_version()} · {platform.system()} {platform.machine()}")
    missing = [_package(module, purpose) for module, purpose in PACKAGES.items()]
    missing += [_folder(name) for name in ("templates", "sample_runs")]
    for module, (package, purpose) in OPTIONAL.items():
        _optional_package(module, package, purpose)
    missing += _plug_ins()
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


def _optional_package(module: str, package: str, purpose: str) -> None:
    """Print one line on a library that not everybody needs."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"  ✓ {module:<12} {version(module):<10} {purpose}")
    except PackageNotFoundError:
        wanted = f"trainreport[{package}]" if package == "sign" else package
        click.echo(f"  – {module:<12} not installed, for {purpose}: pip install '{wanted}'")


def _plug_ins() -> list[str]:
    """Print one line on each plug-in and return the commands that may mend those at fault."""
    from trainreport.cli.plugged import plug_ins

    try:
        every = plug_ins()
    except ImportError:  # a library of ours is missing, which is told already
        return []
    for one in every:
        click.echo(f"  ✕ {one} is left out: {one.fault}" if one.fault else f"  ✓ {one}")
    packages = dict.fromkeys(one.package.partition(" ")[0] for one in every if one.fault)
    return [f"pip install --upgrade {package}   # or pip uninstall it" for package in packages]


def _folder(name: str) -> str | None:
    try:
        _resources.folder(name)
    except FileNotFoundError:
        click.echo(f"  ✕ {name:<12} missing from this installation")
        return "pip install --force-reinstall trainreport"
    click.echo(f"  ✓ {name:<12} ships with trainreport")
    return None
