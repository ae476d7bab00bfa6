"""What outside packages add to the product."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainreport._discovery import PlugIn

__all__ = ["plug_ins"]


def plug_ins() -> tuple[PlugIn, ...]:
    """Return the importers, detectors and formats of outside packages, those that are left out with the reason."""
    from trainreport import detectors
    from trainreport.importers import registry
    from trainreport.reports import formats

    return (*registry.plug_ins(), *detectors.plug_ins(), *formats.plug_ins())
