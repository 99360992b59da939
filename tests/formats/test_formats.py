"""Every format of any page: parsed as its readers do, within its bounds, and inert whatever is in it."""

import contextlib
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.formats import FORMATS, render
from conformance.formats.annotations import annotation_lines
from conformance.formats.markdown_text import at_start, code, escaped, fenced, inline
from conformance.outcomes.reading import ReportError, document_of
from conformance.pages.kinds import page_of as page_of_report
from conformance.pages.model import Badge, Bar, Code, Item, Mark, Page, Spread, Table, Tone
from conformance.wire.text import encodable, harmless, printable
from tests.formats import reading
from tests.formats.reading import READERS, ReadBack, inert_on_forges, on_github, read_all, read_annotations
from tests.pages.examples import RUNS, Examples, changed, leaves, many

ATTACKS = json.loads(Path(__file__).with_name("attacks.json").read_text(encoding="utf-8"))
MIXED = [" ".join(ATTACKS[::2]), " ".join(ATTACKS[1::2]), "".join(ATTACKS[::2]), "\n".join(ATTACKS[1::2])]


def page_of(text):
    """A page with a text in every place that takes one."""

    def item(number, tone):
        return Item(
            key=f"{number} {text()}",
            group=text(),
            outcome=text(),
            tone=tone,
            summary=text(),
            detail=text(),
            cause=text() if number % 2 else "a cause",
            fields={"field": text(), "code": Code(text())},
            texts={"input": text(), "difference": text(), "stderr": text()},
            repeat=text(),
            seconds=0.5,
            place=(text(), number) if number == 1 else None,
        )

    cells = (text(), Code(text()), Mark(text(), Tone.BAD), Bar(((text(), 2, Tone.WARN),)), 7)
    drawn = Spread(text(), 0.5, 0.4, 0.6, (0.0, 1.0))
    return Page(
        kind="run",
        title=text(),
        verdict=Mark(text(), Tone.BAD),
        sentence=text(),
        exit_code=1,
        facts={"fact": text(), "code": Code(text())},
        counts=[(Mark(text(), Tone.GOOD), 3, text()), (Mark(text(), Tone.BAD), 1, text())],
        problems=[text(), text()],
        items=[item(n, tone) for n, tone in enumerate([*Tone, Tone.BAD, Tone.BAD])],
        causes={"a cause": text()},
        tables=[
            Table(text(), [text()] * 6, [(*cells, drawn)]),
            Table(text(), [text()], [(text(),)], long=True),
        ],
        badge=Badge(text(), text(), Tone.BAD),
        started_at="2026-11-24T12:00:00+00:00",
        seconds=1.5,
    )


PLAIN = page_of(lambda: "plain")


@pytest.mark.parametrize("attack", MIXED, ids=["words", "other words", "one word", "lines"])
@pytest.mark.parametrize("name", READERS)
def test_no_text_does_anything_in_any_field_of_any_format(name, attack) -> None:
    READERS[name](render(page_of(lambda: attack[:3000]), name))
    for variable in ("GITHUB_ACTIONS", "TF_BUILD"):
        lines = annotation_lines(page_of(lambda: attack), {variable: "true"})
        assert 1 <= len(read_annotations("\n".join(lines))) <= 10
    if name == "html":
        known = {tag for tag, _ in ReadBack(render(PLAIN, "html")).tags}
        found = {tag for tag, _ in ReadBack(render(page_of(lambda: attack), "html")).tags}
        assert found <= known | {"bdi"}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_alone_does_nothing(attack) -> None:
    """Alone it begins each field, and each line of Markdown."""
    page = page_of(lambda: attack)
    for name, read in READERS.items():
        read(render(page, name))
    reading.read_badges(render(page, "badge-json"), render(page, "badge-svg"))


def test_what_a_runner_says_can_be_read_as_it_was_said() -> None:
    for text in ATTACKS:
        if len(text) > 1 and text.isprintable() and "  " not in text and harmless(text) == text:
            item = Item("key", "group", "mismatch", Tone.BAD, detail=f"at {text}.", cause="a cause")
            page = replace(PLAIN, items=[item])
            assert f"at {text}." in ReadBack(render(page, "html")).text
            assert f"at {text}."[:60] in " ".join(render(page, "text").split())
            assert f"at {text}." in render(page, "log")
            found = ET.fromstring(render(page, "junit").encode()).find(".//failure")
            assert found is not None
            assert found.get("message") == f"at {text}."
            assert json.loads(render(page, "ctrf"))["results"]["tests"][0]["message"] == f"at {text}."
            assert blanks(f"at {text}.") in blanks(on_github(render(page, "markdown")).text)


def test_stderr_and_the_command_are_in_every_format_that_has_accounts() -> None:
    item = Item(
        *("key", "group", "crash", Tone.BAD),
        texts={"stderr": "first line\nthe last words"},
        repeat="harbor-conformance run --runner 'x' key",
    )
    page = replace(PLAIN, items=[item])
    for name in READERS:
        text = render(page, name)
        text = str(ET.fromstring(text.encode()).findtext(".//failure")) if name == "junit" else text
        assert "the last words" in text, name
        assert "harbor-conformance run --runner" in text, name


def test_where_no_item_fails_the_verdict_does() -> None:
    """No reader of JUnit or CTRF may take a run with a missing shard for a success."""
    passed = Item("key", "group", "passed", Tone.GOOD)
    page = replace(PLAIN, items=[passed], problems=["shard 2/3 is missing"])
    failures = ET.fromstring(render(page, "junit").encode()).findall(".//failure")
    assert "shard 2/3 is missing" in str(failures[0].text)
    tests = json.loads(render(page, "ctrf"))["results"]["tests"]
    assert [one["status"] for one in tests] == ["failed", "passed"]
    fine = replace(page, exit_code=0)
    assert ET.fromstring(render(fine, "junit").encode()).findall(".//failure") == []


@pytest.mark.parametrize("causes", [0, 1, 12, 400])
@pytest.mark.parametrize("limit", [12, 60])
def test_a_log_has_never_more_lines_than_its_limit(causes, limit) -> None:
    one = Item("", "g", "crash", Tone.BAD, texts={"stderr": "a\n" * 90}, repeat="r" * 500)
    items = [replace(one, key=f"{n}", cause=f"cause {n % causes}") for n in range(causes * 3)]
    page = replace(PLAIN, items=items, problems=["a problem"] * causes, causes={"cause 0": "do this"})
    lines = render(replace(page, sentence="of one kind"), "log", limit=limit).splitlines()
    assert len(lines) <= limit
    assert lines[0] == "plain: of one kind"
    assert lines[-1] == "3 plain, 1 plain"
    assert not causes or any("failures: cause" in line for line in lines), "at least the first cause"
    if causes == 12 and limit == 60:
        assert f"   repeat: {'r' * 500}" in lines, "commands are never cut"


def test_text_has_equal_advice_once_and_keys_unbroken() -> None:
    keys = [f"job: metric result.json /stats/evals/{'long__' * 30}{number}" for number in range(2)]
    items = [Item(key, "g", "wrong", Tone.BAD, cause=f"cause {key[-1]}") for key in keys]
    causes = {"cause 0": "look at it", "cause 1": "look at it"}
    lines = render(replace(PLAIN, items=items, causes=causes), "text").splitlines()
    advice = [line for line in lines if line.startswith("   advice:")]
    assert advice == ["   advice:  look at it", "   advice:  as for 1."]
    assert [line for line in lines if "long__" in line] == [f"wrong: {key} (g)" for key in keys]


@pytest.mark.parametrize(
    "name", ["wrong", "stale", "check wrong", "metric: one-finding", "matrix", "fuzz: disagreements"]
)
@pytest.mark.parametrize("variable", ["GITHUB_ACTIONS", "TF_BUILD"])
def test_annotations_alone_are_commands(name, variable, cli, written) -> None:
    done = cli("report", written(name), "-o", "page.html", "--annotations", **{variable: "true"})
    told = read_annotations(done.stdout)
    assert told
    read = reading.github if variable == "GITHUB_ACTIONS" else reading.azure
    assert all(map(read, done.stdout.splitlines()))
    if name == "stale":
        lines = {options.get("line") or options.get("linenumber") for _, options, _ in told}
        assert {"4", "5"} <= lines
    quiet = {"GITHUB_ACTIONS": "false", "TF_BUILD": "", "CI": "true"}
    assert cli("report", written(name), "-o", "page.html", "--annotations", **quiet).stdout == ""


# Texts of others, in reports


HOSTILE = {
    "run": "run: mismatch-explained", "check": "check: one-finding", "metric": "metric: one-finding",
    "matrix": "matrix: compared", "fuzz": "fuzz: disagreements", "of a run": "wrong",
    "of jobs": "check board",
}  # fmt: skip


def spoilt(name, text, examples):
    """The report with the text wherever one is taken that its maker, its runner or its user has written."""
    document = examples(name)
    places = [one for one in leaves(document) if not {"results", "passed", "trials"} & set(one[:1])]
    places += list(leaves(document.get("results", [])[:3], "results"))
    free = 0
    for number, path in enumerate(places[:80]):
        after = changed(document, path, f"{text} {number}")
        with contextlib.suppress(ReportError):
            page_of_report(document_of(json.dumps(after).encode(), "report.json"))
            document, free = after, free + 1
    assert free > 4
    return document


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE.values(), ids=list(HOSTILE))
def test_no_text_of_a_report_does_anything(name, cli, pages, written, examples) -> None:
    """In any format, also of what changed since."""
    plain = {tag for tag, _ in ReadBack(pages(name)["html"]).tags}
    document = spoilt(name, MIXED[name in RUNS], examples)
    made = pages(document)
    read_all(made)
    known = plain | {"bdi", "details", "summary", "code", "b", "pre", "ul", "li", "div", "p", "h3", "span"}
    assert {tag for tag, _ in ReadBack(made["html"]).tags} <= known
    for variable in ("GITHUB_ACTIONS", "TF_BUILD"):
        words = ("report", written(document), "-o", "p.html", "--annotations")
        read_annotations(cli(*words, **{variable: "true"}).stdout)
    read_all(pages(name, document))


texts = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.sampled_from([" ", "  ", "x", "."]), st.text(max_size=6)),
    max_size=6,
).map("".join)


def blanks(text):
    return re.sub(" +", " ", text.replace("\n", " ")).strip()


@pytest.mark.slow
@given(texts, st.lists(st.tuples(st.booleans(), texts), max_size=4))
@example("a`b @c` d", [])
@example("`@a", [(True, "a\\|b")])
@example("\\`@a", [(True, "|`|\\|``|")])
@example("a\\|b @c|", [(True, "\\")])
def test_markdown_shows_what_was_written_and_no_more(text, pieces) -> None:
    """In prose, at a line's beginning, in a cell of a table, as code and as a block of it."""
    shown = blanks(encodable(printable(text)))
    prose = encodable(escaped(text))
    assert blanks(on_github(f"x {prose} x").text) == blanks(f"x {shown} x")
    line = at_start(prose)
    if line.strip():
        assert on_github(f"x\n\n{line}\n").elements <= {"p", "code"}
        assert not line.lstrip().startswith("/")
    written = "".join(encodable(printable(one)) for _, one in pieces)
    assert blanks(on_github(f"x {encodable(inline(pieces))} x").text) == blanks(f"x {written} x")
    inert_on_forges(f"x {encodable(inline(pieces))} x")
    for cell in (encodable(code(text)), prose):
        table = on_github(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
        assert blanks(table.text) == blanks(f"a b {encodable(printable(text))} end")
        assert "end" in table.outside
    block = on_github("\n".join(["before", "", *map(encodable, fenced(text)), "", "after"]))
    assert [part for part in block.outside if part.strip()] == ["before", "after"]


LONG = json.dumps({"a": "long & <b> " * 1_000})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failing_ones", "vectors", "text"),
    [(1_200, 1_200, LONG), (9, 9, "x" * 500_000 + "<&>\u202e\x00" * 100_000), (3_000, 4_000, "x")],
)
def test_pages_have_bounds_and_say_what_is_left_out(failing_ones, vectors, text, pages) -> None:
    made = pages(many(failing_ones, vectors, text))
    read_all(made)
    assert len(made["junit"].encode()) < 30 << 20
    assert made["junit"].count("<failure") == failing_ones
    assert len(made["text"]) < 8_000_000
    assert len(made["log"].splitlines()) <= 60
    if vectors == 1_200:
        ids = set(ReadBack(made["html"]).ids)
        assert all(f"i-aggregation.made-{n:04d}" in ids for n in range(vectors)), "each has its place"
        assert made["html"].count('<details class="f') == 20, "of one cause so many are shown in full"
        assert "1,180 more in brief; the JSON report has them in full" in made["html"]


def test_at_most_so_many_accounts_are_in_full_however_many_causes_there_are() -> None:
    items = [Item(f"{n}", "g", "crash", Tone.BAD, cause=f"cause {n % 700}") for n in range(1_400)]
    html = render(replace(PLAIN, items=items), "html")
    assert html.count('<details class="f') == 200
    assert all(f'id="i-{n}"' in html for n in range(1_400))


@pytest.mark.parametrize("limit", [4_000, 10_000, 1_000_000])
def test_markdown_takes_no_more_room_than_it_has(limit, cli, written) -> None:
    path = written(many(400, 500, "::error::漢字 `|`@a" * 100))
    text = cli("report", path, "--format", "markdown", "--limit", limit, "--failures", 400).stdout
    assert len(text.encode()) <= limit
    shown = text.count("<details>")
    assert shown > 0 or limit < 10_000
    assert shown == 400 or re.search(rf"\b{400 - shown}\b", text)
    few = cli("report", path, "--format", "markdown", "--limit", limit, "--failures", 3).stdout
    assert few.count("<details>") <= 3
    assert "does not conform" in few


def test_new_failures_come_before_known_ones(cli, written) -> None:
    document = many(60, 60)
    for one in document["results"][:50]:
        one |= {"outcome": "expected-failure", "real_outcome": "mismatch", "expected_by": "*/made-* mismatch"}
    expected = [f"made-{n:04d}" for n in (*range(50, 60), 0, 1)]
    markdown = cli("report", written(document), "--format", "markdown").stdout
    assert re.findall(r"<summary>.*?(made-\d+)", markdown) == expected
    assert "48 of them are not shown in full" in markdown
    text = cli("report", written(document), "--failures", 12).stdout
    assert re.findall(r"^[a-z]+: \S*(made-\d+) \(", text, re.MULTILINE) == expected


def test_the_formats_are_those_of_the_document() -> None:
    text = (Examples.docs() / "reports.md").read_text(encoding="utf-8")
    rows = text.partition("| format | for | how much it shows |")[2].partition("\n\n")[0]
    named = " ".join(row.split("|")[1] for row in rows.splitlines() if row)
    assert sorted(re.findall(r"`([a-z-]+)`", named)) == sorted(FORMATS)
