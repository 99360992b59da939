"""Metrics as data: ``metrics.yaml`` has wrong ones, each with the rule that catches it, and right ones.

``public`` has scripts as people write them, with the keys that each reads and the rules that its source
breaks: the standard deviation of a single trial is an error, and a job's first list has a single trial.

Of a wrong script ``case`` is a case that shows it. Of a wrong class ``only`` is the case that alone
shows it, and ``also`` another rule that it breaks.
"""

import textwrap
from pathlib import Path
from typing import Any

import yaml

METRICS: dict[str, dict[str, dict[str, dict[str, str]]]] = yaml.safe_load(
    Path(__file__).with_name("metrics.yaml").read_text("utf-8")
)
"""By ``wrong``, ``right`` or ``public``, contract and name."""

SCRIPT = '''# /// script
# dependencies = []
# ///
"""{says}"""
import argparse
import json
from pathlib import Path
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
{args}
'''
READ = """args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
"""
EVSYS = '''"""{says}"""
from evsys_sdk.registry import register_metric
{above}
@register_metric("{name}")
class Metric:
    name = "{name}"

    def compute(self, task_rewards):
{code}'''
HARNESS = '''"""{says}"""
from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension, ReliabilityMetric, SafetyMetric
from harness_evals.core.score import Score
{above}
'''
HARNESS_CLASS = """
class Metric({base}):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="{name}", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

{methods}"""


def source(kind: str, contract: str, name: str) -> str:
    """The text of a metric."""
    body: dict[str, Any] = {
        "above": "",
        "base": "BaseMetric",
        "name": "exact",
        **METRICS[kind][contract][name],
    }
    if kind == "public":
        return str(body["text"])
    if contract == "harbor-metric":
        head = "" if "add_argument" in body["code"] else READ
        return SCRIPT.format(says=body["says"], args=head + body["code"])
    if contract == "evsys":
        if "text" in body:
            return f'"""{body["says"]}"""\n{body["text"]}'
        return EVSYS.format(**body | {"code": textwrap.indent(body["code"], " " * 8)})
    head = HARNESS.format(**body)
    if "text" in body:
        return head + body["text"]
    if "measure" in body:
        body["methods"] = "def measure(self, eval_case):\n" + textwrap.indent(body["measure"], " " * 4)
    return head + HARNESS_CLASS.format(**body | {"methods": textwrap.indent(body["methods"], " " * 4)})


def written(kind: str, contract: str, name: str, folder: Path) -> Path:
    """A metric as a file, and the weights that some look for beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.json").write_text('{"factor": 1}\n', encoding="utf-8")
    path = folder / f"{name}.py"
    path.write_text(source(kind, contract, name), encoding="utf-8")
    return path
