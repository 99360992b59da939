"""The site's pages, before mkdocs reads them; .ci/run builds the whole and checks the links."""

import re

import pytest
import yaml

from tools.website.__main__ import HERE, Site, pages_of, prose


def test_prose_is_text_and_spans_of_code() -> None:
    for text, markdown in (
        *(("a `x|y`\nb", r"a `x`\|`y` b"), ("*a* <b> c", r"\*a\* \<b\> c")),
        *(("one ` alone", r"one \` alone"), ("`a`", "`a`")),
    ):
        assert prose(text) == markdown


@pytest.mark.slow
def test_a_page_for_each_rule_and_mistake(tmp_path) -> None:
    Site(tmp_path, "https://example.org/blob/HEAD").write()
    rule = (tmp_path / "rules/harbor-0.13.1/003-6-sum-compensated.md").read_text()
    assert "[erratum E4](../../ERRATA.md#e4-sums-of-floats-are-compensated)" in rule
    assert "(../../mistakes/harbor-0.13.1.md#naive-sum)" in rule
    assert "### aggregation/sum-ten-tenths" in rule or "| aggregation/sum-ten-tenths |" in rule
    changed = (tmp_path / "rules/harbor-0.13.1/003-1.3-top-level-null.md").read_text()
    assert "Changed in harbor 0.23.0" in changed
    listed = (tmp_path / "rules/harbor-0.13.1.md").read_text()
    named = set(re.findall(r"\]\(harbor-0\.13\.1/(\S+)\.md\)", listed))
    assert named == {path.stem for path in (tmp_path / "rules/harbor-0.13.1").iterdir()}


def test_every_guide_is_in_the_navigation() -> None:
    named = set(pages_of(yaml.safe_load((HERE / "mkdocs.yml").read_text())["nav"]))
    root = HERE.parents[1]
    assert {f"docs/{path.name}" for path in (root / "docs").glob("*.md")} <= named
