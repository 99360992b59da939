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

from conformance.metric.confinement import can_lock_writes
from conformance.metric.findings import LEVELS, Result
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
}
"""The rule that catches each, and a case that shows it."""
WRONG_CLASSES = {
    "evsys": {
        "raises_without_tasks": "no-samples",
        "divides_by_empty_tasks": "no-samples",
        "int_out": "not-a-float",
        "zero_is_an_int": "not-a-float",
        "bool_out": "not-a-float",
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
    },
}
"""The rule that catches each class."""
ALSO = {
    "nan_out": {"not-a-float"},
    "needs_a_threshold": {"takes-parameters"},
    "dimension_in_words": {"breaks-evaluation"},
    "bare_number": {"breaks-evaluation"},
    "claims_a_built_in": {"built-in-key"},
    "strict_threshold": {"built-in-key"},
    "per_cent": {"raises"},
    "keeps_state": {"async-differs"},
}
"""What else is wrong with some of them."""
TEMPLATES = {
    "single_class": {"raises": "full"},
    "deterministic": {"missing-passes": "none-word"},
    "operational": {"raises": "negative-amounts"},
    "reliability": {"raises": "many-runs"},
    "llm_judge": {"raises": "llm-null"},
    "embedding": {"missing-passes": "without-expected", "raises": "embedding-raises"},
}
"""What is wrong with the templates that name their dimension, but for advice, and a case that shows it."""
oracle = pytest.mark.oracle


def checked(target: str, contract: str, *cases: str) -> list[Result]:
    """The results of some cases, or of all."""
    python = "oracle" if contract == "harness-evals" else sys.executable
    checker = make_checker(target, contract, python=python, only=cases)
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
def test_a_wrong_script_is_caught(name: str, tmp_path: Path) -> None:
    rule, case = WRONG_SCRIPTS[name]
    path = files("wrong", "harbor-metric")[name]
    if not can_lock_writes():  # what it writes beside itself is not kept from it
        path = Path(shutil.copytree(path.parent, tmp_path / "scripts")) / path.name
    results = checked(str(path), "harbor-metric", case)
    assert set(broken(results)) == {rule}
    (finding,) = results[0].findings
    assert finding.given
    assert "\n" not in finding.sentence


@pytest.mark.parametrize("path", files("right", "harbor-metric").values(), ids=lambda path: path.stem)
def test_a_right_script_is_not_accused(path: Path) -> None:
    assert broken(checked(str(path), "harbor-metric"), advice=False) == {}


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
