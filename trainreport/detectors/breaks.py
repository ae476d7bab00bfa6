"""Curves with values that are not finite."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.model.series import direction

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["Broken", "broken", "share_at_end", "watched_series"]


class Broken(NamedTuple):
    """A curve with values that are not finite."""

    curve: Curve
    bad: int
    first: int
    leading: bool
    """Whether they all stand at the beginning."""
    at_end: float
    """Share of them in the last 5 %."""


def watched_series(case: Case) -> list[tuple[str, str]]:
    """Return (series, phase) of all with a direction and of the gradient norm."""
    return [pair for pair in case.log.curves.names("train", "validation", "test") if direction(pair[0]) or pair[0] == "gradient/norm"]


def broken(case: Case) -> list[Broken]:
    """Return the curves with values that are not finite; what a restart made void does not count."""
    curves = [case.curve(*pair) for pair in watched_series(case)]
    return [one for curve in curves if curve is not None and (one := _look(curve)) is not None]


def share_at_end(curve: Curve) -> float:
    """Return the share of values that are not finite in the last 5 % of points."""
    import numpy as np

    return float(np.mean(~np.isfinite(curve.value[-max(1, round(0.05 * len(curve))) :])))


def _look(curve: Curve) -> Broken | None:
    import numpy as np

    bad = ~np.isfinite(curve.value)
    if not bad.any():
        return None
    at = np.flatnonzero(bad)
    return Broken(curve, len(at), int(at[0]), bool(at[-1] == len(at) - 1 < len(bad) - 1), share_at_end(curve))
