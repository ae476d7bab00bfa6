"""Small boosted trees kept as arrays: what evaluates a fitted model without the library that fitted it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Trees"]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """A sum of trees, each of which asks the same question of every row at one level.

    So a tree of depth d is d questions and a table of 2**d answers.
    """

    start: Array
    """What holds before any tree; shape (outputs,)."""
    feature: npt.NDArray[np.int64]
    """Which feature each level asks for; shape (trees, depth)."""
    threshold: Array
    """The answer is yes above it; shape (trees, depth)."""
    leaf: Array
    """What a tree adds; shape (trees, 2**depth, outputs), the first question in the highest bit."""

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Trees:
        """Return the trees of nested lists, as they are kept in a file."""
        import numpy as np

        real = {name: np.array(data[name], dtype=np.float64) for name in ("start", "threshold", "leaf")}
        return cls(feature=np.array(data["feature"], dtype=np.int64), **real)

    def predict(self, rows: Array) -> Array:
        """Return the sum over the trees; shape (rows, outputs).

        Parameters
        ----------
        rows : ndarray, shape (rows, features)
        """
        import numpy as np

        above = rows[:, self.feature] > self.threshold
        places = above @ (1 << np.arange(self.feature.shape[1])[::-1])
        total: Array = self.start + self.leaf[np.arange(len(self.leaf)), places].sum(axis=1)
        return total
