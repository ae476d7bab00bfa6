"""What other tools say of a run's energy and emissions, to stand beside the ledger's own figures; never added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model import words

if TYPE_CHECKING:
    from trainreport.model.run import RunLog

__all__ = ["reported_energy"]

_J_PER_KWH = 3.6e6


def reported_energy(log: RunLog, pue: float) -> str:
    """Return what trackers such as CodeCarbon reported, with the PUE and the grid that they counted with; empty where none did.

    Parameters
    ----------
    log : RunLog
    pue : float
        The plan's. A tracker's energy holds its own PUE: where that is another one, the figure without it and with ours
        stands behind, for only that can be compared.
    """
    told = log.events.loc[log.events["kind"] == "energy-report", "message"].astype(str).drop_duplicates().tolist()
    ours = _with_ours(log, pue) if len(told) == 1 else ""
    return "; ".join([*told, *([ours] if ours else [])])


def _with_ours(log: RunLog, pue: float) -> str:
    theirs = _number(log.run.tags.get("energy.pue", ""))
    values = log.frame.loc[log.frame["series"] == "energy/reported", "value"]
    if theirs is None or theirs == pue or len(values) != 1:
        return ""
    kwh = float(values.iloc[0]) / _J_PER_KWH / theirs
    return f"without its PUE {words.number(kwh)} kWh, with the plan's PUE of {pue:g} {words.number(kwh * pue)} kWh"


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 1 <= found <= 10 else None
