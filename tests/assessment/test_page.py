"""The page: what it shows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.assessment.benchmarks import AssessmentError, Figure, load_benchmarks, take_benchmark
from conformance.assessment.benchmarks import write_benchmark as write
from conformance.assessment.measuring import answer_counts
from conformance.assessment.page import outdated_documents, render
from conformance.registry.ops import SPECS
from tools.benchmarks import fuzz

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


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.release
def test_the_documents_have_todays_table() -> None:
    assert list(outdated_documents(ROOT)) == [], "harbor-conformance kit assess writes them"


def test_a_table_that_is_out_of_date_is_written_anew(tmp_path) -> None:
    row = "| the kit's own decision table | "
    for name in ("README.md", "vectors/README.md"):
        stale = tmp_path / name
        stale.parent.mkdir(exist_ok=True)
        stale.write_text((ROOT / name).read_text("utf-8").replace(row, f"{row}1"), encoding="utf-8")
    renewed = outdated_documents(tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in renewed] == ["README.md", "vectors/README.md"]
    own = answer_counts(SPECS[0])["the kit's own decision table"]
    for path, text in renewed.items():
        assert f"{row}{own} |" in text
        path.write_text(text, encoding="utf-8")
    assert outdated_documents(tmp_path) == {}


BENCHMARKS = Path(__file__).parents[2] / "tools" / "benchmarks"
NAMES = sorted(
    path.stem for path in BENCHMARKS.glob("*.py") if path.stem not in ("__init__", "measured", "measuring")
)


def test_a_figure_stands_beside_its_aim() -> None:
    fast = ("b", 3000, False, "a second")
    for (name, aim, at_most, unit), value, line in (
        (("a", 1.3, True, "times"), 1.3, "a: 1.3 times (aim: at most 1.3 times): reached"),
        (("a", 1.3, True, "times"), 1.31, "a: 1.31 times (aim: at most 1.3 times): missed"),
        (fast, 2999.4, "b: 2,999 a second (aim: at least 3,000 a second): missed"),
        (fast, 12345, "b: 12,345 a second (aim: at least 3,000 a second): reached"),
        (("c", 5, True, "s"), 0.01234, "c: 0.0123 s (aim: at most 5 s): reached"),
    ):
        assert Figure(name, value, unit, aim, at_most=at_most).line() == line


def test_the_last_run_of_each_benchmark_is_kept(tmp_path, measured) -> None:
    folder, file = tmp_path / "records", tmp_path / "one.json"
    assert load_benchmarks(folder) == ()
    assert "No record yet." in render([measured], ())
    for name, value in (("fuzz", 1.0), ("cost", 2.0), ("fuzz", 3.0)):
        write(file, name, [Figure("a | b", value, "s", 2.5)], {"rounds": 3})
        take_benchmark(file, folder)
    kept = load_benchmarks(folder)
    assert [(one.name, one.figures[0].value) for one in kept] == [("cost", 2.0), ("fuzz", 3.0)]
    page = render([measured], kept)
    assert "| `cost` | a \\| b | 2 s | at most 2.5 s | reached |" in page
    assert "| `fuzz` | a \\| b | 3 s | at most 2.5 s | missed |" in page
    assert render([measured], load_benchmarks(folder)) == page


def test_what_is_no_benchmarks(tmp_path) -> None:
    for text in ("", "[]", "{}", '{"benchmark": {"name": "cost"}}', '{"benchmark": {"figures": [{}]}}'):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(AssessmentError, match=r"x\.json"):
            take_benchmark(tmp_path / "x.json", tmp_path / "records")
    with pytest.raises(AssessmentError, match="can't be read"):
        take_benchmark(tmp_path / "none.json", tmp_path / "records")


def test_every_benchmark_writes_figures() -> None:
    for name in NAMES:
        source = (BENCHMARKS / f"{name}.py").read_text(encoding="utf-8")
        assert f'report_figures(chosen, "{name}", figures' in source
    assert NAMES


@pytest.mark.slow
@pytest.mark.once
def test_the_cheapest_is_measured(tmp_path, monkeypatch, capsys) -> None:
    """With one operation, in this process, which stays on all of its cores."""
    monkeypatch.setattr(fuzz, "all_ops", lambda: ("evals_key",))
    monkeypatch.delattr("os.sched_setaffinity")
    monkeypatch.setattr("sys.argv", ["fuzz", "--rounds=1", "--inputs=20", f"--json={tmp_path}/f.json"])
    fuzz.main()
    document = json.loads((tmp_path / "f.json").read_text())
    assert document["more"]["rounds"] == 1
    said = " ".join(capsys.readouterr().out.split())
    for figure in document["benchmark"]["figures"]:
        assert Figure(**figure).line() in said
