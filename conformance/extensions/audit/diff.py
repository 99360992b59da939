"""Compares a job's `result.json` with the one expected from its trials, both as parsed values.

One function compares two values. `_FILE` says, for each place of the file, which kind of finding a
difference is and which clause it breaks. Below level bytes only the parsed values count; at level bytes the
spelling of numbers and keys and the order of members count too.
"""

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.audit.expected import Expected
from conformance.extensions.audit.findings import Finding, Severity
from conformance.extensions.audit.formats import GROUP_MEMBERS, JOB_FILE, JOB_MEMBERS, STATS_MEMBERS, TOTALS
from conformance.extensions.audit.listing import list_findings
from conformance.extensions.audit.reading import Members, Number, pointer, show
from conformance.judging.comparison import Level
from reference_impl.evals_key import SEPARATOR

MOST = 10_000
"""The number of differences after which the rest of a file is skipped."""
_SAME_COST = 1e-12
"""The relative difference between costs that the unknown order of addition can explain."""
_SMALL = 1e-3
"""The relative difference below which a rounded number is reported as less severe."""
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_TEXT, _MEMBERS = "003-3.3-text", "003-3.3-members"


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of the file."""

    kind: str
    clause: str
    members: "dict[str, _Place]" = field(default_factory=dict)
    """How to compare the named members of an object."""
    each: "_Place | None" = None
    """How to compare every other member."""
    others: Collection[str] = ()
    """Members that only other releases write; they are ignored."""
    order: str = _MEMBERS
    """The clause about the order of members."""


def _all(kind: str, clause: str, *names: str) -> dict[str, _Place]:
    return dict.fromkeys(names, _Place(kind, clause))


_FIRST_SEEN = "003-3.3-first-seen-order"
_NAMES = _Place("names", "003-3.3-reward-stats")
_PASS = _Place("pass-at-k", "003-4.3-product-order")
_GROUP = _Place(
    "schema",
    _MEMBERS,
    {
        **_all("counter", "003-3.3-n-trials", "n_trials"),
        **_all("counter", "003-3.3-n-errors", "n_errors"),
        "metrics": _Place("metric", "003-3.3-metrics-list"),
        "pass_at_k": _Place("pass-at-k", "003-4.2-k-at-most-min", each=_PASS),
        "reward_stats": _Place("listing", "003-3.3-reward-stats", each=_NAMES, order=_FIRST_SEEN),
        "exception_stats": _Place("names", "003-3.3-exception-stats"),
    },
    others=GROUP_MEMBERS,
)
_STATS = _Place(
    "schema",
    _MEMBERS,
    {
        **_all("counter", "003-3.3-n-completed", "n_completed_trials", "n_trials"),
        **_all("counter", "003-3.3-n-errors", "n_errored_trials", "n_errors"),
        **_all("counter", "003-3.3-pending", "n_running_trials", "n_pending_trials"),
        **_all("counter", "003-3.3-n-cancelled", "n_cancelled_trials"),
        **_all("total", "003-3.3-token-totals", *TOTALS[:3]),
        **_all("total", "003-3.3-cost-plain", "cost_usd"),
        "evals": _Place("group", "003-3.3-evals-key-verbatim", each=_GROUP, order=_FIRST_SEEN),
    },
    others=STATS_MEMBERS,
)
_FILE = _Place(
    "schema",
    _MEMBERS,
    {
        "schema_version": _Place("schema", _MEMBERS),
        **_all("counter", "003-7.4-counters", "n_total_trials"),
        "stats": _STATS,
    },
    others=JOB_MEMBERS,
)
_METRICS = {
    "mean": "003-3.2-mean-division",
    "max": "003-3.2-max-min-verbatim",
    "min": "003-3.2-max-min-verbatim",
    "sum": "003-6-sum-compensated",
}
_AS_BEFORE = {"n_completed_trials": "n_trials", "n_errored_trials": "n_errors"}
"""The names that `stats` used for its counters up to 0.6.1."""


def differences(
    wanted: Members, actual: Members, expected: Expected, *, totals: bool = True
) -> list[Finding]:
    """Every place where the file differs from what is expected; the first `MOST` if there are more.

    `wanted` is the parsed text of `expected`. Without `totals`, tokens and costs are not compared.
    """
    if expected.failure is not None:
        key, name = expected.failure
        place = pointer("stats", "evals", key, "metrics")
        what = ("a finished job", f"the metric {name} raises, and the job never finishes")
        return [Finding("never-finishes", JOB_FILE, place, *what, "003-3.3-metric-failure")]
    made = _Diff(expected, totals)
    made.compare(_FILE, "", wanted, actual)
    return made.found[:MOST]


@dataclass(slots=True)
class _Diff:
    expected: Expected
    totals: bool
    found: list[Finding] = field(default_factory=list)
    group: str = ""
    """The evals key of the group being compared."""

    def add(self, kind: str, path: str, found: str, wanted: str, clause: str, **more: Any) -> None:
        if len(self.found) < MOST:
            self.found.append(Finding(kind, JOB_FILE, path, found, wanted, clause, **more))

    def compare(self, place: _Place, path: str, wanted: Any, found: Any) -> None:
        """Compares a value with the expected one."""
        if place.kind == "names":
            self.found += list_findings(path, wanted, found, place.clause)
        elif place is _GROUP.members["metrics"]:
            self.metrics(place, path, wanted, found)
        elif isinstance(wanted, Members) and not isinstance(found, Members):
            clause = "003-3.3-pass-at-k-stored" if place.each is _PASS else _TEXT
            self.add("schema", path, show(found), "an object", clause)
        elif isinstance(wanted, Members):
            if place.each is _PASS:
                found = self.drop_invalid_k(path, wanted, found)
            if found or not wanted or place.each is not _PASS:
                self.members(place, path, wanted, found)
        elif place.kind != "total" or self.totals:
            self.number(place.kind, place.clause, path, wanted, found)

    def members(self, place: _Place, path: str, wanted: Members, actual: Members) -> None:
        """Compares the members of an object with the expected ones, first by name and then by value."""
        members = dict(actual)
        keys = [key for key, _ in actual if key in dict(wanted) or key not in place.others]
        renamed = (
            {} if keys == [key for key, _ in wanted] else self.keys(place, path, dict(wanted), actual, keys)
        )
        for key, value in wanted:
            inner, name = place.members.get(key, place.each), renamed.get(key, key)
            if name not in members and place is _STATS:
                name = _AS_BEFORE.get(name, name)
            self.group = key if inner is _GROUP else self.group
            if inner is not None and name in members:
                self.compare(inner, path + pointer(name if inner is _NAMES else key), value, members[name])

    def keys(
        self, place: _Place, path: str, expected: dict[str, Any], actual: Members, keys: list[str]
    ) -> dict[str, str]:
        """Compares the keys of an object with the expected ones; reports a misnamed key with its name.

        At the top level, members that no release writes are ignored too.
        """
        members, renamed = dict(actual), dict[str, str]()
        missing = [key for key in expected if key not in members]
        extra = [key for key in dict.fromkeys(keys) if key not in expected]
        if place is _FILE:
            keys, extra = [key for key in keys if key in expected], []
        if place.kind == "group":
            folded = {one.casefold(): one for one in reversed(extra)}
            renamed = {key: like for key in missing if (like := folded.pop(key.casefold(), None))}
            for key, like in renamed.items():
                self.renamed(place, path, key, like, "the two differ only in capital letters")
            missing = [key for key in missing if key not in renamed]
            extra = [key for key in extra if key not in {*renamed.values()}]
        for key in actual.repeats():
            self.add("duplicate-key", path + pointer(key), "the key twice", "each key once", _TEXT)
        if len(missing) == len(extra) == 1:
            renamed[missing[0]] = extra[0]
            self.renamed(place, path, missing[0], extra[0])
        else:
            for key in missing:
                self.add(place.kind, path + pointer(key), "nothing", show(expected[key]), place.clause)
            for key in extra:
                self.add(place.kind, path + pointer(key), show(members[key]), "no such member", place.clause)
        if not missing and not extra and sorted(keys) == sorted(expected) and keys != list(expected):
            what = (show(keys), show(list(expected)), place.order)
            likely = "the members are in another order"
            self.add("order", path, *what, likely=likely, breaks=Level.BYTES)
        return renamed

    def renamed(self, place: _Place, path: str, key: str, like: str, likely: str | None = None) -> None:
        what = (f"the key {show(like)}", f"the key {show(key)}", place.clause)
        severity_override = None if likely is None else Severity.DIFFERS
        self.add(place.kind, path + pointer(like), *what, likely=likely, severity_override=severity_override)

    def metrics(self, place: _Place, path: str, wanted: Any, found: Any) -> None:
        key, group = self.group, self.expected.groups[self.group]
        if not isinstance(found, list) or isinstance(found, Members):
            self.add("schema", path, show(found), "an array", place.clause)
        elif len(found) != len(wanted):
            likely, clause = None if found else "the metrics are missing", place.clause
            if not wanted:
                clause = "003-3.3-metrics-by-last-part"
                likely = f"harbor looks for metrics of {show(key.split(SEPARATOR)[-1])} and finds none"
            severity_override = Severity.DIFFERS if group.is_surplus else None
            what = (show(found), f"{len(wanted)}: {show(wanted)}", clause)
            self.add("metric", path, *what, likely=likely, severity_override=severity_override)
        else:
            for index, (name, entry, value) in enumerate(zip(group.names, wanted, found, strict=True)):
                if name is not None:
                    self.metric(f"{path}/{index}", _METRICS[name], entry, value)

    def metric(self, path: str, clause: str, wanted: Members, found: Any) -> None:
        keys = [key for key, _ in wanted]
        if not isinstance(found, Members) or sorted(key for key, _ in found) != sorted(keys):
            many = "003-3.2-many-keys-by-key" if len(keys) > 1 else "003-3.2-one-key-metric-name"
            return self.add("metric", path, show(found), show(wanted), many)
        if keys != [key for key, _ in found]:
            what = (show([key for key, _ in found]), show(keys), "003-3.2-keys-by-code-point")
            likely = "the keys are not sorted by code point"
            self.add("order", path, *what, likely=likely, breaks=Level.BYTES)
        numbers = dict(found)
        for key, value in wanted:
            self.number("metric", clause, path + pointer(key), value, numbers[key])
        return None

    def drop_invalid_k(self, path: str, wanted: Members, found: Members) -> Members:
        """A group's pass@k without the values of k that it must not have, each of which is a finding."""
        keys = dict(wanted)
        attempts = Counter(row.trial.task_name for row in self.expected.groups[self.group].rows)
        few = keys or min(attempts.values(), default=0) < 2
        none = "003-4.2-k-at-most-min" if few else "003-4.1-any-trial-whole-group"
        if keys and not found:
            self.add("pass-at-k", path, "{}", show(wanted), none, likely="pass@k is left out")
        for key, value in dict(found).items():
            if key not in keys:
                by = "003-4.2-never-pass-at-1" if key == "1" else none
                likely = "it has pass@1, which harbor never computes" if key == "1" else None
                self.add("pass-at-k", path + pointer(key), show(value), "no such member", by, likely=likely)
        return Members((key, value) for key, value in found if key in keys)

    def number(self, kind: str, clause: str, path: str, wanted: Any, found: Any) -> None:
        """Compares a number, or null, with the expected one: by value, by type and by spelling."""
        likely, severity_override, breaks = None, None, Level.VALUE
        if not isinstance(found, Number) or not isinstance(wanted, Number):
            if found is None and wanted is None:
                return None
            if wanted is None and isinstance(found, Number) and found.text in _NOT_FINITE:
                clause = "003-6-nan-in-result"
                likely = "NaN or an infinity is spelled out; harbor writes null"
            return self.add(kind, path, show(found), show(wanted), clause, likely=likely)
        if found.text in (wanted.text, wanted.text.replace("e+", "e")):  # pydantic up to 2.12 writes 1e16
            return None
        if found.value != wanted.value:
            is_cost = path == "/stats/cost_usd" and isinstance(found.value, float)
            if is_cost and math.isclose(wanted.value, found.value, rel_tol=_SAME_COST):
                return None
            from conformance.diagnosis.observation import LAST_BITS, ROUNDED, numbers_observed  # slow to load

            observed = numbers_observed(wanted.value, found.value)
            near = observed == LAST_BITS or (
                observed == ROUNDED and abs(found.value - wanted.value) <= _SMALL * abs(wanted.value)
            )
            likely, severity_override = observed, Severity.DIFFERS if near else None
        elif type(found.value) is not type(wanted.value):
            breaks = Level.EXACT
            likely = "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
        elif wanted.value == 0 and math.copysign(1.0, found.value) != math.copysign(1.0, wanted.value):
            likely, breaks = "the sign of zero is lost", Level.EXACT
        else:
            kind, clause, breaks = "text", "003-3.3-number-text", Level.BYTES
            likely = "the number is right, but its spelling is not"
        what = (found.text[:200], wanted.text[:200], clause)
        return self.add(kind, path, *what, likely=likely, breaks=breaks, severity_override=severity_override)
