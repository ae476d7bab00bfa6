"""A bar that says what goes on: in the cell of a notebook, else on a terminal. It takes no library of its own."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Progress", "watching"]

Progress = bool | None
"""True: show a bar; False: none; None: one in a notebook, where the work takes longer than a moment."""

_MOMENT_S = 0.5
_PACE_S = 0.1
_WIDTH = 79


@contextmanager
def watching(progress: Progress | Callable[[str], None]) -> Iterator[Callable[[str], None] | None]:
    """Give what is to be called with the name of each file before it is read; take the bar away at the end."""
    if callable(progress):
        yield progress
        return
    write = _writer(shown=progress)
    if write is None:
        yield None
        return
    files, began, last = 0, time.monotonic(), 0.0

    def say(name: str) -> None:
        nonlocal files, last
        files, now = files + 1, time.monotonic()
        if (progress or now - began > _MOMENT_S) and now - last > _PACE_S:
            last = now
            write(f"reading · file {files:,} · {name}")

    try:
        yield say
    finally:
        if last:
            write("")


def _writer(*, shown: bool | None) -> Callable[[str], None] | None:
    if shown is False:
        return None
    if _in_notebook():
        return _cell()
    return _terminal if shown and sys.stderr.isatty() else None


def _in_notebook() -> bool:
    """Return whether this runs in the kernel of a notebook, which holds IPython then."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


def _cell() -> Callable[[str], None]:
    """Return what writes below the cell, always in the same place."""
    from IPython.display import display

    show: Any = display  # IPython has types for some of its functions only
    handle: Any = None

    def write(text: str) -> None:
        nonlocal handle
        html = f"<div><progress></progress> {escape(text)}</div>" if text else ""
        bundle = {"text/html": html, "text/plain": text}
        if handle is None:
            handle = show(bundle, raw=True, display_id=True)
        else:
            handle.update(bundle, raw=True)

    return write


def _terminal(text: str) -> None:
    line = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
    sys.stderr.write(f"\r{line:<{_WIDTH}}" if text else f"\r{'':<{_WIDTH}}\r")
    sys.stderr.flush()
