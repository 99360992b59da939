"""A page as Markdown, read by GitHub's and GitLab's parsers: the only elements are ours, no text acts."""

import re
from html.parser import HTMLParser

import cmarkgfm
import comrak
import pytest
from cmarkgfm.cmark import Options
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.publishing.blocks import Code, Failure, Failures, Mark, Tone
from conformance.publishing.formats.markdown import COMMENT, as_markdown
from conformance.publishing.model import Page, Section
from conformance.report.markdown import at_start, code, escaped, fenced, inline
from conformance.wire.text import encodable, harmless, printable

from .making import ATTACKS, full_page, pages, texts

OURS = {
    *("h2", "h3", "p", "strong", "ul", "ol", "li", "hr", "code", "pre", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
EXTENSIONS = (
    *("alerts", "autolink", "block_directive", "description_lists", "footnotes", "highlight", "insert"),
    *("math_code", "math_dollars", "math_latex", "multiline_block_quotes", "shortcodes", "spoiler"),
    *("strikethrough", "table", "tasklist", "wikilinks_title_before_pipe"),
)
FORGES = re.compile(
    r"(?:^|[^a-z0-9_])@[a-z0-9]|://|(?:^|[^a-z0-9])www\.|[\w.+-]+@[\w-]+\.\w|mailto:"
    r"|(?:^|\W)#\d|\w/\w+#\d|\bgh-\d|(?:^|\s)[!&~%]\w|\$"
    r"|:[+-]1:|:[a-z_]+:|\[\[|(?:^|[\s(.\[{:])[0-9a-f]{7,40}\b",
    re.IGNORECASE | re.ASCII | re.MULTILINE,
)
"""What GitHub and GitLab act on in text that is no code, as they document it."""
QUICK_ACTION = re.compile(r"^/\w", re.MULTILINE)


class Reading(HTMLParser):
    """The elements of a document, its texts outside of code, and the code."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.depth = 0
        self.text: list[str] = [""]
        self.code: list[str] = []
        self.cells: list[int] = []
        self.declared: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {(tag, f"{name}={value}") for name, value in attrs}
        if tag in ("code", "pre"):
            self.depth += 1
            if tag == "code":
                self.code.append("")
        if tag == "tr":
            self.cells.append(0)
        if tag in ("td", "th"):
            self.cells[-1] += 1
        self.text.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("code", "pre"):
            self.depth -= 1
        self.text.append("")

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.code[-1] += data
        else:
            self.text[-1] += data

    def handle_comment(self, data: str) -> None:
        self.declared.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def on_github(text: str) -> Reading:
    """As GitHub's parser renders it, with all that its extensions add, and no HTML left out."""
    return Reading(
        cmarkgfm.markdown_to_html_with_extensions(
            text,
            options=Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES,
            extensions=["table", "autolink", "strikethrough", "tasklist"],
        )
    )


def on_gitlab(text: str) -> Reading:
    """As GitLab's parser renders it, with all the extensions that GitLab uses or might."""
    extensions, parsing, rendering = comrak.ExtensionOptions(), comrak.ParseOptions(), comrak.RenderOptions()
    for name in EXTENSIONS:
        setattr(extensions, name, True)
    parsing.relaxed_autolinks = True
    rendering.unsafe_ = True
    return Reading(comrak.render_markdown(text, extensions, parsing, rendering))


def assert_inert(read: Reading) -> None:
    assert read.elements <= OURS
    assert {name for name, attribute in read.attributes} <= {"code", "pre", "th", "td", "ol"}
    assert all(
        re.fullmatch(r"(?:class=language-sh|lang=sh|align=right|style=text-align:right|start=\d+)", attribute)
        for _, attribute in read.attributes
    ), read.attributes
    assert read.declared == []
    for text in read.text:
        assert FORGES.search(text) is None, text


def assert_page_is_inert(page: Page) -> str:
    text = as_markdown(page)
    assert_inert(on_github(text))
    assert_inert(on_gitlab(text))
    assert QUICK_ACTION.search(text) is None
    assert harmless(text) == text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert len(text.encode()) <= COMMENT
    return text


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_does_anything_anywhere(attack: str) -> None:
    assert_page_is_inert(full_page(attack))


@given(pages)
def test_no_page_does_anything(page: Page) -> None:
    assert_page_is_inert(page)


def seen(text: str) -> str:
    """All that a reader sees of one line of Markdown: blanks side by side are one."""
    rendered = cmarkgfm.markdown_to_html_with_extensions(
        text, options=Options.CMARK_OPT_UNSAFE, extensions=["table", "autolink", "strikethrough"]
    )
    found: list[str] = []
    reader = HTMLParser(convert_charrefs=True)
    reader.handle_data = found.append  # type: ignore[method-assign]
    reader.feed(rendered)
    reader.close()
    return blanks("".join(found))


def blanks(text: str) -> str:
    return re.sub(" +", " ", text.replace("\n", " ")).strip()


@given(texts)
@example("a`b @c` d")
@example("`@a")
@example("\\`@a")
@example("a\\|b @c|")
def test_prose_shows_what_was_written(text: str) -> None:
    assert seen(f"x {encodable(escaped(text))} x") == blanks(f"x {encodable(printable(text))} x")


@given(st.lists(st.tuples(st.booleans(), texts), max_size=4))
def test_pieces_side_by_side_show_what_was_written(pieces: list[tuple[bool, str]]) -> None:
    written = "".join(encodable(printable(text)) for _, text in pieces)
    assert seen(f"x {encodable(inline(pieces))} x") == blanks(f"x {written} x")
    assert_inert(on_github(f"x {encodable(inline(pieces))} x"))


@given(texts)
@example("a\\|b")
@example("|`|\\|``|")
@example("\\")
def test_code_in_a_cell_stays_in_its_cell(text: str) -> None:
    cell = encodable(code(text))
    read = on_github(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
    assert read.cells == [2, 2]
    assert read.text[-5:].count("end") == 1
    assert read.elements <= OURS
    rendered = seen(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
    assert rendered == blanks(f"a b {encodable(printable(text))} end")


@given(texts)
def test_prose_in_a_cell_stays_in_its_cell(text: str) -> None:
    read = on_github(f"| a | b |\n| --- | --- |\n| {encodable(escaped(text))} | end |\n")
    assert read.cells == [2, 2]
    assert read.elements <= OURS
    assert "end" in read.text


@given(texts)
def test_a_block_of_code_holds_what_was_written_and_ends(text: str) -> None:
    document = "\n".join(["before", "", *map(encodable, fenced(text)), "", "after"])
    read = on_github(document)
    assert read.elements <= {"p", "pre", "code"}
    (block,) = read.code
    assert block == "".join(f"{encodable(printable(line))}\n" for line in text.splitlines())
    assert [part for part in read.text if part.strip()] == ["before", "after"]
    assert QUICK_ACTION.search(document) is None


@given(texts)
def test_the_beginning_of_a_line_begins_a_paragraph(text: str) -> None:
    line = at_start(encodable(escaped(text)))
    if line.strip():
        assert on_github(f"x\n\n{line}\n").elements <= {"p", "code"}
        assert seen(line) == blanks(encodable(printable(text)))
        assert not line.lstrip().startswith("/")


def words_of(page: Page, **options: int) -> str:
    return as_markdown(page, **options)


def a_failure(number: int, tone: Tone = Tone.BAD, text: str = "x") -> Failure:
    said = "known failure" if tone is Tone.KNOWN else "new"
    return Failure(
        f"f{number}", f"v{number}", Mark("mismatch", tone), Mark(said, tone), ("Rule.",),
        (("clause", (Code("c"),)),), (("input", text),), f"harbor-conformance run v{number}",
    )  # fmt: skip


def with_failures(failures: Failures) -> Page:
    page = full_page("plain words")
    section = Section("f", "Failures", (failures,))
    return Page(**{name: getattr(page, name) for name in page.__slots__} | {"sections": (section,)})


def test_new_failures_stand_before_known_ones_and_the_rest_is_counted() -> None:
    failures = [a_failure(n, Tone.KNOWN if n < 50 else Tone.BAD) for n in range(60)]
    text = words_of(with_failures(Failures(tuple(failures), left_out=7)))
    shown = re.findall(r"<code>(v\d+)</code>", text)
    assert shown[:10] == [f"v{n}" for n in range(50, 60)]
    assert shown[10:] == ["v0", "v1"]
    assert f"And {60 + 7 - 12} more" in text
    assert "harbor-conformance report" in text


@pytest.mark.parametrize("limit", [4000, 10_000, 60_000, 1_000_000])
def test_it_takes_no_more_room_than_it_has(limit: int) -> None:
    long = "\n".join("::error::漢字 `|`@a" * 20 for _ in range(200))
    failures = Failures(tuple(a_failure(n, text=long) for n in range(400)))
    text = words_of(with_failures(failures), limit=limit)
    assert len(text.encode()) <= limit
    number = len(re.findall("<details>", text))
    assert f"{400 - number:,}" in text
    assert text.count("<details>") == text.count("</details>")
    assert "does not" not in text
    assert "plain words" in text


def test_more_room_shows_more_failures() -> None:
    failures = Failures(tuple(a_failure(n) for n in range(400)))
    few, many = (words_of(with_failures(failures), limit=limit) for limit in (60_000, 1_000_000))
    assert few.count("<details>") < many.count("<details>") <= 400
    assert words_of(with_failures(failures), failures=3).count("<details>") == 3


def test_what_is_left_out_is_named() -> None:
    text = words_of(full_page("words"))
    assert "Not shown here, but in the HTML page and the JSON report: words." in text
