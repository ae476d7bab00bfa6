"""What a detector is given: one run's log, the plan, the ledger, and the other runs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model.curve import Curve, curve, curves
from trainreport.model.series import direction

if TYPE_CHECKING:
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Criterion, Plan
    from trainreport.model.run import RunLog

__all__ = ["Case", "Sibling"]

HELD_OUT = ("validation", "test")


@dataclass(frozen=True, slots=True)
class Sibling:
    """What is known of another run of the same assessment."""

    run_id: str
    name: str
    best_value: float | None
    """At its best checkpoint, by the first criterion."""
    gpu_hours: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One run, ready to be judged."""

    log: RunLog
    plan: Plan
    ledger: Ledger
    siblings: tuple[Sibling, ...] = ()

    def curve(self, series: str, phase: str) -> Curve | None:
        """Return the curve of a series; where several names mean it, the one that the plan names."""
        named = {c.series for c in self.plan.criteria if c.phase == phase}
        frame_names = set(self.log.frame["logged"].cat.categories)
        preferred = sorted(named & frame_names)
        return curve(self.log, series, phase, preferred[0] if preferred else None)

    def devices(self, series: str) -> list[Curve]:
        """Return one curve of a system series for each device."""
        return curves(self.log, series)

    def held_out(self, series: str) -> Curve | None:
        """Return the curve on data not trained on: validation, else test."""
        for phase in HELD_OUT:
            found = self.curve(series, phase)
            if found is not None:
                return found
        return None

    def quality_series(self) -> list[str]:
        """Return the series with a known direction that were logged on held-out data, loss first."""
        return self._directed(HELD_OUT)

    def training_series(self) -> list[str]:
        """Return the series with a known direction that were logged on training data, loss first."""
        return self._directed(("train",))

    def criterion_for(self, series: str, phase: str) -> Criterion | None:
        """Return the plan's first criterion on this series and phase, by canonical or logged name."""
        found = self.curve(series, phase)
        names = {series} if found is None else {series, found.logged}
        return next((c for c in self.plan.criteria if c.series in names and c.phase == phase), None)

    def _directed(self, phases: tuple[str, ...]) -> list[str]:
        frame = self.log.frame
        names = frame.loc[frame["phase"].isin(phases), "series"].unique()
        return sorted((str(name) for name in names if direction(str(name))), key=lambda name: (name != "loss", "/" in name, name))
