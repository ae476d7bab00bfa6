"""No socket is opened by anything that trainreport does."""

from __future__ import annotations

import socket

import pytest

from trainreport import _resources, analyze


class OpenedError(AssertionError):
    """Raised where a socket is opened."""


class ForbiddenSocket(socket.socket):
    """A class and not a function, since libraries derive from socket when they are imported."""

    def __init__(self, *_arguments, **_options):
        raise OpenedError


def _refuse(*_arguments, **_options):
    raise OpenedError


def test_a_whole_report_opens_no_socket(monkeypatch):
    monkeypatch.setattr(socket, "socket", ForbiddenSocket)
    monkeypatch.setattr(socket, "create_connection", _refuse)
    monkeypatch.setattr(socket, "getaddrinfo", _refuse)
    with pytest.raises(OpenedError):
        socket.socket(socket.AF_INET)
    analysis = analyze(_resources.folder("sample_runs") / "overfitting" / "logs")
    assert analysis.render("html")
    assert analysis.render("pdf")
