"""Offline reports on machine-learning training runs: did it learn, what did it cost, what should be decided.

>>> import trainreport as tr
>>> analysis = tr.analyze("runs/", plan="plan.toml")  # doctest: +SKIP
>>> analysis.report("out.pdf")  # doctest: +SKIP
"""

from __future__ import annotations

from trainreport._version import __version__

TYPE_CHECKING = False  # typing itself costs start-up time
if TYPE_CHECKING:
    from trainreport.api import Analysis, Comparison, analyze, compare, load, read_plan
    from trainreport.errors import InputError, PlanError, TrainreportError

__all__ = [
    "Analysis",
    "Comparison",
    "InputError",
    "PlanError",
    "TrainreportError",
    "__version__",
    "analyze",
    "compare",
    "load",
    "read_plan",
]

_HOMES = {
    "Analysis": "trainreport.api",
    "Comparison": "trainreport.api",
    "analyze": "trainreport.api",
    "compare": "trainreport.api",
    "load": "trainreport.api",
    "read_plan": "trainreport.api",
    "InputError": "trainreport.errors",
    "PlanError": "trainreport.errors",
    "TrainreportError": "trainreport.errors",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'trainreport' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
