from __future__ import annotations

import sys

from trainreport.cli.progress import Progress


def test_a_bar_where_a_person_watches(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress(2) as progress:
        progress.file("runs/" + "x" * 200)
        progress.step("writing html")
        progress.step("writing pdf")
    shown = capsys.readouterr().err.split("\r")
    assert shown[1].startswith("░░░░░░░░░░░░ reading · file 1 · runs/xxx")
    assert len(shown[1]) == 79
    assert shown[2].startswith("████░░░░░░░░ writing html")
    assert shown[3].startswith("████████░░░░ writing pdf")
    assert shown[-2].strip() == ""


def test_silence_where_nobody_does(capsys):
    with Progress(1) as progress:
        progress.file("a")
        progress.step("b")
    assert capsys.readouterr().err == ""
