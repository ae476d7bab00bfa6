"""Libraries and system parts that may be missing, and the command that brings them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from trainreport.errors import MissingDependencyError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["PANGO_COMMANDS", "pango_command", "require", "require_weasyprint"]

PANGO_COMMANDS = {
    "linux": "apt-get install -y libpangoft2-1.0-0 libharfbuzz-subset0",
    "darwin": "brew install pango",
    "win32": "winget install MSYS2.MSYS2 && C:\\msys64\\usr\\bin\\pacman -S --noconfirm mingw-w64-x86_64-pango",
}


def pango_command() -> str:
    """Return the command that installs Pango, which WeasyPrint draws text with, on this platform."""
    return PANGO_COMMANDS.get(sys.platform, PANGO_COMMANDS["linux"])


def require(module: str, purpose: str) -> ModuleType:
    """Import a library, or say what it is for and how to install it.

    Raises
    ------
    MissingDependencyError
        If the library is not installed. An import error from inside the library is passed on.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".", maxsplit=1)[0]:
            raise
        package = module.split(".", maxsplit=1)[0]
        raise MissingDependencyError(f"{purpose} needs the package {package!r}: pip install {package}") from None


def require_weasyprint() -> ModuleType:
    """Import WeasyPrint for PDF output.

    Raises
    ------
    MissingDependencyError
        If WeasyPrint, or the Pango library that it loads, is missing.
    """
    try:
        return require("weasyprint", "PDF output")
    except OSError as error:  # cffi cannot load a shared library
        raise MissingDependencyError(
            f"PDF output needs Pango, which is not installed ({str(error).splitlines()[0]}): {pango_command()}"
        ) from None
