"""Legends of panels: what a series is, and whose, where no metric's name is left."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from trainreport.importers.gauges.exposition import labels_of
from trainreport.importers.gauges.labels import Numbering, Owner
from trainreport.importers.gauges.names import gauge_meaning
from trainreport.importers.tables.table import number_of
from trainreport.model.series import Meaning
from trainreport.model.units import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["amount_of", "meaning_of_legend", "owner_of_legend"]

# Words of legends and of titles of panels, the surest first; NVIDIA's own dashboard of DCGM uses these.
_TITLES: Sequence[tuple[re.Pattern[str], str, str]] = tuple(
    (re.compile(pattern, re.IGNORECASE), series, unit)
    for pattern, series, unit in (
        (r"tensor.{0,12}(?:util|active)", "gpu/tensor_active", "1"),
        (r"gpu.{0,24}(?:framebuffer|memory|mem|fb|vram).{0,12}used", "gpu/memory_used", "MiB"),
        (r"gpu.{0,24}(?:memory|mem).{0,12}(?:util|copy)", "gpu/memory_utilization", "%"),
        (r"gpu.{0,24}power|power usage", "gpu/power", "W"),
        (r"gpu.{0,24}temp", "gpu/temperature", "C"),
        (r"sm.{0,3}clock", "gpu/clock_sm", "MHz"),
        (r"gpu.{0,24}util|util.{0,12}gpu", "gpu/utilization", "%"),
        (r"cpu.{0,24}(?:util|usage)", "cpu/utilization", "%"),
    )
)
_BRACES = re.compile(r"([^{]{0,200})(\{.{0,4000}\})")
_NUMBERED = re.compile(r" #?\d{1,3}$")
"""What stands behind a legend that stands twice."""
_GPU = re.compile(r"\bgpu[ _-]?(\d{1,4})\b", re.IGNORECASE)
_AMOUNT = re.compile(r"([-+]?\d[\d,]{0,20}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)\s*(K|Mil|Bil|%|°C|[A-Za-z/]{1,6})?", re.IGNORECASE)
_SHORT = {"k": 1e3, "mil": 1e6, "bil": 1e9}
_SPELLED = {"°C": "C", "kW": "kW", "watt": "W"}


@lru_cache(maxsize=4096)
def meaning_of_legend(legend: str, title: str) -> Meaning:
    """Return what a series is: by the metric in its legend, else by the words of the legend, else by those of the panel."""
    braces = _BRACES.fullmatch(legend)
    metric = (braces[1] if braces else legend).strip()
    known = gauge_meaning(_NUMBERED.sub("", metric)) if metric else None
    if known is not None and not known.series.startswith("prometheus/") and " " not in _NUMBERED.sub("", metric):
        return known
    for text, where in ((metric, "its legend"), (title, "the title of its panel")):
        for pattern, series, unit in _TITLES:
            if pattern.search(text):
                return Meaning(series, "system", unit, None, f"by the words of {where}; unit {unit} where none is written")
    return known or gauge_meaning(title)


def owner_of_legend(legend: str, numbering: Numbering) -> Owner:
    """Return whose a series is: by labels in braces, else by words such as GPU 3."""
    braces = _BRACES.fullmatch(legend)
    labels = labels_of(braces[2]) if braces else None
    if labels:
        return numbering.owner(labels)
    named = _GPU.search(legend)
    return Owner(f"gpu{int(named[1])}" if named else None, None, None, "")


def amount_of(written: str, unit: str, *, comma: bool = False) -> float | None:
    """Return a number in `unit`: ``83%``, ``1.5 GiB``, ``2.1 K`` are converted; None where it is none, or of another kind.

    Parameters
    ----------
    written, unit : str
    comma : bool
        Whether a comma stands before decimals, as where cells are set apart by semicolons; else it sets thousands apart.
    """
    written = written.strip()
    match = _AMOUNT.fullmatch(written.replace(".", "").replace(",", ".") if comma and "," in written else written)
    if match is None:
        return number_of(written)
    value = float(match[1].replace(",", ""))
    beside = _SPELLED.get(match[2] or "", match[2] or "")
    if beside.lower() in _SHORT:
        return value * _SHORT[beside.lower()]
    if not beside:
        return value
    if beside in FACTORS and FACTORS[beside][0] == FACTORS[unit][0]:
        return value * FACTORS[beside][1] / FACTORS[unit][1]
    return None
