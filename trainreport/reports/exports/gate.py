"""What of an assessment may stop a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainreport.model.decision import Assessment
    from trainreport.model.plan import Accepted

__all__ = ["accepted"]


def accepted(assessment: Assessment, code: str) -> Accepted | None:
    """Return what the plan says where its owner accepts the findings of `code` on the assessment's day."""
    today = assessment.as_of.date() if assessment.as_of is not None else None
    return next((one for one in assessment.plan.accepted if one.code == code and (today is None or today <= one.until)), None)
