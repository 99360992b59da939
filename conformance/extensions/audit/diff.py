"""Compares a job's `result.json` with the one expected from its trials, both as parsed values.

For each place in the file, `_FILE` gives the kind of finding for a difference and the clause that it breaks.
Below level bytes only the parsed values count; at level bytes the spelling of numbers and keys and the order
of members count too.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.audit.expected import Expected
from conformance.extensions.audit.findings import Finding, Severity
from conformance.extensions.audit.formats import GROUP_MEMBERS, JOB_FILE, JOB_MEMBERS, STATS_MEMBERS, TOTALS
from conformance.extensions.audit.listing import list_findings
from conformance.extensions.audit.reading import Members, Number, pointer, show
from conformance.judging.levels import Level
from reference_impl.evals_key import SEPARATOR

MOST = 10_000
"""The most differences in a file; the rest of the file is not compared."""
_SAME_COST = 1e-12
"""The largest relative difference between costs that another order of addition can explain."""
_SMALL = 1e-3
"""The relative difference below which a rounded number is reported as less severe."""
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_TEXT, _MEMBERS, _FIRST_SEEN = "003-3.3-text", "003-3.3-members", "003-3.3-first-seen-order"
_EVALS, _GROUP = "/stats/evals", "/stats/evals/*"
_METRICS, _PASS, _REWARDS = f"{_GROUP}/metrics", f"{_GROUP}/pass_at_k", f"{_GROUP}/reward_stats"
_FILE = {
    **dict.fromkeys(("", "/schema_version", "/stats", _GROUP), ("schema", _MEMBERS)),
    "/n_total_trials": ("counter", "003-7.4-counters"),
    **dict.fromkeys(("/stats/n_completed_trials", "/stats/n_trials"), ("counter", "003-3.3-n-completed")),
    **dict.fromkeys(("/stats/n_errored_trials", "/stats/n_errors"), ("counter", "003-3.3-n-errors")),
    **dict.fromkeys(("/stats/n_running_trials", "/stats/n_pending_trials"), ("counter", "003-3.3-pending")),
    "/stats/n_cancelled_trials": ("counter", "003-3.3-n-cancelled"),
    **{f"/stats/{name}": ("total", "003-3.3-token-totals") for name in TOTALS[:3]},
    "/stats/cost_usd": ("total", "003-3.3-cost-plain"),
    _EVALS: ("group", "003-3.3-evals-key-verbatim"),
    f"{_GROUP}/n_trials": ("counter", "003-3.3-n-trials"),
    f"{_GROUP}/n_errors": ("counter", "003-3.3-n-errors"),
    _METRICS: ("metric", "003-3.3-metrics-list"),
    _PASS: ("pass-at-k", "003-4.2-k-at-most-min"),
    f"{_PASS}/*": ("pass-at-k", "003-4.3-product-order"),
    _REWARDS: ("listing", "003-3.3-reward-stats"),
    f"{_REWARDS}/*": ("names", "003-3.3-reward-stats"),
    f"{_GROUP}/exception_stats": ("names", "003-3.3-exception-stats"),
}
"""The kind and the clause of a difference at each place of the file; `*` is every other member."""
_OPTIONAL = {"": JOB_MEMBERS, "/stats": STATS_MEMBERS, _GROUP: GROUP_MEMBERS}
"""Members of any release; those that the job's release does not write are ignored."""
_CLAUSES = {
    "mean": "003-3.2-mean-division",
    "max": "003-3.2-max-min-verbatim",
    "min": "003-3.2-max-min-verbatim",
    "sum": "003-6-sum-compensated",
}
"""The clause of each metric's value."""
_AS_BEFORE = {"n_completed_trials": "n_trials", "n_errored_trials": "n_errors"}
"""The names that `stats` used for its counters up to 0.6.1."""


def differences(wanted: Members, found: Members, expected: Expected, *, totals: bool = True) -> list[Finding]:
    """Return a finding for each place where the file differs from the expected one, at most `MOST`.

    `wanted` is the parsed text of `expected`. Unless `totals` is set, tokens and costs are not compared.
    """
    if expected.failure is not None:
        key, name = expected.failure
        path = pointer("stats", "evals", key, "metrics")
        details = ("a finished job", f"an unfinished one, as the metric {name} raises an error")
        return [Finding("never-finishes", JOB_FILE, path, *details, "003-3.3-metric-failure")]
    diff = _Diff(expected, totals)
    diff.compare("", "", wanted, found)
    return diff.findings[:MOST]


@dataclass(slots=True)
class _Diff:
    expected: Expected
    totals: bool
    findings: list[Finding] = field(default_factory=list)
    group: str = ""
    """The evals key of the group being compared."""

    def add(self, kind: str, path: str, actual: str, wanted: str, clause: str, **more: Any) -> None:
        if len(self.findings) < MOST:
            self.findings.append(Finding(kind, JOB_FILE, path, actual, wanted, clause, **more))

    def compare(self, entry: str, path: str, wanted: Any, actual: Any) -> None:
        """Compares the value at `path` with the expected one; `entry` is its key in `_FILE`."""
        kind, clause = _FILE[entry]
        if kind == "names":
            self.findings += list_findings(path, wanted, actual, clause)
        elif entry == _METRICS:
            self.metrics(clause, path, wanted, actual)
        elif isinstance(wanted, Members) and not isinstance(actual, Members):
            broken = "003-3.3-pass-at-k-stored" if entry == _PASS else _TEXT
            self.add("schema", path, show(actual), "an object", broken)
        elif isinstance(wanted, Members):
            if entry == _PASS:
                actual = self.drop_invalid_k(path, wanted, actual)
            if actual or not wanted or entry != _PASS:
                self.members(entry, path, wanted, actual)
        elif kind != "total" or self.totals:
            self.number(kind, clause, path, wanted, actual)

    def members(self, entry: str, path: str, wanted: Members, actual: Members) -> None:
        """Compares the members of an object with the expected ones, first by name and then by value."""
        members, expected, optional = dict(actual), dict(wanted), _OPTIONAL.get(entry, ())
        keys = [key for key, _ in actual if key in expected or key not in optional]
        is_same = keys == [key for key, _ in wanted]
        renamed = {} if is_same else self.keys(entry, path, wanted, actual, keys)
        for key, value in wanted:
            inner = next((option for option in (f"{entry}/*", f"{entry}/{key}") if option in _FILE), None)
            name = renamed.get(key, key)
            if name not in members and entry == "/stats":
                name = _AS_BEFORE.get(name, name)
            self.group = key if entry == _EVALS else self.group
            if inner is not None and name in members:
                listed_key = name if entry == _REWARDS else key
                self.compare(inner, path + pointer(listed_key), value, members[name])

    def keys(self, entry: str, path: str, wanted: Members, found: Members, keys: list[str]) -> dict[str, str]:
        """Compares the keys of an object with the expected ones; reports a misnamed key with its name.

        At the top level, members that no release writes are ignored as well.
        """
        (kind, clause), members, expected = _FILE[entry], dict(found), dict(wanted)
        missing = [key for key in expected if key not in members]
        extra = [key for key in dict.fromkeys(keys) if key not in expected]
        if not entry:
            keys, extra = [key for key in keys if key in expected], []
        folded = {name.casefold(): name for name in reversed(extra)} if entry == _EVALS else {}
        renamed = {key: like for key in missing if (like := folded.pop(key.casefold(), None))}
        likely = dict.fromkeys(renamed, "the two differ only in capital letters")
        missing = [key for key in missing if key not in renamed]
        extra = [key for key in extra if key not in {*renamed.values()}]
        for key in found.repeats():
            self.add("duplicate-key", path + pointer(key), "the key twice", "each key once", _TEXT)
        if is_one := len(missing) == len(extra) == 1:
            renamed[missing[0]] = extra[0]
        for key, like in renamed.items():
            why = likely.get(key)
            severity = None if why is None else Severity.DIFFERS
            details = (f"the key {show(like)}", f"the key {show(key)}", clause)
            self.add(kind, path + pointer(like), *details, likely=why, severity_override=severity)
        for key in () if is_one else missing:
            self.add(kind, path + pointer(key), "nothing", show(expected[key]), clause)
        for key in () if is_one else extra:
            self.add(kind, path + pointer(key), show(members[key]), "no such member", clause)
        if not missing and not extra and sorted(keys) == sorted(expected) and keys != list(expected):
            order = _FIRST_SEEN if entry in (_EVALS, _REWARDS) else _MEMBERS
            details = (show(keys), show(list(expected)), order)
            self.add("order", path, *details, likely="the members are in another order", breaks=Level.BYTES)
        return renamed

    def metrics(self, clause: str, path: str, wanted: Any, actual: Any) -> None:
        """Compares a group's list of metrics."""
        key, group = self.group, self.expected.groups[self.group]
        if not isinstance(actual, list) or isinstance(actual, Members):
            return self.add("schema", path, show(actual), "an array", clause)
        if len(actual) != len(wanted):
            likely = None if actual else "the metrics are missing"
            if not wanted:
                clause = "003-3.3-metrics-by-last-part"
                likely = f"harbor looks up the metrics of {show(key.split(SEPARATOR)[-1])} and finds none"
            severity = Severity.DIFFERS if group.is_surplus else None
            details = (show(actual), f"{len(wanted)}: {show(wanted)}", clause)
            return self.add("metric", path, *details, likely=likely, severity_override=severity)
        for index, (name, entry, value) in enumerate(zip(group.names, wanted, actual, strict=True)):
            if name is not None:
                self.metric(f"{path}/{index}", _CLAUSES[name], entry, value)
        return None

    def metric(self, path: str, clause: str, wanted: Members, members: Any) -> None:
        keys = [key for key, _ in wanted]
        if not isinstance(members, Members) or sorted(key for key, _ in members) != sorted(keys):
            many = "003-3.2-many-keys-by-key" if len(keys) > 1 else "003-3.2-one-key-metric-name"
            return self.add("metric", path, show(members), show(wanted), many)
        if keys != (actual := [key for key, _ in members]):
            args = (show(actual), show(keys), "003-3.2-keys-by-code-point")
            self.add("order", path, *args, likely="the keys are not sorted by code point", breaks=Level.BYTES)
        numbers = dict(members)
        for key, value in wanted:
            self.number("metric", clause, path + pointer(key), value, numbers[key])
        return None

    def drop_invalid_k(self, path: str, wanted: Members, actual: Members) -> Members:
        """Return a group's pass@k without the values of k that it must not have; reports each of them."""
        keys = dict(wanted)
        attempts = Counter(row.trial.task_name for row in self.expected.groups[self.group].rows)
        few = keys or min(attempts.values(), default=0) < 2
        none = "003-4.2-k-at-most-min" if few else "003-4.1-any-trial-whole-group"
        if keys and not actual:
            self.add("pass-at-k", path, "{}", show(wanted), none, likely="pass@k is left out")
        for key, value in dict(actual).items():
            if key not in keys:
                by = "003-4.2-never-pass-at-1" if key == "1" else none
                likely = "harbor never computes pass@1" if key == "1" else None
                self.add("pass-at-k", path + pointer(key), show(value), "no such member", by, likely=likely)
        return Members((key, value) for key, value in actual if key in keys)

    def number(self, kind: str, clause: str, path: str, wanted: Any, actual: Any) -> None:
        """Compares a number, or null, with the expected one: by value, by type and by spelling."""
        likely, severity_override, breaks = None, None, Level.VALUE
        if not isinstance(actual, Number) or not isinstance(wanted, Number):
            if actual is None and wanted is None:
                return None
            if wanted is None and isinstance(actual, Number) and actual.text in _NOT_FINITE:
                clause = "003-6-nan-in-result"
                likely = "NaN or an infinity is spelled out; harbor writes null"
            return self.add(kind, path, show(actual), show(wanted), clause, likely=likely)
        if actual.text in (wanted.text, wanted.text.replace("e+", "e")):  # pydantic up to 2.12 writes 1e16
            return None
        if actual.value != wanted.value:
            is_cost = path == "/stats/cost_usd" and isinstance(actual.value, float)
            if is_cost and math.isclose(wanted.value, actual.value, rel_tol=_SAME_COST):
                return None
            from conformance.diagnosis.observation import LAST_BITS, ROUNDED, numbers_observed  # slow to load

            observed = numbers_observed(wanted.value, actual.value)
            near = observed == LAST_BITS or (
                observed == ROUNDED and abs(actual.value - wanted.value) <= _SMALL * abs(wanted.value)
            )
            likely, severity_override = observed, Severity.DIFFERS if near else None
        elif type(actual.value) is not type(wanted.value):
            breaks = Level.EXACT
            likely = "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
        elif wanted.value == 0 and math.copysign(1.0, actual.value) != math.copysign(1.0, wanted.value):
            likely, breaks = "the sign of zero is lost", Level.EXACT
        else:
            kind, clause, breaks = "text", "003-3.3-number-text", Level.BYTES
            likely = "the number is right, but is spelled differently"
        args = (actual.text[:200], wanted.text[:200], clause)
        return self.add(kind, path, *args, likely=likely, breaks=breaks, severity_override=severity_override)
