"""TR505: missing seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.detectors.facts_of_run import written_down
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class MissingSeed(Detector):
    """The seed of the run was not written down.

    What it checks
    --------------
    A parameter with a usual name: seed, random_state, manual_seed and the like.

    Why it matters
    --------------
    Runs differ by chance. Without a seed a run cannot be repeated, and whether a change helped or was lucky cannot be told.

    How it decides
    --------------
    It is a finding when no source names a seed. What kind it is does not matter, only that it is there.

    What to do
    ----------
    - Set one seed for all random numbers and log it as a parameter.
    - Repeat the best configuration with two further seeds before it is decided on.

    Limits
    ------
    The same seed does not make a GPU run exactly repeatable by itself. A seed of -1 or none counts as none.

    References
    ----------
    - Bouthillier et al., Accounting for Variance in Machine Learning Benchmarks, MLSys 2021.
    """

    code = "TR505"
    name = "missing-seed"
    severity = Severity.MINOR
    needs = ("seed among tags or parameters",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR505."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        return written_down(
            self,
            case,
            limits,
            case.log.run.seed,
            what="seed",
            lost="the run cannot be repeated exactly, and luck cannot be told from progress",
            read="tags, parameters and inputs of all sources",
            action=Action("Set and log a seed with each run.", "ML engineer", "an hour"),
        )


DETECTOR = MissingSeed()
