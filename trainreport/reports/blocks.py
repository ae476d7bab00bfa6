"""What a report is made of, as data without markup: parts, and blocks in them.

The strings are final: worded, rounded, cleaned. A format walks the tree and shows each block in its way;
`kind` names the block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from trainreport.reports.spec import FigureSpec

__all__ = [
    "Badge",
    "Block",
    "Card",
    "Cell",
    "Column",
    "Definitions",
    "Document",
    "Figure",
    "Figures",
    "Headline",
    "KeyFigure",
    "KeyFigures",
    "Link",
    "Listing",
    "Masthead",
    "Paragraph",
    "Part",
    "Reasons",
    "Row",
    "Section",
    "Signature",
    "Slice",
    "Spread",
    "Stance",
    "State",
    "Table",
    "Term",
    "Tone",
]

Tone = Literal["good", "bad", "warn", "quiet"]

_BRIEF = 8  # rows
_BAR_LETTERS = 106  # letters of small type that the width of the text has room for, margins counted in


@dataclass(frozen=True, slots=True)
class State:
    """How something stands: a sign and a word, so that colour is never alone."""

    sign: str
    word: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another place of the same document."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Masthead:
    """Who the report is for, and when the run ended."""

    kind: ClassVar[str] = "masthead"
    lead_in: str
    audience: str
    when: str


@dataclass(frozen=True, slots=True)
class Badge:
    """The verdict as a label."""

    kind: ClassVar[str] = "badge"
    state: State


@dataclass(frozen=True, slots=True)
class Headline:
    """What to do, as an imperative sentence; the title of the document."""

    kind: ClassVar[str] = "headline"
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; `strong` leads in, `link` ends it."""

    kind: ClassVar[str] = "paragraph"
    text: str
    style: Literal["text", "lead", "quiet"] = "text"
    strong: str = ""
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One large number with its state and target."""

    label: str
    value: str
    state: State | None
    note: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """A row of key figures."""

    kind: ClassVar[str] = "key_figures"
    items: tuple[KeyFigure, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with the sentence it says, how it was made, and what it shows for those who cannot see it."""

    kind: ClassVar[str] = "figure"
    id: str
    title: str
    spec: FigureSpec
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class Figures:
    """At most two charts side by side."""

    kind: ClassVar[str] = "figures"
    items: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `width` is its part of the whole."""

    title: str
    width: float = 1.0
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: a text, with a state before it and a quiet note below."""

    text: str
    note: str = ""
    strong: bool = False
    state: State | None = None
    mono: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; `mark` sets it off as the one in question."""

    cells: tuple[Cell, ...]
    mark: bool = False
    id: str = ""
    """For links to it."""
    confidence: int = 0
    """Of the finding that it tells, for the filter."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `note` says what was left out; a `dense` one is for looking up, in small type."""

    kind: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    dense: bool = False

    @property
    def brief(self) -> bool:
        """Whether it is low enough to stay on one page as a whole."""
        return self.dense and len(self.rows) <= _BRIEF

    @property
    def shares(self) -> tuple[float, ...]:
        """Width of each column in percent."""
        total = sum(column.width for column in self.columns)
        return tuple(round(100 * column.width / total, 2) for column in self.columns)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a whole; its name and its amount stand in the bar as far as there is room."""

    name: str
    amount: str
    share: float
    tone: Literal["accent", "good", "bad", "warn", "quiet"]

    @property
    def weight(self) -> int:
        """Its width in thousandths of the whole; what is there is never nothing."""
        return max(1, round(1000 * self.share))

    @property
    def shown(self) -> str:
        """What there is room for: name and amount, the amount, or nothing."""
        whole = f"{self.name} {self.amount}"
        return next((text for text in (whole, self.amount) if self.share * _BAR_LETTERS >= len(text)), "")


@dataclass(frozen=True, slots=True)
class Spread:
    """A whole cut into parts, as one bar."""

    kind: ClassVar[str] = "spread"
    items: tuple[Slice, ...]
    alt: str


@dataclass(frozen=True, slots=True)
class Stance:
    """One reason, for or against."""

    state: State
    text: str
    ref: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Reasons for and against."""

    kind: ClassVar[str] = "reasons"
    items: tuple[Stance, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A plain list of sentences."""

    kind: ClassVar[str] = "listing"
    items: tuple[str, ...]
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A word and what it means, or a question and its answer."""

    term: str
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A finding: what we saw, and the answers to what a reader asks next."""

    kind: ClassVar[str] = "card"
    id: str
    state: State
    code: str
    name: str
    where: str
    message: str
    answers: tuple[Term, ...]
    details: tuple[Term, ...]
    confidence: int = 0
    """As in `model.finding.Confidence`, for the filter."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Words and what they mean."""

    kind: ClassVar[str] = "definitions"
    items: tuple[Term, ...]
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """Lines that a person fills in by hand."""

    kind: ClassVar[str] = "signature"
    statement: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the second order with its blocks; `folded` where a reader may skip it."""

    kind: ClassVar[str] = "section"
    id: str
    title: str
    blocks: tuple[Block, ...]
    folded: bool = False


Block = (
    Masthead
    | Badge
    | Headline
    | Paragraph
    | KeyFigures
    | Figure
    | Figures
    | Table
    | Reasons
    | Listing
    | Card
    | Definitions
    | Signature
    | Spread
    | Section
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report; its title is a sentence and its message."""

    id: str
    short: str
    """For the contents bar and the bookmarks: ``Findings``."""
    title: str
    blocks: tuple[Block, ...]
    fresh: bool = True
    """Whether it begins a page in print."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    language: str
    running: str
    """Foot of every page."""
    summary: str
    parts: tuple[Part, ...]
    generator: str
