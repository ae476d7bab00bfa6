"""TR504: missing data version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.detectors.facts_of_run import written_down
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class MissingDataVersion(Detector):
    """Which data trained the model was not written down.

    What it checks
    --------------
    Name and digest of the data: MLflow's dataset inputs, else parameters, tags and texts with a usual name such as dataset_version,
    data_hash or dvc_rev.

    Why it matters
    --------------
    Without it nobody can say whether two runs differ by their training or by their data, whether personal data was in it, or
    whether the test set was seen.

    How it decides
    --------------
    It is a finding when no source names a data version. What kind it is does not matter, only that it
    is there; a name that moves, such as main or latest, is none.

    What to do
    ----------
    - Log the data set with its digest: MLflow log_input, a DVC or lakeFS revision, or the SHA-256 of the file, as a tag or parameter
      dataset_version.

    Limits
    ------
    A digest proves that two runs read the same data, not that the data is good.

    References
    ----------
    - Gebru et al., Datasheets for Datasets, CACM 64 (2021).
    - EU AI Act, article 10: data governance.
    """

    code = "TR504"
    name = "missing-data-version"
    severity = Severity.MINOR
    needs = ("data version among tags or parameters",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR504."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        return written_down(
            self,
            case,
            limits,
            case.log.run.data_version,
            what="data version",
            lost="which data trained the model cannot be shown",
            read="tags, parameters, texts and inputs of all sources",
            action=Action("Log name and digest of the data set with each run.", "Data lead", "an hour"),
        )


DETECTOR = MissingDataVersion()
