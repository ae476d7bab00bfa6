"""What is missing is named, with the command that brings it."""

from __future__ import annotations

import importlib
import sys

import pytest

from trainreport import _optional
from trainreport.errors import MissingDependencyError


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(MissingDependencyError, match=r"PDF output needs the package 'weasyprint': pip install weasyprint"):
        _optional.require_weasyprint()


def test_an_import_error_from_inside_a_library_is_passed_on(monkeypatch):
    monkeypatch.delitem(sys.modules, "jinja2", raising=False)
    monkeypatch.setitem(sys.modules, "markupsafe", None)
    for name in [name for name in sys.modules if name.startswith("jinja2.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match="markupsafe"):
        _optional.require("jinja2", "HTML")


@pytest.mark.parametrize(("platform", "command"), [("linux", "apt-get install -y libpango"), ("darwin", "brew install pango")])
def test_a_missing_system_library(monkeypatch, platform, command):
    def broken(_name, _purpose):
        raise OSError("cannot load library 'libpango-1.0-0'\nand more")

    monkeypatch.setattr(_optional, "require", broken)
    monkeypatch.setattr(_optional.sys, "platform", platform)
    with pytest.raises(MissingDependencyError, match=command) as caught:
        _optional.require_weasyprint()
    assert "and more" not in str(caught.value)


def test_doctor_says_what_to_do(monkeypatch, capsys):
    from trainreport.cli import doctor

    real = importlib.import_module

    def pango_is_gone(name, *rest):
        if name == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        if name == "pyarrow":
            raise ImportError("No module named 'pyarrow'")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", pango_is_gone)
    with pytest.raises(SystemExit) as stop:
        doctor.command(standalone_mode=False, args=[])
    out = capsys.readouterr().out
    assert stop.value.code == 4
    assert "pip install pyarrow" in out
    assert _optional.pango_command() in out
    assert len(out.splitlines()) > 10
