"""Finds the data folders that belong to the product.

``templates`` and ``sample_runs`` lie inside the package in a wheel, beside it in a checkout or an editable
install. Files are reached as traversables, so a zipped package works too.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["folder"]


def folder(name: str) -> Traversable:
    """Return the data folder called `name`.

    Raises
    ------
    FileNotFoundError
        If the installation lacks it.
    """
    inside = files("trainreport") / name
    if inside.is_dir():
        return inside
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise FileNotFoundError(f"the folder {name!r} is missing from this installation of trainreport; install it again")
