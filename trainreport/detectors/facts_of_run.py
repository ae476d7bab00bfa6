"""What parameters, tags and events say of a run besides its curves: its planned length, its knobs, its checkpoints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trainreport.detectors.base import Detector
    from trainreport.model.case import Case

__all__ = ["KNOBS", "PlanProgress", "checkpoints", "knobs", "progress_of_plan", "written_down"]

_STEPS = ("max_steps", "total_steps", "num_steps", "train_steps", "num_train_steps", "max_iters", "total_timesteps", "training_steps")
_EPOCHS = ("epochs", "num_epochs", "max_epochs", "n_epochs", "num_train_epochs", "nb_epochs", "epoch")

KNOBS: dict[str, tuple[str, ...]] = {
    "learning rate": ("lr", "learning_rate", "base_lr", "initial_lr", "init_lr", "lr0", "eta", "max_lr", "learningrate"),
    "batch size": (
        "batch_size",
        "batchsize",
        "bs",
        "batch",
        "train_batch_size",
        "per_device_train_batch_size",
        "global_batch_size",
        "mini_batch_size",
    ),
    "length": (*_STEPS, *_EPOCHS, "iterations", "n_estimators", "num_boost_round", "nrounds", "max_iter"),
    "optimizer": ("optimizer", "optim", "optimiser", "opt", "optimizer_name", "solver", "boosting_type", "booster"),
    "model": ("model", "model_name", "arch", "architecture", "backbone", "model_name_or_path", "model_type", "base_model", "network"),
    "regularisation": ("weight_decay", "dropout", "l2", "l1", "alpha", "reg_lambda", "label_smoothing", "max_depth", "depth"),
}
"""What is needed to train the same again -> the names that tools give it, in lower case."""

_CHECKPOINT = re.compile(
    r"(check_?point|ckpt|save_(steps|strategy|best|every|freq|interval)|modelcheckpoint|log-model\.history|model_uri)", re.IGNORECASE
)


class PlanProgress(NamedTuple):
    """How much of the planned length a run did."""

    share: float
    words: str
    """``step 1,200 of 2,000 planned``."""
    source: str


@remembered
def progress_of_plan(case: Case) -> PlanProgress | None:
    """Return how much of the planned steps or epochs was done; the plan goes before parameters, None where neither tells."""
    last_step, last_epoch = _last(case, "step"), _last(case, "epoch")
    training, params = case.plan.training, _by_last_name(case.log.run.params)
    for planned, last, unit, source in (
        (training.steps, last_step, "step", "from the plan"),
        (training.epochs, last_epoch, "epoch", "from the plan"),
        (_number(params, _STEPS), last_step, "step", "from the parameters"),
        (_number(params, _EPOCHS), last_epoch, "epoch", "from the parameters"),
    ):
        if planned and last is not None and planned > 0:
            reached = last + 1 if last == planned - 1 else last  # counted from 0
            return PlanProgress(reached / planned, f"{unit} {words.number(reached, 6)} of {words.number(planned, 6)} planned", source)
    return None


def knobs(case: Case) -> dict[str, str]:
    """Return which of `KNOBS` are known, with the name that they have; a logged learning rate is one."""
    params = _by_last_name(case.log.run.params)
    found = {knob: name for knob, names in KNOBS.items() for name in names if name in params}
    if any(series == "learning_rate" for series, _ in case.log.curves.names("train", "validation")):
        found.setdefault("learning rate", "logged as a curve")
    return found


def checkpoints(case: Case) -> list[str]:
    """Return what says that checkpoints were written: events, parameters and tags, in words."""
    events = case.log.events
    found = [str(text) for text in events.loc[events["kind"] == "checkpoint", "message"]]
    run = case.log.run
    return found + [f"{key} = {value[:60]}" for key, value in sorted({**run.params, **run.tags}.items()) if _says(key, value)]


def written_down(
    judge: Detector, case: Case, limits: Any, known: str | None, *, what: str, lost: str, read: str, action: Action
) -> Outcome:
    """Return whether something that tells a run from others was written down; it is a finding where nothing names it.

    Parameters
    ----------
    judge, case, limits
        As in `Detector.check`.
    known : str, optional
        What the sources name.
    what : str
        ``code version``.
    lost : str
        What cannot be shown without it.
    read : str
        Where it was looked for.
    action : Action
    """
    if known:
        return judge.clear(f"{what} {known}")
    if not case.training_series() and not case.quality_series():
        return judge.not_applicable("nothing was trained as far as the logs tell")
    evidence = Evidence(f"sources that name a {what}", 0.0, "1", read, len(case.log.run.files))
    message = f"No source names a {what}: {lost}."
    return judge.found(judge.finding(message, evidence=(evidence,), action=action, confidence=Confidence.HIGH, limits=limits))


def _says(key: str, value: str) -> bool:
    return _CHECKPOINT.search(key) is not None and value.strip().lower() not in ("", "false", "no", "none", "null", "0", "[]", "off")


def _last(case: Case, column: str) -> float | None:
    """Return the largest finite step or epoch that training logged."""
    import numpy as np

    best: float | None = None
    for series, phase in case.log.curves.names("train", "validation", "test"):
        curve = case.curve(series, phase)
        if curve is None or not len(curve) or (column == "step" and not curve.has_step):
            continue
        values = curve.step if column == "step" else curve.epoch[np.isfinite(curve.epoch)]
        if len(values) and (best is None or float(values[-1]) > best):
            best = float(values[-1])
    return best


def _by_last_name(params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters by the last part of their names, in lower case: ``optimizer/lr`` is ``lr``."""
    found: dict[str, str] = {}
    for key in sorted(params, key=lambda one: (len(one), one)):
        found.setdefault(re.split(r"[./:]", key)[-1].strip().lower().replace("-", "_"), params[key])
    return found


def _number(params: Mapping[str, str], names: Iterable[str]) -> float | None:
    for name in names:
        try:
            value = float(params[name])
        except (KeyError, ValueError):
            continue
        if 0 < value < float("inf"):
            return value
    return None
