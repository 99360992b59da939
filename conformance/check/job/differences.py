"""Holds a job's `result.json` to what its trials give, member by member.

Below level bytes the file counts as parsed; at level bytes the spelling of every number and key
and the order of members count too, and, once all that is right, the text as a whole.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Any

from conformance.check.findings import Finding, Severity
from conformance.check.generations import GROUP_MEMBERS, JOB_MEMBERS, STATS_MEMBERS
from conformance.check.job.counters import counter_observed
from conformance.check.job.expected import Expected
from conformance.check.job.listings import listing_findings
from conformance.check.job.numbers import number_difference, reads_alike
from conformance.check.reading.json_files import Members, Number, pointer, show
from conformance.judging.comparison import Level
from reference_impl.evals_key import SEPARATOR
from reference_impl.json_text import JsonObject, JsonTree, json_text

__all__ = ["JOB_FILE", "MOST", "differences", "parsed_tree"]

JOB_FILE = "result.json"

_COUNTERS = {
    "n_completed_trials": "003-3.3-n-completed",
    "n_errored_trials": "003-3.3-n-errors",
    "n_running_trials": "003-3.3-pending",
    "n_pending_trials": "003-3.3-pending",
    "n_cancelled_trials": "003-3.3-n-cancelled",
    "n_retries": "003-3.3-retries",
    "n_trials": "003-3.3-n-trials",
    "n_errors": "003-3.3-n-errors",
    "n_total_trials": "003-7.4-counters",
}
_TOTALS = {
    "n_input_tokens": "003-3.3-token-totals",
    "n_cache_tokens": "003-3.3-token-totals",
    "n_output_tokens": "003-3.3-token-totals",
    "cost_usd": "003-3.3-cost-plain",
}
_METRICS = {
    "mean": "003-3.2-mean-division",
    "max": "003-3.2-max-min-verbatim",
    "min": "003-3.2-max-min-verbatim",
    "sum": "003-6-sum-compensated",
}
_TEXT = "003-3.3-text"
_MEMBERS = "003-3.3-members"
_NOW = {"n_trials": "n_completed_trials", "n_errors": "n_errored_trials"}
"""What `stats` calls its counters from 0.6.2 on."""
_AS_BEFORE = {now: before for before, now in _NOW.items()}
_ALIKE = 0.6
"""From which likeness of two names on one may be a misspelling of the other."""
MOST = 10_000
"""Differences after which the rest of a file is not looked at."""
_SHOWN = 100
"""Metrics of which some are shown."""

Visit = Callable[[str, JsonTree, Any], None]


def differences(expected: Expected, actual: Members, totals: bool = True) -> list[Finding]:
    """Every place where the file departs from what is expected; of very many the first `MOST`.

    Without `totals`, tokens and costs are not looked at.
    """
    comparison = _Comparison(expected, totals)
    with suppress(_EnoughError):
        comparison.job(actual)
    return comparison.found


def parsed_tree(tree: JsonTree) -> Any:
    """What `json_files.parse` gives for the tree's text."""
    if isinstance(tree, JsonObject):
        return Members((key, parsed_tree(value)) for key, value in tree.members)
    if isinstance(tree, list):
        return [parsed_tree(value) for value in tree]
    if isinstance(tree, int | float):
        return None if json_text(tree) == "null" else Number(json_text(tree), tree)
    return tree


def _alike(left: str, right: str) -> bool:
    return len(right) < 2 * len(left) and SequenceMatcher(None, left, right).ratio() >= _ALIKE


class _EnoughError(Exception):
    """So much is wrong that the rest is not looked at."""


class _Comparison:
    def __init__(self, expected: Expected, totals: bool) -> None:
        self.expected = expected
        self.totals = totals
        self.found: list[Finding] = []
        self.completed = 0
        self.errored = 0

    def job(self, actual: Members) -> None:
        if self.expected.failure is not None:
            key, error = self.expected.failure
            self._add(
                *("never-finishes", pointer("stats", "evals", key, "metrics"), "a finished job"),
                *(f"a metric raises {error}, and the job never finishes", "003-3.3-metric-failure"),
            )
            return
        due = self.expected.tree.members
        self._members("", due, actual, self._top, "schema", _MEMBERS, JOB_MEMBERS, anybody=True)

    # Objects

    def _members(
        self,
        place: str,
        due: Sequence[tuple[str, JsonTree]],
        actual: Members,
        visit: Visit,
        kind: str,
        clause: str,
        others: Collection[str] = (),
        anybody: bool = False,
    ) -> None:
        """Holds the members of an object to those that are due, then each value.

        Members that `others` write, harbors of another generation, are passed over, and those of
        `anybody` if so, but for one that has the place of a member that is due.
        """
        members, due_members = actual.last(), dict(due)
        keys = [key for key, _ in actual if key in due_members or key not in others]
        due_keys = list(due_members)
        renamed: dict[str, str] = {}
        if keys != due_keys:
            missing = [key for key in due_keys if key not in members]
            extra = [key for key in members if key not in due_members and key not in others]
            if anybody and not (len(missing) == len(extra) == 1 and _alike(missing[0], extra[0])):
                keys = [key for key in keys if key in due_members]
                extra = []
            for key in actual.repeats():
                self._add("duplicate-key", place + pointer(key), "the key twice", "each key once", _TEXT)
            if len(missing) == 1 and len(extra) == 1:
                renamed[missing[0]] = extra[0]
                self._add(
                    *(kind, place + pointer(extra[0]), f"the key {show(extra[0])}"),
                    *(f"the key {show(missing[0])}", clause),
                )
            else:
                for key in missing:
                    self._add(kind, place + pointer(key), "nothing", self._about(due_members[key]), clause)
                for key in extra:
                    self._add(kind, place + pointer(key), show(members[key]), "no such member", clause)
            if not missing and not extra and len(keys) == len(due_keys) and keys != due_keys:
                order = "003-3.3-first-seen-order" if kind == "group" else clause
                self._add(
                    *("order", place, show(keys), show(due_keys), order),
                    *("the members come in another order", Level.BYTES),
                )
        for key, value in due:
            name = renamed.get(key, key)
            if name not in members and kind == "schema":
                name = _AS_BEFORE.get(name, name)
            if name in members:
                visit(key, value, members[name])

    @staticmethod
    def _about(tree: JsonTree) -> str:
        return show(parsed_tree(tree)) if not isinstance(tree, str) else show(tree)

    def _top(self, key: str, due: JsonTree, found: Any) -> None:
        if key == "stats":
            if not isinstance(found, Members):
                return self._add("schema", "/stats", show(found), "an object", _TEXT)
            assert isinstance(due, JsonObject)
            self.completed, self.errored = (
                int(value)
                for name, value in due.members
                if name in self.expected.generation.counters and isinstance(value, int)
            )
            self._members("/stats", due.members, found, self._stat, "schema", _MEMBERS, STATS_MEMBERS)
        elif key == "n_total_trials":
            self._number("/n_total_trials", due, found, "counter", _COUNTERS[key])
        return None

    def _stat(self, key: str, due: JsonTree, found: Any) -> None:
        place = pointer("stats", key)
        if key == "evals":
            assert isinstance(due, JsonObject)
            if not isinstance(found, Members):
                return self._add("schema", place, show(found), "an object", _TEXT)
            clause = "003-3.3-evals-key-without-model"
            self._members(place, due.members, found, self._group, "group", clause)
        elif key == "n_retries":
            pass  # nothing else tells
        elif key in _TOTALS:
            if self.totals:
                self._number(place, due, found, "total", _TOTALS[key])
        else:
            assert isinstance(due, int)
            key = _NOW.get(key, key)
            likely = counter_observed(key, due, found, self.completed, self.errored)
            self._number(place, due, found, "counter", _COUNTERS[key], likely)
        return None

    # A group

    def _group(self, group: str, due: JsonTree, found: Any) -> None:
        place = pointer("stats", "evals", group)
        if not isinstance(found, Members):
            return self._add("schema", place, show(found), "an object", _TEXT)
        assert isinstance(due, JsonObject)

        def visit(key: str, due: JsonTree, found: Any) -> None:
            where = place + pointer(key)
            if key == "metrics":
                assert isinstance(due, list)
                self._metrics(group, where, due, found)
            elif key == "pass_at_k":
                assert isinstance(due, JsonObject)
                self._pass_at_k(where, due, found)
            elif key in ("reward_stats", "exception_stats"):
                assert isinstance(due, JsonObject)
                for finding in listing_findings(JOB_FILE, where, key, due, found):
                    self._keep(finding)
            else:
                assert isinstance(due, int)
                likely = counter_observed(key, due, found, len(self.expected.rewards[group]), 0)
                self._number(where, due, found, "counter", _COUNTERS[key], likely)

        self._members(place, due.members, found, visit, "schema", _MEMBERS, GROUP_MEMBERS)
        return None

    def _metrics(self, group: str, place: str, due: list[JsonTree], found: Any) -> None:
        names = self.expected.names[group]
        if not isinstance(found, list):
            return self._add("schema", place, show(found), "an array", "003-3.3-metrics-list")
        if len(found) != len(due):
            likely, clause = None, "003-3.3-metrics-list"
            if not due:
                clause = "003-3.3-metrics-by-last-part"
                likely = f"harbor looks for metrics of {show(group.split(SEPARATOR)[-1])} and finds none"
            elif not found:
                likely = "the metrics are left out"
            shown = show([parsed_tree(entry) for entry in due[:_SHOWN] if not isinstance(entry, str)])
            expected = f"{len(due)}: {shown}"
            graver = Severity.DIFFERS if group in self.expected.surplus else None
            return self._keep(
                Finding("metric", JOB_FILE, place, show(found), expected, clause, likely, graver=graver)
            )
        for index, (name, entry, value) in enumerate(zip(names, due, found, strict=True)):
            if name is not None:
                assert isinstance(entry, JsonObject)
                self._metric(f"{place}/{index}", name, entry, value)
        return None

    def _metric(self, place: str, name: str, due: JsonObject, found: Any) -> None:
        keys = [key for key, _ in due.members]
        if not isinstance(found, Members) or sorted(key for key, _ in found) != sorted(keys):
            many = "003-3.2-many-keys-by-key" if len(keys) > 1 else "003-3.2-one-key-metric-name"
            return self._add("metric", place, show(found), self._about(due), many)
        if keys != [key for key, _ in found]:
            self._add(
                *("order", place, show([key for key, _ in found]), show(keys), "003-3.2-keys-by-code-point"),
                *("the keys are not sorted by code point", Level.BYTES),
            )
        numbers = found.last()
        for key, value in due.members:
            self._number(place + pointer(key), value, numbers[key], "metric", _METRICS[name])
        return None

    def _pass_at_k(self, place: str, due: JsonObject, found: Any) -> None:
        if not isinstance(found, Members):
            return self._add("schema", place, show(found), "an object", "003-3.3-pass-at-k-stored")
        if due.members and not found:
            likely = "pass@k is left out"
            return self._add("pass-at-k", place, "{}", self._about(due), "003-4.2-k-at-most-min", likely)
        keys = dict(due.members)
        for key, value in found.last().items():
            if key not in keys:
                once = key == "1"
                self._add(
                    *("pass-at-k", place + pointer(key), show(value), "no such member"),
                    "003-4.2-never-pass-at-1"
                    if once
                    else "003-4.2-k-at-most-min"
                    if keys
                    else "003-4.1-any-trial-whole-group",
                    "pass@1 is given, which harbor never computes" if once else None,
                )
        rest = Members((key, value) for key, value in found if key in keys)

        def visit(key: str, due: JsonTree, value: Any) -> None:
            self._number(place + pointer(key), due, value, "pass-at-k", "003-4.3-product-order")

        return self._members(place, due.members, rest, visit, "pass-at-k", "003-4.2-k-at-most-min")

    # Scalars

    def _number(
        self, place: str, due: JsonTree, found: Any, kind: str, clause: str, likely: str | None = None
    ) -> None:
        wrong = number_difference(due, found, clause, likely)
        if wrong is not None:
            spelling, clause, likely, breaks = wrong
            kind = "text" if spelling else kind
            graver = Severity.DIFFERS if reads_alike(due, found) else None
            what = (show(found), json_text(due))
            self._keep(Finding(kind, JOB_FILE, place, *what, clause, likely, breaks, graver=graver))

    def _add(
        self,
        kind: str,
        place: str,
        found: str,
        due: str,
        clause: str,
        likely: str | None = None,
        breaks: Level = Level.VALUE,
    ) -> None:
        self._keep(Finding(kind, JOB_FILE, place, found, due, clause, likely, breaks))

    def _keep(self, finding: Finding) -> None:
        self.found.append(finding)
        if len(self.found) >= MOST:
            raise _EnoughError
