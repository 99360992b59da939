"""The page: what it shows, what it escapes, and which section differs."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.assessment.measurements import Measurements
from conformance.assessment.page import first_difference, in_table, render

SPEC = "harbor-0.13.1"


def from_measurements(page: str) -> str:
    """The page without what the mutator and ``limits.md`` say."""
    head, _, rest = page.partition("Left alone are\n")
    measured, heading, limits = rest[rest.index("## Properties") :].partition(
        "## What the kit can't detect\n"
    )
    assert limits.count("\n- ") > 5
    return head + measured + heading


def test_where_all_is_well(measured: Measurements, snapshot: Any) -> None:
    assert from_measurements(render(measured)) == snapshot
    assert list(measured.shortfalls()) == []


def test_holes_are_shown(with_holes: Measurements, snapshot: Any) -> None:
    assert from_measurements(render(with_holes)) == snapshot
    assert list(with_holes.shortfalls()) == [
        f"{SPEC}: clauses are neither traced by a vector nor excused: 1",
        f"{SPEC}: known mistakes are caught by no vector of their class: 1",
        f"{SPEC}: mutants survive: 1",
        f"{SPEC}: excuses of mutants are stale: 1",
        f"{SPEC}: random inputs were answered differently: 3",
    ]


def test_other_specs_follow(measured: Measurements, with_holes: Measurements) -> None:
    alone = render(measured)
    others = [replace(measured, spec="evsys", records=()), replace(with_holes, spec="harness-evals")]
    page = render(measured, others)
    assert first_difference(alone, page) == "section “The other specs”"
    added = page[page.index("## The other specs") : page.index("## What the kit can't detect")]
    assert added.count("\n### ") == 2
    first, second = added.split("\n### ")[1:]
    assert "| known mistakes | 3: 3 caught" in first
    assert "**Survives:** `plan:f:a:1`" in second
    assert list(others[0].shortfalls()) == []  # a record is of the real harbor


def test_without_a_record(measured: Measurements) -> None:
    without = replace(measured, records=())
    assert "There is no record." in render(without)
    assert list(without.shortfalls()) == [
        f"{SPEC}: there is no record of random inputs compared with the real harbor"
    ]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"),
        ("two\nlines\r\n of\ttext", "two lines of text"),
        ("*a* [b](c) <br> `d` ~e~ $f$ &amp;", r"\*a\* \[b\](c) \<br\> \`d\` \~e\~ \$f\$ \&amp;"),
        ("__init__ and reward_missing", r"\_\_init\_\_ and reward_missing"),
        ("a\\|b", r"a\\\|b"),
    ],
)
def test_text_has_no_markdown(text: str, escaped: str) -> None:
    assert in_table(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"`a \| b`"),
        ("a ` b", "``a ` b``"),
        ("`a`", "`` `a` ``"),
        ("``a", "``` ``a ```"),
        ("*a*\n_b_", "`*a* _b_`"),
    ],
)
def test_code_stays_code(text: str, escaped: str) -> None:
    assert in_table(text, code=True) == escaped


def test_every_row_of_a_table_has_its_columns(measured: Measurements, with_holes: Measurements) -> None:
    for page in (render(measured), render(with_holes)):
        columns = 0
        for line in page.splitlines():
            if not line.startswith("|"):
                columns = 0
                continue
            count = line.replace("\\|", "").count("|")
            assert count == (columns or count), line
            columns = count


def test_the_first_section_that_differs(measured: Measurements) -> None:
    page = render(measured)
    assert first_difference(page, page) is None
    fewer = replace(measured, mistakes=measured.mistakes[:-1])
    assert first_difference(page, render(fewer)) == "section “Known mistakes”"
    both = replace(fewer, vectors={"reward": 13, "aggregation": 1400})
    assert first_difference(page, render(both)) == "section “Clauses and vectors”"
    assert first_difference(page.replace("Nothing here", "Some here"), page) == "the summary"
    assert first_difference(page + "## More\n", page) == "section “More”"
    assert first_difference("", page) == "section “Clauses and vectors”"
