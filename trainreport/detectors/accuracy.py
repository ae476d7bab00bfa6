"""How often the detectors and the forecast were right, as last measured by ``benchmarks/accuracy``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["FILE", "Measured", "measured"]

FILE = "accuracy.toml"
"""Beside this module; written by ``python -m benchmarks.accuracy FOLDER --write``."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure, with the bar that it is held to."""

    bench: str
    """Codes and data: ``TR104 plateau, DeepOBS``."""
    measure: str
    value: float
    bar: float | None
    at_least: bool
    """Whether the bar is a lower limit."""
    note: str
    """Numbers behind it, and what limits were chosen on; "simulated" where the data are."""

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None without one."""
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


@cache
def measured() -> tuple[Measured, ...]:
    """Return the figures in the order of the benchmark."""
    text = resources.files("trainreport.detectors").joinpath(FILE).read_text(encoding="utf-8")
    return tuple(Measured(bar=row.pop("bar", None), **row) for row in tomllib.loads(text)["figure"])
