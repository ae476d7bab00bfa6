"""Start-up stays cheap: heavy libraries are imported where they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pandas", "numpy", "scipy", "matplotlib", "jinja2", "weasyprint", "tensorboard")


@pytest.mark.parametrize("code", ["import trainreport", "import trainreport.cli as c; c.command_line(['--help'], standalone_mode=False)"])
def test_no_heavy_library_is_imported(code):
    probe = f"{code}\nimport sys\nprint('heavy:', [m for m in {HEAVY} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert out.stdout.strip().endswith("heavy: []")


def test_public_names_are_there_and_complete():
    import trainreport

    assert sorted(trainreport.__all__) == trainreport.__all__
    for name in trainreport.__all__:
        assert getattr(trainreport, name) is not None
        assert name in dir(trainreport)
    with pytest.raises(AttributeError):
        _ = trainreport.no_such_name
