"""Training compute in floating-point operations (FLOP), and the amounts from which the law asks for more."""

from __future__ import annotations

import math
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.devices import device_of
from trainreport.business.energy import mean_utilization
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from trainreport.model.ledger import DeviceUse, Ledger
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = ["Threshold", "is_bound", "thresholds", "training_flop", "two_figures"]

_LOGGED = frozenset(
    ("total_flos", "total_flops", "total_flop", "flos_total", "flops_total", "total_training_flops", "training_flops", "cumulative_flops")
)
"""Last part of the name of a running total; Hugging Face's Trainer writes ``total_flos``. Rates are called otherwise."""
_TOKENS = frozenset(
    ("num_input_tokens_seen", "num_tokens_seen", "tokens_seen", "total_tokens_seen", "consumed_tokens", "consumed_train_tokens")
)
_PER_PARAMETER_AND_TOKEN = 6.0
"""Operations in a forward and a backward pass; Kaplan et al., Scaling Laws for Neural Language Models (2020), 2.1."""
_PHASES = ("train", "validation", "test")
_AT_MOST = "at most"
_TABLE = files("trainreport.business") / "thresholds.toml"


class Threshold(NamedTuple):
    """An amount of training compute with consequences."""

    flop: float
    name: str
    jurisdiction: str
    since: date
    """From when the duty applies."""
    source: str


class _Count(NamedTuple):
    flop: float
    basis: str


@cache
def thresholds() -> tuple[Threshold, ...]:
    """Return the dated table, the lowest first."""
    rows = tomllib.loads(_TABLE.read_text("utf-8"))["threshold"]
    found = [Threshold(row["flop"], row["name"], row["jurisdiction"], row["since"], row["source"]) for row in rows]
    return tuple(sorted(found, key=lambda one: (one.flop, one.since)))


def two_figures(flop: float) -> float:
    """Return an amount with the two significant figures that it is reported with."""
    return float(f"{flop:.1e}")


def is_bound(ledger: Ledger) -> bool:
    """Return whether the compute of a ledger is only an upper bound, from the hardware."""
    return ledger.basis.get("flop", "").startswith(_AT_MOST)


def training_flop(log: RunLog, plan: Plan, used: Sequence[DeviceUse]) -> tuple[float | None, str]:
    """Return the training compute of a run and its basis, or None and the reason.

    As logged; else six operations a parameter and token; else at most what the busy GPUs could do at their peak.

    Parameters
    ----------
    log : RunLog
    plan : Plan
        Its model_parameters and tokens.
    used : sequence of DeviceUse
        The devices of the run with their hours.
    """
    counted = _logged(log) or _by_tokens(log, plan)
    gpus = [one for one in used if one.kind == "gpu"]
    busy = _at_peak(log, gpus)
    if counted is None:
        if isinstance(busy, str):
            return None, f"not known: no total was logged, the plan gives no model_parameters and tokens, and {busy}"
        return busy.flop, f"{_AT_MOST}: {busy.basis}"
    return counted.flop, counted.basis + _beside(counted.flop, gpus)


def _logged(log: RunLog) -> _Count | None:
    """Return the total that was logged as a series, a parameter or a tag."""
    found = _largest(log, _LOGGED)
    if found is not None:
        return _Count(found[0], f"as logged under {found[1]}")
    for table in (log.run.params, log.run.tags):
        for key, text in sorted(table.items()):
            value = _positive(text) if _last_name(key) in _LOGGED else None
            if value is not None:
                return _Count(value, f"as logged under {key}")
    return None


def _by_tokens(log: RunLog, plan: Plan) -> _Count | None:
    size, planned = plan.training.model_parameters, plan.training.tokens
    if size is None or planned is None or not log.curves.names(*_PHASES):
        return None
    seen = _largest(log, _TOKENS)
    if seen is not None:
        tokens, how = seen[0], f"{words.number(seen[0])} tokens, as logged under {seen[1]}"
    else:
        share = _done(log, plan)
        tokens = planned * (1.0 if share is None else share)
        part = "all assumed to be done" if share is None else f"{words.share(share)} of the planned length done"
        how = f"the plan's {words.number(planned)} tokens, {part}"
    return _Count(_PER_PARAMETER_AND_TOKEN * size * tokens, f"6 operations a parameter and token: {words.number(size)} parameters, {how}")


def _at_peak(log: RunLog, gpus: Sequence[DeviceUse]) -> _Count | str:
    """Return what the GPUs could have done at their peak while they were busy, or why that is not known."""
    if not gpus:
        return "no GPU-hours are known"
    total, unseen = 0.0, 0
    for gpu in gpus:
        device = device_of(gpu.model)
        if device is None or device.peak_flops is None:
            return f"the peak of {gpu.model or 'a GPU of unknown model'} is not in the table"
        share = mean_utilization(log, gpu)
        unseen += share is None
        total += device.peak_flops * (1.0 if share is None else share) * gpu.hours * 3600
    assumed = f"; {words.plural(unseen, 'GPU')} without utilization taken as busy throughout" if unseen else ""
    return _Count(total, f"dense 16-bit peak of the GPUs times utilization times hours held{assumed}")


def _beside(flop: float, gpus: Sequence[DeviceUse]) -> str:
    """Return the share of the hardware's peak that was used (MFU), in words; nothing where the peak is not known."""
    peaks = [(device_of(gpu.model), gpu.hours) for gpu in gpus]
    total = sum(device.peak_flops * hours * 3600 for device, hours in peaks if device is not None and device.peak_flops is not None)
    if not total or any(device is None or device.peak_flops is None for device, _ in peaks):
        return ""
    if flop > total:
        return f"; in doubt, for the GPUs of this run could have done {words.number(total, 2)} at most"
    return f"; {words.share(flop / total)} of the dense 16-bit peak over the hours held (MFU)"


def _largest(log: RunLog, names: frozenset[str]) -> tuple[float, str] | None:
    """Return the largest value of a series with one of these names, and what it was logged as."""
    import numpy as np

    found: list[tuple[float, str]] = []
    for series, phase in log.curves.names(*_PHASES):
        if _last_name(series) not in names:
            continue
        curve = log.curves.curve(series, phase)
        good = np.empty(0) if curve is None else curve.value[np.isfinite(curve.value) & (curve.value > 0)]
        if curve is not None and len(good):
            found.append((float(good.max()), curve.logged))
    return max(found) if found else None


def _done(log: RunLog, plan: Plan) -> float | None:
    """Return the share of the planned steps or epochs that was done, None where the plan or the log has none."""
    import numpy as np

    training, best = plan.training, None
    for series, phase in log.curves.names("train", "validation"):
        curve = log.curves.curve(series, phase)
        if curve is None or not len(curve):
            continue
        if training.steps and curve.has_step:
            last = float(curve.step[-1])
            done = (last + 1 if last == training.steps - 1 else last) / training.steps
        elif training.epochs and np.isfinite(curve.epoch).any():
            done = float(np.nanmax(curve.epoch)) / training.epochs
        else:
            continue
        best = max(best or 0.0, min(done, 1.0))
    return best


def _last_name(key: str) -> str:
    return re.split(r"[./:]", key)[-1].strip().lower()


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value > 0 and math.isfinite(value) else None
