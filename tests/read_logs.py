"""Reads one log with the importer that recognises it, for tests of importers."""

from __future__ import annotations

from pathlib import Path

from trainreport.importers.recording import Source
from trainreport.importers.registry import recognise

DATA = Path(__file__).parent / "importers" / "data"
"""Written by the libraries themselves; see ABOUT.md there."""


def read(path, name=None, **options):
    """Return importer name and recording of a file."""
    importer = recognise(path)
    assert not isinstance(importer, str), importer
    return importer.name, importer.read(Source(path, name or path.name, **options))


def written(tmp_path, name, text, **options):
    """Write a file, read it, and return importer name and recording."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, name, **options)


def values(recording, logged):
    """Return the values of a name as logged, in the order of the file."""
    return recording.frame.loc[recording.frame["logged"] == logged, "value"].tolist()


def steps(recording, logged):
    """Return the steps of a name as logged."""
    return recording.frame.loc[recording.frame["logged"] == logged, "step"].tolist()


def meanings(recording):
    """Return series, phase and unit by name as logged."""
    return {told.logged: (told.series, told.phase, told.unit) for told in recording.mappings}
