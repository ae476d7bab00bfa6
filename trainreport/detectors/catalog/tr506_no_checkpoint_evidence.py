"""TR506: no checkpoint evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.detectors.facts_of_run import checkpoints
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class NoCheckpointEvidence(Detector):
    """Nothing shows that a checkpoint of the model exists.

    What it checks
    --------------
    Files beside the logs that are named like checkpoints, and parameters, tags and events that speak of saving them.

    Why it matters
    --------------
    A decision for the best checkpoint is worth nothing when that checkpoint was never written or has been overwritten.

    How it decides
    --------------
    It is a finding when nothing of the kind is found. No such file is ever opened.

    What to do
    ----------
    - Save the best and the last checkpoint, with the step in their names.
    - Show that the file exists before the model goes to evaluation.

    Limits
    ------
    Checkpoints in another place are not seen. That a file is there does not prove that it can be loaded, nor that it is of the best step.

    References
    ----------
    - PyTorch Lightning, ModelCheckpoint; Hugging Face Trainer, save_strategy and load_best_model_at_end.
    """

    code = "TR506"
    name = "no-checkpoint-evidence"
    severity = Severity.MINOR
    needs = ("a training run",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR506."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if not case.training_series() and not case.quality_series():
            return self.not_applicable("nothing was trained as far as the logs tell")
        found = checkpoints(case)
        if found:
            more = f" and {words.count(len(found) - 1)} more" if len(found) > 1 else ""
            return self.clear(f"{found[0]}{more}")
        return self.found(
            self.finding(
                "Nothing in the logs or beside them shows that a checkpoint of the model was saved.",
                evidence=(
                    Evidence("signs of a checkpoint", 0.0, "1", "names of files, parameters, tags, events", len(case.log.run.files)),
                ),
                action=Action("Show that the checkpoint of the best step exists, and log where it lies.", "ML engineer", "an hour"),
                confidence=Confidence.MEDIUM,
                limits=limits,
            )
        )


DETECTOR = NoCheckpointEvidence()
