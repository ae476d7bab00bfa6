"""Canonical names of series, and the words that frameworks use for them.

A logged name is split into words; words that name a phase or say nothing (``epoch``, ``avg``, ``metrics``)
are set aside, and what is left is looked up. A name that is not known keeps its own words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["PERCENT_FROM", "PROFILED", "SHARES", "Meaning", "direction", "folder_phase", "interpret", "is_share", "is_share_or_percent"]


class Meaning(NamedTuple):
    """What a logged name was understood to be."""

    series: str
    phase: str
    written_unit: str
    """A key of ``units.FACTORS``: what the number is written in."""
    device: str | None
    why: str


PHASE_WORDS = {
    "train": "train", "training": "train", "trn": "train", "tr": "train",
    "val": "validation", "valid": "validation", "validation": "validation", "eval": "validation",
    "evaluation": "validation", "dev": "validation", "holdout": "validation",
    "test": "test", "testing": "test",
}  # fmt: skip

# CatBoost names its folders learn and test; in a name "learn" may be about the learning rate.
_FOLDER_WORDS = {**PHASE_WORDS, "learn": "train"}

# Words that say how or when a number was taken, not what it is.
_NOISE = {
    "epoch", "step", "batch", "iter", "iteration", "avg", "average", "mean", "metric", "metrics", "scalar", "scalars",
    "summary", "running", "smoothed", "current", "performance", "b", "output", "losses", "vs", "iterations",
    "hparam", "hparams",
}  # fmt: skip

# Canonical name <- spellings, words joined by a blank, after phase and noise words are set aside.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "loss": (
        "loss",
        "losses",
        "loss total",
        "total loss",
        "cost",
        "objective",
        "nll",
        "cross entropy",
        "crossentropy",
        "ce loss",
        "loss ce",
        "lm loss",
    ),
    "accuracy": (
        "accuracy",
        "acc",
        "acc1",
        "acc 1",
        "top1",
        "top 1",
        "top1 acc",
        "acc top1",
        "accuracy top1",
        "accuracy top 1",
        "top 1 accuracy",
        "categorical accuracy",
        "binary accuracy",
        "sparse categorical accuracy",
        "accuracy score",
        "multiclass accuracy",
    ),
    "accuracy/top5": (
        "acc5",
        "acc 5",
        "top5",
        "top 5",
        "accuracy top5",
        "accuracy top 5",
        "acc top5",
        "top5 acc",
    ),
    "accuracy/balanced": ("balanced accuracy", "balanced acc"),
    "f1": (
        "f1",
        "f1 score",
        "f1score",
        "f1 macro",
        "macro f1",
        "f1 micro",
        "micro f1",
        "f1 weighted",
        "weighted f1",
    ),
    "precision": ("precision", "precision score"),
    "recall": ("recall", "recall score", "sensitivity"),
    "auc": ("auc", "auroc", "roc auc", "auc roc"),
    "average_precision": ("average_precision", "pr auc", "auprc", "ap"),
    "map/50": ("map50", "map 50", "map 0 5", "map@50"),
    "map/50-95": ("map50 95", "map", "map 50 95", "map 0 5 0 95"),
    "iou": ("iou", "miou", "mean iou", "jaccard"),
    "dice": ("dice", "dice score"),
    "perplexity": ("perplexity", "ppl"),
    "bleu": ("bleu", "sacrebleu", "bleu score"),
    "rouge": ("rouge", "rougel", "rouge l"),
    "rouge/1": ("rouge1",),
    "rouge/2": ("rouge2",),
    "rouge/lsum": ("rougelsum", "rouge lsum"),
    "wer": ("wer",),
    "cer": ("cer",),
    "error": ("error", "err", "error rate"),
    "mse": ("mse", "squared error"),
    "rmse": ("rmse", "root squared error"),
    "mae": ("mae", "absolute error"),
    "r2": ("r2", "r2 score"),
    "mape": ("mape",),
    "psnr": ("psnr",),
    "ssim": ("ssim",),
    "fid": ("fid",),
    "kl": ("kl", "kl divergence", "kl loss"),
    "elbo": ("elbo",),
    "log_likelihood": ("log likelihood", "ll"),
    "reward": (
        "reward",
        "return",
        "ep rew",
        "episode reward",
        "episodic return",
        "episode return",
        "rollout ep rew",
        "rewards",
    ),
    "episode_length": ("ep len", "episode length", "rollout ep len", "episodic length"),
    "learning_rate": ("learning rate", "lr", "learningrate", "learning rates"),
    "gradient/norm": (
        "grad norm",
        "gradient norm",
        "grad total norm",
        "total norm",
        "global grad norm",
        "global norm",
        "gradnorm",
        "grad 2 0 norm total",
    ),
    "epoch": ("epoch",),
    "throughput/samples": (
        "samples per second",
        "samples sec",
        "images sec",
        "images per second",
        "examples per second",
        "samples per sec",
        "examples sec",
        "images per sec",
        "throughput samples",
        "samples s",
    ),
    "throughput/tokens": ("tokens per second", "tokens sec", "tokens per sec", "throughput tokens", "tok s", "tokens s"),
    "throughput/steps": ("steps per second", "steps per sec", "steps sec", "global sec"),
    "time/step": ("step time", "time per", "batch time", "time step", "iter time", "seconds per", "elapsed time per"),
    "time/elapsed": ("elapsed", "elapsed time", "time elapsed", "elapsed seconds", "elapsed s", "relative time"),
    "time/epoch": ("epoch time", "time epoch", "epoch seconds"),
    "time/data": ("data time", "data loading time", "dataloader time"),
}

_UNITS = {
    "throughput/samples": "sample/s",
    "throughput/tokens": "token/s",
    "throughput/steps": "step/s",
    "time/step": "s",
    "time/data": "s",
    "time/elapsed": "s",
    "time/epoch": "s",
}

_LAYER_NORM = re.compile(r"(?:train/)?(?:grad|gradient|gradients)(?:_\d(?:\.\d)?)?[_/]norm/((?!total|all|global)[^/].*)", re.IGNORECASE)
"""Lightning's ``grad_2.0_norm/<layer>``, and loops that write ``grad_norm/<layer>``."""

# System names: pattern on the lower-case name -> (series, written unit). {} takes the device number.
_SYSTEM: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern), series, unit)
    for pattern, series, unit in (
        # MLflow system metrics
        (r"system/gpu_(\d+)_utilization_percentage", "gpu/utilization", "percent"),
        (r"system/gpu_(\d+)_memory_usage_percentage", "gpu/memory_share", "percent"),
        (r"system/gpu_(\d+)_memory_usage_megabytes", "gpu/memory_used", "MB"),
        (r"system/gpu_(\d+)_power_usage_watts", "gpu/power", "W"),
        (r"system/gpu_(\d+)_power_usage_percentage", "gpu/power_share", "percent"),
        (r"system/cpu_utilization_percentage", "cpu/utilization", "percent"),
        (r"system/system_memory_usage_megabytes", "memory/used", "MB"),
        (r"system/system_memory_usage_percentage", "memory/share", "percent"),
        (r"system/disk_usage_percentage", "disk/share", "percent"),
        (r"system/disk_usage_megabytes", "disk/used", "MB"),
        (r"system/disk_available_megabytes", "disk/available", "MB"),
        (r"(?:system/)?cpu[_/.]iowait_percentage|%iowait", "cpu/iowait", "percent"),
        (r"(?:system/)?disk[_/.](?:busy|util(?:ization)?)_percentage", "disk/busy", "percent"),
        (r"system/network_receive_megabytes", "network/received", "MB"),
        (r"system/network_transmit_megabytes", "network/sent", "MB"),
        # W&B
        (r"system[./]gpu[./](\d+)[./]gpu", "gpu/utilization", "percent"),
        (r"system[./]gpu[./](\d+)[./]memoryallocated", "gpu/memory_share", "percent"),
        (r"system[./]gpu[./](\d+)[./]powerwatts", "gpu/power", "W"),
        (r"system[./]gpu[./](\d+)[./]temp", "gpu/temperature", "degC"),
        (r"system[./]gpu[./](\d+)[./]memory", "gpu/memory_utilization", "percent"),
        (r"system[./]gpu[./](\d+)[./]memoryallocatedbytes", "gpu/memory_used", "B"),
        (r"system[./]gpu[./](\d+)[./]enforcedpowerlimitwatts", "gpu/power_limit", "W"),
        (r"system[./]gpu[./](\d+)[./]smclock", "gpu/clock_sm", "MHz"),
        (r"system[./]gpu[./](\d+)[./]memoryclock", "gpu/clock_memory", "MHz"),
        # W&B writes these of a GPU once more where the run's own process is on it: series of their own, not counted twice
        (r"system[./]gpu[./]process[./](\d+)[./]gpu", "gpu/process_utilization", "percent"),
        (r"system[./]gpu[./]process[./](\d+)[./]memory", "gpu/process_memory_utilization", "percent"),
        (r"system[./]cpu", "cpu/utilization", "percent"),
        (r"system[./]memory(?:_percent)?", "memory/share", "percent"),
        (r"system[./]network[./]recv", "network/received", "B"),
        (r"system[./]network[./]sent", "network/sent", "B"),
        (r"system[./]gpu[./](\d+)[./]powerpercent", "gpu/power_share", "percent"),
        # Lightning's DeviceStatsMonitor and older GPUStatsMonitor
        (r"(?:.*/)?(?:gpu_id: |device_id: )(\d+)/utilization\.gpu \(%\)", "gpu/utilization", "percent"),
        (r"(?:.*/)?(?:gpu_id: |device_id: )(\d+)/memory\.used \(mb\)", "gpu/memory_used", "MiB"),
        # What people log by themselves, under the names that are canonical here; the unit of these goes without saying
        (r"(?:system/)?gpu[_/.]?(\d*)[_/.]power", "gpu/power", "W"),
        (r"(?:system/)?gpu[_/.]?(\d*)[_/.]temp(?:erature)?", "gpu/temperature", "degC"),
    )
)
_EITHER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), series)
    for pattern, series in (
        (r"(?:system[/.])?cpu[_/.]util(?:ization)?", "cpu/utilization"),
        (r"(?:system[/.])?gpu[_/.]?(\d*)[_/.]util(?:ization)?", "gpu/utilization"),
        (r"(?:system[/.])?gpu[_/.]?(\d*)[_/.]memory_share", "gpu/memory_share"),
        (r"(?:system[/.])?memory[_/.]share", "memory/share"),
        (r"(?:system[/.])?cpu[_/.]iowait|iowait", "cpu/iowait"),
        (r"(?:system[/.])?disk[_/.](?:busy|util(?:ization)?)", "disk/busy"),
    )
)
"""Names that people log as a share or in percent, without saying which."""
_EITHER_WHY = "known system metric; a share, or percent where such values of the run go above 1.5"

_LOWER_IS_BETTER = {"loss", "error", "perplexity", "wer", "cer", "mse", "rmse", "mae", "mape", "fid", "kl"}
_HIGHER_IS_BETTER = {
    "accuracy", "f1", "precision", "recall", "auc", "average_precision", "map", "iou", "dice", "bleu", "rouge", "r2",
    "psnr", "ssim", "elbo", "log_likelihood", "reward",
}  # fmt: skip

SHARES = frozenset({"accuracy", "f1", "precision", "recall", "auc", "average_precision", "map", "iou", "dice", "error", "wer", "cer"})
"""Heads of series that are shares by nature."""
PROFILED = " (profiled)"
"""Ends the logged name of what a profiler told: it is of a window of the run, not of the whole."""
PERCENT_FROM = 1.5
"""A share that is logged above this can only be percent; it overshoots 1 by rounding at most."""


def is_share(series: str) -> bool:
    """Return whether a series is a share by nature, such as accuracy, in whatever unit it was logged."""
    return series.split("/", maxsplit=1)[0] in SHARES


def direction(series: str) -> int:
    """Return -1 where lower values are better, +1 where higher are, 0 where the name does not tell.

    Parameters
    ----------
    series : str
        Canonical name; its first part decides, so ``loss/box`` is a loss.
    """
    head = series.split("/", maxsplit=1)[0]
    if head in _LOWER_IS_BETTER:
        return -1
    return 1 if head in _HIGHER_IS_BETTER else 0


@lru_cache(maxsize=65_536)
def interpret(logged: str, folder_phase: str | None = None) -> Meaning:
    """Return what a logged name means.

    Parameters
    ----------
    logged : str
        The name as the framework wrote it.
    folder_phase : str, optional
        Phase told by the folder (Keras writes ``epoch_loss`` under ``train`` and ``validation``).
        A phase in the name itself goes first.
    """
    system = _system(logged)
    if system is not None:
        return system
    layer = _LAYER_NORM.fullmatch(logged)
    if layer is not None:
        return Meaning(f"gradient/norm/{layer.group(1).lower()}", "train", "1", None, "norm of the gradients of one layer, by its name")
    words = _words(logged)
    phases = [PHASE_WORDS[word] for word in words if word in PHASE_WORDS]
    phase, why = _phase(phases, folder_phase, words)
    rest = [word for word in words if word not in PHASE_WORDS]
    told = _lookup(rest)
    if told is None:
        return Meaning("/".join(_own_words(logged)) or logged, phase, "1", None, f"name kept, no known series; {why}")
    series, unit = told
    if phase == "train" and not phases and folder_phase is None and words[0] == "metrics" and direction(series) > 0:
        # Ultralytics: metrics/mAP50(B), metrics/precision(B) are measured on the validation images.
        phase, why = "validation", "names under metrics/ are measured on validation data by Ultralytics"
    return Meaning(series, phase, unit, None, f"known spelling of {series}; {why}")


def is_share_or_percent(logged: str) -> bool:
    """Return whether a name leaves open if its values are shares or percent; then they tell (`importers.scale`)."""
    return interpret(logged).why == _EITHER_WHY


def folder_phase(folder: str) -> str | None:
    """Return the phase that a folder's last part names, or None."""
    return _FOLDER_WORDS.get(folder.rsplit("/", 1)[-1].lower())


def _phase(phases: list[str], folder: str | None, words: list[str]) -> tuple[str, str]:
    if phases:
        return phases[0], "phase from the name"
    if folder is not None:
        return folder, "phase from the folder"
    if words and words[0] in ("rollout", "learner"):
        return "train", "rollouts of training"
    return "train", "no phase named, taken as training"


def _lookup(rest: list[str]) -> tuple[str, str] | None:
    """Find the series of words without phase: whole, without noise words, then as part of a loss."""
    for words in (rest, [word for word in rest if word not in _NOISE]):
        series = _TABLE.get(" ".join(words))
        if series is not None:
            return series, _UNITS.get(series, "1")
    rest = [word for word in rest if word not in _NOISE]
    if rest and rest[-1] != "loss" and any(re.fullmatch(r"lr\d*|learning", word) for word in rest):
        return "learning_rate", "1"  # lr-Adam, lr/pg0, x/lr0
    if len(rest) > 1 and "loss" in (rest[0], rest[-1]):
        part = rest[:-1] if rest[-1] == "loss" else rest[1:]
        return "loss/" + "_".join(part), "1"
    return None


def _system(logged: str) -> Meaning | None:
    name = logged.lower()
    if not name.startswith(("system", "gpu", "device_id", "cpu", "disk", "memory", "iowait", "%iowait")) and "gpu_id:" not in name:
        return None
    for pattern, series, unit in _SYSTEM:
        match = pattern.fullmatch(name)
        if match is not None:
            return Meaning(series, "system", unit, _device(match), f"known system metric {series}")
    for pattern, series in _EITHER:
        match = pattern.fullmatch(name)
        if match is not None:
            return Meaning(series, "system", "1", _device(match), _EITHER_WHY)
    if name.startswith(("system/", "system.")):
        return Meaning(name.replace(".", "/"), "system", "1", None, "system metric, name kept")
    return None


def _device(match: re.Match[str]) -> str | None:
    """Return the GPU that a name is of, the first where it has no number; None where it is of the machine."""
    return f"gpu{match.group(1) or 0}" if match.groups() else None


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[^a-z0-9@]+", spaced.lower()) if word]


def _own_words(name: str) -> list[str]:
    """Keep a name's own parts, lower case, without phase words."""
    parts = (re.sub(r"\s+", "_", part.strip().lower()) for part in name.split("/"))
    kept = (_strip_phase(part) for part in parts)
    return [part for part in kept if part]


def _strip_phase(part: str) -> str:
    pieces = [piece for piece in part.split("_") if piece not in PHASE_WORDS]
    return "_".join(pieces)


_TABLE = {spelling: series for series, spellings in _SPELLINGS.items() for spelling in spellings}
