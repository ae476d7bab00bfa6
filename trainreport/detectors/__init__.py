"""Finds the detectors, sets their limits from the plan, and runs them on a case."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trainreport import _discovery
from trainreport.detectors.base import Detector, threshold
from trainreport.errors import PlanFault, UsageError, did_you_mean
from trainreport.model.digest import fingerprint
from trainreport.model.finding import Outcome, State
from trainreport.model.plan_reader import line_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport._discovery import PlugIn
    from trainreport.model.case import Case
    from trainreport.model.plan import Plan

__all__ = [
    "Detector",
    "all_detectors",
    "codes",
    "detector",
    "faulty_limits",
    "of_one_run",
    "of_several_runs",
    "plug_ins",
    "run",
    "threshold",
]

_CATALOG = "trainreport.detectors.catalog"
_SEVERAL = "TR4"


def codes() -> dict[str, str]:
    """Return code and name of the built-in detectors from their file names, without importing them."""
    found = {}
    for name in _discovery.module_names(_CATALOG):
        code, _, rest = name.partition("_")
        found[code.upper()] = rest.replace("_", "-")
    return found


def all_detectors() -> list[Detector]:
    """Return every detector by code: those of the catalogue, and those of outside packages that work."""
    return list(_every())


@lru_cache(maxsize=1)
def _every() -> tuple[Detector, ...]:
    outside = (plugged.thing for plugged in plug_ins() if not plugged.fault)
    return tuple(sorted((*_built_in(), *(one for one in outside if isinstance(one, Detector))), key=lambda one: one.code))


@lru_cache(maxsize=1)
def plug_ins() -> tuple[PlugIn, ...]:
    """Return the detectors of outside packages, those that are left out with the reason."""
    return _discovery.plug_ins("trainreport.detectors", _plug_in_fault)


@lru_cache(maxsize=1)
def _built_in() -> tuple[Detector, ...]:
    return tuple(module.DETECTOR for module in _discovery.modules(_CATALOG))


def _plug_in_fault(thing: object) -> str:
    """Say what is wrong with a detector of an outside package; reports would fail on it later."""
    from trainreport.detectors.explain import explain

    if not isinstance(thing, Detector):
        return f"{type(thing).__name__} is no detector; expected an object of a class derived from trainreport.detectors.Detector"
    if thing.code in codes():
        return f"its code {thing.code} is that of a built-in detector"
    explain(thing)
    return ""


def of_one_run() -> list[Detector]:
    """Return the detectors that judge each run by itself."""
    return [one for one in all_detectors() if not one.code.startswith(_SEVERAL)]


def of_several_runs() -> list[Detector]:
    """Return the detectors that judge all runs of an assessment together, once: TR4xx."""
    return [one for one in all_detectors() if one.code.startswith(_SEVERAL)]


def detector(code: str) -> Detector:
    """Return the detector of a code.

    Raises
    ------
    UsageError
        If there is none; the nearest code is named.
    """
    found = {one.code: one for one in all_detectors()}
    if code.upper() not in found:
        raise UsageError(f"no detector has the code {code!r}{did_you_mean(code.upper(), found)}; known: {', '.join(found)}")
    return found[code.upper()]


def run(case: Case, detectors: Iterable[Detector] | None = None) -> tuple[Outcome, ...]:
    """Return one outcome for each detector; one that breaks is an outcome too, and ends nothing."""
    return tuple(_outcome(one, case) for one in (all_detectors() if detectors is None else detectors))


def faulty_limits(plan: Plan) -> list[PlanFault]:
    """Return what is wrong with the plan's thresholds: unknown codes, unknown names, values out of range."""
    if plan.source is None:
        return []
    known = {one.code: one for one in all_detectors()}
    faults = []
    for (code, name), value in plan.thresholds.items():
        line = line_of(plan.source.text, "thresholds", code) or line_of(plan.source.text, f"thresholds.{code}", name)
        message = _fault(known, code, name, value)
        if message:
            faults.append(PlanFault(plan.source.file, line, f"[thresholds] {code}.{name}: {message}"))
    return faults


def _fault(known: dict[str, Detector], code: str, name: str, value: float) -> str | None:
    if code not in known:
        return f"no detector has this code{did_you_mean(code, known)}"
    limits = {item.name: item.metadata for item in fields(known[code].Thresholds)}
    if name not in limits:
        return f"{code} has no such threshold{did_you_mean(name, limits)}; it has {', '.join(limits)}"
    low, high = limits[name]["low"], limits[name]["high"]
    return None if low <= value <= high else f"{value:g} is out of range; expected {low:g} to {high:g} {limits[name]['unit']}"


def _outcome(one: Detector, case: Case) -> Outcome:
    import numpy as np

    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a loss may near the largest float; infinities are dealt with, not warned of
            outcome = one.check(case, limits(one, case.plan))
    except Exception as error:  # a detector at fault must not hide what the others found
        return Outcome(one.code, one.name, State.FAILED, f"the detector broke off: {type(error).__name__}: {error}")
    if not outcome.findings:
        return outcome
    keys = [(one.code, case.log.run.id, one.series, one.phase, one.node, one.device) for one in outcome.findings]
    # Of several alike, the second and later ones get their number too: equal fingerprints would be one finding.
    again = [keys[:at].count(key) for at, key in enumerate(keys)]
    named = tuple(
        replace(finding, fingerprint=fingerprint(*key, *([str(number)] if number else [])))
        for finding, key, number in zip(outcome.findings, keys, again, strict=True)
    )
    return replace(outcome, findings=named)


def limits(one: Detector, plan: Plan) -> Any:
    """Return a detector's thresholds with what the plan changes."""
    changed = {name: value for (code, name), value in plan.thresholds.items() if code == one.code}
    return one.Thresholds(**changed)
