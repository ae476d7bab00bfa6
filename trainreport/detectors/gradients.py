"""Norms of gradients: of the whole model and of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.detectors import reading

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["gradient_layers", "gradient_whole", "layer_of"]

_LAYER = "gradient/norm/"


def gradient_whole(case: Case) -> Curve | None:
    """Return the finite norm over all parameters, or None where it was not logged."""
    curve = case.curve("gradient/norm", "train")
    return None if curve is None else reading.finite(curve)


def gradient_layers(case: Case) -> list[Curve]:
    """Return the finite norms of layers, by name; biases are left out.

    A bias before a normalisation, or of attention keys, has no gradient by design.
    """
    names = [name for name, _ in case.log.curves.names("train") if name.startswith(_LAYER) and "bias" not in name]
    curves = [case.curve(name, "train") for name in names]
    return [reading.finite(curve) for curve in curves if curve is not None]


def layer_of(curve: Curve) -> str:
    """Return the name of a curve's layer."""
    return curve.series.removeprefix(_LAYER)
