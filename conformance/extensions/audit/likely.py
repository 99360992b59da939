"""Finds likely mistakes behind wrong numbers in `result.json`: runs the diagnosis on the job.

Each group's rewards are the input of operations whose answers are in the file: its metrics and its pass@k.
Right answers in the file are evidence too.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.giving import showing_in
from conformance.diagnosis.observation import LAST_BITS, OFF_BY_ONE, ROUNDED
from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Members, Number, pointer
from conformance.extensions.audit.rows import rewards_of
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok
from conformance.wire.numbers import spell
from reference_impl.verifier_result import Rewards

_ASKED = {"metric": OPS["aggregate"], "pass-at-k": OPS["pass_at_k"]}
"""The operation whose answer a kind of finding concerns."""
_VAGUE = (None, OFF_BY_ONE, LAST_BITS, ROUNDED)
"""Causes that a known mistake describes better."""
_OF_OTHERS = (
    "counters and lists agree with these trials: this number was computed from other trials, or typed in"
)
_MOST = 12
"""The most answers of an operation, right and wrong ones each, to compare the mistakes with."""
_MOST_TRIALS, _MOST_REWARDS = 1000, 5000
"""The most trials of a group, and rewards in them, on which mistakes are tried."""


def with_mistakes(findings: list[Finding], view: View, evals: Members) -> list[Finding]:
    """The findings, with known mistakes that explain those without a known cause."""
    asked = [one for one in findings if one.kind in _ASKED and one.breaks is Level.VALUE]
    vague = [one for one in asked if one.likely in _VAGUE]
    if not vague or not view.whole:
        return findings
    wrong = {_place(one.path) for one in asked}
    evidence: list[Evidence] = []
    for op in _ASKED.values():
        items = [item for item in _evidence(view, evals) if item.op is op]
        bad = [replace(item, passed=False) for item in items if item.key in wrong][:_MOST]
        good = [replace(item, actual=None) for item in items if item.key not in wrong][:_MOST]
        evidence += bad + good if bad else []
    known = {name: one for item in evidence for name, one in showing_in(item.op).items()}
    diagnosis = diagnose(evidence, Level.VALUE, mistakes=known)
    alone = _OF_OTHERS if len(findings) == 1 else None

    def likely(one: Finding) -> str | None:
        return diagnosis.likely(_place(one.path)) or one.likely or alone

    return [replace(one, likely=likely(one)) if one in vague else one for one in findings]


def _place(path: str) -> str:
    """The pointer to the whole answer that contains a number: a metric's object, or a group's pass@k."""
    parts = path.split("/")
    return "/".join(parts[: 6 if len(parts) > 5 and parts[4] == "metrics" else 5])


def _evidence(view: View, evals: Members) -> Iterator[Evidence]:
    """The file's numbers for every group, as answers of operations, right ones included."""
    groups = {} if view.expected is None else view.expected.groups
    for key, recorded in evals:
        made = groups.get(key)
        rows = [] if made is None else made.counted
        rewards = [rewards_of(row.trial) for row in rows]
        if made is None or not rows or not isinstance(recorded, Members) or len(rows) > _MOST_TRIALS:
            continue
        if sum(len(one or ()) for one in rewards) > _MOST_REWARDS:
            continue
        place, spelled = pointer("stats", "evals", key), [_spelled(one) for one in rewards]
        tasks = [row.trial.task_name for row in rows]
        trials = [{"task": task, "rewards": one} for task, one in zip(tasks, spelled, strict=True)]
        passes = {str(k): value for k, value in made.pass_at_k.items()}
        yield from _item(
            f"{place}/pass_at_k", "pass_at_k", {"trials": trials}, passes, recorded.get("pass_at_k")
        )
        metrics, names = recorded.get("metrics"), made.names
        if not isinstance(metrics, list) or len(metrics) != len(names):
            continue
        for index, (name, wanted, stated) in enumerate(zip(names, made.values, metrics, strict=True)):
            if name is not None and wanted is not None:
                given = {"metric": name, "rewards": spelled}
                yield from _item(f"{place}/metrics/{index}", "aggregate", given, wanted, stated)


def _item(place: str, op: str, given: Any, wanted: dict[str, Any], stated: Any) -> Iterator[Evidence]:
    if not isinstance(stated, Members):
        return
    actual = {}
    for key, value in stated:
        if isinstance(value, Number):
            actual[key] = _protocol(value.value)
        elif value is None and isinstance(wanted.get(key), float) and not math.isfinite(wanted[key]):
            actual[key] = _protocol(wanted[key])  # harbor prints such a number as null
        else:
            return
    answer = Ok({key: _protocol(value) for key, value in wanted.items()})
    yield Evidence(place, OPS[op], given, answer, Ok(actual), frozenset(), True)


def _protocol(number: Any) -> Any:
    """A number in the protocol's form."""
    return spell(number) if isinstance(number, float) and not math.isfinite(number) else number


def _spelled(rewards: Rewards | None) -> dict[str, Any] | None:
    return None if rewards is None else {key: _protocol(value) for key, value in rewards.items()}
