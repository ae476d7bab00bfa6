"""Amounts of money: a decimal with a currency, never a float, never converted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

__all__ = ["Money"]


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in one currency."""

    amount: Decimal
    currency: str
    """ISO 4217 code, such as EUR."""

    @classmethod
    def parse(cls, text: str) -> Money:
        """Return the money of a text such as ``3.20 EUR``.

        Raises
        ------
        ValueError
            If the text is not a plain non-negative decimal, a blank and three capital letters.
        """
        match = re.fullmatch(r"\s*([0-9][0-9 _]*(?:\.[0-9]+)?)\s*([A-Z]{3})\s*", text)
        try:
            if match is None:
                raise InvalidOperation
            return cls(Decimal(re.sub(r"[ _]", "", match.group(1))), match.group(2))
        except InvalidOperation:
            raise ValueError(f"{text!r} is not an amount such as '3.20 EUR'") from None

    def __add__(self, other: Money) -> Money:
        return Money(self.amount + self._same(other).amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.amount - self._same(other).amount, self.currency)

    def times(self, factor: float | Decimal) -> Money:
        """Return the money times a physical quantity, such as hours."""
        return Money(self.amount * Decimal(str(factor)), self.currency)

    def share_of(self, whole: Money) -> float:
        """Return this as a share of `whole`; infinity where the whole is zero and this is not."""
        whole = self._same(whole)
        if whole.amount == 0:
            return float("inf") if self.amount else 0.0
        return float(self.amount / whole.amount)

    def plain(self) -> str:
        """Return the amount in plain decimal with two places, as the JSON contract has it."""
        return f"{self.amount.quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN):f}"

    def _same(self, other: Money) -> Money:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added: give all amounts in one currency")
        return other
