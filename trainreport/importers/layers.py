"""What the histogram of a layer's gradients, weights or activations is about.

Statistics of layers are series of three parts: ``gradient/norm/conv1.weight``. The head and the statistic come
first, so that a detector finds all layers by ``gradient/norm/``; the norm over all parameters, which trainers log
as one number, is ``gradient/norm`` alone and is never a layer's.
"""

from __future__ import annotations

import re

from trainreport.model.series import Meaning, folder_phase, interpret

__all__ = ["layer_meaning"]

_GRADIENT = frozenset({"grad", "grads", "gradient", "gradients"})
_WEIGHT = frozenset({
    "weight", "weights", "kernel", "kernels", "bias", "biases", "param", "params", "parameter", "parameters",
    "gamma", "beta", "embedding", "embeddings", "variable", "variables",
})  # fmt: skip
_ACTIVATION = frozenset({"activation", "activations", "preactivation", "preactivations", "relu"})
# Words that only say what is shown, not of which layer.
_SPOKEN = _GRADIENT | {"weights", "params", "parameters", "variables", "activation", "activations", "histogram", "histograms", "hist"}
_WHOLE = "all"


def layer_meaning(tag: str, statistic: str, folder: str | None, why: str) -> Meaning:
    """Return what one statistic of a layer's histogram means.

    Parameters
    ----------
    tag : str
        Name of the histogram, such as ``gradients/conv1.weight`` or ``dense/kernel_0``.
    statistic : str
        ``norm``, ``min``, ``max`` or ``zero_share``.
    folder : str, optional
        Phase told by the folder.
    why : str
        How the number was got.

    Returns
    -------
    Meaning
        Gradients and weights belong to training; for others the name and the folder tell the phase.
    """
    words = set(re.split(r"[^a-z]+", tag.lower()))
    if words & _GRADIENT:
        head, phase = "gradient", "train"
    elif words & _WEIGHT:
        head, phase = "weight", "train"
    else:
        head, phase = "activation" if words & _ACTIVATION else "histogram", interpret(tag, folder).phase
    return Meaning(f"{head}/{statistic}/{_layer(tag)}", phase, "1", None, why)


def _layer(tag: str) -> str:
    """Return the layer's own name: lower case, without phases and without the words that say what is shown of it."""
    parts = [[word for word in part.split(".") if word not in _SPOKEN] for part in tag.lower().split("/") if folder_phase(part) is None]
    kept = [re.sub(r"[\s_]*_(?:grad|grads|gradient|gradients)$", "", ".".join(part)) for part in parts if part]
    return re.sub(r"\s+", "_", "/".join(part for part in kept if part)) or _WHOLE
