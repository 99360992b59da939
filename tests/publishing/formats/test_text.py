"""A page as text: what a terminal or a CI system would act on is shown, and not done."""

import io
import re

import pytest
from hypothesis import given
from rich.console import Console

from conformance.publishing.blocks import Code, Failure, Failures, Mark, Tone
from conformance.publishing.formats.markdown import as_markdown
from conformance.publishing.formats.text import NARROWEST, as_text, print_page
from conformance.publishing.model import Page, Section
from conformance.wire.text import harmless

from .making import ATTACKS, full_page, pages

COLOURS = re.compile(r"\x1b\[[\d;]*m")


def assert_inert(text: str) -> None:
    assert all(char.isprintable() or char == "\n" for char in text)
    assert harmless(text) == text
    assert not text.startswith("\n")
    assert text.endswith("\n")
    text.encode("utf-8")


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_does_anything(attack: str) -> None:
    assert_inert(as_text(full_page(attack)))


@given(pages)
def test_no_page_does_anything(page: Page) -> None:
    assert_inert(as_text(page))


def test_brackets_are_no_styles_of_the_library_and_names_no_emoji() -> None:
    text = as_text(full_page("[bold]x[/bold] [link=file:///etc]y[/link] :tada:"))
    assert "[bold]x[/bold] [link=file:///etc]y[/link] :tada:" in text


def test_colours_are_on_terminals_alone() -> None:
    page = full_page("words")
    coloured = io.StringIO()
    print_page(page, Console(file=coloured, force_terminal=True, color_system="standard", width=100))
    assert COLOURS.search(coloured.getvalue())
    plain = [line.rstrip() for line in COLOURS.sub("", coloured.getvalue()).split("\n")]
    assert "\n".join(plain).strip("\n") + "\n" == as_text(page)


@given(pages)
def test_a_terminal_gets_no_codes_but_colours(page: Page) -> None:
    coloured = io.StringIO()
    print_page(page, Console(file=coloured, force_terminal=True, color_system="standard", width=90))
    left = COLOURS.sub("", coloured.getvalue())
    assert all(char.isprintable() or char == "\n" for char in left)


def page_of(*failures: Failure, left_out: int = 0) -> Page:
    page = full_page("words")
    given = {name: getattr(page, name) for name in page.__slots__}
    return Page(**given | {"sections": (Section("f", "Failures", (Failures(failures, left_out),)),)})


def a_failure(name: str, tone: Tone = Tone.BAD) -> Failure:
    repeat = f"harbor-conformance run --runner '{'long ' * 40}' {name}"
    result, expectation = Mark("mismatch", tone), Mark("new" if tone is Tone.BAD else "known", tone)
    return Failure(
        "f",
        name,
        result,
        expectation,
        ("A rule.",),
        (("clause", (Code("c"),)),),
        (("input", "1\n2"),),
        repeat,
    )


def test_a_failure_has_all_that_is_needed_to_repeat_it() -> None:
    text = as_text(page_of(a_failure("v1")))
    assert "mismatch: v1 (new)" in text
    for word in ("rule:", "A rule.", "clause:", "input:"):
        assert word in text
    repeat = a_failure("v1").repeat
    assert repeat is not None
    assert f"  repeat: {repeat}\n" in text  # on one line, however long


def test_new_failures_stand_before_known_ones_and_the_rest_is_counted() -> None:
    failures = [a_failure(f"v{n}", Tone.KNOWN if n < 5 else Tone.BAD) for n in range(9)]
    text = as_text(page_of(*failures, left_out=2), failures=6)
    assert re.findall(r"^mismatch: (v\d)", text, re.MULTILINE) == ["v5", "v6", "v7", "v8", "v0", "v1"]
    assert "and 5 more, of which the report has no account of 2" in text


def test_the_verdict_stands_at_both_ends() -> None:
    lines = as_text(page_of()).splitlines()
    assert lines[-1] == "words: words"
    assert lines.index("words: words") < 3


def test_it_is_no_wider_than_asked_but_for_commands() -> None:
    for width in (NARROWEST, 100, 132):
        lines = as_text(page_of(a_failure("v" * 200)), width=width).splitlines()
        assert max(len(line) for line in lines if "repeat:" not in line) <= width


def test_a_caption_that_says_what_the_heading_says_is_said_once() -> None:
    page = full_page("words")
    text, marked = as_text(page), as_markdown(page)
    assert "\nwords\n-----\nwords:" not in text
    assert "### words\n\nwords:" not in marked
