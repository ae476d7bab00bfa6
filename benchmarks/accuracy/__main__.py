"""Measures how often the detectors and the forecast are right, on public training histories with known truth and on simulated logs.

    python -m benchmarks.accuracy FOLDER [--only NAME] [--write]

`FOLDER` holds the files that its README.md lists (OverfitGuard, DeepOBS, AlgoPerf, MLPerf, modded-nanogpt, Alibaba PAI). Same
input, same figures: all noise is seeded. ``--write`` puts them into ``trainreport/detectors/accuracy.toml``, from where the README and
every report's appendix have them.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.accuracy.common import Figure

MODULES = ("curves", "learning", "causes", "pace", "forecast", "confidence")


def main() -> int:
    """Print every figure beside its bar; return 1 where one is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=MODULES, action="append", help="these alone")
    parser.add_argument("--write", action="store_true", help="write trainreport/detectors/accuracy.toml")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("--write needs all figures; leave --only out")
    every: list[Figure] = []
    for name in given.only or MODULES:
        for figure in importlib.import_module(f"benchmarks.accuracy.{name}").figures(given.folder):
            every.append(figure)
            print(line(figure), flush=True)
    if given.write:
        from benchmarks.accuracy.table import write

        write(every)
    return int(any(figure.met is False for figure in every))


def line(figure: Figure) -> str:
    """Return a figure for a terminal."""
    bar = "" if figure.bar is None else f"{'>=' if figure.at_least else '<='} {figure.bar:g} {'met' if figure.met else 'MISSED'}"
    return f"{figure.bench + ': ' + figure.measure:<90} {figure.value:7.3f}  {bar:<16} ({figure.note})"


if __name__ == "__main__":
    sys.exit(main())
