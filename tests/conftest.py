"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast the machine is must decide nothing.
settings.register_profile("trainreport", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trainreport")
