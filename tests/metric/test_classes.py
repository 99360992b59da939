"""Classes: causes told once, what a metric reads, a judge that is not at hand, the package's own metrics."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.metric.class_process import Said
from conformance.metric.classes import ClassChecker
from conformance.metric.findings import CannotTryError
from conformance.metric.targets import Checking, make_checker
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of

HERE = Path(__file__).parent
FILLED_IN = HERE / "built_ins" / "filled_in.py"
oracle = pytest.mark.oracle

EVSYS = """
class Metric:
    name = "mine"
    def __init__(self):
        {make}
    def compute(self, task_rewards):
        {compute}
"""
HARNESS = """
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score
{above}
class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        {make}
        super().__init__(name="mine", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)
    def measure(self, eval_case):
        {measure}
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
"""


def done(target: str, contract: str, **options: Any) -> Checking:
    python = "oracle" if contract == "harness-evals" else sys.executable
    checking = Checking(make_checker(target, contract, python=python, **options))
    checking.start()
    for case in checking.checker.cases:
        checking.check(case)
    return checking


def found(checking: Checking, level: str = "") -> dict[str, list[str]]:
    """The broken rules, of one level or of all, and their cases."""
    rules: dict[str, list[str]] = {}
    for result in checking.results:
        for finding in result.findings:
            if level in ("", finding.rule.level):
                rules.setdefault(finding.rule.name, []).append(result.case.name)
    return rules


def evsys(tmp_path: Path, make: str = "pass", compute: str = "return 0.5") -> str:
    path = tmp_path / "metric.py"
    path.write_text(EVSYS.format(make=make, compute=compute), encoding="utf-8")
    return f"{path}:Metric"


def harness(tmp_path: Path, make: str = "pass", measure: str = "value = 0.5", above: str = "") -> str:
    path = tmp_path / "metric.py"
    path.write_text(HARNESS.format(make=make, measure=measure, above=above), encoding="utf-8")
    return f"{path}:Metric"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many cases each process was asked."""
    asked: list[int] = []
    real: Callable[..., Said] = ClassChecker._ask_all

    def counting(self: ClassChecker, names: list[str], **options: Any) -> Said:
        asked.append(len(names))
        return real(self, names, **options)

    monkeypatch.setattr(ClassChecker, "_ask_all", counting)
    return asked


@pytest.mark.usefixtures("in_process")
def test_a_constructor_that_raises_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    checking = done(evsys(tmp_path, make="raise RuntimeError('not today')"), "evsys")
    assert len(asked) == 1
    assert found(checking, "required") == {"cannot-be-made": ["class"]}
    assert all(result.not_run for result in checking.results[1:])


@pytest.mark.usefixtures("in_process")
def test_what_can_not_be_loaded_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    (tmp_path / "metric.py").write_text("import no_such_package\n", encoding="utf-8")
    checker = make_checker(f"{tmp_path / 'metric.py'}:Metric", "evsys")
    for _ in range(3):
        with pytest.raises(CannotTryError, match="no_such_package"):
            checker.header()
    assert len(asked) == 1


@pytest.mark.usefixtures("in_process")
def test_a_metric_of_which_nothing_was_tried_has_no_verdict(tmp_path: Path) -> None:
    checking = Checking(make_checker(evsys(tmp_path), "evsys", python=sys.executable))
    assert checking.exit_code() == 2
    checking.start()
    checking.check(checking.checker.cases[1])
    assert checking.exit_code() == 0


@pytest.mark.usefixtures("in_process")
def test_one_cause_is_told_once(tmp_path: Path) -> None:
    checking = done(evsys(tmp_path, compute="return self.missing"), "evsys")
    (first,) = [
        finding
        for result in checking.results
        for finding in result.findings
        if finding.rule.name != "not-registered"
    ]
    assert (first.rule.name, first.case) == ("raises", "four-tasks")
    assert "(in all " in first.sentence
    assert checking.exit_code() == 1
    others = [result for result in checking.results if result.case.name not in ("class", "four-tasks")]
    assert {result.not_run for result in others if result.case.name != "varied"} == {
        "the same cause as in the case four-tasks"
    }


@pytest.mark.usefixtures("in_process")
def test_two_causes_are_both_told(tmp_path: Path) -> None:
    compute = "return float(task_rewards[0][0]) if len(task_rewards) != 2 else 1 / 0.0"
    checking = done(evsys(tmp_path, compute=compute), "evsys")
    assert found(checking, "required")["raises"][0] == "tenths"
    assert "no-tasks" in found(checking, "documented")["no-samples"]


@oracle
def test_what_is_not_at_hand_is_no_fault(tmp_path: Path) -> None:
    checking = done(f"{HERE / 'own_client.py'}:Metric", "harness-evals")
    assert found(checking) == {"unreachable": ["class"]}
    assert checking.exit_code() == 2
    target = harness(tmp_path, make="import os; raise ValueError('OPENAI_API_KEY is not set')")
    with pytest.raises(CannotTryError, match="let its constructor take the judge as llm"):
        done(target, "harness-evals")


@oracle
def test_an_assertion_is_no_judge_that_is_gone(tmp_path: Path) -> None:
    target = harness(tmp_path, measure="raise AssertionError('unreachable')")
    assert list(found(done(target, "harness-evals"), "documented")) == ["raises"]


@oracle
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("measure", "rules"),
    [
        ("value = 1.0 if (eval_case.latency_ms or 0.0) < 1000.0 else 0.0", {"missing-passes"}),
        ("value = 1.0 if eval_case.expected in (None, eval_case.output) else 0.0", {"missing-passes"}),
        ("value = float((eval_case.latency_ms or 0.0) < 1000.0 and 'a' in str(eval_case.output))", set()),
        ("value = float(str(eval_case.output) in ('Paris', str(eval_case.expected)))", set()),
    ],
    ids=["latency alone", "expectation alone", "latency and more", "expectation and more"],
)
def test_a_field_is_needed_if_nothing_else_is_measured(tmp_path: Path, measure: str, rules: set[str]) -> None:
    assert set(found(done(harness(tmp_path, measure=measure), "harness-evals"), "documented")) == rules


@oracle
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("above", "names"),
    [
        ("from harness_evals.metrics.composite.operators import OPERATORS, OperatorError", False),
        ("from harness_evals.metrics.reliability.robustness_base import RobustnessMetric", False),
        ("from harness_evals.metrics.llm_judge.geval import GEvalMetric", True),
        ("import harness_evals.metrics.llm_judge.geval as g; one = g.GEvalMetric", True),
        ("import harness_evals.metrics.llm_judge.geval as g; one = g._PROMPT_HEADER", False),
    ],
    ids=["constants", "a base", "a metric", "by its module", "a constant by its module"],
)
def test_only_metrics_count_as_imported(tmp_path: Path, above: str, names: bool) -> None:
    target = harness(tmp_path, measure="value = float(eval_case.output == 'Paris')", above=above)
    assert ("imports-metric" in found(done(target, "harness-evals", only=["class"]))) is names


@oracle
@pytest.mark.usefixtures("forked")
def test_what_is_read_is_told(tmp_path: Path) -> None:
    measure = "value = 0.5 if eval_case.meta('rating') == 'x' else float('w' in eval_case.output)"
    notes = done(harness(tmp_path, measure=measure), "harness-evals").checker.notes
    assert "It reads: output, metadata['rating']." in notes
    assert any(note.startswith("No case has metadata['rating']") for note in notes)


BUILT_INS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "llm_judge.geval:GEvalMetric": ({}, set()),
    "safety.hallucination:HallucinationMetric": ({}, set()),
    "agent.task_completion:TaskCompletionMetric": ({}, set()),
    "composite.composite:CompositeMetric": (
        {"sub_scores": [{"name": "same", "weight": 1.0, "check": {"type": "equals", "field": "answer"}}]},
        set(),
    ),
    "conversation.coherence:ConversationCoherenceMetric": ({}, set()),
    "grounding.spec_grounding:SpecGroundingMetric": ({}, set()),
    "operational.latency:LatencyMetric": ({}, set()),
    "reliability.prompt_robustness:PromptRobustnessMetric": ({}, set()),
    "similarity.levenshtein:LevenshteinMetric": ({}, set()),
    "security.code_safety:CodeSafetyMetric": ({}, {"imports-metric"}),
    "structural.json_diff:JsonDiffMetric": ({}, {"raises"}),
    "decision.noul:NoulMetric": ({"instructions": "Is it right?"}, {"raises"}),
}
"""Of each kind of built-in metric one, its arguments, and the documented rules that its source breaks."""


@oracle
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("name", BUILT_INS)
def test_a_built_in_gets_what_its_source_bears_out(name: str) -> None:
    arguments, expected = BUILT_INS[name]
    checking = done(f"harness_evals.metrics.{name}", "harness-evals", arguments=arguments)
    assert found(checking, "required") == {}
    assert set(found(checking, "documented")) == expected


@oracle
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("name", ["Decisions", "Graph"])
def test_what_json_can_not_say_is_filled_in_by_a_subclass(name: str) -> None:
    checking = done(f"{FILLED_IN}:{name}", "harness-evals", only=["class", "full", "llm-raises"])
    assert set(found(checking, "documented")) == {"imports-metric"}
    assert found(checking, "required") == {}


@oracle
def test_every_built_in_is_known() -> None:
    """That there are 92 is what the tables of findings rest on."""
    python = environments.ensure(lambda _: None, recipe=recipe_of("harness-evals")).python
    program = (
        "import importlib, inspect, pkgutil, harness_evals.metrics as m; "
        "from harness_evals import BaseMetric; "
        "names = [one.name for one in pkgutil.walk_packages(m.__path__, m.__name__ + '.')]; "
        "held = [v for n in names for v in vars(importlib.import_module(n)).values()]; "
        "kinds = {v for v in held if isinstance(v, type)}; "
        "print(sum(issubclass(k, BaseMetric) and not inspect.isabstract(k) for k in kinds))"
    )
    ran = subprocess.run(
        [str(python), "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    assert ran.stdout.strip() == "92", shlex.join(ran.args)
