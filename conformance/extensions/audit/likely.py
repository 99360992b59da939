"""Likely mistakes behind a wrong mean or sum: what other ways of computing it give the stated number."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.diagnosis.observation import LAST_BITS, OFF_BY_ONE, ROUNDED
from conformance.extensions.audit.expected import Group
from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.rows import rewards_of
from conformance.judging.comparison import Level
from conformance.wire.pointers import keys_of

_VAGUE = (None, OFF_BY_ONE, LAST_BITS, ROUNDED)
"""Causes that another way of computing describes better."""
_OF_OTHERS = (
    "counters and lists agree with these trials: this number was computed from other trials, or typed in"
)


def with_mistakes(findings: Sequence[Finding], view: View) -> Iterator[Finding]:
    """The findings, with the way of computing that explains a metric without a known cause."""
    groups = view.expected.groups if view.expected is not None and view.whole else {}
    for one in findings:
        keys = keys_of(one.path)
        number = one.kind == "pass-at-k" or (one.kind == "metric" and len(keys) == 6)
        if number and one.breaks is Level.VALUE and one.likely in _VAGUE:
            ways = _ways(groups[keys[2]], keys[5]) if one.kind == "metric" and keys[2] in groups else ()
            same = (way for way, value in ways if repr(value) == one.found)
            one = replace(one, likely=next(same, one.likely or (_OF_OTHERS if len(findings) == 1 else None)))
        yield one


def _ways(group: Group, name: str) -> Iterator[tuple[str, float]]:
    """Other ways of computing a mean or a sum of single rewards, with what they give."""
    rows = [(row.trial, next(iter((rewards_of(row.trial) or {}).values()), None)) for row in group.counted]
    every = [value or 0 for _, value in rows]
    scored = [value for _, value in rows if value is not None]
    passed = [value or 0 for trial, value in rows if trial.exception is None]
    total: float = 0
    for value in every:
        total += value
    if name == "sum":
        yield "the numbers are added left to right, without compensation", total
    elif name == "mean":
        yield "the sum is added left to right, without compensation", total / len(every)
        if scored:
            yield "unscored trials are left out, the others being averaged", sum(scored) / len(scored)
        if passed:
            yield "trials that ended in an exception are left out", sum(passed) / len(passed)
