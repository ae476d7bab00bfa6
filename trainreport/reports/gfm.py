"""GitHub-flavoured Markdown: text that stays text whatever a log holds, tables and links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["anchor", "bold", "escaped", "link", "table"]

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_MARKUP = re.compile(
    r"[\\`*\[\]|~$]"  # mark something up wherever they stand; $ begins a formula on GitHub
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore within a word is plain
    r"|<(?=[A-Za-z/!?])"  # begins a tag or an address
    r"|&(?=#?\w+;)"  # begins an entity
)
_LINE_START = re.compile(r"^(\d*)([-+#>=]|(?<=\d)[.)](?=\s|$))")  # begins a list, a heading, a quotation or a rule
# What GitHub turns into a link, a mention, an issue or a picture although nothing marks it up. A backslash does not help there.
_UNASKED = re.compile(r"@(?=\w)|#(?=\d)|:(?=//)|:(?=[a-z+-][\w+-]*:)|\bwww(?=\.)", re.IGNORECASE)
_WITHIN_BLANKS = re.compile(r"^(\s*)(\S|\S.*\S)(\s*)$")
_APART = "&#8203;"  # a blank without width, as dependabot and renovate put it


def escaped(text: str) -> str:
    """Return `text` in one line of Markdown that shows it letter by letter."""
    line = _BLANKS.sub(" ", text).strip(" ")
    line = _LINE_START.sub(r"\1\\\2", _MARKUP.sub(lambda match: f"\\{match[0]}", line))
    return _UNASKED.sub(lambda match: f"{match[0]}{_APART}", line)


def bold(text: str) -> str:
    """Return `text` escaped and strong, its indent of fixed blanks left outside; nothing where it is empty."""
    return _WITHIN_BLANKS.sub(r"\1**\2**\3", escaped(text))


def link(text: str, target: str) -> str:
    """Return a link to a place of the same document."""
    return f"[{escaped(text)}](#{_name(target)})"


def anchor(name: str) -> str:
    """Return a place that `link` leads to."""
    return f'<a id="{_name(name)}"></a>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return a table of cells that are Markdown already; `right` says which columns are numbers."""
    rule = ["---:" if number else "---" for number in right]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _name(target: str) -> str:
    return re.sub(r"[^\w-]", "-", target)
