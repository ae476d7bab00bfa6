from __future__ import annotations

import re
import string
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest
from scenarios import broken, evidence, hardware, outlook, overfitting, series, target, trouble

from trainreport.errors import UsageError
from trainreport.reports import words
from trainreport.reports.document import build
from trainreport.reports.formats import html, markdown
from trainreport.reports.language import languages, numeral, speaking, wording
from trainreport.reports.retold import MARKS, retold, retold_tree, unmarked

OTHERS = [language for language in languages() if language != "en"]
SAMPLES = Path(__file__).parents[2] / "sample_runs"
PARTS = Path(words.__file__).parent
SCENARIOS = {
    one.name: one for theme in (overfitting, target, evidence, broken, trouble, outlook, hardware, series) for one in theme.SCENARIOS
}
NOT_WORDING = {"id", "link", "target", "tone", "sign", "language", "code", "ref", "form", "align", "style", "weight"}
ENGLISH_TOO = {"an", "am", "in", "so", "die", "war", "was", "hat", "note"}  # written alike in German, with another meaning


def placeholders(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def every(tree):
    """Yield each text of a document, of its charts too."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, tuple):
        for item in tree:
            yield from every(item)
    elif is_dataclass(tree):
        for item in fields(tree):
            if item.name not in NOT_WORDING:
                yield from every(getattr(tree, item.name))


def english(text):
    return re.findall(f"{MARKS[0]}([^{MARKS[1]}]*){MARKS[1]}", text)


def spelled(texts):
    return {word for text in texts for word in re.findall(r"[A-Za-zÄÖÜäöüß]+", re.sub(r"{\w+}", " ", text))}


@cache
def vocabulary():
    """Return words of the English wording that the German one never uses."""
    german, found = wording("de"), set()
    for group, texts in wording("en").items():
        if group not in ("glossary_needs", "verdict_tone", "severity_tone", "bucket_tone", "numbers"):
            found |= {word.lower() for word in spelled(texts.values())}
    return found - {word.lower() for group in german.values() for word in spelled(group.values())} - ENGLISH_TOO


def given(assessment):
    """Return the texts that people and logs gave: names, values of the plan, files, settings."""
    plan = assessment.plan
    yield from (plan.title, plan.owner, plan.objective, *(one.worth or "" for one in plan.criteria), *(one.id for one in plan.criteria))
    yield from (skipped.path for skipped in assessment.skipped)
    for run in assessment.runs:
        info = run.log.run
        yield from (info.id, info.name, *info.params, *info.params.values(), info.hardware.gpu_model or "", info.data_version or "")
        yield from run.log.frame["logged"].cat.categories
        yield from run.log.frame["series"].cat.categories
        yield from (file.path for file in info.files)
        yield from (device.device for device in run.ledger.devices)


def leftover(assessment):
    """Return English words of the wording in the German report, outside of what is marked and of what was given."""
    names = {word.lower() for text in given(assessment) if text for word in spelled([text.replace("_", " ")])}
    found = {}
    for text in every(build(assessment, language="de").parts):
        bare = re.sub(f"{MARKS[0]}[^{MARKS[1]}]*{MARKS[1]}|„[^“]*“|'[^']*'|--[\\w-]+|[\\w.]+ =|\\b[0-9a-f]{{32,}}\\b", " ", text)
        for word in spelled([bare.replace("_", " ")]):
            if len(word) > 2 and word.lower() in vocabulary() - names:
                found.setdefault(word, text)
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_the_same_keys_and_placeholders(language):
    ours, theirs = wording("en"), wording(language)
    assert {group: set(texts) for group, texts in theirs.items()} == {group: set(texts) for group, texts in ours.items()}
    for group, texts in ours.items():
        for name, text in texts.items():
            if group != "glossary_needs":
                assert placeholders(theirs[group][name]) == placeholders(text), f"{group}.{name}"
                assert theirs[group][name].strip(), f"{group}.{name}"


def test_each_wording_that_the_code_asks_for_is_there():
    asked = set()
    for file in [*PARTS.glob("*.py"), *PARTS.glob("*/*.py")]:
        text = file.read_text(encoding="utf-8")
        asked |= {(name, "") for name in re.findall(r'words\.label\("([\w.-]+[\w])"[,)]', text)}
        asked |= {(name, "_one") for name in re.findall(r'words\.counted\("([\w.-]+)"[,)]', text)}
    assert len(asked) > 200
    table = wording("en")
    for name, ending in asked:
        group, _, key = name.partition(".")
        assert key + ending in table[group], name


def test_a_language_without_wording_is_refused(made):
    with pytest.raises(UsageError, match=r"'dd' is no language of reports.*expected de, en"):
        build(made.exam(), language="dd")


def test_german_reports_have_no_english_wording(case):
    assert leftover(case[1]) == {}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(path.parent.name for path in SAMPLES.glob("*/plan.toml")))
def test_german_reports_of_samples_have_no_english_wording(name):
    from trainreport import api

    assessment = api.analyze([SAMPLES / name / "logs"], SAMPLES / name / "plan.toml").assessment
    assert leftover(assessment) == {}
    first = build(assessment, language="de").parts[0]
    assert [text for whole in every(first) for text in english(whole)] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_the_sponsor_reads_is_german(name):
    decision = SCENARIOS[name].assessed().decision
    options = [text for one in decision.options for text in (one.title, one.does, one.cost_note, one.chance, one.who)]
    texts = [decision.headline, decision.lead, *decision.conditions, decision.what_would_change_it, *options]
    with speaking("de"):
        found = [part for text in texts for part in english(retold(text))]
    assert [part for part in found if "CUDA out of memory" not in part and "Tried to allocate" not in part] == []  # told by the log


def test_numbers_and_dates_are_written_as_in_the_language(made):
    with speaking("de"):
        assert words.number(1234.5, 5) == "1.234,5"
        assert words.number(1.2e-7) == "1,2e-7"
        assert words.duration(300 * 3600).replace("\u00a0", " ") == "12,5 Tage"
        assert words.agreed(12 * 3600).replace("\u00a0", " ") == "12 h"
        assert words.joined(["a", "b", "c"]) == "a, b und c"
        assert words.date(made.START, "Europe/Berlin").replace("\u00a0", " ") == "9. Juni 2026"
        assert words.number(float("nan")).replace("\u00a0", " ") == "keine Zahl"
        assert numeral("version 0.1.0, step 20,000, 0.5 %") == "version 0.1.0, step 20.000, 0,5 %"


def test_what_is_known_is_said_again_and_the_rest_is_marked():
    text = "It reached 85 % in validation accuracy; 90 % was agreed. Colourless ideas sleep."
    assert retold(text) == text
    with speaking("de"):
        said = f"Erreicht wurden 85 % Genauigkeit (Validierung); vereinbart waren 90 %. {MARKS[0]}Colourless ideas sleep.{MARKS[1]}"
        assert retold(text) == said
        assert unmarked(said).endswith("%. Colourless ideas sleep.")


def test_a_clause_that_is_not_known_leaves_its_sentence_as_it_is():
    with speaking("de"):
        assert retold("Keep the best checkpoint and tune once, stopping at the best checkpoint.").startswith(
            "Behalten Sie den besten Stand"
        )
        assert english(retold("Keep a colourless idea and tune once, stopping at the best checkpoint."))


def test_text_of_unknown_origin_is_marked_where_it_reads_as_english():
    with speaking("de"):
        assert retold_tree(("Runs", "sweep/one-of-the-best", "Of 6 runs, a came furthest with 85 %")) == (
            "Läufe",
            "sweep/one-of-the-best",
            "Von 6 Läufen kam a am weitesten: 85 %",
        )
        assert english(retold_tree("The wind is on the hill.")) == ["The wind is on the hill."]


def test_english_is_marked_in_html_and_in_no_attribute(made):
    text = html.render(build(made.exam(), language="de"))
    assert '<html lang="de">' in text
    assert '<span lang="en">' in text
    assert not any(mark in text for mark in MARKS)
    assert not re.search(r'="[^"]*<span', text)
    assert 'data-shown="{n} von {all} gezeigt"' in text


def test_marks_in_a_log_are_no_marks(made):
    from dataclasses import replace

    hostile = replace(made.exam(), plan=made.plan(title=f"a{MARKS[0]}b{MARKS[1]}"))
    assert build(hostile).title == "a\ufffdb\ufffd"
    german = html.render(build(hostile, language="de"))
    assert not any(mark in german for mark in MARKS)


def test_markdown_in_german_has_no_marks(made):
    text = markdown.render(build(made.exam(), language="de"))
    assert not any(mark in text for mark in MARKS)
    assert "Keine Freigabe" in text
