"""Offline reports on machine-learning training runs: did it learn, what did it cost, what should be decided.

>>> import trainreport as tr
>>> analysis = tr.analyze("runs/", plan="plan.toml")  # doctest: +SKIP
>>> analysis.report("out.pdf")  # doctest: +SKIP
"""

from __future__ import annotations

from trainreport._version import __version__

TYPE_CHECKING = False  # typing itself costs start-up time
if TYPE_CHECKING:
    from trainreport.api import Analysis, Batch, Comparison, Plan, Runs, analyze, batch, compare, explain, load, pack, read_plan, report
    from trainreport.errors import InputError, PlanError, TrainreportError

__all__ = [
    "Analysis",
    "Batch",
    "Comparison",
    "InputError",
    "Plan",
    "PlanError",
    "Runs",
    "TrainreportError",
    "__version__",
    "analyze",
    "batch",
    "compare",
    "explain",
    "load",
    "pack",
    "read_plan",
    "report",
]

_ERRORS = ("InputError", "PlanError", "TrainreportError")


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'trainreport' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("trainreport.errors" if name in _ERRORS else "trainreport.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
