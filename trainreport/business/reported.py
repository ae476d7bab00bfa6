"""What other tools say of a run's energy and emissions, to stand beside the ledger's own figures; never added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainreport.model.run import RunLog

__all__ = ["reported_energy"]


def reported_energy(log: RunLog) -> str:
    """Return what trackers such as CodeCarbon reported, with the PUE and the grid that they counted with; empty where none did."""
    told = log.events.loc[log.events["kind"] == "energy-report", "message"].astype(str).drop_duplicates().tolist()
    return "; ".join(told)
