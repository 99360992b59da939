"""The page: what it shows."""

from dataclasses import replace

from conformance.assessment.page import render

SPEC = "harbor-0.13.1"


def from_measurements(page):
    """The page without what ``limits.md`` says."""
    measured, heading, limits = page.partition("## What the kit cannot detect\n")
    assert limits.count("\n- ") > 5
    return measured + heading


def test_where_all_is_well(measured, snapshot) -> None:
    assert from_measurements(render([measured])) == snapshot
    every = [replace(measured, spec=spec) for spec in ("one", "two", "three", "four")]
    assert len(render(every).splitlines()) < 230  # short enough to be read
    assert list(measured.shortfalls()) == []


def test_holes_are_shown(with_holes, snapshot) -> None:
    assert from_measurements(render([with_holes])) == snapshot
    assert list(with_holes.shortfalls()) == snapshot(name="shortfalls")


def test_each_spec_has_a_column_and_rows(measured, with_holes) -> None:
    other = replace(with_holes, spec="evsys")
    page = render([measured, other])
    assert f"|  | {SPEC} | evsys |\n|---|---:|---:|\n| vectors | 1,412 | 1,412 |" in page
    assert "- evsys: the mutant `plan:f:a:1` survives: `x[0]` → `x[1]`" in page
