"""The pictures and fonts of a brand, read as what anybody may have put there: bounded, checked, written anew.

Each reader takes a file's bytes and suffix, and says what is wrong with a ``ValueError`` that ends the sentence
"the file …".
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO
from typing import Any, ClassVar
from urllib.parse import quote

__all__ = ["FontFile", "font", "logo"]

_LOGO_BYTES = 200_000
_MOST_PIXELS = 16_000_000
_SHOWN = (1200, 240)  # pixels; about four times what the page shows, for print
_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = frozenset((
    "svg", "g", "defs", "title", "desc", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "linearGradient", "radialGradient", "stop", "clipPath", "mask", "style",
))  # fmt: skip
"""Elements that draw and nothing else: no script, no picture from elsewhere, no text in a font that is not there."""
_OUTSIDE = re.compile(r"url\(\s*['\"]?(?!#)|@|\\|javascript:|expression\(", re.IGNORECASE)
_OF_EDITORS = ("FFTM", "PfEd", "TeX ", "BDF ")
"""Tables that editors of fonts leave behind; nothing shows them, and fontTools would warn of each."""
_RESTRICTED = 0x0002  # OS/2 fsType: no embedding without leave of the owner


def logo(content: bytes, suffix: str) -> str:
    """Return a PNG, JPEG or SVG as an address that holds the picture."""
    if len(content) > _LOGO_BYTES:
        raise ValueError(f"is larger than {_LOGO_BYTES:,} bytes")
    if suffix == ".svg":
        return "data:image/svg+xml," + quote(_drawing(content))
    if suffix not in (".png", ".jpg", ".jpeg"):
        raise ValueError("is no picture that is read here; expected .png, .jpg or .svg")
    return f"data:image/png;base64,{b64encode(_pixels(content)).decode()}"


def _pixels(content: bytes) -> bytes:
    """Return a picture drawn anew as PNG, so that nothing but its pixels travels on."""
    import warnings

    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=("PNG", "JPEG")) as picture:
                if picture.width * picture.height > _MOST_PIXELS:
                    raise ValueError(f"has {picture.width} by {picture.height} pixels; {_MOST_PIXELS:,} are the most")
                drawn = picture.convert("RGBA")
    except (OSError, SyntaxError, Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise ValueError(f"is no PNG or JPEG that can be read: {error}") from error
    drawn.thumbnail(_SHOWN)
    stream = BytesIO()
    drawn.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _drawing(content: bytes) -> str:
    """Return an SVG that only draws; one that could do more is refused."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content:
        raise ValueError("has a document type or entities; save it as plain SVG in UTF-8")
    try:
        root = ET.fromstring(content)  # noqa: S314, see the import
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"is no SVG that can be read: {error}") from error
    if root.tag != f"{_SVG}svg" or not (root.get("viewBox") or (root.get("width") and root.get("height"))):
        raise ValueError("is no SVG with a viewBox, or with width and height")
    for parent in list(root.iter()):
        for element in list(parent):
            if isinstance(element.tag, str) and not element.tag.startswith(_SVG):
                parent.remove(element)  # notes of the program that drew it
    for element in root.iter():
        _only_draws(element)
    ET.register_namespace("", _SVG[1:-1])
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")


def _only_draws(element: ET.Element) -> None:
    name = str(element.tag).removeprefix(_SVG)
    if name not in _DRAWN:
        raise ValueError(f"has an element <{name}>; a logo holds shapes only")
    for key, value in list(element.attrib.items()):
        bare = key.rpartition("}")[2]
        if bare.lower().startswith("on"):
            raise ValueError(f"has an attribute {bare}, which runs a script")
        if (bare == "href" and not value.startswith("#")) or _OUTSIDE.search(value):
            raise ValueError(f"refers to something outside itself: {bare}={value[:60]!r}")
        if key.startswith("{") and bare != "href":
            del element.attrib[key]
    if name == "style" and _OUTSIDE.search(element.text or ""):
        raise ValueError("has a style that refers to something outside itself")


@dataclass(frozen=True, slots=True)
class FontFile:
    """A font that may be embedded."""

    MOST_BYTES: ClassVar[int] = 8_000_000
    content: bytes
    form: str
    """``ttf`` or ``otf``."""

    def rule(self, family: str, weight: int, text: str) -> str:
        """Return the rule that brings the font, cut down to the letters of `text`."""
        from fontTools import subset  # type: ignore[import-untyped]

        options = subset.Options(layout_features=["*"], notdef_outline=True)
        options.drop_tables = [*options.drop_tables, "SVG ", *_OF_EDITORS]
        with _opened(self.content) as whole:
            cutter = subset.Subsetter(options)
            cutter.populate(text=text)
            cutter.subset(whole)
            stream = BytesIO()
            whole.save(stream)
        kind = "opentype" if self.form == "otf" else "truetype"
        data = b64encode(stream.getvalue()).decode()
        return f"@font-face{{font-family:'{family}';font-weight:{weight};src:url(data:font/{self.form};base64,{data}) format('{kind}')}}"


def font(content: bytes, suffix: str) -> FontFile:
    """Return an OpenType or TrueType font that allows to be embedded."""
    if suffix not in (".otf", ".ttf"):
        raise ValueError("is no font that is read here; expected .otf or .ttf")
    if len(content) > FontFile.MOST_BYTES:
        raise ValueError(f"is larger than {FontFile.MOST_BYTES:,} bytes")
    found = FontFile(content, "otf" if content[:4] == b"OTTO" else "ttf")
    try:
        with _opened(content) as read:
            rights = read["OS/2"].fsType if "OS/2" in read else 0
        found.rule("trial", 400, "Aa1")
    except Exception as error:  # a broken font fails in ways of every table
        raise ValueError(f"is no font that can be read: {str(error) or type(error).__name__}") from error
    if rights & 0x000F == _RESTRICTED:
        raise ValueError("does not allow to be embedded (OS/2 fsType 2, restricted licence)")
    return found


def _opened(content: bytes) -> Any:
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    return TTFont(BytesIO(content), lazy=False, recalcTimestamp=False)
