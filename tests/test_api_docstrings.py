"""The public interface documents itself: numpydoc renders every docstring without an error."""

from __future__ import annotations

import inspect

import pytest

import trainreport as tr

validate = pytest.importorskip("numpydoc.validate", reason="numpydoc is not installed: pip install numpydoc").validate

NOT_ASKED = {
    "EX01": "examples stand in the README and in the notebooks, where they are executed",
    "SA01": "the interface is small enough to be seen at once",
    "ES01": "a summary in one line is enough where it says all",
    "PR04": "several parameters together point to the function that explains them",
}
"""Rules that are not held to, each with its reason."""


_SHOWN = (tr.Runs, tr.Analysis, tr.Comparison)
"""Classes whose methods a notebook calls; a plan is data."""


def _public():
    for name in tr.__all__:
        thing = getattr(tr, name)
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            members = inspect.getmembers(thing, lambda one: inspect.isfunction(one) or isinstance(one, property))
            yield from (
                f"{thing.__module__}.{thing.__qualname__}.{member}" for member, _ in members if member[0] != "_" and thing in _SHOWN
            )
        if inspect.ismodule(thing):  # the package of batches is called as the function that it holds
            yield "trainreport.batches.library.batch"
        elif not isinstance(thing, str):
            yield f"{thing.__module__}.{thing.__qualname__}"


@pytest.mark.parametrize("name", sorted(set(_public())))
def test_numpydoc_finds_no_fault(name):
    of_class = name.rpartition(".")[2][0].isupper()
    fields = {"PR01"} if of_class else set()  # a dataclass documents each field below it
    faults = [(code, text) for code, text in validate(name)["errors"] if code not in {*NOT_ASKED, *fields}]
    assert faults == []
