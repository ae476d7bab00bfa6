"""Numbers as people write them: the one place where units become words again.

Not dependent on the locale. Findings, decisions and reports all speak through it, so a number reads the
same wherever it stands.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

from trainreport.model.series import SHARES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.money import Money

__all__ = ["count", "duration", "enumerate_words", "hours", "measure", "money", "number", "percent", "plural", "series_words"]

_PHASES = {"train": "training", "validation": "validation", "test": "test", "system": ""}
_UPPER = {"f1", "auc", "map", "iou", "wer", "cer", "mse", "rmse", "mae", "mape", "psnr", "ssim", "fid", "kl", "elbo", "bleu", "rouge", "r2"}


def count(value: float) -> str:
    """Return a whole number with a comma between thousands."""
    return f"{round(value):,}"


def plural(amount: int, noun: str) -> str:
    """Return ``1 step`` or ``20,000 steps``."""
    return f"{count(amount)} {noun}{'' if amount == 1 else 's'}"


def number(value: float | None) -> str:
    """Return a plain number with as many digits as matter, never in a form that only programmers read."""
    if value is None:
        return "not known"
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinite"
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 1e-4:
        digits = max(0, 2 - math.floor(math.log10(size)))
        text = f"{value:.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × 10^{int(exponent)}"


def percent(share: float | None) -> str:
    """Return a share (0..1) in percent: whole above 1 %, one digit below, never 0 for what is not."""
    if share is None:
        return "not known"
    if not math.isfinite(share):
        return number(share)
    value = share * 100
    if value == 0:
        return "0 %"
    if abs(value) < 0.1:
        return "< 0.1 %" if value > 0 else "> -0.1 %"
    if abs(value) < 1 or 99 < value < 100:
        return f"{min(value, 99.9) if value < 100 else value:.1f} %"
    return f"{value:,.0f} %"


def measure(value: float | None, series: str) -> str:
    """Return a value of a series: a share in percent where the series is one by nature, else a number."""
    if value is None:
        return "not known"
    head = series.split("/", maxsplit=1)[0]
    if head in SHARES and math.isfinite(value):
        return _share_words(value if abs(value) <= 1.5 else value / 100)
    return number(value)


def _share_words(share: float) -> str:
    """Return a quality share in percent, with a digit where it is needed to tell 99.2 from 99.8."""
    value = share * 100
    if 0 < value < 0.1:
        return "< 0.1 %"
    return f"{value:.1f} %" if not math.isclose(value, round(value), abs_tol=0.05) else f"{value:.0f} %"


def money(amount: Money | None) -> str:
    """Return an amount: with cents under 100, whole above."""
    if amount is None:
        return "not known"
    places = Decimal("1") if abs(amount.amount) >= 100 else Decimal("0.01")
    return f"{amount.amount.quantize(places, rounding=ROUND_HALF_EVEN):,f} {amount.currency}"


def hours(value: float | None) -> str:
    """Return hours with one digit, whole above 100."""
    if value is None:
        return "not known"
    if 0 < value < 0.05:
        return "< 0.1 h"
    return f"{value:,.0f} h" if value >= 100 else f"{value:.1f} h"


def duration(seconds: float | None) -> str:
    """Return a duration in the unit of its size."""
    if seconds is None:
        return "not known"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 100 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"


def series_words(series: str, phase: str) -> str:
    """Return ``validation accuracy`` for a series and its phase."""
    parts = [part.upper() if part in _UPPER else part.replace("_", " ") for part in series.split("/")]
    name = parts[0] if len(parts) == 1 else f"{parts[0]} ({' '.join(parts[1:])})"
    return f"{_PHASES.get(phase, phase)} {name}".strip()


def enumerate_words(words: Sequence[str]) -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
