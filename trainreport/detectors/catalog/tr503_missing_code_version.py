"""TR503: missing code version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.detectors.facts_of_run import written_down
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class MissingCodeVersion(Detector):
    """Which code trained the model was not written down.

    What it checks
    --------------
    The commit of the code: MLflow's mlflow.source.git.commit, else parameters, tags and texts with a usual name such as git_commit,
    git_sha, code_version or revision.

    Why it matters
    --------------
    A model whose code is not known cannot be rebuilt, corrected or defended.

    How it decides
    --------------
    It is a finding when no source names a code version. What kind it is does not matter, only that it
    is there; a name that moves, such as main or latest, is none.

    What to do
    ----------
    - Run from a clean git checkout under MLflow, which then notes the commit; or log the commit as a tag or parameter git_commit.

    Limits
    ------
    A commit says nothing of changes that were not committed. Whether it still exists is not looked up.

    References
    ----------
    - Pineau et al., Improving Reproducibility in Machine Learning Research, JMLR 22 (2021): the checklist.
    """

    code = "TR503"
    name = "missing-code-version"
    severity = Severity.MINOR
    needs = ("code version among tags or parameters",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR503."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        return written_down(
            self,
            case,
            limits,
            case.log.run.code_version,
            what="code version",
            lost="which code trained the model cannot be shown",
            read="tags, parameters, texts and inputs of all sources",
            action=Action("Log the git commit with each run.", "ML engineer", "an hour"),
        )


DETECTOR = MissingCodeVersion()
