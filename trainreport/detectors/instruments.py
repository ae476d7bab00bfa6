"""The instruments themselves: a sampler that stopped, a profiler that was on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.model import words
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from trainreport.detectors.gauges import Gauge
    from trainreport.model.case import Case

__all__ = ["coverage", "doubt", "profiler", "training_span"]

_PROFILER = re.compile(r"profil(?:e|er|ing)\b|nsys|nsight|nvprof", re.IGNORECASE)
_STARTED = re.compile(r"profil\w* .*(?:start|record|enabl|on\b)|(?:start|enabl)\w* .*profil", re.IGNORECASE)
_OFF = frozenset({"", "0", "0.0", "false", "none", "null", "off", "no", "[]", "{}"})
_COVERED = 0.5
"""A gauge that covers less than half of the training says little of the whole."""


@remembered
def training_span(case: Case) -> tuple[float, float] | None:
    """Return the first and the last time that training or evaluation logged a value; None where there is no such time."""
    frame = case.log.frame
    times = frame.loc[frame["phase"] != "system", "time"].dropna()
    return None if times.empty else (float(times.min().timestamp()), float(times.max().timestamp()))


def coverage(case: Case, gauge: Gauge) -> float | None:
    """Return the share of the training's time that a gauge covers; None where one of them has no times."""
    span = training_span(case)
    if span is None or not gauge.timed or span[1] <= span[0]:
        return None
    shared = min(span[1], float(gauge.time_s[-1])) - max(span[0], float(gauge.time_s[0]))
    return max(0.0, shared) / (span[1] - span[0])


def profiler(case: Case) -> str | None:
    """Return where it is said that a profiler ran, which slows the processors; None where nothing says so."""
    run = case.log.run
    for name, value in {**run.tags, **run.params}.items():
        if _PROFILER.search(name.replace("_", " ")) and value.strip().lower() not in _OFF:
            return f"the parameter {name} is {value[:40]}"
    if len(case.log.events):
        told = case.log.events["message"].astype(str)
        said = told[told.str.contains("rofil", regex=False)]
        match = next((text for text in said if _STARTED.search(text)), None)
        if match is not None:
            return f"the log says {match[:60]!r}"
    return None


def doubt(case: Case, gauge: Gauge) -> str | None:
    """Return in words what speaks against reading a gauge as it is; None where nothing does."""
    covered = coverage(case, gauge)
    if covered is not None and covered < _COVERED:
        return f"the gauge covers {words.share(covered)} of the training only"
    found = profiler(case)
    return None if found is None else f"a profiler was on ({found}), which slows the processors"
