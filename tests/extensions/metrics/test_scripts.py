"""Metric scripts that somebody wrote: the wrong ones break the rules that they should, and no others.

``scripts.yaml`` has them. Most are functions here, which are called instead of a process.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from conformance.confinement.bubblewrap import confined
from conformance.extensions.metrics.checker import Options, Reads
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.extensions.metrics.script import checker as script_checker
from conformance.extensions.metrics.script import session as script_session
from conformance.extensions.metrics.script.checker import ScriptChecker
from conformance.extensions.metrics.script.runs import PLAIN, ScriptRun, read_output
from tests.extensions.metrics.bodies import HEAD, METRICS, each_of, written

SCRIPTS = yaml.safe_load(Path(__file__).with_name("scripts.yaml").read_text("utf-8"))
HELP = """
values = [(trial or {}).get("reward", 0) for trial in trials]
def mean(values):
    return sum(values) / len(values) if values else 0
def write(**values):
    args.output_path.write_text(json.dumps(values))
"""


class Functions:
    """Runs a script's code as if it were the script."""

    def __init__(self, script, *_) -> None:
        self.code = compile(script.read_text().replace(HEAD, ""), str(script), "exec")

    def prepare(self):
        return SimpleNamespace(notes=[], version="", has_header=True)

    def run(self, trials, how=PLAIN):
        written = []

        def write(text, encoding="utf-8") -> None:
            written.append(text.encode(encoding))

        args = SimpleNamespace(output_path=SimpleNamespace(write_text=write))
        try:
            given = json.loads(json.dumps(list(trials)))
            exec(self.code, {"trials": given, "args": args, "json": json, "sys": sys, "print": str})
        except (Exception, SystemExit) as error:
            said = f"{type(error).__name__}: {error}"
            raised = "raise" if isinstance(error, AssertionError | SystemExit) else "x ="
            where = f'  File "{self.code.co_filename}", line 1\n    {raised}\n'
            ended = Ended(code=1, stderr=f"Traceback (most recent call last)\n{where}{said}".encode())
            return ScriptRun(trials, ended, (("exit-code", f"It exited with 1: {said}"),))
        if not written:
            return ScriptRun(trials, Ended(code=0), (("no-output", "It wrote no output file."),))
        output = read_output(written[0])
        return ScriptRun(trials, Ended(code=0), *output, written[0])

    def run_consecutively(self, lists):
        return [self.run(trials) for trials in lists]


def checker_of(code, folder, **options):
    path = folder / "metric.py"
    path.write_text(HEAD + HELP + code, encoding="utf-8")
    (folder / "weights.json").write_text('{"factor": 1}')
    return ScriptChecker(str(path), Options(python=sys.executable, **options))


def found_by(checker):
    """The rules that it breaks, each with its sentence."""
    checker.header()
    found = [finding for case in checker.cases for finding in checker.check(case).findings]
    return [(finding.rule.name, finding.sentence) for finding in found]


def whole_check(name, folder) -> None:
    about = SCRIPTS[name]
    found = found_by(checker_of(about["code"], folder))
    expected = about["rules"].split() + ([] if about.get("whole") else ["odd-numbers"])
    assert {rule for rule, _ in found} == {*expected}, found


@pytest.fixture
def functions(monkeypatch) -> None:
    monkeypatch.setattr(script_checker, "ScriptRunner", Functions)
    monkeypatch.setattr(script_session, "EQUAL_RUNS", 2)


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", [name for name, about in SCRIPTS.items() if "processes" not in about])
def test_a_script_breaks_these_rules_and_no_others(name, tmp_path) -> None:
    whole_check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, about in SCRIPTS.items() if "processes" in about])
def test_a_script_in_processes_of_its_own(name, tmp_path) -> None:
    if SCRIPTS[name].get("confined") and not confined():
        pytest.skip("nothing confines a metric here, so the script changes what later runs see")
    whole_check(name, tmp_path)


PUBLIC = METRICS["public"]["harbor-metric"]


def public_script(name, folder) -> None:
    checker = ScriptChecker(str(written("public", "harbor-metric", name, folder)), Options())
    assert {rule for rule, _ in found_by(checker)} == set(PUBLIC[name]["rules"].split())
    assert checker.reads == Reads(tuple(PUBLIC[name]["reads"].split()))


@pytest.mark.oracle
def test_what_a_script_depends_on_is_installed(tmp_path) -> None:
    public_script("accuracy_click", tmp_path)


@pytest.mark.release
def test_a_script_with_a_large_dependency(tmp_path) -> None:
    public_script("numpy_bootstrap", tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_documents_script(document) -> None:
    """It refuses what it is not made for, which is its right; a job dies of it all the same."""
    checker = ScriptChecker(str(document), Options(python=sys.executable))
    assert {rule for rule, _ in found_by(checker)} == {"other-shapes", "odd-numbers"}


@pytest.mark.usefixtures("functions")
@each_of("reads")
def test_what_is_read(row, tmp_path) -> None:
    code = f"write(mean=mean([{row['reward']} if trial is not None else 0 for trial in trials]))"
    checker = checker_of(code, tmp_path)
    checker.check(checker.cases[0])
    assert checker.reads is not None
    assert checker.reads.every is not bool(row["keys"])
    assert sorted(checker.reads.names) == row["keys"]


@pytest.mark.usefixtures("functions")
@each_of("options")
def test_an_option_names_what_it_needs(row, tmp_path) -> None:
    checker = checker_of(row["code"], tmp_path, **row["options"])
    assert checker.check(checker.cases[0]).findings == []


@pytest.mark.usefixtures("functions")
@each_of("fair")
def test_an_aggregate_of_all_trials_is_not_accused(row, tmp_path) -> None:
    rules = {rule for rule, _ in found_by(checker_of(row["code"], tmp_path))}
    assert rules <= {"odd-numbers", "clips"}


@pytest.mark.usefixtures("functions")
@each_of("fair")
@pytest.mark.parametrize("cut", [":-1", "1:", ":100"])
def test_an_aggregate_of_some_trials_is(row, cut, tmp_path) -> None:
    checker = checker_of(f"trials = trials[{cut}]\nvalues = values[{cut}]\n{row['code']}", tmp_path)
    (case,) = (case for case in checker.cases if case.name == "last-trial")
    rules = [finding.rule.name for finding in checker.check(case).findings]
    assert rules == ([] if row.get("blind") else ["trials-left-out"])
