"""Classes: causes told once, what a metric reads, a judge that is not at hand, the package's own metrics."""

import sys
from pathlib import Path
from unittest import mock

import pytest

from conformance.extensions.metrics.checker import CannotTryError
from conformance.extensions.metrics.classes.checker import ClassChecker
from conformance.extensions.metrics.command import make_checker
from tests.extensions.metrics.bodies import broken, checked, class_in, each_of, forked, oracle

FILLED_IN = Path(__file__).parent / "built_ins" / "filled_in.py"


def evsys(folder, **parts):
    """The checker of a class of EvSys that gives a half, but for the given parts."""
    return checked(class_in(folder, "evsys", **parts), "evsys")


def harness(folder, **parts):
    """The same for harness-evals."""
    return checked(class_in(folder, "harness-evals", **parts), "harness-evals")


@pytest.mark.usefixtures("in_process")
def test_what_can_not_be_made_or_loaded_is_tried_once(tmp_path) -> None:
    init = "    def __init__(self):\n        raise RuntimeError('not today')\n"
    with mock.patch.object(ClassChecker, "ask", autospec=True, side_effect=ClassChecker.ask) as asked:
        checker = evsys(tmp_path, init=init)
        assert broken(checker, "required") == {"cannot-be-made": ["class"]}
        assert all(result.not_run for result in checker.results[1:])
        (tmp_path / "metric.py").write_text("import no_such_package\n", encoding="utf-8")
        with pytest.raises(CannotTryError, match="no_such_package"):
            checked(f"{tmp_path / 'metric.py'}:Metric", "evsys")
    assert asked.call_count == 2


@pytest.mark.usefixtures("in_process")
def test_a_metric_of_which_nothing_was_tried_has_no_verdict(tmp_path) -> None:
    checker = make_checker(class_in(tmp_path, "evsys"), "evsys", python=sys.executable)
    assert checker.exit_code() == 2
    checker.start()
    checker.check(checker.cases[1])
    assert checker.exit_code() == 0


@pytest.mark.usefixtures("in_process")
def test_one_cause_is_told_once(tmp_path) -> None:
    checker = evsys(tmp_path, code="return self.missing")
    (first,) = checker.findings
    assert (first.rule.name, first.case) == ("raises", "usual")
    assert "(in all " in first.sentence
    assert checker.exit_code() == 1
    reasons = {result.case.name: result.not_run for result in checker.results}
    others = {reasons[name] for name in reasons.keys() - {"class", "usual", "varied"}}
    assert others == {"the same cause as in the case usual"}


@pytest.mark.usefixtures("in_process")
def test_two_causes_are_both_told(tmp_path) -> None:
    compute = "return float(task_rewards[0][0]) if len(task_rewards) != 2 else 1 / 0.0"
    checker = evsys(tmp_path, code=compute)
    assert broken(checker, "required")["raises"][0] == "tenths"
    assert "no-tasks" in broken(checker, "documented")["no-samples"]


@oracle
def test_what_is_not_at_hand_is_no_fault(tmp_path) -> None:
    measure = "value = float(urllib.request.urlopen('http://127.0.0.1:9/score').read())"
    checker = harness(tmp_path, measure=measure, above="import urllib.request")
    assert broken(checker) == {"unreachable": ["class"]}
    assert checker.exit_code() == 2
    with pytest.raises(CannotTryError, match="let its constructor take the judge as llm"):
        harness(tmp_path, init="raise ValueError('OPENAI_API_KEY is not set')")


@oracle
def test_a_file_that_the_kit_hides_is_no_fault(tmp_path) -> None:
    (folder := tmp_path / "metrics").mkdir()
    (tmp_path / "words.txt").write_text("rude", encoding="utf-8")
    read = f"open({str(tmp_path / 'words.txt')!r}).read()"
    with pytest.raises(CannotTryError, match="the sandbox shows a metric only the files of its own folder"):
        harness(folder, init=read)
    checker = harness(folder, measure=f"value = float({read} == 'x')")
    assert broken(checker) == {"unreachable": ["class"]}
    checker = harness(folder, init="open('/no/such/file')")
    assert broken(checker, "required") == {"cannot-be-made": ["class"]}


@forked
@each_of("measures")
def test_what_a_measure_breaks(row, tmp_path) -> None:
    checker = harness(tmp_path, measure=row["measure"])
    assert set(broken(checker, "documented")) == set(row["rules"])


@oracle
@pytest.mark.slow
def test_a_metric_that_never_ends(tmp_path) -> None:
    target = class_in(tmp_path, "harness-evals", measure="while True: pass")
    checker = checked(target, "harness-evals", seconds=10)
    assert broken(checker) == {"never-ends": ["full", "equal"]}
    assert "output='Paris'" in checker.findings[1].input_text


@forked
@each_of("imports")
def test_only_metrics_count_as_imported(tmp_path, row) -> None:
    measure = "value = float(eval_case.output == 'Paris')"
    target = class_in(tmp_path, "harness-evals", measure=measure, above=row["line"])
    assert ("imports-metric" in broken(checked(target, "harness-evals", only=["class"]))) is row["metric"]


@forked
def test_what_is_read_is_told(tmp_path) -> None:
    measure = "value = 0.5 if eval_case.meta('rating') == 'x' else float('w' in eval_case.output)"
    assert "It reads: metadata, output." in harness(tmp_path, measure=measure).notes


@oracle
@pytest.mark.parametrize(
    "aspect", ["socket.gethostname()", "os.environ.get('_'.join(['METRIC', 'FLOOR']))", "time.timezone"]
)
def test_what_is_around_a_metric_changes_no_score(tmp_path, aspect) -> None:
    measure = f"value = len(str({aspect})) % 10 / 10 if eval_case.output == eval_case.expected else 0.0"
    checker = harness(tmp_path, measure=measure, above="import os, socket, time")
    assert set(broken(checker, "documented")) == {"environment"}


ROMAN = """if eval_case.expected is None:
    return None
value = {'I': 0.1, 'V': 0.5}[eval_case.expected] * (eval_case.output == eval_case.expected)"""
"""Takes two texts as expectation, which nobody guesses."""


@forked
def test_a_metric_that_takes_nothing_is_told_which_options_help(tmp_path) -> None:
    measure = ROMAN.replace("return None", "raise KeyError(None)")
    findings = harness(tmp_path, measure=measure).findings
    (failing,) = [finding for finding in findings if finding.rule.level != "advice"]
    assert (failing.rule.name, failing.case) == ("raises", "class")
    assert "fails for every input: words, sentences" in failing.sentence
    assert "--values" in failing.sentence


@forked
@pytest.mark.parametrize(
    ("option", "begins"),
    [("values", "value 1 of those given for output and expected"), ("like", "the data set for line 2")],
)
def test_cases_begin_from_what_the_user_gives(tmp_path, option, begins) -> None:
    cases = ['{"input": "7", "expected": "VII"}', '{"input": "1", "output": "I", "expected_output": "I"}']
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join([*cases, '{"input": "5", "expected": "V"}', ""]), encoding="utf-8")
    given = {"values": "V,I", "like": str(path)}[option]
    checker = checked(class_in(tmp_path, "harness-evals", measure=ROMAN), "harness-evals", **{option: given})
    assert set(broken(checker, "documented")) <= {"raises"}
    assert f"Cases are derived from {begins}." in checker.notes


@forked
@each_of("built-ins")
def test_a_built_in_gets_what_its_source_bears_out(row) -> None:
    target = f"harness_evals.metrics.{row['name']}"
    checker = checked(target, "harness-evals", arguments=row.get("arguments", {}))
    assert broken(checker, "required") == {}
    assert set(broken(checker, "documented")) == set(row.get("rules", ()))
    assert "constant" not in broken(checker)


@forked
def test_what_json_can_not_say_is_filled_in_by_a_subclass() -> None:
    checker = checked(f"{FILLED_IN}:Graph", "harness-evals", only=["class", "full", "llm-raises"])
    assert broken(checker, "required", "documented") == {}
