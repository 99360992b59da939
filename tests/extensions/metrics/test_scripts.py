"""Metric scripts that somebody wrote: the wrong ones break the rules that they should, and no others.

``scripts.yaml`` has them. Most are functions here, which are called instead of a process.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from conformance.extensions.metrics.findings import Reads
from conformance.extensions.metrics.sandbox.limits import Ended, Limits
from conformance.extensions.metrics.script import asking as script_asking
from conformance.extensions.metrics.script import checker as script_checker
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.extensions.metrics.script.ran import PLAIN, How, Output, Ran, Trials
from tests.extensions.metrics.bodies import METRICS, written

DOCUMENT = Path(__file__).parent / "documents" / "metric.py"
SCRIPTS: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("scripts.yaml").read_text("utf-8")
)
HEAD = """# /// script
# dependencies = []
# ///
import argparse, json, os, sys
from pathlib import Path
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path)
parser.add_argument("-o", "--output-path", type=Path)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
"""
HELP = """
values = [(trial or {}).get("reward", 0) for trial in trials]
def mean(values):
    return sum(values) / len(values) if values else 0
def write(**values):
    args.output_path.write_text(json.dumps(values))
"""


class Functions:
    """Runs a script's code as if it were the script."""

    def __init__(self, script: Path, *_: object) -> None:
        self.code = compile(script.read_text().replace(HEAD, ""), str(script), "exec")

    def prepare(self) -> Any:
        return SimpleNamespace(notes=[], version="", has_header=True)

    def run(self, trials: Trials, how: How = PLAIN) -> Ran:
        written: list[bytes] = []

        def write(text: str, encoding: str = "utf-8") -> None:
            written.append(text.encode(encoding))

        args = SimpleNamespace(output_path=SimpleNamespace(write_text=write))
        try:
            given = json.loads(json.dumps(list(trials)))
            exec(self.code, {"trials": given, "args": args, "json": json, "sys": sys, "print": str})
        except (Exception, SystemExit) as error:
            said = f"{type(error).__name__}: {error}"
            raised = "raise" if isinstance(error, AssertionError | SystemExit) else "x ="
            trace = (
                f'Traceback (most recent call last)\n  File "{self.code.co_filename}", line 1\n    {raised}\n'
            )
            ended = Ended(code=1, stderr=(trace + said).encode())
            return Ran(trials, ended, None, (("exit-code", f"It exited with 1: {said}"),))
        if not written:
            return Ran(trials, Ended(code=0), None, (("no-output", "It wrote no output file."),))
        output = Output.read(written[0])
        return Ran(trials, Ended(code=0), output, output.problems, written[0])

    def run_in_turn(self, lists: Sequence[Trials]) -> list[Ran]:
        return [self.run(trials) for trials in lists]


def checker_of(code: str, folder: Path, **options: Any) -> ScriptChecker:
    path = folder / "metric.py"
    path.write_text(HEAD + HELP + code, encoding="utf-8")
    (folder / "weights.json").write_text('{"factor": 1}')
    return ScriptChecker(str(path), limits=Limits(), python=sys.executable, **options)


def found_by(checker: ScriptChecker) -> list[tuple[str, str]]:
    """The rules that it breaks, each with its sentence."""
    checker.header()
    return [
        (finding.rule.name, finding.sentence)
        for case in checker.cases
        for finding in checker.check(case).findings
    ]


def whole_check(name: str, folder: Path) -> None:
    about = SCRIPTS[name]
    found = found_by(checker_of(about["code"], folder))
    expected = about["rules"].split() + ([] if about.get("whole") else ["odd-numbers"])
    assert {rule for rule, _ in found} == {*expected}, found


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_checker, "ScriptRunner", Functions)
    monkeypatch.setattr(script_asking, "EQUAL_RUNS", 2)


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", [name for name, about in SCRIPTS.items() if "processes" not in about])
def test_a_script_breaks_these_rules_and_no_others(name: str, tmp_path: Path) -> None:
    whole_check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, about in SCRIPTS.items() if "processes" in about])
def test_a_script_in_processes_of_its_own(name: str, tmp_path: Path) -> None:
    whole_check(name, tmp_path)


PUBLIC = METRICS["public"]["harbor-metric"]


def public_script(name: str, folder: Path) -> None:
    checker = ScriptChecker(str(written("public", "harbor-metric", name, folder)), limits=Limits())
    assert {rule for rule, _ in found_by(checker)} == set(PUBLIC[name]["rules"].split())
    assert checker.reads == Reads(tuple(PUBLIC[name]["reads"].split()))


@pytest.mark.oracle
def test_what_a_script_depends_on_is_installed(tmp_path: Path) -> None:
    public_script("accuracy_click", tmp_path)


@pytest.mark.release
def test_a_script_with_a_large_dependency(tmp_path: Path) -> None:
    public_script("numpy_bootstrap", tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_documents_script() -> None:
    """It refuses what it is not made for, which is its right; a job dies of it all the same."""
    checker = ScriptChecker(str(DOCUMENT), limits=Limits(), python=sys.executable)
    assert {rule for rule, _ in found_by(checker)} == {"other-shapes", "odd-numbers"}


READS = {
    "its own key": ("trial['reward']", "reward"),
    "another, if it is there": ("trial.get('accuracy', 0)", "accuracy"),
    "another": ("trial['accuracy']", "accuracy"),
    "a name put together": ("trial['accu' + 'racy']", "accuracy"),
    "two": ("trial['b'] + trial['a']", "a b"),
    "two, if they are there": ("trial.get('a', 0) * 2 + trial.get('b', 0)", "a b"),
    "one more": ("trial['reward'] - trial.get('cost', 0)", "reward cost"),
    "instead": ("trial.get('reward', trial.get('score', 0))", "reward"),
    "two that count together": ("trial.get('a', 0) * trial.get('b', 0)", "a b"),
    "the sum": ("sum(trial.values())", None),
    "the highest": ("max(trial.values())", None),
}


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", READS)
def test_what_is_read(name: str, tmp_path: Path) -> None:
    expression, reads = READS[name]
    code = f"write(mean=mean([{expression} if trial is not None else 0 for trial in trials]))"
    checker = checker_of(code, tmp_path)
    checker.check(checker.cases[0])
    assert checker.reads is not None
    assert checker.reads.every is (reads is None)
    assert sorted(checker.reads.names) == sorted((reads or "").split())


LIKE = [{"passed": 3, "total": 7}, None, {"passed": 0, "total": 2}, {"passed": 5, "total": 5}]


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("assert len(trials) in (0, 1327)\nwrite(mean=mean(values))", {"trials": 1327}),
        ("assert {*values} <= {0, 37, 41}\nwrite(mean=mean(values))", {"values": [37, 41]}),
        ("write(mean=mean([trial['a_' + 'b'] if trial else 0 for trial in trials]))", {"keys": ["a_b"]}),
        ("write(mean=mean([one['passed'] / one['total'] for one in trials if one]))", {"like": LIKE}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_option_names_what_it_needs(code: str, options: dict[str, Any], tmp_path: Path) -> None:
    checker = checker_of(code, tmp_path, **options)
    assert checker.check(checker.cases[0]).findings == []


def values_of(quantile: float) -> str:
    return f"found = sorted(values) or [0]\nwrite(q=found[min(len(found) - 1, int({quantile} * len(found)))])"


FAIR = {
    "rounded": "write(mean=round(mean(values), 2))",
    "per cent": "write(mean=round(100 * mean(values)))",
    "extremes": "write(high=max(values, default=0), low=min(values, default=0))",
    "number": "write(mean=mean(values), n=len(trials))",
    "sum": "write(sum=sum(values), some=float(any(value > 0 for value in values)))",
    "all": "write(all=float(all(value >= 1 for value in values)))",
    "partial": "write(partial=sum(0 < value < 1 for value in values))",
    "deviation": "import statistics\nwrite(d=statistics.stdev(values) if len(values) > 1 else 0.0)",
    "top ten": "write(top=mean(sorted(values)[-10:]))",
    "trimmed": "cut = len(values) // 10\nwrite(mean=mean(sorted(values)[cut:len(values) - cut]))",
    **{f"share of {one}": f"write(r=mean([value >= {one} for value in values]))" for one in (0.2, 0.5, 1.0)},
    **{f"quantile {one}": values_of(one) for one in (0.05, 0.25, 0.5, 0.9, 0.99)},
}
BLIND = {"all"}
"""What shows in no rewards, or not in these, that a trial is left out."""


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", FAIR)
def test_an_aggregate_of_all_trials_is_not_accused(name: str, tmp_path: Path) -> None:
    rules = {rule for rule, _ in found_by(checker_of(FAIR[name], tmp_path))}
    assert rules <= {"odd-numbers", "clips"}


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", FAIR)
@pytest.mark.parametrize("cut", [":-1", "1:", ":100"])
def test_an_aggregate_of_some_trials_is(name: str, cut: str, tmp_path: Path) -> None:
    checker = checker_of(f"trials = trials[{cut}]\nvalues = values[{cut}]\n{FAIR[name]}", tmp_path)
    (case,) = (case for case in checker.cases if case.name == "last-trial")
    rules = [finding.rule.name for finding in checker.check(case).findings]
    assert rules == ([] if name in BLIND else ["trials-left-out"])
