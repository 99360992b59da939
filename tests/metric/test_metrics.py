"""Metrics that somebody wrote: the wrong ones are caught by the right rule, the right ones are not accused.

``wrong/<contract>`` and ``right/<contract>`` hold a metric a file, classes under the name ``Metric``.
``documents`` holds what the documents print.
"""

import ast
import re
import shutil
import sys
from pathlib import Path

import pytest

from conformance.metric import script_asking
from conformance.metric.confinement import can_lock_writes
from conformance.metric.findings import LEVELS, Reads, Result
from conformance.metric.targets import CONTRACTS, make_checker
from conformance.oracle.documents import find_document
from conformance.suite import clauses

HERE = Path(__file__).parent
DOCUMENTS = HERE / "documents"

WRONG_SCRIPTS = {
    "raises_on_null": ("exit-code", "null-rewards"),
    "divides_by_answered": ("nulls-left-out", "nulls-as-zero"),
    "nan_out": ("nan-out", "all-null"),
    "stdout_only": ("no-output", "one-key"),
    "gives_up_quietly": ("no-output", "null-rewards"),
    "sorts_its_input": ("changes-input", "one-key"),
    "resamples": ("repeats", "repeated"),
    "list_out": ("not-an-object", "one-key"),
    "bare_number_out": ("not-an-object", "one-trial"),
    "text_out": ("first-value", "tenths"),
    "nothing_for_nothing": ("empty-object", "all-null"),
    "divides_by_zero": ("no-trials", "no-trials"),
    "short_options_only": ("long-options", "long-options"),
    "prints_latin_1": ("prints-non-utf-8", "one-key"),
    "byte_order_mark": ("not-json", "one-key"),
    "reads_beside_the_caller": ("working-directory", "one-key"),
    "keeps_a_history": ("writes-elsewhere", "one-key"),
    "latest_counts_most": ("order", "another-order"),
    "always_the_same": ("constant", "keys"),
    "counts_alone": ("rewards-unread", "keys"),
    "drops_the_last": ("trials-left-out", "last-trial"),
    "skips_a_header": ("trials-left-out", "last-trial"),
    "first_hundred": ("trials-left-out", "last-trial"),
    "first_thousand": ("trials-left-out", "many-trials"),
    "clips_to_one": ("clips", "beyond-0-and-1"),
    "set_of_rewards": ("equal-rewards", "equal-rewards"),
    "limit_from_the_environment": ("environment", "environment"),
    "caches_by_name": ("state", "partial-lists"),
    "first_key_of_a_set": ("repeats", "repeated"),
    "set_of_keys": ("values-order", "repeated"),
    "seldom_forgets": ("repeats", "repeated"),
}
"""The rule that catches each, and a case that shows it."""
NEEDS_MANY_RUNS = {"repeats", "values-order"}
"""The rules that equal runs show, and a few of them may not."""
PUBLIC_SCRIPTS = {
    "accuracy_click": ("accuracy", {"odd-numbers"}),
    "best_and_worst": ("reward", {"odd-numbers"}),
    "judge_scale": ("judge_score", {"odd-numbers", "other-shapes"}),
    "numpy_bootstrap": ("score", {"odd-numbers", "order"}),
    "pass_at_k": ("reward", set[str]()),
    "pass_rate_threshold": ("reward", set[str]()),
    "resolved_count": ("reward resolved", set[str]()),
    "statistics_summary": ("reward", {"exit-code", "no-trials", "odd-numbers", "other-shapes"}),
    "strict_keys": ("tp fp fn", {"other-shapes"}),
    "typer_trimmed": ("reward", {"odd-numbers", "other-shapes"}),
    "weighted_rubric": ("correctness style efficiency", {"odd-numbers"}),
}
"""Scripts as people write them: the keys that each reads, None for every key, and what its source bears out.

The standard deviation of a single trial is an error, and a job's first list has a single trial.
"""
NETWORK = {"accuracy_click", "numpy_bootstrap", "typer_trimmed"}
"""What uv has to install something for."""
WRONG_CLASSES = {
    "evsys": {
        "raises_without_tasks": "no-samples",
        "divides_by_empty_tasks": "empty-tasks",
        "int_out": "converted",
        "zero_is_an_int": "converted",
        "bool_out": "converted",
        "none_out": "not-a-float",
        "no_name_no_key": "no-key",
        "nan_out": "not-finite",
        "sorts_in_place": "changes-input",
        "keeps_state": "repeats",
        "needs_a_threshold": "cannot-be-made",
        "takes_a_threshold": "takes-parameters",
        "another_name": "key-is-name",
        "name_of_the_instance": "name",
        "lists_only": "tuples",
        "claims_a_built_in": "differs-from-built-in",
        "strict_threshold": "differs-from-built-in",
        "key_twice": "key-taken",
        "no_method": "no-compute",
        "prints": "prints",
        "raises_on_negative": "raises",
        "always_a_half": "constant",
        "drops_the_last_task": "drops-tasks",
        "first_hundred": "drops-tasks",
        "clips_rewards": "clips",
        "reads_the_environment": "environment",
        "caches_by_size": "repeats",
        "order_of_a_set": "hash-order",
        "now_and_then": "repeats",
        "counts_as_it_grows": "repeats",
    },
    "harness-evals": {
        "no_dimension": "no-dimension",
        "dimension_in_words": "odd-dimension",
        "per_cent": "out-of-range",
        "passed_by_hand": "passed-by-hand",
        "passed_behind_the_back": "passed-by-hand",
        "raises_on_missing": "raises",
        "missing_is_fine": "missing-passes",
        "no_reason": "missing-reason",
        "keeps_state": "state",
        "imports_a_metric": "imports-metric",
        "own_threshold": "threshold",
        "int_out": "value-kind",
        "strips_the_case": "changes-input",
        "async_differs": "async-differs",
        "own_loop": "running-loop",
        "bare_number": "no-score",
        "exits": "breaks-evaluation",
        "another_dimension": "other-dimension",
        "another_name": "name",
        "always_a_half": "constant",
        "key_of_its_own": "constant",
        "divides_by_expected_words": "raises",
        "a_letter_per_word": "raises",
        "divides_by_difference": "raises",
        "caches_by_input": "state",
        "first_of_a_set": "hash-order",
        "reads_the_environment": "environment",
        "now_and_then": "state",
        "keeps_the_most_runs": "state",
        "drops_the_last_run": "drops-runs",
        "first_hundred_runs": "drops-runs",
    },
}
"""The rule that catches each class."""
ONLY_CASES = {
    "evsys": {
        "always_a_half": {"class"},
        "drops_the_last_task": {"varied"},
        "first_hundred": {"varied"},
        "clips_rewards": {"varied"},
        "now_and_then": {"repeated"},
        "counts_as_it_grows": {"growing"},
    },
    "harness-evals": {
        "always_a_half": {"class"},
        "divides_by_expected_words": {"empty-expected"},
        "a_letter_per_word": {"many-words"},
        "divides_by_difference": {"equal-runs"},
        "now_and_then": {"repeated"},
        "keeps_the_most_runs": {"growing-runs"},
        "drops_the_last_run": {"later-runs"},
        "first_hundred_runs": {"later-runs"},
    },
}
"""Where one case alone catches a class."""
ALSO = {
    "none_out": {"no-samples"},
    "claims_a_built_in": {"key-taken"},
    "strict_threshold": {"key-taken"},
    "per_cent": {"raises"},
}
"""What else is wrong with some of them."""
TEMPLATES = {
    "single_class": {"raises": "full"},
    "deterministic": {},
    "operational": {"raises": "negative-amounts"},
    "reliability": {"raises": "many-runs"},
    "llm_judge": {},
    "embedding": {},
}
"""What is wrong with the templates that name their dimension, but for advice, and a case that shows it."""
oracle = pytest.mark.oracle


@pytest.fixture
def few_equal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """For scripts that give the same each time: that they do is seen in six runs as in twenty."""
    monkeypatch.setattr(script_asking, "EQUAL_RUNS", 6)


def checked(target: str, contract: str, *cases: str, keys: tuple[str, ...] = ()) -> list[Result]:
    """The results of some cases, or of all."""
    python = "oracle" if contract == "harness-evals" else sys.executable
    checker = make_checker(target, contract, python=python, only=cases, keys=keys)
    checker.header()
    return [checker.check(case) for case in checker.cases if not cases or case.name in cases]


def broken(results: list[Result], *, advice: bool = True) -> dict[str, list[str]]:
    """The broken rules, and the cases that show it."""
    found: dict[str, list[str]] = {}
    for result in results:
        for finding in result.findings if advice else result.failing():
            found.setdefault(finding.rule.name, []).append(result.case.name)
    return found


def files(*parts: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted(HERE.joinpath(*parts).glob("*.py"))}


def class_of(path: Path) -> str:
    """``path:Class`` of the only metric in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return f"{path}:{'Metric' if 'Metric' in names else names[0]}"


def test_every_wrong_metric_is_in_the_table() -> None:
    assert set(files("wrong", "harbor-metric")) == set(WRONG_SCRIPTS)
    for contract, table in WRONG_CLASSES.items():
        assert set(files("wrong", contract)) == set(table)


def test_a_rule_rests_on_a_clause_of_its_contract() -> None:
    for contract, rules in CONTRACTS.items():
        statements = clauses.statements(contract)
        for rule in rules.values():
            assert rule.clause in statements, rule
            assert rule.level in LEVELS


@pytest.mark.parametrize("name", WRONG_SCRIPTS)
def test_a_wrong_script_is_caught(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """With its key named: finding it takes more runs than most cases, and has tests of its own."""
    rule, case = WRONG_SCRIPTS[name]
    if rule not in NEEDS_MANY_RUNS:
        request.getfixturevalue("few_equal_runs")
    path = files("wrong", "harbor-metric")[name]
    if not can_lock_writes():  # what it writes beside itself is not kept from it
        path = Path(shutil.copytree(path.parent, tmp_path / "scripts")) / path.name
    results = checked(str(path), "harbor-metric", case, keys=() if case == "keys" else ("reward",))
    assert set(broken(results)) == {rule}
    (finding,) = results[0].findings
    assert finding.given
    assert "\n" not in finding.sentence


@pytest.mark.usefixtures("few_equal_runs")
@pytest.mark.parametrize("path", files("right", "harbor-metric").values(), ids=lambda path: path.stem)
def test_a_right_script_is_not_accused(path: Path) -> None:
    assert broken(checked(str(path), "harbor-metric"), advice=False) == {}


def test_every_public_script_is_in_the_table() -> None:
    assert set(files("public")) == set(PUBLIC_SCRIPTS)


@pytest.mark.usefixtures("few_equal_runs")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=oracle if name in NETWORK else []) for name in PUBLIC_SCRIPTS]
)
def test_a_public_script_is_told_what_its_source_bears_out(name: str) -> None:
    checker = make_checker(str(files("public")[name]), None)
    checker.header()
    found = broken([checker.check(case) for case in checker.cases])
    keys, rules = PUBLIC_SCRIPTS[name]
    assert set(found) == rules
    assert checker.reads == Reads(tuple((keys or "").split()), every=keys is None)


def test_the_documents_script() -> None:
    """It refuses what it is not made for, which is its right; a job dies of it all the same."""
    found = broken(checked(str(DOCUMENTS / "metric.py"), "harbor-metric"))
    assert found == {"other-shapes": ["several-keys", "no-keys"], "odd-numbers": ["huge-int"]}
    assert {CONTRACTS["harbor-metric"][rule].level for rule in found} == {"advice"}


@pytest.mark.parametrize(
    ("contract", "name"),
    [
        pytest.param(
            contract, name, marks=oracle if contract == "harness-evals" else [], id=f"{contract}/{name}"
        )
        for contract, table in WRONG_CLASSES.items()
        for name in table
    ],
)
def test_a_wrong_class_is_caught(contract: str, name: str) -> None:
    rule = WRONG_CLASSES[contract][name]
    path = files("wrong", contract)[name]
    found = broken(checked(f"{path}:Metric", contract))
    assert rule in found
    failing = {other for other in found if CONTRACTS[contract][other].level != "advice"}
    assert failing - {rule} <= ALSO.get(name, set())
    if name in ONLY_CASES[contract]:
        assert set(found[rule]) == ONLY_CASES[contract][name]


@pytest.mark.parametrize(
    "path",
    [
        *(pytest.param(path, id=f"evsys/{path.stem}") for path in files("right", "evsys").values()),
        *(
            pytest.param(path, id=f"harness-evals/{path.stem}", marks=oracle)
            for path in files("right", "harness-evals").values()
        ),
    ],
)
def test_a_right_class_is_not_accused(path: Path) -> None:
    assert broken(checked(class_of(path), path.parent.name), advice=False) == {}


def test_the_documents_evsys_metric() -> None:
    assert broken(checked(class_of(DOCUMENTS / "worst_task.py"), "evsys")) == {}


PLUGINS = {
    "root": ("from evsys_sdk import register_metric", '@register_metric("mine")', 'name = "mine"', {}),
    "no-argument": ("from evsys_sdk import register_metric", "@register_metric()", 'name = "mine"', {}),
    "empty-argument": ("from evsys_sdk import register_metric", '@register_metric("")', 'name = "mine"', {}),
    "no-name": (
        "from evsys_sdk import Metric, get_metric, list_metrics, register_metric\nget_metric('avg')",
        "@register_metric('mine')",
        "size = 1",
        {"name": ["class"]},
    ),
    "built-in-classes": (
        "from evsys_sdk.metrics.basic import PASS_THRESHOLD, MeanReward, PassAt3\n"
        "from evsys_sdk import registry\nassert MeanReward().compute([[1.0, 0.0], []]) == 0.5",
        "@registry.register_metric(name='mine')",
        'name = "mine"',
        {},
    ),
    "unknown-name-caught": (
        "from evsys_sdk.registry import get_metric, register_metric\n"
        "try:\n    get_metric('worst_task')\nexcept KeyError as error:\n    assert 'pass@1' in str(error)",
        "@register_metric()",
        'name = "mine"',
        {},
    ),
}
"""Imports, decorator, attribute of a class, and the rules that it breaks."""


@pytest.mark.parametrize("name", PLUGINS)
def test_a_class_that_uses_the_package_as_it_is(name: str, tmp_path: Path) -> None:
    imports, decorator, attribute, expected = PLUGINS[name]
    text = f"{imports}\n\n\n{decorator}\nclass Mine:\n    {attribute}\n\n"
    text += "    def compute(self, task_rewards):\n"
    text += "        return float(max((reward for task in task_rewards for reward in task), default=0.0))\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    assert broken(checked(f"{tmp_path / 'mine.py'}:Mine", "evsys")) == expected


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("1", "converted"),
        ("True", "converted"),
        ("'0.5'", "converted"),
        ("__import__('fractions').Fraction(1, 2)", "converted"),
        ("None", "not-a-float"),
        ("[0.5]", "not-a-float"),
        ("'half'", "not-a-float"),
        ("1j", "not-a-float"),
        ("10**400", "not-a-float"),
    ],
)
def test_what_compute_returns_is_made_a_float(value: str, rule: str, tmp_path: Path) -> None:
    text = f'class Mine:\n    name = "mine"\n\n    def compute(self, task_rewards):\n        return {value}\n'
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    assert broken(checked(f"{tmp_path / 'mine.py'}:Mine", "evsys", "one-task")) == {rule: ["one-task"]}


def test_an_installed_package_is_listened_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = tmp_path / "evsys_sdk" / "registry.py"
    registry.parent.mkdir()
    registry.write_text(
        """
taken = {"taken": object}
def register_metric(key):
    def decorate(metric):
        if taken.setdefault(key, metric) is not metric:
            raise ValueError(f"{key} is already registered")
        return metric
    return decorate
""",
        encoding="utf-8",
    )
    (tmp_path / "evsys_sdk" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    text = (DOCUMENTS / "worst_task.py").read_text(encoding="utf-8")
    for key, expected in (
        ("worst_task", {}),
        ("other", {"key-is-name": ["class"]}),
        ("taken", {"key-taken": ["class"]}),
    ):
        changed = text.replace('register_metric("worst_task")', f'register_metric("{key}")')
        (tmp_path / "mine.py").write_text(changed, encoding="utf-8")
        checker = make_checker("mine:WorstTask", "evsys")
        assert "evsys_sdk as installed" in checker.header() or key == "taken"
        assert broken([checker.check(case) for case in checker.cases]) == expected


@oracle
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_as_printed_leaves_out_its_dimension(name: str) -> None:
    found = broken(checked(class_of(DOCUMENTS / "templates" / f"{name}.py"), "harness-evals", "class"))
    assert found == {"no-dimension": ["class"]}


@oracle
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_with_a_dimension(name: str, tmp_path: Path) -> None:
    printed = (DOCUMENTS / "templates" / f"{name}.py").read_text(encoding="utf-8")
    named = printed.replace('name="my_metric", ', 'name="my_metric", dimension=Dimension.CORRECTNESS, ')
    path = tmp_path / "template.py"
    path.write_text(named.replace("core.metric import ", "core.metric import Dimension, "), encoding="utf-8")
    found = broken(checked(class_of(path), "harness-evals"), advice=False)
    assert set(found) == set(TEMPLATES[name])
    for rule, case in TEMPLATES[name].items():
        assert case in found[rule]


@pytest.mark.parametrize(
    ("number", "path"),
    [
        pytest.param(number, path, id=path.stem)
        for number, path in (
            ("000", DOCUMENTS / "metric.py"),
            ("002", DOCUMENTS / "worst_task.py"),
            *(("004", DOCUMENTS / "templates" / f"{name}.py") for name in TEMPLATES),
        )
    ],
)
def test_what_is_said_to_be_printed_is(number: str, path: Path) -> None:
    """Document 004 has lost its indentation; its imports stand once, at its top."""
    document = find_document(number)
    if document is None:
        pytest.skip(f"document {number} is not at hand")
    printed = {_bare(line) for line in document.read_text(encoding="utf-8").splitlines()}
    ours = [_bare(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    joined = " ".join(printed)
    assert [line for line in ours if line not in printed and line not in joined] == []


def _bare(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()
