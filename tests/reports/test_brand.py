from __future__ import annotations

import base64
import io
import re
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest
from PIL import Image

from trainreport.errors import UsageError
from trainreport.reports.brand import read_brand
from trainreport.reports.brand_files import logo
from trainreport.reports.colours import DARK, LIGHT
from trainreport.reports.contrast import contrast, tint
from trainreport.reports.document import build
from trainreport.reports.formats import html, pdf

FONT = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4">{}</svg>'


def png(size=(8, 4), form="PNG"):
    stream = io.BytesIO()
    Image.new("RGB", size, "#7a2e8e").save(stream, form)
    return stream.getvalue()


@pytest.fixture
def brand(tmp_path):
    """Write a brand file with what lies beside it, and read it."""

    def written(text, **files):
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_bytes(content)
        (tmp_path / "brand.toml").write_text(text, encoding="utf-8")
        return read_brand(tmp_path / "brand.toml")

    return written


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#1f5fa8", "#ffffff", 6.44), ("#ffffff", "#ffffff", 1.0)],
)
def test_contrast_is_that_of_wcag(one, other, ratio):
    """The second is the best known near miss of 4.5:1."""
    assert contrast(one, other) == contrast(other, one) == pytest.approx(ratio, abs=0.005)


def test_the_colours_shipped_can_be_read():
    for theme in (LIGHT, DARK):
        for role in ("ink", "quiet", "accent", "bad", "good", "warn"):
            assert contrast(theme[role], theme["paper"]) >= 4.5
        assert contrast(theme["second"], theme["paper"]) >= 3


def test_tint_mixes():
    assert tint("#000000", "#ffffff", 0.5) == "#808080"
    assert tint("#102030", "#ffffff", 0.0) == "#ffffff"


def test_name_logo_and_colours_stand_in_both_formats(made, brand):
    look = brand(
        'name = "Nordwind"\nlogo = "logo.png"\n[colours.light]\naccent = "#7A2E8E"\n[colours.dark]\naccent = "#d9a3e6"', logo__png=png()
    )
    text = html.render(build(made.exam()), look)
    assert '<meta name="author" content="Nordwind">' in text
    assert re.search(r'<p class="brand"><img src="data:image/png;base64,[^"]+" alt="Nordwind"></p>', text)
    assert "#7a2e8e" in text
    assert "#d9a3e6" in text
    assert LIGHT["accent"] not in text
    assert "%237a2e8e" in text  # in the charts
    assert pdf.render(build(made.exam(), audience="sponsor"), brand=look).startswith(b"%PDF")


def test_a_report_without_a_brand_is_as_before(made, brand):
    document = build(made.exam())
    assert html.render(document, brand("")) == html.render(document)


def test_a_font_is_cut_down_and_comes_first(made, brand):
    look = brand('[fonts]\nregular = "brand.ttf"', brand__ttf=FONT.read_bytes())
    text = html.render(build(made.exam()), look)
    found = re.search(r"font-family:'Report Brand';font-weight:400;src:url\(data:font/ttf;base64,([^)]+)\)", text)
    assert found
    assert len(base64.b64decode(found[1])) < FONT.stat().st_size / 3
    assert "font-family:'Report Brand','Report Sans'" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('nmae = "x"', r"brand.toml:1: nmae: is no key of a brand; did you mean 'name'\?; expected one of name, logo, colours, fonts"),
        ("name = 3", r"brand.toml:1: name: 3 is no name"),
        ("name = ", r"brand.toml: is not TOML"),
        ("colours = 3", r"colours: 3 is no table"),
        ('[colours.light]\nacent = "#000000"', r"brand.toml:2: \[colours.light\] acent: is no key of a brand; did you mean 'accent'\?"),
        ('[colours.lihgt]\naccent = "#000000"', r"lihgt: is no key of a brand; did you mean 'light'\?"),
        ('[colours.light]\naccent = "blue"', r"\[colours.light\] accent: 'blue' is no colour; expected one such as \"#1f5fa8\""),
        ('[colours.light]\naccent = "#777777"', r"#777777 on #ffffff has a contrast of 4.48:1; text need at least 4.5:1"),
        ('[colours.dark]\naccent = "#1f5fa8"', r"#1f5fa8 on #161d24 has a contrast of 2.\d\d:1"),
        ('[colours.light]\nsecond = "#c0c0c0"', r"contrast of 1.\d\d:1; marks need at least 3.0:1"),
        (f'[colours.light]\ngood = "{LIGHT["bad"]}"', r"is the colour of 'bad' already"),
        ('logo = "none.png"', r"logo: 'none.png' cannot be read: no such file"),
        ('logo = "../../etc/passwd"', r"leads out of the folder of brand.toml"),
        ('logo = "/etc/passwd"', r"leads out of the folder of brand.toml"),
        ('logo = "brand.toml"', r"is no picture that is read here; expected .png, .jpg or .svg"),
        ('[fonts]\nregular = "brand.toml"', r"\[fonts\] regular: 'brand.toml' is no font that is read here"),
        ('[fonts]\nmedium = "a.ttf"', r"\[fonts\] medium: is no key of a brand"),
    ],
)
def test_faults_name_file_key_and_remedy(brand, text, said):
    with pytest.raises(UsageError, match=said):
        brand(text)


def test_a_link_that_leads_out_of_the_folder_is_refused(brand, tmp_path):
    outside = tmp_path.parent / "outside.png"
    outside.write_bytes(png())
    (tmp_path / "logo.png").symlink_to(outside)
    with pytest.raises(UsageError, match=r"leads out of the folder"):
        brand('logo = "logo.png"')


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("<script>alert(1)</script>", "<script>"),
        ('<path d="M0 0" onload="alert(1)"/>', "onload, which runs a script"),
        ('<image href="file:///etc/passwd"/>', "<image>"),
        ("<foreignObject/>", "<foreignObject>"),
        ('<use href="http://example.org/a.svg#b"/>', "outside itself: href"),
        ('<use xlink:href="a.svg#b" xmlns:xlink="http://www.w3.org/1999/xlink"/>', "outside itself: href"),
        ('<rect fill="url(http://example.org/a)"/>', "outside itself: fill"),
        ("<rect style=\"fill: url( 'x.svg#a')\"/>", "outside itself: style"),
        ("<style>@import 'a.css';</style>", "a style that refers"),
        ("<style>rect{fill:u\\72l(a)}</style>", "a style that refers"),
        ("<text>a</text>", "<text>"),
        ("<rect", "no SVG that can be read"),
    ],
)
def test_an_svg_that_does_more_than_draw_is_refused(inner, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        logo(SVG.format(inner).encode(), ".svg")


def test_an_svg_with_entities_is_refused():
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + SVG.format("<desc>&a;</desc>").encode()
    with pytest.raises(ValueError, match="document type or entities"):
        logo(bomb, ".svg")


def test_an_svg_that_draws_keeps_what_it_draws_and_loses_its_notes():
    drawn = '<style>.a{fill:#7a2e8e}</style><linearGradient id="g"/><path class="a" d="M0 0h8v4z"/><rect fill="url(#g)"/>'
    notes = '<x:note xmlns:x="http://example.org/editor">secret</x:note>'
    address = logo(SVG.format(drawn + notes).encode(), ".svg")
    assert address.startswith("data:image/svg+xml,%3Csvg")
    assert "secret" not in address
    assert "M0%200h8v4z" in address


def test_pixels_are_drawn_anew_and_bounded():
    address = logo(png((3000, 300), "JPEG"), ".jpg")
    picture = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    assert picture.format == "PNG"
    assert picture.width <= 1200
    assert picture.height <= 240
    with pytest.raises(ValueError, match="are the most"):
        logo(png((5000, 5000)), ".png")
    with pytest.raises(ValueError, match="no PNG or JPEG"):
        logo(b"\x89PNG\r\n\x1a\n broken", ".png")
    with pytest.raises(ValueError, match="larger than 200,000 bytes"):
        logo(b"x" * 200_001, ".png")


def test_a_broken_font_and_one_that_must_not_be_embedded_are_refused(brand, tmp_path):
    from fontTools.ttLib import TTFont

    with pytest.raises(UsageError, match=r"is no font that can be read"):
        brand('[fonts]\nregular = "a.ttf"', a__ttf=b"\0\1\0\0 broken")
    shutil.copy(FONT, tmp_path / "b.ttf")
    with TTFont(tmp_path / "b.ttf") as font:
        font["OS/2"].fsType = 2
        font.save(tmp_path / "b.ttf")
    with pytest.raises(UsageError, match=r"does not allow to be embedded"):
        brand('[fonts]\nregular = "b.ttf"')
