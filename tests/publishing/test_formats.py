"""Every report in every format: what each format's readers ask for, nothing lost, and no text acts."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.formats.markdown_text import at_start, code, escaped, fenced, inline
from conformance.wire.text import encodable, harmless, printable
from tests.publishing.examples import (
    KINDS,
    MATRICES,
    RUNS,
    Examples,
    accepted_names,
    changed,
    leaves,
    many,
)
from tests.publishing.reading import (
    ReadBack,
    azure,
    failing,
    github,
    inert_on_forges,
    laid_out,
    on_github,
    read_all,
    read_annotations,
    read_html,
    read_junit,
    read_markdown,
    read_text,
)

Json = Any
ATTACKS: list[str] = json.loads(Path(__file__).with_name("attacks.json").read_text(encoding="utf-8"))
LARGE = {"whole", "whole naive", "fork", "few", "few and right", "rewards", "release"}
"""Pages with all of harbor-0.13.1's vectors, which take a second each."""
CONTRADICT = {"run: unexpected-pass", "run: none-asked-again", "check: link"}
NAMES = [
    *(
        pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else [])
        for name in (*RUNS, "merged", "merged and right")
    ),
    *("check clean", "check wrong", "check board", *MATRICES),
    *(name for kind in KINDS for name in accepted_names(kind) if name not in CONTRADICT),
]
BAD = ("mismatch", "wrong-error", "crash", "timeout", "protocol-error")


def counts_of(text: str) -> tuple[dict[str, int], int]:
    """The counts of a page, and how many it says there are in all."""
    table = text.partition("\nin all")[0].rpartition("\n\n")[2]
    rows = re.findall(r"^(\S.*?) +([\d,]+)(?:  \S.*)?$", table, re.MULTILINE)
    whole = re.search(r"^in all +([\d,]+)", text, re.MULTILINE)
    assert whole is not None
    return {name: int(count.replace(",", "")) for name, count in rows}, int(whole[1].replace(",", ""))


@pytest.mark.parametrize("name", NAMES)
def test_every_report_in_every_format(name: str, pages: Any, examples: Examples) -> None:
    """Nothing is lost: what fails, each vector, finding and cause; and counts add up."""
    document, made = examples(name), pages(name)
    read_all(made)
    cases = failing(read_junit(made["junit"]))
    assert cases or document["exit_code"] == 0
    html, text = read_html(made["html"]).text, read_text(made["text"])
    laid_out(text)
    assert made["markdown"].count("<details>") == made["markdown"].count("</details>")
    counts, whole = counts_of(text)
    assert sum(counts.values()) == whole
    results = document.get("results", [])
    for one in results:
        slug, known = one["id"].rpartition("/")[2], one["outcome"] == "expected-failure"
        assert f'id="v-{one["id"].partition("/")[2].replace("/", ".")}"' in made["html"]
        if one["outcome"] not in ("passed", "unsupported"):
            assert slug in html
            assert slug in text or name in LARGE
            assert (slug in cases) is not known
    if "results" in document:
        totals = document["totals"]
        assert bool(cases) is (document["exit_code"] != 0)
        assert counts.get("passed", 0) == totals["passed"]
        assert counts.get("unexpected passes", 0) == totals["unexpected-pass"]
        assert counts.get("expected failures", 0) == totals["expected-failure"]
        assert counts.get("failed", 0) == sum(totals[one] for one in BAD)
    if name in RUNS:
        assert whole == document["vectors"]["total"] + document["vectors"]["newer"]
    for one in document.get("causes", ()):
        assert (one["counterexample"] or "").rpartition("/")[2] in html
    for finding in document.get("findings", ()):
        assert f"case {finding['case']}: " in html
    for job in document["jobs"] if "submissions" in document else ():
        assert job["path"] in html
        assert all(one["id"] in html for one in job["findings"])


@pytest.mark.parametrize(
    "name", ["wrong", "stale", "check wrong", "metric: one-finding", "matrix", "fuzz: disagreements"]
)
@pytest.mark.parametrize(("variable", "read"), [("GITHUB_ACTIONS", github), ("TF_BUILD", azure)])
def test_annotations_alone_are_commands(
    name: str, variable: str, read: Any, cli: Any, written: Callable[[Any], Path]
) -> None:
    done = cli("report", written(name), "-o", "page.html", "--annotations", **{variable: "true"})
    told = read_annotations(done.stdout)
    assert told
    assert all(read(line) for line in done.stdout.splitlines())
    if name == "stale":
        lines = {options.get("line") or options.get("linenumber") for _, options, _ in told}
        assert {"2", "4"} <= lines
    quiet = {"GITHUB_ACTIONS": "false", "TF_BUILD": "", "CI": "true"}
    assert cli("report", written(name), "-o", "page.html", "--annotations", **quiet).stdout == ""


def test_of_many_notes_the_rest_is_counted(cli: Any) -> None:
    """Eleven releases of harbor do not conform."""
    kept = Examples.docs() / "harbor-releases.json"
    told = cli("report", kept, "-o", "x.html", "--annotations", GITHUB_ACTIONS="true").stdout
    commands = read_annotations(told)
    assert len(commands) == 10
    assert {name for name, *_ in commands[:9]} == {"error"}
    assert re.match(r"\d+ more results that do not conform", commands[-1][1]["title"])


# Texts of others


HOSTILE = {
    "run": "run: mismatch-explained", "check": "check: one-finding", "metric": "metric: one-finding",
    "matrix": "matrix: compared", "fuzz": "fuzz: disagreements", "of a run": "wrong",
    "of jobs": "check board",
}  # fmt: skip
_free: dict[str, list[tuple[Any, ...]]] = {}


def spoilt(name: str, text: str, cli: Any, written: Any, examples: Examples) -> Json:
    """The report with the text wherever one is taken that its maker, its runner or its user has written."""
    document = examples(name)
    if "results" in document:
        document["results"] = (
            document["results"][:60] if name == "run: mismatch-explained" else document["results"]
        )
    if name not in _free:
        places = [one for one in leaves(document) if not {"results", "clauses", "trials"} & set(one[:1])]
        wrong = [n for n, one in enumerate(document.get("results", ())) if one.get("detail")][:3]
        places += [path for path in leaves(document.get("results", []), "results") if path[1] in wrong]
        _free[name] = []
        for path in places[:150]:
            after = changed(document, path, "any <text>")
            if cli("report", written(after), "-o", "page.txt").returncode == 0:
                _free[name].append(path)
    for number, path in enumerate(_free[name]):
        document = changed(document, path, f"{text} {number}")
    return document


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE.values(), ids=list(HOSTILE))
def test_no_text_of_others_does_anything(
    name: str, cli: Any, pages: Any, written: Any, examples: Examples
) -> None:
    """In any format, also of what changed since."""
    plain = {tag for tag, _ in ReadBack(pages(name)["html"]).tags}
    attacks = [" ".join(ATTACKS[::2]), " ".join(ATTACKS[1::2]), "".join(ATTACKS[::2]), "".join(ATTACKS[1::2])]
    for attack in attacks[:: 3 if name in RUNS else 1]:
        document = spoilt(name, attack, cli, written, examples)
        assert len(_free[name]) > 4
        made = pages(document)
        read_all(made)
        known = plain | {"del", "ins", "bdi", "details", "summary", "code", "b", "i", "pre"}
        assert {tag for tag, _ in ReadBack(made["html"]).tags} <= known
        for variable in ("GITHUB_ACTIONS", "TF_BUILD"):
            words = ("report", written(document), "-o", "p.html", "--annotations")
            read_annotations(cli(*words, **{variable: "true"}).stdout)
    both = pages(name, document)
    read_all(both)


@pytest.mark.slow
def test_what_a_runner_says_can_be_read_as_it_was_said(pages: Any, examples: Examples) -> None:
    document = examples("run: mismatch-explained")
    for text in ATTACKS:
        if len(text) > 1 and text.isprintable() and "  " not in text and harmless(text) == text:
            document["results"][0]["detail"] = f"at {text}."
            made = pages(document)
            assert f"at {text}." in ReadBack(made["html"]).text
            assert f"at {text}."[:60] in " ".join(made["text"].split())
            assert f"at {text}." in (ET.fromstring(made["junit"]).findtext(".//failure") or "")
            assert blanks(f"at {text}.") in blanks(on_github(made["markdown"]).all)


def named(value: Json, old: str, new: str) -> Json:
    """The report with another name for what it names in several places."""
    if isinstance(value, dict):
        return {key: named(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        return [named(one, old, new) for one in value]
    return new if value == old else value


@pytest.mark.parametrize(
    ("name", "old"), [("matrix", "a"), ("matrix: compared", "mine"), ("check board", "a")]
)
def test_a_name_that_a_report_repeats_does_nothing(
    name: str, old: str, pages: Any, examples: Examples
) -> None:
    """It is in headings, links, filters and style sheets."""
    for attack in ('</style><script>"}\n@import', "<b>\n::error::x ##[error]", "' x=\u202e\\"):
        document = examples(name)
        given = named(document, old, attack)
        assert given != document
        read_all(pages(given))
        read_all(pages(document, given))


texts = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.sampled_from([" ", "  ", "x", "."]), st.text(max_size=6)),
    max_size=6,
).map("".join)


def blanks(text: str) -> str:
    return re.sub(" +", " ", text.replace("\n", " ")).strip()


@pytest.mark.slow
@given(texts, st.lists(st.tuples(st.booleans(), texts), max_size=4))
@example("a`b @c` d", [])
@example("`@a", [(True, "a\\|b")])
@example("\\`@a", [(True, "|`|\\|``|")])
@example("a\\|b @c|", [(True, "\\")])
def test_markdown_shows_what_was_written_and_no_more(text: str, pieces: list[tuple[bool, str]]) -> None:
    """In prose, at a line's beginning, in a cell of a table, as code and as a block of it."""
    shown = blanks(encodable(printable(text)))
    prose = encodable(escaped(text))
    assert blanks(on_github(f"x {prose} x").all) == blanks(f"x {shown} x")
    line = at_start(prose)
    if line.strip():
        assert on_github(f"x\n\n{line}\n").elements <= {"p", "code"}
        assert not line.lstrip().startswith("/")
    written = "".join(encodable(printable(one)) for _, one in pieces)
    assert blanks(on_github(f"x {encodable(inline(pieces))} x").all) == blanks(f"x {written} x")
    inert_on_forges(f"x {encodable(inline(pieces))} x")
    for cell in (encodable(code(text)), prose):
        table = on_github(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
        assert blanks(table.all) == blanks(f"a b {encodable(printable(text))} end")
        assert "end" in table.text
    block = on_github("\n".join(["before", "", *map(encodable, fenced(text)), "", "after"]))
    assert [part for part in block.text if part.strip()] == ["before", "after"]


# Room


LONG = json.dumps({"a": "long & <b> " * 3_000})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failing_ones", "vectors", "text"),
    [(2_900, 2_900, LONG), (9, 9, "x" * 1_000_000), (9, 9, "<&>\u202e\x00" * 200_000), (6_000, 8_000, "x")],
)
def test_pages_have_bounds_and_say_what_is_left_out(
    failing_ones: int, vectors: int, text: str, pages: Any
) -> None:
    made = pages(many(failing_ones, vectors, text))
    read_html(made["html"])
    read_markdown(made["markdown"])
    assert len(made["junit"].encode()) < 30 << 20
    assert made["junit"].count("<failure") == failing_ones
    assert len(made["text"]) < 8_000_000
    if vectors == 2_900:
        ids = set(ReadBack(made["html"]).ids)
        assert all(f"f-aggregation.made-{n:04d}" in ids for n in range(vectors)), "each has its place"
        assert "told in brief" in made["html"]
        assert "ID</code>" in made["html"], "and the command that repeats each"
        assert "the JSON report has the whole" in made["html"]
        assert "(cut, " in made["junit"]


@pytest.mark.parametrize("limit", [4_000, 10_000, 1_000_000])
def test_markdown_takes_no_more_room_than_it_has(limit: int, cli: Any, written: Any) -> None:
    path = written(many(400, 500, "::error::漢字 `|`@a" * 100))
    text = cli("report", path, "--format", "markdown", "--limit", limit, "--failures", 400).stdout
    assert len(text.encode()) <= limit
    shown = text.count("<details>")
    assert shown == 400 or re.search(rf"\b{400 - shown}\b", text)
    few = cli("report", path, "--format", "markdown", "--limit", limit, "--failures", 3).stdout
    assert few.count("<details>") <= 3
    assert "does not conform" in few


def test_new_failures_come_before_known_ones(cli: Any, written: Any, examples: Examples) -> None:
    document = many(60, 60)
    for one in document["results"][:50]:
        one |= {"outcome": "expected-failure", "real_outcome": "mismatch", "expected_by": "*/made-* mismatch"}
    for totals in (document["totals"], document["classes"]["aggregation"]["totals"]):
        totals |= {"mismatch": 10, "expected-failure": 50}
    expected = [f"made-{n:04d}" for n in (*range(50, 60), 0, 1)]
    markdown = cli("report", written(document), "--format", "markdown").stdout
    assert re.findall(r"<summary>.*?(made-\d+)", markdown) == expected
    assert "48 more" in markdown
    text = cli("report", written(document), "--failures", 12).stdout
    assert re.findall(r"^[a-z]+: \S*(made-\d+) \(", text, re.MULTILINE) == expected
