"""Metrics as data: ``metrics.yaml`` has wrong ones, by the rule that catches each, and right ones.

A metric is its code, or has that as a member among others. ``public`` has scripts as people write them, with
the keys that each reads and the rules that its source breaks: the standard deviation of a single trial is an
error, and a job's first list has a single trial.

Of a wrong class ``only`` is the case that alone shows it, and ``also`` another rule that it breaks.
"""

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from conformance.extensions.metrics.checker import LEVELS, Checker
from conformance.extensions.metrics.command import make_checker
from tests.tables import each, tables

_TEXT = Path(__file__).with_name("metrics.yaml").read_text("utf-8")
_TABLES = tables(__file__)
Test = TypeVar("Test", bound=Callable[..., None])


oracle = pytest.mark.oracle


def forked(test: Test) -> Test:
    """A test of metrics of harness-evals, which forks of the oracle's Python make."""
    marked: Test = oracle(pytest.mark.usefixtures("forked")(test))
    return marked


def each_of(table: str) -> pytest.MarkDecorator:
    """A test for each row of a table."""
    return each(_TABLES[table])


def _by_name(kind: str, contract: str, table: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The metrics of a table, each with its rule if it is wrong."""
    rules = table if kind == "wrong" else {"": table}
    code = "measure" if contract == "harness-evals" else "code"
    rows = [(rule, name, row) for rule, named in rules.items() for name, row in named.items()]
    return {
        name: {"rule": rule, **(row if isinstance(row, dict) else {code: row})} for rule, name, row in rows
    }


METRICS: dict[str, dict[str, dict[str, dict[str, str]]]] = {
    kind: {contract: _by_name(kind, contract, table) for contract, table in contracts.items()}
    for kind, contracts in yaml.safe_load(_TEXT).items()
}
"""By ``wrong``, ``right`` or ``public``, contract and name."""

ARGUMENTS = """import argparse, json, os, sys
from pathlib import Path
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path)
parser.add_argument("-o", "--output-path", type=Path)
args = parser.parse_args()
"""
HEAD = f"""# /// script
# dependencies = []
# ///
{ARGUMENTS}trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
"""
EVSYS = """from evsys_sdk.registry import register_metric

def flat(task_rewards):
    return [reward for rewards in task_rewards for reward in rewards]

def mean(values):
    values = list(values)
    return float(sum(values) / len(values)) if values else 0.0

{above}
{head}
{init}
    def {method}(self, task_rewards):
{code}"""
HARNESS = """from harness_evals._async_compat import _run_async
from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension, ReliabilityMetric, SafetyMetric
from harness_evals.core.score import Score
from harness_evals.llm.base import BaseLLM
{above}
"""
HARNESS_CLASS = """
class Metric({base}):
    def __init__(self, {llm}threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="{name}", {dimension} threshold=threshold, **kwargs)
        {init}

{methods}"""
SCORE = 'return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")'


def text_of(contract: str, **body: Any) -> str:
    """The text of a metric whose code a row has."""
    body = {"above": "", "name": "mine", **body}
    if contract == "harbor-metric":
        return HEAD + str(body["code"])
    if contract == "evsys":
        head = f'@register_metric("{body["name"]}")\nclass Metric:\n    name = "{body["name"]}"'
        init = f"    def __init__({body['made']}):\n        pass\n" if "made" in body else ""
        body = {"head": head, "method": "compute", "init": init, **body}
        return EVSYS.format(**body | {"code": textwrap.indent(body["code"], " " * 8)})
    head = HARNESS.format(**body)
    if "text" in body:
        return head + str(body["text"])
    methods = [body.get("methods", "")]
    for key, begins in (
        ("measure", "def measure(self, eval_case):\n"),
        ("runs", "def measure_runs(self, eval_case):\n    runs = eval_case.runs or []\n"),
    ):
        if key in body:
            methods.append(begins + textwrap.indent(f"{body[key].rstrip()}\n{SCORE}\n", " " * 4))
    judged = body.get("judge", False)
    body = {
        "base": "ReliabilityMetric" if "runs" in body else "BaseMetric",
        "dimension": "dimension=Dimension.CORRECTNESS,",
        "llm": "llm: BaseLLM, " if judged else "",
        "init": "self.llm = llm" if judged else "pass",
        **body,
    }
    return head + HARNESS_CLASS.format(**body | {"methods": textwrap.indent("\n".join(methods), " " * 4)})


def class_in(folder: Path, contract: str, **body: Any) -> str:
    """``path:Class`` of a class whose code a row has; without it, it gives a half."""
    usual = {"measure": "value = 0.5"} if contract == "harness-evals" else {"code": "return 0.5"}
    (path := folder / "metric.py").write_text(text_of(contract, **usual | body), encoding="utf-8")
    return f"{path}:Metric"


def source(kind: str, contract: str, name: str) -> str:
    """The text of a metric of the tables."""
    body: dict[str, Any] = {"name": name, **METRICS[kind][contract][name]}
    return str(body["text"]) if kind == "public" else text_of(contract, **body)


def checked(target: str, contract: str | None, **options: Any) -> Checker:
    """A metric's checker after all of its cases, or some."""
    python = "oracle" if contract == "harness-evals" else sys.executable
    checker = make_checker(target, contract, python=python, **options)
    checker.start()
    for case in checker.cases:
        if case.name in options.get("only", [case.name]):
            checker.check(case)
    return checker


def broken(checker: Checker, *levels: str) -> dict[str, list[str]]:
    """The broken rules, of some levels or of all, and the cases that show it."""
    found: dict[str, list[str]] = {}
    for finding in checker.findings:
        if finding.rule.level in (levels or LEVELS):
            found.setdefault(finding.rule.name, []).append(finding.case)
    return found


def written(kind: str, contract: str, name: str, folder: Path) -> Path:
    """A metric as a file, and the weights that some look for beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.json").write_text('{"factor": 1}\n', encoding="utf-8")
    path = folder / f"{name}.py"
    path.write_text(source(kind, contract, name), encoding="utf-8")
    return path
