"""Pages made by hand, of every kind of block, whose every text is somebody else's."""

from typing import Any

from hypothesis import strategies as st

from conformance.publishing.blocks import (
    Bar,
    Bars,
    Code,
    Failure,
    Failures,
    Heat,
    HeatCell,
    HeatRow,
    Line,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
    Pre,
    Range,
    Ranges,
    Row,
    Table,
    Tone,
)
from conformance.publishing.model import Badge, Case, Count, Fact, Note, Page, Section, Verdict

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "</details></summary></code></pre>",
    "<!-- ",
    "-->",
    "]]>",
    '" onload="alert(3)',
    "' x='",
    "&lt;b&gt; &#60; &amp;",
    "[x](http://evil.example)",
    "![x](http://evil.example/a.png)",
    "<http://evil.example>",
    "[x]: http://evil.example",
    "http://evil.example/a",
    "https://evil.example",
    "www.evil.example",
    "_www.evil.example",
    "ftp://evil.example",
    "irc://evil.example",
    "mailto:a@evil.example",
    "a@evil.example",
    "@admin",
    "\u017f@admin",
    "(@admin/team)",
    "#12",
    "x/y#12",
    "GH-12",
    "!5",
    "~bug",
    "%3",
    "&7",
    "$9",
    "x/y@0123abcdef",
    "0123456",
    "0123abcdef0123abcdef0123abcdef0123abcdef",
    ":tada:",
    ":+1:",
    "$x$",
    "$`x`$",
    "$$x$$",
    "{+a+}",
    "[-b-]",
    "[[wiki]]",
    "[[_TOC_]]",
    "[^1]",
    "> [!NOTE]",
    "a|b",
    "a\\|b",
    "\\",
    "\\\\",
    "|",
    "||",
    "`",
    "``",
    "```",
    "a`b``c```d",
    "~~~",
    "```\n</details>\n",
    "***",
    "---",
    "===",
    "# x",
    "- x",
    "1. x",
    "+ x",
    "    x",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\x00\x07\x1b[31m\x7f\x85\u2028\u2029\ufffe\uffff",
    "\u202e\u2066\u200b\ufeff",
    "\ud800",
    "/close",
    "\n/assign me",
    "::error::x",
    "\n::set-output name=a::b",
    "::stop-commands::x",
    "##[error]x",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[x]",
    "%0A::error::x",
    "%25",
    ";]",
    ",:=",
    "{{ x }}",
    "harmless words",
    "naïve ütf-8 漢字 😀 👩‍👩‍👧",
]

texts = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.sampled_from([" ", "  ", "x", "."]), st.text(max_size=6)),
    max_size=6,
).map("".join)
lines = st.lists(
    st.one_of(
        texts,
        texts.map(Code),
        st.builds(Link, texts, st.just("a")),
        st.builds(Mark, texts, st.sampled_from(Tone)),
    ),
    max_size=4,
).map(tuple)
tones = st.sampled_from(Tone)
numbers = st.floats(allow_nan=True, allow_infinity=True)
counts = st.integers(0, 5000)


def some(what: st.SearchStrategy, most: int = 3) -> st.SearchStrategy:  # type: ignore[type-arg]
    return st.lists(what, max_size=most).map(tuple)


marks = st.builds(Mark, texts, tones)
failures = st.builds(
    Failure, texts, texts, marks, marks, lines, some(st.tuples(texts, lines)), some(st.tuples(texts, texts)),
    st.none() | texts,
)  # fmt: skip
rows = st.builds(Row, some(lines, 4))
tables = st.builds(Table, some(texts, 4), some(rows), texts, st.just(frozenset({1})), st.booleans())
bars = st.builds(Bars, texts, some(st.builds(Bar, lines, some(st.builds(Part, texts, counts, tones)), texts)))
ranges = st.builds(
    Ranges, texts, some(st.builds(Range, texts, numbers, st.none() | numbers, st.none() | numbers, texts)),
    st.none() | numbers,
)  # fmt: skip
cells = st.builds(
    HeatCell, st.none() | numbers, st.sampled_from(["scored", "errored", "unscored", "missing"])
)
heats = st.builds(Heat, texts, some(texts), some(st.builds(HeatRow, texts, some(cells))), numbers, numbers)
blocks = st.one_of(
    tables, bars, ranges, heats, st.builds(Failures, some(failures), counts),
    st.builds(Paragraph, lines, tones), st.builds(Lines, some(lines), st.booleans()),
    st.builds(Pre, texts, texts),
)  # fmt: skip
states = st.sampled_from(["passed", "failed", "error", "skipped", "unheard-of"])
cases = st.builds(Case, texts, texts, states, texts, texts, numbers)
notes = st.builds(
    Note, st.sampled_from(["error", "warning", "notice", "unheard-of"]), texts, texts, st.none() | texts,
    st.none() | st.integers(-1, 9),
)  # fmt: skip
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "kind": st.sampled_from(["run", "check", "metric", "matrix", "fuzz", "difference"]),
    "title": lines,
    "verdict": st.builds(Verdict, texts, tones, texts),
    "exit_code": st.sampled_from([0, 1, 2]),
    "facts": some(st.builds(Fact, texts, lines)),
    "counts": some(st.builds(Count, texts, counts, tones, texts)),
    "unit": texts,
    "warnings": some(lines),
    "sections": some(st.builds(Section, texts, texts, some(blocks), st.booleans())),
    "badge": st.builds(Badge, texts, texts, tones),
    "cases": some(cases, 5),
    "notes": some(notes, 14),
}
pages = st.builds(Page, **PARTS)
briefs = st.builds(Page, **PARTS | {"sections": st.just(()), "cases": st.just(()), "warnings": st.just(())})
"""Pages for writers that read no section of them; a section takes longest to think of."""


def full_page(text: str) -> Page:
    """A page that has the text in every place that there is."""
    line: Line = (text, Code(text), Mark(text, Tone.WARN), Link(text, "a"), text)
    table = Table((text, "n"), (Row((line, ("1",))),), text, frozenset({1}))
    failure = Failure(
        "f", text, Mark(text, Tone.BAD), Mark(text, Tone.KNOWN), line, ((text, line),), ((text, text),), text
    )
    section = Section(
        "s",
        text,
        (
            table,
            Bars(text, (Bar(line, (Part(text, 3, Tone.GOOD), Part("x", 1, Tone.BAD)), text),)),
            Ranges(text, (Range(text, 0.5, 0.2, 0.7, text, True),), 0.6),
            Heat(text, (text,), (HeatRow(text, (HeatCell(1.0, text=text),)),), 0.0, 1.0),
            Failures((failure, failure), 2),
            Paragraph(line, Tone.WARN),
            Lines((line, line)),
            Lines((line,), numbered=True),
            Pre(text, text),
        ),
    )
    return Page(
        kind="run",
        title=line,
        verdict=Verdict(text, Tone.BAD, text),
        exit_code=1,
        facts=(Fact(text, line),),
        counts=(Count(text, 3, Tone.GOOD, text),),
        unit=text,
        warnings=(line,),
        sections=(section, Section("t", text, (table,), brief=False)),
        badge=Badge(text, text, Tone.BAD),
        cases=tuple(
            Case(text, text, state, text, text, 0.5) for state in ("passed", "failed", "error", "skipped")
        ),
        notes=(Note("error", text, text, text, 3), Note("warning", text, text)),
    )
