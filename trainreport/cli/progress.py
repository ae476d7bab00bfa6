"""A bar on stderr that says what goes on, where a person watches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress"]

_WIDTH = 79
_BAR = 12


class Progress:
    """Shows how far the work has come: reading first, then one step after the other; silent where stderr is no terminal.

    Parameters
    ----------
    steps : int
        Number of steps that follow on reading, each announced by `step`.
    """

    def __init__(self, steps: int = 0) -> None:
        self._shown = sys.stderr.isatty()
        self._files = 0
        self._done, self._steps = 0, steps + 1

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._write("")

    def file(self, name: str) -> None:
        """Say that a file is being read."""
        self._files += 1
        self._write(f"reading · file {self._files:,} · {name}")

    def step(self, text: str) -> None:
        """Say that the next step has begun."""
        self._done = min(self._done + 1, self._steps)
        self._write(text)

    def _write(self, text: str) -> None:
        if self._shown:
            full = round(_BAR * self._done / self._steps)
            line = f"{'█' * full}{'░' * (_BAR - full)} {text}"
            line = line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
            click.echo(f"\r{line:<{_WIDTH}}" if text else f"\r{'':<{_WIDTH}}\r", nl=False, err=True)
