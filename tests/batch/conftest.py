"""Small folders of runs."""

from __future__ import annotations

import shutil
import sys

import pytest

from trainreport import _resources

SAMPLES = _resources.folder("sample_runs")
EVENTS = next((SAMPLES / "plateau" / "logs").glob("events*"))
GPU = SAMPLES / "starved" / "logs" / "first" / "gpu.csv"
STORE = SAMPLES / "search" / "logs" / "mlruns"


class Tree:
    """Folders with logs of each tool, copied from the samples."""

    def __init__(self, root):
        self.root = root

    def events(self, *folders):
        for folder in folders:
            self._copy(EVENTS, folder, "events.out.tfevents.1.host")

    def gpu(self, *folders):
        for folder in folders:
            self._copy(GPU, folder, "gpu.csv")

    def store(self, folder):
        shutil.copytree(STORE, self.root / folder)

    def text(self, folder, name, text):
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / folder / name).write_text(text)

    def _copy(self, source, folder, name):
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, self.root / folder / name)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    return Tree(root)


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
