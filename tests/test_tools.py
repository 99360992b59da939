"""The programs of `tools`."""

import re
import runpy
import sys
from pathlib import Path

import pytest
import yaml

from tools import upstream, weights
from tools.website.__main__ import HERE, Site, pages_of, prose

ROOT = Path(__file__).parents[1]
RULE = {"clause": "003-1-a", "statement": "A.", "count": 7, "example": "s/pass_at_k/x"}
# The words of measured.py are a command of the kit, so --help is that command's.
PROGRAMS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "tools").rglob("*.py")
    if 'if __name__ == "__main__":' in path.read_text("utf-8") and path.name != "measured.py"
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_explains_a_program_and_does_nothing_else(program, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    monkeypatch.setattr(Path, "write_text", lambda *_: pytest.fail("wrote a file"))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / program), run_name="__main__")
    assert ended.value.code in (0, None)
    printed = capsys.readouterr()
    assert "usage" in printed.out.lower() or "python" in printed.out
    assert "Traceback" not in printed.out + printed.err


def test_the_weights_of_packages_are_no_older_than_a_tenth() -> None:
    """Else: ``python -m tools.weights``."""
    text = weights.DOCUMENT.read_text("utf-8")
    tables = (weights.TABLE.search(each)[0].replace(",", "") for each in (text, weights.written(text)))
    stated, now = ([int(number) for number in re.findall(r"[0-9]+", table)] for table in tables)
    assert len(stated) == len(now) > 40
    assert all(abs(one - other) <= max(20, other / 10) for one, other in zip(stated, now, strict=True))
    assert weights.files_of("wire/messages") == {weights.KIT / "wire" / "messages.py"}


def test_a_known_release_is_described_by_its_rules(monkeypatch, capsys) -> None:
    monkeypatch.setattr(upstream, "install", lambda *_: "0.26.0")
    assert upstream.report_news("0.26.0", None, Path()) == 0
    printed = capsys.readouterr().out
    assert "nothing is newer than harbor 0.26.0, which is known" in printed
    assert "Only trials with a valid reward count" in printed


@pytest.mark.parametrize(
    ("modules", "rules", "code", "sentence"),
    [
        ([], [], 0, "nothing that decides scores changed"),
        (["harbor/job.py: Job.run"], [], 1, "no vector shows a change"),
        ([], [RULE], 1, "7 003-1-a"),
    ],
)
def test_a_newer_release_is_compared(modules, rules, code, sentence, monkeypatch, capsys) -> None:
    change = {"spec": "s", "from": "1.0.0", "to": "2.0.0", "compared": 9, "rules": rules}
    report = {"changes": [change | {"ops_gone": [], "ops_new": []}]}
    monkeypatch.setattr(upstream, "install", lambda wanted, _: "2.0.0" if wanted == "harbor" else "1.0.0")
    monkeypatch.setattr(upstream, "changed_modules", lambda *_: modules)
    monkeypatch.setattr(upstream, "ask_both", lambda *_: report)
    assert upstream.report_news("1.0.0", None, Path()) == code
    assert sentence in capsys.readouterr().out


@pytest.mark.oracle
def test_comments_and_docstrings_are_no_change(tmp_path) -> None:
    texts = {"old": '"""A."""\nx = 1  # one\n', "same": '"""B."""\n\nx = 1\n', "new": "x = 2\n"}
    for name, text in texts.items():
        (tmp_path / name / "harbor").mkdir(parents=True)
        (tmp_path / name / "harbor" / "job.py").write_text(text)
    old, same, new = (tmp_path / name for name in texts)
    assert upstream.changed_modules(old, same) == []
    assert upstream.changed_modules(old, new) == ["harbor/job.py"]


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
