"""Likely mistakes behind wrong numbers of `result.json`: the diagnosis is asked, with the job as evidence.

Each group's rewards are the input of operations whose answers stand in the file: its metrics and its pass@k.
What the file has right is evidence too.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conformance.check.findings import Finding
from conformance.check.job.expected import Expected
from conformance.check.reading.json_files import Members, Number, pointer
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.giving import showing_in
from conformance.diagnosis.observation import LAST_BITS, OFF_BY_ONE, ROUNDED
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok
from conformance.wire.numbers import spell
from reference_impl import aggregate
from reference_impl.aggregation import METRICS
from reference_impl.json_text import JsonObject
from reference_impl.verifier_result import Rewards

__all__ = ["with_mistakes"]

_AGGREGATE, _PASS_AT_K = OPS["aggregate"], OPS["pass_at_k"]
_ASKED = {"metric": _AGGREGATE, "pass-at-k": _PASS_AT_K}
"""The operation whose answer a kind of finding is about."""
_VAGUE = (None, OFF_BY_ONE, LAST_BITS, ROUNDED)
"""What a known mistake says better."""
_MOST = 12
"""The most answers of an operation, right ones and wrong ones each, that the mistakes are compared with."""
_MOST_TRIALS = 1000
"""The most trials of a group that the mistakes are asked about."""

_MOST_REWARDS = 5000
"""The most rewards in them."""

RewardList = Sequence[Rewards | None]


def with_mistakes(findings: list[Finding], expected: Expected | None, evals: Members) -> list[Finding]:
    """The findings with the known mistakes that explain them, where no fact says it already."""
    vague = [
        one for one in findings if one.kind in _ASKED and one.likely in _VAGUE and one.breaks is Level.VALUE
    ]
    if expected is None or not vague:
        return findings
    wrong = {_place(one.path) for one in findings if one.kind in _ASKED and one.breaks is Level.VALUE}
    evidence = [item for op in _ASKED.values() for item in _few(_evidence(expected, evals, op.name), wrong)]
    known = {name: one for item in evidence for name, one in showing_in(item.op).items()}
    diagnosis = diagnose(evidence, Level.VALUE, mistakes=known)
    others = {item.key: other for item in evidence if (other := _another_metric(item)) is not None}

    def told(one: Finding) -> str | None:
        place = _place(one.path)
        return diagnosis.likely(place) or others.get(place) or one.likely

    return [replace(one, likely=told(one)) if one in vague else one for one in findings]


def _place(path: str) -> str:
    """The place of the whole answer that holds a number: of a metric's object, or of a group's pass@k."""
    parts = path.split("/")
    return "/".join(parts[: 6 if len(parts) > 5 and parts[4] == "metrics" else 5])


def _few(evidence: list[Evidence], wrong: set[str]) -> list[Evidence]:
    """Some of it: nothing where nothing is wrong."""
    bad = [replace(item, passed=False) for item in evidence if item.key in wrong][:_MOST]
    good = [replace(item, actual=None) for item in evidence if item.key not in wrong][:_MOST]
    return bad + good if bad else []


def _evidence(expected: Expected, evals: Members, op: str) -> list[Evidence]:
    """What the file says of every group, as answers of an op; all of it as if it were right."""
    found = []
    groups = expected.groups()
    for group, recorded in evals:
        rewards = expected.rewards.get(group)
        if rewards is None or len(rewards) > _MOST_TRIALS or not isinstance(recorded, Members):
            continue
        if sum(len(one or ()) for one in rewards) > _MOST_REWARDS:
            continue
        place = pointer("stats", "evals", group)
        if op == _PASS_AT_K.name:
            trials = [
                {"task": task, "rewards": _spelled(one)}
                for task, one in zip(expected.tasks[group], rewards, strict=True)
            ]
            due = groups[group].get("pass_at_k")  # the first generations have none
            found += _item(f"{place}/pass_at_k", op, {"trials": trials}, due, recorded.get("pass_at_k"))
            continue
        metrics, dues = recorded.get("metrics"), groups[group]["metrics"]
        if not isinstance(metrics, list) or not isinstance(dues, list) or len(metrics) != len(dues):
            continue
        for index, (name, due, said) in enumerate(zip(expected.names[group], dues, metrics, strict=True)):
            if name is not None:
                given = {"metric": name, "rewards": [_spelled(one) for one in rewards]}
                found += _item(f"{place}/metrics/{index}", op, given, due, said)
    return found


def _item(place: str, op: str, given: Any, due: Any, said: Any) -> list[Evidence]:
    if not isinstance(due, JsonObject) or not isinstance(said, Members):
        return []
    right: dict[str, Any] = dict(due.members)
    actual = {}
    for key, value in said:
        if isinstance(value, Number):
            actual[key] = _protocol(value.value)
        elif value is None and isinstance(right.get(key), float) and not math.isfinite(right[key]):
            actual[key] = _protocol(right[key])  # null is how such a number is printed
        else:
            return []
    answer = Ok({key: _protocol(value) for key, value in right.items()})
    return [Evidence(place, OPS[op], given, answer, Ok(actual), frozenset(), True)]


def _protocol(number: Any) -> Any:
    """A number as a message has it."""
    return spell(number) if isinstance(number, float) and not math.isfinite(number) else number


def _spelled(rewards: Rewards | None) -> dict[str, Any] | None:
    return None if rewards is None else {key: _protocol(value) for key, value in rewards.items()}


def _another_metric(item: Evidence) -> str | None:
    """Whether a wrong metric is another metric's number."""
    if item.op is not _AGGREGATE or not isinstance(item.actual, Ok):
        return None
    name, said = item.input["metric"], list(item.actual.value.values())
    for other in METRICS:
        if other != name:
            try:
                members = aggregate(other, item.input["rewards"])
            except (ArithmeticError, ValueError, TypeError):
                continue
            if list(members.values()) == said:
                return f"the {other} in the place of the {name}"
    return None
