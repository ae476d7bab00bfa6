"""Assessments built by hand, so that a report can be looked at without importers, detectors or a verdict."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import SimpleNamespace

import pytest
from reports import made_cases, made_judged, made_logs


def plain(tree, indent=0):
    """Return the texts of a document, one a line, indented as they are nested."""
    if isinstance(tree, str):
        return [" " * indent + tree.replace("\u00a0", " ")] if tree else []
    if isinstance(tree, tuple):
        return [line for item in tree for line in plain(item, indent)]
    if is_dataclass(tree) and type(tree).__name__ != "FigureSpec":
        lines = [" " * indent + type(tree).__name__]
        for item in fields(tree):
            lines += plain(getattr(tree, item.name), indent + 2)
        return lines
    return []


@pytest.fixture
def made():
    """The builders: cases by name, and what they are made of."""
    found = {name: value for module in (made_logs, made_judged, made_cases) for name, value in vars(module).items()}
    return SimpleNamespace(**{name: value for name, value in found.items() if not name.startswith("_")}, plain=plain)


@pytest.fixture(params=sorted(made_cases.CASES))
def case(request):
    """Each of the cases: (name, assessment)."""
    return request.param, made_cases.CASES[request.param]()
