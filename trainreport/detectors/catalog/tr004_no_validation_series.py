"""TR004: no validation series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class NoValidationSeries(Detector):
    """Nothing was measured on data that the model was not trained on.

    What it checks
    --------------
    Whether any loss or metric with a known direction was logged on validation or test data.

    Why it matters
    --------------
    A falling training loss shows that a model memorises or learns, and not which. Without held-out data nobody can say what it will do
    on new data, and no acceptance criterion can be judged.

    How it decides
    --------------
    It is a finding when training curves are there and no held-out one is. In reinforcement learning the return of the rollouts
    stands in for it, and the severity is one step lower.

    What to do
    ----------
    - Set data aside and evaluate on it during training, at least ten times a run.
    - If an evaluation was done elsewhere, log its result to the same run.

    Limits
    ------
    A series is taken as held-out by its name or its folder (val, valid, eval, test). One with a name of its own is not seen; the plan can
    name it in a criterion.

    References
    ----------
    - Goodfellow, Bengio, Courville, Deep Learning (2016), section 5.3: validation sets.
    """

    code = "TR004"
    name = "no-validation-series"
    severity = Severity.MAJOR
    needs = ("a loss or metric of training",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR004."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        held_out, trained = case.quality_series(), case.training_series()
        if held_out:
            return self.clear(f"{words.plural(len(held_out), 'series', 'series')} on held-out data: {words.joined(held_out)}")
        if not trained:
            return self.not_applicable("no loss or metric with a known direction was logged at all")
        rollouts = any(name.startswith("reward") for name in trained)
        stand_in = "; only the return of its own rollouts is known" if rollouts else ""
        return self.found(
            self.finding(
                f"No loss or metric was logged on validation or test data{stand_in}: what the model does on new data is not known.",
                evidence=(Evidence("held-out series", 0.0, "1", "names and folders that say validation or test", len(trained)),),
                action=Action(
                    "Evaluate on data set aside, at least ten times during training, and log the result.", "ML engineer", "an hour"
                ),
                confidence=Confidence.HIGH,
                limits=limits,
                severity=Severity.MINOR if rollouts else None,
            )
        )


DETECTOR = NoValidationSeries()
