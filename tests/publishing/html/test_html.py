"""The HTML page: well formed, alone, harmless, bounded, the same each time."""

import base64
import hashlib
import json
import re
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.publishing.blocks import (
    Code,
    Failure,
    Failures,
    Lines,
    Link,
    Mark,
    Paragraph,
    Pre,
    Row,
    Table,
    Tone,
)
from conformance.publishing.formats.html import as_html
from conformance.publishing.formats.html.budget import LADDER, MOST_BYTES
from conformance.publishing.formats.html.texts import attribute, cut, element
from conformance.publishing.model import Count, Fact, Page, Section, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from made_pages import HOSTILE, a_check, a_failure, a_run, hostile, line
from reading_back import ReadBack

TWO_MEGABYTES = 2_000_000
MADE = {
    "run": a_run(),
    "one failure": a_run(1, 1),
    "nothing": a_run(0, 0),
    "check": a_check(),
    "hostile": hostile(),
    "empty": Page("run", (), Verdict("", Tone.PLAIN, ""), 0, (), (), "", (), (), None),
}


def page_of(*blocks: object, **more: object) -> Page:
    section = Section("only", "Only", blocks)  # type: ignore[arg-type]
    values = {
        "kind": "run",
        "title": line("T"),
        "verdict": Verdict("conforms", Tone.GOOD, "All passed."),
        "exit_code": 0,
        "facts": (),
        "counts": (),
        "unit": "vectors",
        "warnings": (),
        "sections": (section,),
        "badge": None,
        **more,
    }
    return Page(**values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return {name: as_html(page) for name, page in MADE.items()}


@pytest.mark.parametrize("name", MADE)
def test_well_formed(written: dict[str, str], name: str) -> None:
    back = ReadBack(written[name])
    assert back.faults == []
    assert len(back.ids) == len(set(back.ids)), "ids are unique"
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]*", each) for each in back.ids)


@pytest.mark.parametrize("name", MADE)
def test_each_link_leads_somewhere_on_the_page(written: dict[str, str], name: str) -> None:
    back = ReadBack(written[name])
    assert all(link.startswith("#") for link in back.links())
    assert {link[1:] for link in back.links()} <= set(back.ids)
    assert set(back.labelled) <= set(back.ids)
    patterns = set(re.findall(r'fill="url\(#([^)]+)\)"', written[name]))
    assert patterns <= set(back.ids)


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_loaded_and_nothing_runs_but_the_kits_own(written: dict[str, str], name: str) -> None:
    back = ReadBack(written[name])
    policy = next(g["content"] for t, g in back.tags if t == "meta" and "http-equiv" in g)
    hashes = {
        kind: [
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts
        ]
        for kind, texts in back.raw.items()
    }
    assert policy == (
        f"default-src 'none'; style-src {hashes['style'][0]}; script-src {hashes['script'][0]}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert [tag for tag, _ in back.tags].count("script") == [tag for tag, _ in back.tags].count("style") == 1
    allowed = {
        "id",
        "class",
        "href",
        "name",
        "content",
        "value",
        "title",
        "d",
        "x",
        "y",
        "width",
        "height",
        "fill",
    }
    allowed |= {
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
        "lang",
        "translate",
        "charset",
        "http-equiv",
        "property",
    }
    allowed |= {
        "rel",
        "type",
        "role",
        "tabindex",
        "scope",
        "open",
        "hidden",
        "checked",
        "autocomplete",
        "spellcheck",
    }
    allowed |= {"placeholder", "data-whole", "viewbox", "patternunits", "patterntransform", "focusable"}
    allowed |= {"preserveaspectratio", "fill-opacity"}
    for tag, given in back.tags:
        assert tag not in {
            "iframe",
            "object",
            "embed",
            "img",
            "form",
            "base",
            "audio",
            "video",
            "use",
            "image",
        }
        for attribute_name, value in given.items():
            assert attribute_name in allowed or attribute_name.startswith("aria-"), (tag, given)
            if attribute_name == "href":
                assert value is not None
                assert value.startswith(("#", "data:image/svg+xml,")), value
    assert "@import" not in back.raw["style"][0]
    assert "url(" not in back.raw["style"][0]


def test_hostile_text_is_shown_as_text(written: dict[str, str]) -> None:
    text = written["hostile"]
    back = ReadBack(text)
    kit = {tag for name in ("run", "check", "one failure") for tag, _ in ReadBack(written[name]).tags}
    assert {tag for tag, _ in back.tags} <= kit | {"del", "ins"}, "no element that a page of the kit has not"
    for bad in ("<script>alert", "<img", "<svg onload", "<plaintext", "<textarea", "<base", "<form"):
        assert bad not in text
        assert bad in back.text, "it can be read"
    assert "{{ 7 * 7 }}" in back.text
    assert "&lt;b&gt; &amp; &#60;" in back.text, "what looks escaped is not read as such"


def test_what_cannot_be_seen_is_named(written: dict[str, str]) -> None:
    text = written["hostile"]
    text.encode("utf-8")
    for char in "\u202e\u202c\u2066\u200b\ufeff\x00\x1b\x07\x7f\x85\u2028\ud800":
        assert char not in text
        assert f"U+{ord(char):04X}" in text
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("bad", HOSTILE)
def test_any_text_survives_as_text(bad: str) -> None:
    for made in (str(element(bad)), str(element(bad, lines=True))):
        back = ReadBack(f"<p>{made}</p>")
        assert back.faults == []
        assert {tag for tag, _ in back.tags} <= {"p", "bdi"}
    assert all(char.isprintable() for char in attribute(bad))


def test_line_ends_are_kept_where_text_has_lines() -> None:
    assert str(element("a\n\tb\r\n", lines=True)) == 'a\n\tb<bdi class="u">U+000D</bdi>\n'
    assert str(element("a\nb")) == 'a<bdi class="u">U+000A</bdi>b'
    assert str(element("\x00" * 500)) == '<bdi class="u">U+0000×500</bdi>'
    assert str(element("e\u0301 é ü 漢 عربي 🙂")) == "e\u0301 é ü 漢 عربي 🙂"


def test_text_that_has_to_be_named_takes_no_more_room_than_other_text() -> None:
    worst = "\x00\x01a" * 400_000
    assert len(element(cut(worst, 1000), lines=True)) < 8000


def test_same_page_same_bytes() -> None:
    assert as_html(a_run()) == as_html(a_run())
    assert as_html(hostile()) == as_html(hostile())


def test_first_things_first(written: dict[str, str]) -> None:
    text = ReadBack(written["run"]).text
    order = [
        "does not conform",
        "12 of 60 vectors failed",
        "a part of the vectors",
        "0.13.1",
        "vectors0.3.0",
        "Classes",
    ]
    places = [text.index(word, text.index("Run of")) for word in order]
    assert places == sorted(places)
    assert "60 vectors" in text
    for count in MADE["run"].counts:
        assert count.name in text
        assert count.means in text


def test_the_address_and_the_preview_say_the_verdict(written: dict[str, str]) -> None:
    back = ReadBack(written["run"])
    said = {
        given.get("name") or given.get("property"): given.get("content")
        for tag, given in back.tags
        if tag == "meta"
    }
    assert said["description"] == said["og:description"]
    assert said["description"] == "does not conform: 12 of 60 vectors failed at level bytes."
    assert said["referrer"] == "no-referrer"
    assert "Run of python first.py: does not conform" in back.text


def test_a_link_to_a_place_that_is_not_there_is_text() -> None:
    text = as_html(page_of(Paragraph(line(Link("gone", "nowhere"), " ", Link("here", "only")))))
    assert 'gone <a href="#only">here</a>' in text


def test_an_anchor_that_stands_twice_is_the_first_ones() -> None:
    rows = (Row((line("a"), line("b")), "same"), Row((line("c"), line("d")), "same"))
    text = as_html(
        page_of(Failures((a_failure(0),)), Table(("x", "y"), rows, "t"), Lines((line(Link("l", "same")),)))
    )
    assert text.count('id="same"') == 1


def test_anchors_of_a_page_do_not_take_the_templates_ids() -> None:
    page = page_of(Failures(()), sections=(Section("page-content", "A", ()), Section("page-1", "B", ())))
    back = ReadBack(as_html(page))
    assert len(back.ids) == len(set(back.ids))
    assert back.ids.count("page-content") == 1


def test_a_tone_is_said_by_a_word_and_a_sign() -> None:
    text = as_html(page_of(Paragraph(line(Mark("passed", Tone.GOOD), Mark("as is", Tone.PLAIN)))))
    assert '<b class="good">passed</b>as is' in text
    style = ReadBack(text).raw["style"][0]
    for tone in ("good", "bad", "known", "warn", "quiet"):
        assert re.search(rf"b\.{tone}::before[^{{]*\{{content:", style)


def test_rows_can_be_filtered_without_a_script(written: dict[str, str]) -> None:
    back = ReadBack(written["run"])
    values = {str(g["value"]) for t, g in back.tags if t in ("option", "input") and g.get("value")}
    style = back.raw["style"][0]
    assert values
    for value in values:
        assert f"[value={value}]:checked" in style
        assert any(value in (g.get("class") or "").split() for t, g in back.tags if t in ("tr", "details"))


def test_a_failure_has_its_anchor_inside_of_what_is_folded(written: dict[str, str]) -> None:
    """So that a browser unfolds it by itself, without a script."""
    assert re.search(
        r'<details class="f [^"]*">\n<summary>.*</summary>\n<div class="in" id="f-aggregation.made-0003">',
        written["run"],
    )


def test_a_command_can_be_copied_only_where_it_is_shown_letter_by_letter() -> None:
    failure = a_failure(0)
    bad = with_command(failure, "rm -rf x\u202e")
    text = as_html(page_of(Failures((failure, bad))))
    assert text.count('<code class="whole">') == 1


def with_command(failure: Failure, repeat: str) -> Failure:

    return replace(failure, repeat=repeat, anchor="f-other")


def within_two_megabytes(page: Page) -> str:
    begun = time.process_time()
    text = as_html(page)
    took = time.process_time() - begun
    assert len(text.encode()) <= MOST_BYTES < TWO_MEGABYTES
    assert ReadBack(text).faults == []
    assert took < 10, "two seconds where nothing else runs"
    return text


def test_all_vectors_failing_with_long_answers() -> None:
    text = within_two_megabytes(a_run(2_900, 2_900, json.dumps({"a": "long & <b> " * 3_000})))
    shown, brief = text.count('<details class="f '), text.count(' class="f q ')
    assert shown >= 25
    assert shown + brief == 2_900, "each has its place"
    assert f"{brief:,} more are told in brief" in text
    assert "the JSON report has the whole" in text
    ids = set(ReadBack(text).ids)
    assert all(f"f-aggregation.made-{n:04d}" in ids for n in range(2_900))


def test_a_failure_in_brief_stands_in_its_vectors_row() -> None:
    page = a_run(2_900, 2_900, json.dumps({"a": "long & <b> " * 3_000}))
    failures, table = page.sections[2].blocks[0], page.sections[4].blocks[0]
    assert isinstance(failures, Failures)
    assert isinstance(table, Table)
    back = tuple(
        replace(one, fields=(*one.fields, ("vector", line(Link("row", one.anchor.replace("f-", "v-", 1))))))
        for one in failures.failures
    )
    sections = list(page.sections)
    sections[2] = replace(sections[2], blocks=(replace(failures, failures=back),))
    text = within_two_megabytes(replace(page, sections=tuple(sections)))
    assert ' class="f q ' not in text
    row = next(one for one in text.split("<tr") if 'id="v-aggregation.made-2899"' in one)
    assert 'id="f-aggregation.made-2899"' in row
    assert "<i>expected</i> <code>{" in row
    assert "in their rows of the table" in text
    assert "aggregation/ID" in text or "ID</code>" in text


def test_a_text_is_cut_only_where_there_is_no_room() -> None:
    long = "word " * 3_000
    assert long in as_html(page_of(Pre(long)))
    text = within_two_megabytes(page_of(*(Pre(f"{n}" + "x" * 100_000) for n in range(300))))
    assert "cut, 100,00" in text
    assert "300 long texts are cut" in text


def test_a_leaderboards_trials() -> None:
    for page in (a_check(6_600, 5), a_check(89, 370), a_check(33_000, 1), a_check(1, 33_000)):
        within_two_megabytes(page)
    text = as_html(a_check(100, 330))
    assert "left out" not in text, "33,000 trials have room"


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "\u202e\x00" * 500_000, "<&>" * 300_000, "\ud800a" * 500_000]
)
def test_a_megabyte_of_anything_anywhere(text: str) -> None:
    whole = line(text, Code(text), Link(text, text), Mark(text, Tone.BAD))
    page = page_of(
        Table((text, text), tuple(Row((whole, whole), text, Tone.BAD, {text: text}) for _ in range(9)), text),
        Failures(tuple(a_failure(n, text, text) for n in range(9))),
        Lines((whole,)),
        Pre(text, text),
        title=whole,
        kind=text,
        unit=text,
        verdict=Verdict(text, Tone.BAD, text),
        facts=(Fact(text, whole),),
        counts=(Count(text, 3, Tone.BAD, text),),
        warnings=(whole,),
    )
    within_two_megabytes(page)


def test_any_number_of_anything() -> None:
    """What comes in great numbers is left out in the end, and that is said."""
    many = 60_000
    text = within_two_megabytes(page_of(Lines(tuple(line(f"line {n} " + "x" * 50) for n in range(many)))))
    assert re.search(r"[\d,]+ more lines are in the JSON report", text)
    row = Row((line("a" * 40), line("b" * 40)))
    within_two_megabytes(page_of(Table(("a", "b"), (row,) * many, "t", long=True)))
    within_two_megabytes(page_of(sections=tuple(Section(f"s{n}", "x" * 99, ()) for n in range(20_000))))
    within_two_megabytes(page_of(facts=tuple(Fact("x" * 99, line("y")) for n in range(30_000))))
    within_two_megabytes(page_of(warnings=(line("y" * 99),) * 30_000))
    within_two_megabytes(page_of(Paragraph(line(*(Link("l" * 30, "only"),) * many))))


def test_budgets_shrink() -> None:
    for before, after in pairwise(LADDER):
        assert after.text <= before.text
        assert after.inline <= before.inline
        assert after.failures <= before.failures
        assert after.rows <= before.rows
        assert after != before
