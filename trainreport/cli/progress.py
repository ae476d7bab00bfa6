"""A line on stderr that says what goes on, where a person watches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress"]

_WIDTH = 79


class Progress:
    """Shows the step at work and the number of files read; silent where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._files = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._write("")

    def file(self, name: str) -> None:
        """Say that a file is being read."""
        self._files += 1
        self._write(f"reading · file {self._files:,} · {name}")

    def step(self, text: str) -> None:
        """Say what is being done."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self._shown:
            line = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
            click.echo(f"\r{line:<{_WIDTH}}" if text else f"\r{'':<{_WIDTH}}\r", nl=False, err=True)
