"""Drops from an SVG of matplotlib what no eye sees: a third of its bytes stays."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["lean"]

_GLYPH = re.compile(r'<path id="\w+-([A-Z])\w*-(\w+)" d="([^"]*)" transform="scale\(0\.015625\)"/>')
_BLANK = re.compile(r'<path id="([\w-]+)" transform="scale\(0\.015625\)"/>')  # the space: a letter without a line
_LETTER = re.compile(r'<use xlink:href="#\w+-([A-Z])\w*-(\w+)"(?: transform="translate\(([-\d.]+) 0\)")?/>')
_SEGMENT = re.compile(r"([MLQCz])([^MLQCz]*)")
_LONG = 120  # letters of a path; a curve of so many points is read as a whole, to a tenth of a point


def lean(svg: str) -> str:
    """Return the same drawing without prologue, comments, bare groups, long names and needless digits.

    Parameters
    ----------
    svg : str
        As matplotlib writes it, its text drawn as paths.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><").strip()
    for blank in set(_BLANK.findall(svg)):
        svg = re.sub(rf'<(?:path id="|use xlink:href="#){blank}"[^>]*>', "", svg)
    svg = _GLYPH.sub(lambda found: f'<path id="{found[1]}{found[2]}" d="{_glyph(found[3])}"/>', svg)
    svg = _LETTER.sub(lambda found: f'<use xlink:href="#{found[1]}{found[2]}"{_across(found[3])}/>', svg)
    svg = re.sub(r" scale\(0\.(\d+) -0\.\1\)", r" scale(.0\1 -.0\1)", svg)
    svg = re.sub(r' d="(M \d[^"]*)"', lambda found: f' d="{_path(found[1], 1 if _is_curve(found[1]) else 2)}"', svg)
    svg = re.sub(r'translate\([^)]*\)| [xy]="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)
    svg = re.sub(r' id="(?:line2d|patch|text|figure)_\d+"|(?<=[;:]) | stroke-dashoffset: 0;', "", svg)
    svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace("xlink:href", "href")
    return _without_bare_groups(svg)


def _is_curve(path: str) -> bool:
    return len(path) > _LONG and "C" not in path


@cache
def _glyph(path: str) -> str:
    """Return a letter in thousandths of its size: matplotlib draws it at 100 pixels, in 64ths of them."""
    return _path(re.sub(r"-?[\d.]+", lambda found: f"{float(found[0]) / 6.4:.0f}", path), 0)


def _across(place: str | None) -> str:
    return f' x="{float(place) * 10:.0f}"' if place else ""


def _path(path: str, digits: int) -> str:
    """Return a path in steps from point to point, rounded to `digits`; the rounding does not add up."""
    scale = 10**digits
    pieces, before, at, began = [], "", (0, 0), (0, 0)
    for letter, rest in _SEGMENT.findall(path):
        if letter == "z":
            pieces.append("z")
            before, at = "z", began
            continue
        numbers = [round(float(part) * scale) for part in rest.split()]
        end = (numbers[-2], numbers[-1])
        steps = [number - at[i % 2] for i, number in enumerate(numbers)]
        command = letter.lower() if pieces else "M"
        if command == "l" and 0 in steps:
            command, steps = ("v", steps[1:]) if steps[0] == 0 else ("h", steps[:1])
        text = [_number(step, digits) for step in steps]
        pieces.append(_joined(text, "" if command == before else command))
        before, at = ("l" if command == "m" else command), end
        began = end if letter == "M" else began
    return "".join(pieces)


@cache
def _number(value: int, digits: int) -> str:
    text = f"{abs(value) / 10**digits:.{digits}f}"
    text = (text.rstrip("0").rstrip(".") if digits else text).removeprefix("0") or "0"
    return f"-{text}" if value < 0 else text


def _joined(numbers: list[str], written: str) -> str:
    """Write numbers after one another; a sign or a second point parts them as well as a blank does."""
    for place, number in enumerate(numbers):
        parted = (not place and written) or number[0] == "-" or (place and number[0] == "." and "." in numbers[place - 1])
        written += number if parted else f" {number}"
    return written


def _without_bare_groups(svg: str) -> str:
    kept: list[bool] = []

    def one(tag: re.Match[str]) -> str:
        if tag[0] == "</g>":
            return tag[0] if kept.pop() else ""
        kept.append(tag[0] != "<g>")
        return tag[0] if kept[-1] else ""

    return re.sub(r"<g\b[^>]*>|</g>", one, svg)
