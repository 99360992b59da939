"""What jobs in the wild have, and what is said of it: as much as it means for the numbers, and once."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.check.audit import audit
from conformance.judging.comparison import Level

Change = Callable[[Any], None]


def load_making() -> ModuleType:
    path = list(sys.path)
    spec = importlib.util.spec_from_file_location("odd_jobs_making", Path(__file__).with_name("making.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["odd_jobs_making"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path[:] = path  # its parts are found beside it
    return module


MAKING = load_making()


def group(job: Any) -> Any:
    return job.result["stats"]["evals"][job.key]


def next_number(job: Any) -> None:
    mean = group(job)["metrics"][0]
    mean["mean"] = math.nextafter(mean["mean"], 2)


def rounded(job: Any) -> None:
    mean = group(job)["metrics"][0]
    mean["mean"] = round(mean["mean"], 3)


def as_ints(job: Any) -> None:
    for record in job.records.values():
        if record["verifier_result"]:
            record["verifier_result"] = {
                "rewards": {"reward": int(record["verifier_result"]["rewards"]["reward"])}
            }


def other_names(job: Any) -> None:
    job.records = {f"attempt-{number}": record for number, record in enumerate(job.records.values())}


def beside(job: Any) -> None:
    job.raw["analysis/result.json"] = b'{"score": 1}'


def with_mark(job: Any) -> None:
    job.raw["result.json"] = b"\xef\xbb\xbf{}"


def without_times(job: Any) -> None:
    for record in job.records.values():
        record |= dict.fromkeys(("started_at", "finished_at", "agent_execution"))


def other_metric(job: Any) -> None:
    group(job)["metrics"] = [{"max": 1.0}]  # what a registry says of its dataset, no file of the job does


def left_over(job: Any) -> None:
    job.raw["left-over__abcdefg/config.json"] = b"{}"


CASES: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "last-bits": (next_number, [("differs", "metric")]),
    "rounded": (rounded, [("differs", "metric")]),
    "ints": (as_ints, []),
    "other-names": (other_names, [("differs", "trial-name")] * 14),
    "beside": (beside, [("differs", "schema")]),
    "byte-order-mark": (with_mark, [("differs", "not-json")]),
    "no-times": (without_times, []),
    "registry": (other_metric, []),
    "left-over": (left_over, []),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("release", [(0, 1, 17), (0, 6, 6)])
def test_what_is_said_of_it(name: str, release: tuple[int, ...], tmp_path: Path) -> None:
    change, due = CASES[name]
    of = MAKING.Submission("s", "terminus-2", "anthropic", "claude", [2], 0.6)
    chance = random.Random(4)
    job = MAKING.made_job(chance, of, (None, release), MAKING.task_names(7), 2, 0.0)
    change(job)
    MAKING.write(job, tmp_path)
    found = audit(str(tmp_path / job.place), Level.VALUE)
    assert [(str(one.severity), one.kind) for one in found.findings.ordered()] == due
    assert found.trials == 14
