"""Numbers that an importer meets one by one, by name, kept as plain arrays until they are a frame."""

from __future__ import annotations

from array import array
from itertools import repeat
from math import nan
from typing import TYPE_CHECKING

from trainreport.importers.recording import frame_of
from trainreport.model import clock
from trainreport.model.series import interpret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import pandas as pd

    from trainreport.model.series import Meaning

__all__ = ["NO_STEP", "Points"]

NO_STEP = -(2**63)
"""Stands for a step that is not known."""


class Points:
    """Values in the order of writing; several make a row, and share its step, time (seconds since 1970) and epoch."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        """Position of each name."""
        self._meanings: dict[str, Meaning] = {}
        self._code, self._value = array("i"), array("d")
        self._step, self._time, self._epoch = array("q"), array("d"), array("d")
        self.append_code, self.append_value = self._code.append, self._value.append
        """What `put` does, for a loop in which a call of it would count."""

    def __len__(self) -> int:
        return len(self._value)

    def code(self, name: str, meaning: Meaning | None = None) -> int:
        """Return the position of a name; `meaning` where the name alone does not tell it."""
        if name not in self.codes:
            self.codes[name] = len(self.codes)
            self._meanings[name] = interpret(name) if meaning is None else meaning
        return self.codes[name]

    def put(self, code: int, value: float) -> None:
        """Take a value into the row that is open."""
        self.append_code(code)
        self.append_value(value)

    def end_row(self, step: int = NO_STEP, time_s: float = nan, epoch: float = nan) -> None:
        """End the row."""
        missing = len(self._value) - len(self._step)
        self._step.extend(repeat(step if abs(step) < 2**63 else NO_STEP, missing))
        self._time.extend(repeat(time_s, missing))
        self._epoch.extend(repeat(epoch, missing))

    def row(self, values: Mapping[str, float], step: int = NO_STEP, time_s: float = nan) -> None:
        """Take a whole row."""
        for name, value in values.items():
            self.put(self.code(name), value)
        self.end_row(step, time_s)

    @property
    def meanings(self) -> tuple[Sequence[str], Sequence[Meaning]]:
        """Names, and what each means."""
        return list(self._meanings), list(self._meanings.values())

    def span(self) -> tuple[datetime | None, datetime | None]:
        """Return the first and last time."""
        import numpy as np

        return clock.span(clock.nanoseconds(np.frombuffer(self._time))) if len(self) else (None, None)

    def frame(self, file: str, node: str | None = None) -> pd.DataFrame:
        """Return the frame of all rows, of one host where `node` names it."""
        import numpy as np
        import pandas as pd

        names, meanings = self.meanings
        steps, times, epochs = np.array(self._step, dtype=np.int64), np.array(self._time), np.array(self._epoch)
        codes, values = np.array(self._code, dtype=np.intp), np.array(self._value)
        times_ns = clock.nanoseconds(times)
        frame = frame_of(
            names,
            meanings,
            codes,
            values,
            file=file,
            node=node,
            steps=steps,
            times_ns=times_ns,
            epochs=None if np.isnan(epochs).all() else epochs,
        )
        missing = steps == NO_STEP
        if missing.any():
            frame["step"] = pd.arrays.IntegerArray(steps, missing)
        return frame
