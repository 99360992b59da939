"""Metrics that somebody wrote: the wrong ones are caught by the right rule, the right ones are not accused.

``metrics.yaml`` has them, ``documents`` what the documents print.
"""

import ast
import re
from pathlib import Path

import pytest

from conformance.extensions.metrics.checker import LEVELS
from conformance.extensions.metrics.command import CONTRACTS
from conformance.oracle.documents import find_document
from conformance.suite import clauses
from tests.extensions.metrics.bodies import METRICS, broken, checked, class_in, each_of, forked, written

DOCUMENTS = Path(__file__).parent / "documents"
IN_PROCESSES = {
    *("caches_by_sum", "key_twice", "order_of_a_set", "prints"),
    *("other_folder", "other_locale", "other_zone", "variable_put_together"),
}
"""Wrong EvSys metrics that are tried in processes of their own too: they are wrong by what a process has."""
NEED_PROCESSES = {"order_of_a_set", "other_locale", "other_zone"}
"""Those of them that are right in this process."""
TEMPLATES = {
    "MyMetric": {"raises": "class"},
    "MyOperationalMetric": {"raises": "negative-amounts"},
    "MyReliabilityMetric": {"raises": "many-runs"},
    **{name: {} for name in ("MyDeterministicMetric", "MyLLMMetric", "MyEmbeddingMetric")},
}
"""What is wrong with the templates that name their dimension, but for advice, and a case that shows it."""


def class_of(path):
    """``path:Class`` of the only metric in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return f"{path}:{'Metric' if 'Metric' in names else names[0]}"


def test_a_rule_rests_on_a_clause_of_its_contract() -> None:
    for contract, rules in CONTRACTS.items():
        statements = clauses.statements(contract)
        for rule in rules.values():
            assert rule.clause in statements, rule
            assert rule.level in LEVELS


def judged(kind, contract, name, folder) -> None:
    """A wrong metric breaks its rule, and no other that is more than advice; a right one breaks none."""
    about = METRICS[kind][contract][name]
    found = broken(checked(class_of(written(kind, contract, name, folder)), contract))
    failing = {rule for rule in found if CONTRACTS[contract][rule].level != "advice"}
    assert failing <= {about["rule"], about.get("also", "")}
    assert about["rule"] in found or kind == "right"
    if "only" in about:
        assert set(found[about["rule"]]) == {about["only"]}


def rows(contract):
    return [(kind, name) for kind in ("wrong", "right") for name in METRICS[kind][contract]]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(("kind", "name"), [row for row in rows("evsys") if row[1] not in NEED_PROCESSES])
def test_a_class(kind, name, tmp_path) -> None:
    judged(kind, "evsys", name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(IN_PROCESSES))
def test_a_wrong_class_in_processes(name, tmp_path) -> None:
    judged("wrong", "evsys", name, tmp_path)


@forked
@pytest.mark.parametrize(("kind", "name"), rows("harness-evals"))
def test_a_metric_of_harness_evals(kind, name, tmp_path) -> None:
    judged(kind, "harness-evals", name, tmp_path)


@pytest.mark.slow
def test_the_documents_evsys_metric() -> None:
    assert broken(checked(class_of(DOCUMENTS / "worst_task.py"), "evsys")) == {}


@pytest.mark.usefixtures("in_process")
@each_of("registered")
def test_a_class_that_uses_the_package_as_it_is(row, tmp_path) -> None:
    head = f"{row['imports']}\n\n{row['decorator']}\nclass Metric:\n    {row['attribute']}"
    code = "return float(max(flat(task_rewards), default=0.0))"
    found = broken(checked(class_in(tmp_path, "evsys", head=head, code=code), "evsys"))
    assert found == ({row["rule"]: ["class"]} if "rule" in row else {})


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ["MeanReward", "Avg", "PassRate", "PassAt1", "PassAt3", "PassHat3"])
def test_a_built_in_metric_of_evsys(name) -> None:
    assert broken(checked(f"evsys_sdk.metrics.basic:{name}", "evsys")) == {}


@pytest.mark.usefixtures("in_process")
@each_of("returned")
def test_what_compute_returns_is_made_a_float(row, tmp_path) -> None:
    target = class_in(tmp_path, "evsys", code=f"return {row['value']}")
    assert broken(checked(target, "evsys", only=["one-task"])) == {row["rule"]: ["one-task"]}


REGISTRY = """taken = {"taken": object}
def register_metric(key):
    def decorate(metric):
        if taken.setdefault(key, metric) is not metric:
            raise ValueError(f"{key} is already registered")
        return metric
    return decorate
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "rule"), [("worst_task", None), ("other", "key-is-name"), ("taken", "key-taken")]
)
def test_an_installed_package_is_listened_to(tmp_path, monkeypatch, key, rule) -> None:
    (package := tmp_path / "evsys_sdk").mkdir()
    (package / "registry.py").write_text(REGISTRY, encoding="utf-8")
    (package / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    text = (DOCUMENTS / "worst_task.py").read_text(encoding="utf-8")
    text = text.replace('register_metric("worst_task")', f'register_metric("{key}")')
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    checker = checked("mine:WorstTask", "evsys")
    assert "evsys_sdk as installed" in checker.environment or key == "taken"
    assert broken(checker) == ({rule: ["class"]} if rule else {})


@forked
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_lacks_its_dimension_alone(name, tmp_path) -> None:
    path = DOCUMENTS / "templates.py"
    found = broken(checked(f"{path}:{name}", "harness-evals", only=["class"]), "required", "documented")
    assert set(found) - {"raises"} == {"no-dimension"}
    printed = path.read_text(encoding="utf-8")
    named = printed.replace('name="my_metric", ', 'name="my_metric", dimension=Dimension.CORRECTNESS, ')
    named = f"from harness_evals.core.metric import Dimension\n{named}"
    (path := tmp_path / "templates.py").write_text(named, encoding="utf-8")
    found = broken(checked(f"{path}:{name}", "harness-evals"), "required", "documented")
    assert set(found) == set(TEMPLATES[name])
    assert all(case in found[rule] for rule, case in TEMPLATES[name].items())


@pytest.mark.parametrize(("number", "name"), [("000", "metric"), ("002", "worst_task"), ("004", "templates")])
def test_what_is_said_to_be_printed_is(number, name, document) -> None:
    """Document 004 has lost its indentation; its imports stand once, at its top."""
    whole = find_document(number)
    if whole is None:
        pytest.skip(f"document {number} is not at hand")
    printed = {_bare(line) for line in whole.read_text(encoding="utf-8").splitlines()}
    text = (document if name == "metric" else DOCUMENTS / f"{name}.py").read_text(encoding="utf-8")
    ours = [_bare(line) for line in text.splitlines() if line.strip()]
    joined = " ".join(printed)
    assert [line for line in ours if line not in printed and line not in joined] == []


def _bare(line):
    return re.sub(r"\s+", " ", line).strip()
