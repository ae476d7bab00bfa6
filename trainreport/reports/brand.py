"""The look of an organisation on its reports: a small TOML with its name, logo, colours and fonts.

What could make a report unreadable or unsafe is refused with its place in the file: a colour that cannot be read,
a picture with a script in it, a font that must not be embedded.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.errors import UsageError, did_you_mean
from trainreport.model.plan_reader import line_of
from trainreport.reports.brand_files import FontFile, font, logo
from trainreport.reports.colours import DARK, LIGHT
from trainreport.reports.contrast import contrast, tint
from trainreport.reports.glyphs import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Brand", "read_brand"]

_LONGEST = 65_536
_NAME = 80  # letters
_TEXT = ("ink", "quiet", "accent", "bad", "good", "warn")
_MARKS = ("second",)
_TEXT_RATIO, _MARK_RATIO = 4.5, 3.0  # WCAG 2.2, criteria 1.4.3 and 1.4.11
_THEMES = {"light": LIGHT, "dark": DARK}
_TINTS = {"light": "#eef3fa", "dark": "#1e2b3a"}
"""The ground of a row set off, as it stands in the style; a brand's is mixed from its accent."""
_TINTED = 0.08
_WEIGHTS = {"regular": 400, "semibold": 600, "bold": 700}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_KEYS = {"": ("name", "logo", "colours", "fonts"), "colours": tuple(_THEMES), "fonts": tuple(_WEIGHTS)}


@dataclass(frozen=True, slots=True)
class Brand:
    """A look that was found readable and safe."""

    name: str = ""
    logo: str = ""
    """As an address with the picture in it."""
    colours: tuple[tuple[str, str], ...] = ()
    """(colour of the style, colour in its place)."""
    fonts: tuple[tuple[int, FontFile], ...] = ()
    """(weight, font)."""

    def recoloured(self, text: str) -> str:
        """Return a style or a drawing in the colours of the brand."""
        if not self.colours:
            return text
        told = dict(self.colours)
        return re.sub("|".join(told), lambda found: told[found[0]], text)

    def faces(self, text: str) -> str:
        """Return the rules that bring the fonts, cut down to the letters of `text`."""
        return "".join(one.rule("Report Brand", weight, text) for weight, one in self.fonts)


def read_brand(path: str | Path) -> Brand:
    """Return the look that a brand file asks for.

    Parameters
    ----------
    path : str or Path
        A TOML file; pictures and fonts that it names lie in its folder or below.

    Raises
    ------
    UsageError
        If it cannot be read, has a key that is not known, or asks for what cannot be read or is not safe.
    """
    file = Path(path)
    text = _text(file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: is not TOML: {error}") from error
    say = _Faults(file, text)
    _known(say, data, "")
    name = data.get("name", "")
    if not isinstance(name, str) or len(name) > _NAME:
        raise say.fault("", "name", f"{name!r} is no name; expected a text of at most {_NAME} letters")
    return Brand(
        name=clean(name.strip()),
        logo=_file(say, "", "logo", data["logo"], logo) if "logo" in data else "",
        colours=_colours(say, _table(say, data, "colours")),
        fonts=tuple((_WEIGHTS[key], _file(say, "fonts", key, value, font)) for key, value in _table(say, data, "fonts").items()),
    )


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(_LONGEST + 1)
        if len(content) > _LONGEST:
            raise UsageError(f"{file}: is larger than {_LONGEST:,} bytes; expected a small TOML file")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{file}: cannot be read: {reason}") from error


@dataclass(frozen=True, slots=True)
class _Faults:
    """Makes errors that name the place in the file."""

    file: Path
    text: str

    def fault(self, table: str, key: str, message: str) -> UsageError:
        line = line_of(self.text, table, key)
        where = f"[{table}] {key}" if table else key
        return UsageError(f"{self.file}{f':{line}' if line else ''}: {where}: {message}")


def _table(say: _Faults, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise say.fault("", name, f"{found!r} is no table; expected [{name}]")
    _known(say, found, name)
    return found


def _known(say: _Faults, data: Iterable[str], table: str) -> None:
    expected = _KEYS.get(table, (*_TEXT, *_MARKS))
    for key in data:
        if key not in expected:
            raise say.fault(table, key, f"is no key of a brand{did_you_mean(key, expected)}; expected one of {', '.join(expected)}")


def _file(say: _Faults, table: str, key: str, value: object, read: Callable[[bytes, str], Any]) -> Any:
    """Return what `read` makes of a file in the folder of the brand file; it says what is wrong with a ValueError."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise say.fault(table, key, f"{value!r} is no file; expected a path relative to {say.file.name}")
    folder = say.file.resolve().parent
    target = (folder / value).resolve()
    if not target.is_relative_to(folder):
        raise say.fault(table, key, f"{value!r} leads out of the folder of {say.file.name}; put the file beside it")
    try:
        return read(_bytes(target), target.suffix.lower())
    except OSError as error:
        raise say.fault(table, key, f"{value!r} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise say.fault(table, key, f"{value!r} {error}") from error


def _bytes(file: Path) -> bytes:
    if not file.is_file():
        raise FileNotFoundError(2, "no such file")
    with file.open("rb") as stream:
        return stream.read(FontFile.MOST_BYTES + 1)


def _colours(say: _Faults, tables: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for theme in tables:
        given, colours = _table_of(say, tables, theme), dict(_THEMES[theme])
        for role, value in given.items():
            if not isinstance(value, str) or not _COLOUR.fullmatch(value):
                raise say.fault(f"colours.{theme}", role, f'{value!r} is no colour; expected one such as "{colours[role]}"')
            colours[role] = value.lower()
        ground = tint(colours["accent"], colours["paper"], _TINTED) if "accent" in given else _TINTS[theme]
        for role in given:
            _readable(say, theme, role, colours, ground)
        found |= {_THEMES[theme][role]: colours[role] for role in given} | {_TINTS[theme]: ground}
    return tuple(found.items())


def _table_of(say: _Faults, tables: Mapping[str, Any], theme: str) -> Mapping[str, Any]:
    given = tables[theme]
    if not isinstance(given, dict):
        raise say.fault("colours", theme, f"{given!r} is no table; expected [colours.{theme}]")
    _known(say, given, f"colours.{theme}")
    return given


def _readable(say: _Faults, theme: str, role: str, colours: Mapping[str, str], ground: str) -> None:
    """Refuse a colour that is too near the paper, or that means something else already."""
    least, what = (_TEXT_RATIO, "text") if role in _TEXT else (_MARK_RATIO, "marks")
    grounds = (colours["paper"], ground) if role in ("ink", "quiet") else (colours["paper"],)
    for paper in grounds:
        ratio = contrast(colours[role], paper)
        if ratio < least:
            message = f"{colours[role]} on {paper} has a contrast of {ratio:.2f}:1; {what} need at least {least}:1"
            raise say.fault(f"colours.{theme}", role, message)
    same = next((other for other, colour in colours.items() if other != role and colour == colours[role]), None)
    if same is not None:
        raise say.fault(f"colours.{theme}", role, f"{colours[role]} is the colour of {same!r} already; they could not be told apart")
