"""Settings of all tests, and the command line for those that call it."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, settings

# How fast the machine is must decide nothing.
settings.register_profile("trainreport", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trainreport")


@pytest.fixture
def call(monkeypatch, capsys):
    """Run `trainreport …` in this process; return exit code, stdout and stderr."""
    from trainreport.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["trainreport", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out, out.err

    return run
