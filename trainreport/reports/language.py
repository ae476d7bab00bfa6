"""Which language a report speaks: one file of wording a language, ``templates/words.<code>.toml``.

English is complete by being what the others are held against; a test proves that each has the same keys and the
same placeholders. The language is chosen once, around building and rendering, and is English wherever nobody chose.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

from trainreport._resources import folder
from trainreport.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENGLISH", "languages", "numeral", "speaking", "spoken", "wording"]

ENGLISH = "en"
_FILE = re.compile(r"words\.([a-z]{2})\.toml")
_NUMERAL = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\d.,]*\d)")
_spoken: ContextVar[str] = ContextVar("spoken", default=ENGLISH)


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a file of wording."""
    found = (_FILE.fullmatch(file.name) for file in (folder("templates")).iterdir())
    return tuple(sorted(one[1] for one in found if one))


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for as long as the context lasts.

    Raises
    ------
    UsageError
        If there is no wording in it.
    """
    if language not in languages():
        expected = ", ".join(languages())
        raise UsageError(f"{language!r} is no language of reports{did_you_mean(language, languages())}; expected {expected}")
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def spoken() -> str:
    """Return the code of the language that is spoken."""
    return _spoken.get()


@cache
def wording(language: str) -> dict[str, dict[str, str]]:
    """Return all fixed wording of a language: group -> name -> text."""
    import tomllib

    return tomllib.loads((folder("templates") / f"words.{language}.toml").read_text(encoding="utf-8"))


def numeral(text: str) -> str:
    """Return `text`, its numbers written as the language spoken writes them: ``1.234,5`` for ``1,234.5`` in German."""
    if spoken() == ENGLISH:
        return text
    marks = wording(spoken())["numbers"]
    swap = str.maketrans({",": marks["group"], ".": marks["decimal"]})
    return _NUMERAL.sub(lambda found: found[0].translate(swap), text)
