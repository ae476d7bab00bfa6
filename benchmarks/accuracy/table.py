"""Writes the measured figures to where the product has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import trainreport.detectors
from trainreport.detectors.accuracy import FILE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.accuracy.common import Figure


def write(figures: Iterable[Figure]) -> Path:
    """Write the figures into the package; numbers are rounded to four digits."""
    path = Path(trainreport.detectors.__path__[0]) / FILE
    head = "# Written by `python -m benchmarks.accuracy FOLDER --write`; do not edit.\n"
    path.write_text(head + "".join(_entry(one) for one in figures), encoding="utf-8")
    return path


def _entry(one: Figure) -> str:
    bar = "" if one.bar is None else f"bar = {one.bar:g}\n"
    texts = "".join(f"{name} = {json.dumps(getattr(one, name), ensure_ascii=False)}\n" for name in ("bench", "measure", "note"))
    return f"\n[[figure]]\n{texts}value = {float(f'{one.value:.4g}')!r}\n{bar}at_least = {str(one.at_least).lower()}\n"
