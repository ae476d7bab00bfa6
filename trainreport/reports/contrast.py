"""How well one colour can be read on another, as WCAG 2 measures it."""

from __future__ import annotations

__all__ = ["contrast", "tint"]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 (alike) to 21 (black on white).

    Parameters
    ----------
    one, other : str
        As ``#rrggbb``.
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def tint(colour: str, paper: str, share: float) -> str:
    """Return `paper` with a `share` (0..1) of `colour` mixed in."""
    mixed = (round(p + share * (c - p)) for c, p in zip(_parts(colour), _parts(paper), strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    """Return the relative luminance: sRGB made linear, weighted as the eye weighs it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (n / 255 for n in _parts(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
