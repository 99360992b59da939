"""Compares two submissions task by task, as they are and by other rules.

Each common task gives the difference of its two means, `d_t`. Their mean over `T` tasks has the standard
error `sqrt(sum (d_t - mean)^2 / (T-1) / T)`, in which the difficulty of tasks cancels out. The sign test
gives the probability of so uneven a split of tasks gained and lost, if both were equally likely.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from conformance import __version__
from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.report import few
from conformance.extensions.audit.sources import shown
from conformance.extensions.audit.submissions.attempts import Group, Submission, short_names
from conformance.extensions.audit.submissions.rollup import roll_up
from conformance.extensions.audit.submissions.scores import (
    Exact,
    exact_mean,
    figure,
    over_tasks,
    rewards_for,
    score_of,
    shares,
    signed,
    spread,
)
from conformance.extensions.audit.work import CheckRequest
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Mark, Page, Table, Tone
from conformance.pages.words import enumerated, one_line
from conformance.wire.text import printable

Json = dict[str, Any]
SCHEMA = "urn:harbor-conformance:comparison:1"


def compared(asked: CheckRequest, key: str | None, left_out: bool) -> Json:
    """The comparison of the submissions at two locations, in the form of the schema `comparison`.

    `key` is the reward key; without it, the only key or `reward` is used. Unscored trials count as zero, or
    are `left_out`. Each pair of groups is compared by other rules too, if those are known for both.

    Raises:
        AuditError: there is nothing that can be compared.
    """
    sides, rules = _roll_up_both(asked), asked.options.under
    found = []
    for one, other in _counterparts(*sides):
        of = _key(one, other, key)
        made = _compared(one, other, of, left_out)
        under: list[Json] = []
        for rule in rules:
            first, second = one.under(rule.name), other.under(rule.name)
            by = first and second and _compared(first, second, of, left_out)
            under.append({"text": rule.text, "source": rule.source, "rules": rule.name, "by": by})
        found.append({**made, "under": under} if rules else made)
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "unscored": "left-out" if left_out else "zero",
        "submissions": [side.document for side in sides],
        "compared": found,
    }


def _counterparts(one: Submission, other: Submission) -> list[tuple[Group, Group]]:
    """The pairs of groups to compare: on each common benchmark the only ones, or those of the same agent."""
    found: list[tuple[Group, Group]] = []
    for source in sorted({group.source for group in one.groups} & {group.source for group in other.groups}):
        first, second = ([group for group in side.groups if group.source == source] for side in (one, other))
        if len(first) == len(second) == 1:
            found.append((first[0], second[0]))
            continue
        pairs = [
            (left, right)
            for left in first
            for right in second
            if (left.agent, left.model) == (right.agent, right.model)
        ]
        if not pairs:
            raise AuditError(
                f"several agents or models ran {source or 'tasks of no dataset'}, and none in both: "
                "name folders with one of them each"
            )
        found += pairs
    if len(one.groups) == len(other.groups) == 1 and not found:  # a dataset may have another name elsewhere
        pair = one.groups[0], other.groups[0]
        tasks, others = ({task.rpartition("/")[2] for task in group.tasks} for group in pair)
        found = [pair] if tasks & others else []
    if not found:
        raise AuditError("the two have no benchmark in common, nor tasks of the same names")
    return found


def _compared(one: Group, other: Group, key: str, left_out: bool) -> Json:
    """The comparison of two groups, in the report's form."""
    short = short_names({*one.tasks, *other.tasks})
    first, second = (_values(group, key, short, left_out) for group in (one, other))
    both = sorted(first.keys() & second.keys())
    means = {
        task: (exact_mean(first[task]), exact_mean(second[task]))
        for task in both
        if first[task] and second[task]
    }
    differences = [right - left for left, right in means.values()]
    flips = {task: ({*first[task]}, {*second[task]}) for task in means}
    gained, lost = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    return {
        "source": one.source or other.source or None,
        "key": key,
        "agents": [one.who, other.who],
        **_statistics(list(means.values()), differences),
        "gained": gained,
        "lost": lost,
        "sign_test": _sign_test(gained, lost),
        "tasks": [
            {
                "task": task,
                "means": [_nearest_double(left), _nearest_double(right)],
                "attempts": [len(first[task]), len(second[task])],
                "difference": _nearest_double(right) - _nearest_double(left),
            }
            for task, (left, right) in means.items()
        ],
        "only": [sorted(first.keys() - second.keys()), sorted(second.keys() - first.keys())],
        "unscored": [[task for task in both if not own[task]] for own in (first, second)],
        "passed_then_failed": [task for task, ends in flips.items() if ends == ({1}, {0})],
        "failed_then_passed": [task for task, ends in flips.items() if ends == ({0}, {1})],
        "notes": list(_notes(one, other)),
    }


def _statistics(means: Sequence[tuple[Fraction, Fraction]], differences: Sequence[Fraction]) -> Json:
    """The means over tasks, and their difference with its spread; empty if there is no task."""
    made = over_tasks([[one] for one in differences])
    if made is None:
        return dict.fromkeys(("means", "difference", "standard_error", "interval"))
    score = score_of(made, share=False)
    return {
        "means": [_nearest_double(exact_mean([mean[side] for mean in means])) for side in (0, 1)],
        "difference": _nearest_double(made[0]),
        **{name: score[name] for name in ("standard_error", "interval")},
    }


def _sign_test(gained: int, lost: int) -> float:
    """The two-sided probability of so uneven a split into gains and losses, if both were equally likely."""
    tasks, fewer = gained + lost, min(gained, lost)
    ways = sum(math.comb(tasks, number) for number in range(fewer + 1))
    return float(min(Fraction(1), Fraction(2 * ways, 2**tasks)))


def _key(one: Group, other: Group, key: str | None) -> str:
    known = sorted({*one.reward_keys, *other.reward_keys})
    if key is not None and key not in known:
        raise AuditError(f"no trial has a reward {key!r}: there is {', '.join(known) or 'none'}")
    if key is None and len(known) > 1 and "reward" not in known:
        raise AuditError(f"there are several rewards, choose one with --key: {', '.join(known)}")
    return key if key is not None else known[0] if len(known) == 1 else "reward"


def _values(group: Group, key: str, short: Mapping[str, str], left_out: bool) -> dict[str, list[Exact]]:
    """The rewards of each task, by its short name."""
    tasks: dict[str, list[Exact]] = {}
    for task, rows in group.tasks.items():
        values = [value or 0 for value in rewards_for(rows, key) if value is not None or not left_out]
        tasks.setdefault(short.get(task, task), []).extend(values)
    return tasks


def _notes(one: Group, other: Group) -> Iterator[str]:
    if one.source != other.source:
        names = [group.source or "no dataset" for group in (one, other)]
        yield f"the datasets have two names: {names[0]} and {names[1]}"
    if both := sorted({row.trial for row in one.rows} & {row.trial for row in other.rows}):
        yield f"{len(both)} trial{'s' if both[1:] else ''} are in both: {few(both, 1)}"


def _nearest_double(value: Fraction) -> float:
    """The nearest double; the largest one if the value is beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(sys.float_info.max, value)


def _roll_up_both(asked: CheckRequest) -> list[Submission]:
    """The two submissions, with their jobs audited.

    Raises:
        AuditError: a location has none, or several, or one without trials.
    """
    names, there = [shown(location) for location in asked.locations], []
    for name, location in zip(names, asked.locations, strict=True):
        found = asked.find(location)
        if found.jobs[0].problem is not None:
            raise AuditError(f"{printable(name)}: {found.jobs[0].problem}")
        if len(found.submissions) > 1:
            count = f"{len(found.submissions):,} submissions"
            few_names = few(map(printable, found.submissions))
            raise AuditError(f"{printable(name)} holds {count}, name one of them: {few_names}")
        there.append(found)
    jobs, sides = asked.audited([place for found in there for place in found.jobs]), []
    for name, found in zip(names, there, strict=True):
        submission = Submission.of(name, list(islice(jobs, len(found.jobs))), {})
        if not submission.groups:
            problem = next((job.problem for job in submission.jobs if job.problem is not None), None)
            raise AuditError(f"{printable(name)}: {problem or 'no trial has a record'}")
        sides.append(roll_up(submission, [one for of in found.submissions.values() for one in of]))
    return sides


_LISTED = {
    "only 0": "only in A",
    "only 1": "only in B",
    "unscored 0": "without a trial that counts in A",
    "unscored 1": "without a trial that counts in B",
    "passed_then_failed": "all passed in A, all failed in B",
    "failed_then_passed": "all failed in A, all passed in B",
}
_FEW_TASKS, _FEW_NAMES = 20, 10


def comparison_page(document: Json, every: bool) -> Page:
    """The page; lists `every` differing task, or only those that differ most."""
    facts: dict[str, Cell] = {}
    problems = []
    names = [one_line(side["name"], 160) for side in document["submissions"]]
    for letter, name, side in zip("AB", names, document["submissions"], strict=True):
        jobs = ", ".join(f"{count:,} {verdict}" for verdict, count in side["jobs"].items() if count)
        facts[letter] = f"{name}: {jobs}"
        problems += [f"{letter}: {one_line(note)}" for note in side["notes"]]
    problems += ["both have the same name"] * (names[0] == names[1])
    return Page(
        kind="comparison",
        title=f"{names[0]} and {names[1]}, task by task",
        verdict=Mark("compared", Tone.QUIET),
        sentence="; ".join(_difference(one) for one in document["compared"]),
        exit_code=0,
        facts=facts,
        counts=(),
        problems=problems,
        items=(),
        tables=[table for one in document["compared"] for table in _tables(one, every)],
        findings_only=True,
    )


def _is_share(one: Json) -> bool:
    return shares(*(mean for task in one["tasks"] for mean in task["means"]))


def _difference(one: Json) -> str:
    """The means of both over tasks, and their difference."""
    if one["means"] is None:
        return "no task has trials that count in both"
    share = _is_share(one)
    a, b = (figure(mean, share) for mean in one["means"])
    text = f"{counted(len(one['tasks']), 'task')} in both: A {a}, B {b}; "
    text += f"B - A {signed(one['difference'], share)} {spread(one, share, brief=True)}".rstrip()
    if one["interval"] is not None:
        low, high = (signed(end, share) for end in one["interval"])
        text += f" (95 %: {low} to {high})"
    return text


def _rows(one: Json) -> Iterator[tuple[Cell, Cell]]:
    yield "difference", _difference(one)
    if one["means"] is not None:
        same = len(one["tasks"]) - one["gained"] - one["lost"]
        yield "B is better in", f"{one['gained']}, worse in {one['lost']}, the same in {same}"
        yield "sign test", f"p = {one['sign_test']:.3g}"
    for name, what in _LISTED.items():
        member, _, side = name.partition(" ")
        if tasks := one[member][int(side)] if side else one[member]:
            yield what, f"{len(tasks)}: {enumerated([one_line(task, 160) for task in tasks], _FEW_NAMES)}"
    yield from (("note", one_line(note)) for note in one["notes"])


def _tables(one: Json, every: bool) -> Iterator[Table]:
    title = f"{one_line(one['source'] or 'adhoc', 160)}, {one_line(one['key'], 160)}"
    agents = [
        (f"agent and model of {letter}", name) for letter, name in zip("AB", one["agents"], strict=True)
    ]
    yield Table(title, ("", ""), [*agents, *_rows(one)])
    differ = [task for task in one["tasks"] if task["difference"]]
    differ.sort(key=lambda task: (-abs(task["difference"]), task["task"]))
    share, shown = _is_share(one), differ if every else differ[:_FEW_TASKS]
    tasks = [
        (
            one_line(task["task"], 160),
            *(figure(mean, share) for mean in task["means"]),
            signed(task["difference"], share),
            " / ".join(map(str, task["attempts"])),
        )
        for task in shown
    ]
    if tasks:
        of = f": {len(tasks)} of {len(differ)} (--all shows them)" if len(tasks) < len(differ) else ""
        yield Table(f"Tasks that differ{of}", ("task", "A", "B", "B - A", "attempts"), tasks)
    for by in one.get("under", ()):
        unknown: list[tuple[Cell, Cell]] = [("difference", "not known for all jobs")]
        rows = unknown if by["by"] is None else list(_rows(by["by"]))
        yield Table(f"Under {by['rules']}: {by['text']}", ("", ""), rows)
