from __future__ import annotations

from trainreport.reports import glyphs


def test_what_no_font_has_is_shown_as_unknown():
    assert glyphs.clean("名前 ok") == "\ufffd\ufffd ok"
    assert glyphs.clean("Привет, αβγ ≥ 3") == "Привет, αβγ ≥ 3"


def test_signs_of_the_report_are_all_there():
    assert glyphs.clean("■▲✓✕●○◆▾▸–“”…₂·×") == "■▲✓✕●○◆▾▸–“”…₂·×"


def test_controls_and_turns_of_direction_are_not_let_through():
    text = glyphs.clean("a\u202eb\u0000c\x1b[31md\u200de")
    assert text == "a\ufffdb\ufffdc\ufffd[31md\ufffde"
    assert glyphs.clean("two\nlines\tand a tab") == "two lines and a tab"


def test_a_number_stays_with_its_unit_and_commands_are_quoted():
    assert glyphs.clean("85 % for 3.20 EUR in 10 h, 3 houses") == "85\u00a0% for 3.20\u00a0EUR in 10\u00a0h, 3 houses"
    assert glyphs.clean("see `trainreport plan new`") == "see “trainreport plan new”"


def test_length_is_bounded():
    assert len(glyphs.clean("x" * 1_000_000)) == glyphs.LONGEST


def test_the_large_fallback_is_only_for_those_who_need_it():
    assert len(glyphs.faces_for("Accuracy 85 % ■ ✕")) < len(glyphs.faces_for("точность"))


def test_licences_go_with_the_fonts():
    from trainreport._resources import folder

    fonts = folder("templates") / "fonts"
    assert "SIL Open Font License" in (fonts / "OFL.txt").read_text(encoding="utf-8")
    assert "Bitstream" in (fonts / "LICENSE_DEJAVU.txt").read_text(encoding="utf-8")
