"""TR502: missing hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.detectors.facts_of_run import KNOBS, knobs
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class MissingHyperparameters(Detector):
    """What the run was trained with was not written down.

    What it checks
    --------------
    The parameters that were logged with the run, by their usual names: learning rate, batch size, length, optimizer, model.

    Why it matters
    --------------
    Without them the run cannot be repeated, and nobody can say what was changed between two runs. Auditors ask for them first.

    How it decides
    --------------
    A finding is a run without any parameters, or with parameters of which none is a learning rate, a batch size, a length, an
    optimizer or a model. A logged curve of the learning rate counts as one.

    What to do
    ----------
    - Log the whole configuration once at the start: MLflow log_params, TensorBoard add_hparams, Lightning save_hyperparameters.

    Limits
    ------
    Parameters in a file that was not given are not seen. Names of one's own are not understood.

    References
    ----------
    - Pineau et al., Improving Reproducibility in Machine Learning Research, JMLR 22 (2021): the checklist.
    """

    code = "TR502"
    name = "missing-hyperparameters"
    severity = Severity.MINOR
    needs = ("parameters of a training run",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR502."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if not case.training_series() and not case.quality_series():
            return self.not_applicable("nothing was trained as far as the logs tell")
        params, known = case.log.run.params, knobs(case)
        if params and known:
            return self.clear(f"{words.plural(len(params), 'parameter')} logged, among them {words.joined(sorted(known))}")
        what = (
            f"{words.plural(len(params), 'parameter')} logged, none of them one that training is set by"
            if params
            else "No parameters were logged"
        )
        missing = [knob for knob in KNOBS if knob not in known][:3]
        return self.found(
            self.finding(
                f"{what}: {words.joined(missing)} are not known, so the run cannot be repeated.",
                evidence=(Evidence("parameters logged", float(len(params)), "1", "counted by name", len(params)),),
                action=Action("Log the whole configuration with each run.", "ML engineer", "an hour"),
                confidence=Confidence.HIGH,
                limits=limits,
            )
        )


DETECTOR = MissingHyperparameters()
