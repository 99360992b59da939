"""A page as JUnit's XML: as its readers take it, every count adding up, every text as it was."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given

from conformance.publishing.formats.junit import as_junit
from conformance.publishing.formats.xml import xml_text
from conformance.publishing.model import Case, Page
from conformance.wire.text import harmless, printable

from .making import ATTACKS, full_page, pages, texts

SUITES = {"name", "tests", "failures", "errors", "time"}
SUITE = SUITES | {"skipped"}
CASE = {"name", "classname", "time"}
RESULTS = {"failure": {"message", "type"}, "error": {"message", "type"}, "skipped": {"message"}}


def read(page: Page) -> ET.Element:
    """The document, held to what Jenkins' schema and GitLab's reader ask for."""
    text = as_junit(page)
    root = ET.fromstring(text.encode())
    assert harmless(text) == text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert root.tag == "testsuites"
    assert set(root.attrib) == SUITES
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == SUITE
        assert suite.attrib["name"]
        parts = list(suite)
        if parts and parts[0].tag == "properties":
            assert all(one.tag == "property" and set(one.attrib) == {"name", "value"} for one in parts[0])
            parts = parts[1:]
        for case in parts:
            assert case.tag == "testcase"
            assert set(case.attrib) == CASE
            assert len(case) <= 1
            for result in case:
                assert set(result.attrib) == RESULTS[result.tag]
                assert len(result) == 0
    assert_counts(root)
    return root


def assert_counts(root: ET.Element) -> None:
    whole = [(suite, suite.attrib) for suite in root]
    for suite, attributes in [*whole, (root, root.attrib)]:
        cases = list(suite.iter("testcase"))
        assert int(attributes["tests"]) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if count in attributes:
                assert int(attributes[count]) == sum(len(case.findall(tag)) for case in cases)
        # each is rounded to a microsecond
        assert float(attributes["time"]) == pytest.approx(
            sum(float(case.attrib["time"]) for case in cases), abs=1e-3
        )


def as_shown(text: str) -> str:
    return "\n".join(printable(line) for line in text.splitlines()) + ("\n" if text.endswith("\n") else "")


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_changes_the_document(attack: str) -> None:
    root = read(full_page(attack))
    name = as_shown(attack)
    assert [suite.attrib["name"] for suite in root] == [name or "run"]
    assert [case.attrib["name"] for case in root.iter("testcase")] == [name] * 4
    (failure,) = root.iter("failure")
    assert failure.attrib["message"] == name
    assert (failure.text or "") == name


@given(pages)
def test_any_page_is_a_document(page: Page) -> None:
    root = read(page)
    told = len(list(root.iter("testcase"))) - len(page.cases)
    assert told in (0, 1)


@given(texts)
def test_text_comes_back_as_it_is_shown(text: str) -> None:
    read = ET.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>')
    assert (read.text or "") == read.attrib["b"] == as_shown(text)


def test_an_unheard_of_state_is_an_error() -> None:
    root = read(replace(full_page("x"), cases=(Case("a", "b", "unheard-of", "what?"),)))
    assert root.attrib["errors"] == "1"


@pytest.mark.parametrize(("code", "tag"), [(1, "failure"), (2, "error")])
def test_a_report_that_fails_by_no_case_fails_here_too(code: int, tag: str) -> None:
    page = replace(full_page("a shard is missing"), exit_code=code, cases=(Case("a", "b", "passed"),))
    root = read(page)
    (case,) = (case for case in root.iter("testcase") if len(case))
    assert case.attrib["name"] == "verdict"
    assert case[0].tag == tag
    assert "a shard is missing" in case[0].attrib["message"]
    assert "a shard is missing" in (case[0].text or "")
    assert len(list(read(replace(page, exit_code=0)).iter("testcase"))) == 1


def test_it_stays_small_however_much_there_is_to_tell() -> None:
    long = "é" * 50_000
    cases = tuple(Case("a", f"{n}", "failed", long, long) for n in range(3000))
    text = as_junit(replace(full_page("x"), cases=cases))
    assert len(text.encode()) < 30 << 20
    assert text.count("<failure") == 3000
    assert "(cut, 50000 characters in all)" in text


def test_no_time_is_written_as_no_reader_knows_it() -> None:
    times = (float("nan"), float("inf"), -1.0, 1e-9, 1e6)
    page = replace(full_page("x"), cases=tuple(Case("a", "b", "passed", seconds=one) for one in times))
    written = [case.attrib["time"] for case in read(page).iter("testcase") if case.attrib["name"] == "b"]
    assert written == ["0.000000", "0.000000", "0.000000", "0.000000", "1000000.000000"]
