"""Compares two submissions task by task, by their own rules and by others.

For each common task, `d_t` is the difference of its two means. The mean of `d_t` over `T` tasks has the
standard error `sqrt(sum (d_t - mean)^2 / (T-1) / T)`, in which the difficulty of tasks cancels out. The sign
test gives the probability of such an uneven split of gained and lost tasks, if both were equally likely.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from conformance import __version__
from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.report import first_few
from conformance.extensions.audit.sources import printable_location
from conformance.extensions.audit.submissions import scores as scoring
from conformance.extensions.audit.submissions.rollup import Group, Submission, roll_up, short_names
from conformance.extensions.audit.work import CheckRequest
from conformance.wire.text import printable

Json = dict[str, Any]
SCHEMA = "urn:harbor-conformance:comparison:1"


def compared(request: CheckRequest, key: str | None, left_out: bool) -> Json:
    """Compare the submissions at two locations; return a document in the form of the schema `comparison`.

    `key` is the reward key; without it, the only key or `reward` is used. Unscored trials count as zero, or
    are `left_out`. Each pair of groups is also compared by other rules, if both have scores by them.

    Raises:
        AuditError: the submissions can't be compared.
    """
    sides, rules = _roll_up_both(request), request.options.under
    comparisons = []
    for a, b in _matching_groups(*sides):
        reward_key = _reward_key(a, b, key)
        comparison = _compare_groups(a, b, reward_key, left_out)
        under: list[Json] = []
        for rule in rules:
            first, second = a.under(rule.name), b.under(rule.name)
            by = first and second and _compare_groups(first, second, reward_key, left_out)
            under.append({**rule.document(), "by": by})
        comparisons.append({**comparison, "under": under} if rules else comparison)
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "unscored": "left-out" if left_out else "zero",
        "submissions": [side.document for side in sides],
        "compared": comparisons,
    }


def _matching_groups(a: Submission, b: Submission) -> list[tuple[Group, Group]]:
    """Return the pairs of groups to compare: for each common dataset the only ones, or equal agents'."""
    matches: list[tuple[Group, Group]] = []
    for source in sorted({group.source for group in a.groups} & {group.source for group in b.groups}):
        first, second = ([group for group in side.groups if group.source == source] for side in (a, b))
        single = len(first) == len(second) == 1
        pairs = [
            (left, right)
            for left in first
            for right in second
            if single or (left.agent, left.model) == (right.agent, right.model)
        ]
        if not pairs:
            raise AuditError(
                f"several agents or models ran {source or 'tasks without a dataset'}, but none in both: "
                "name folders with only one of them each"
            )
        matches += pairs
    if len(a.groups) == len(b.groups) == 1 and not matches:  # the dataset may have two names
        pair = a.groups[0], b.groups[0]
        tasks, other_tasks = ({task.rpartition("/")[2] for task in group.tasks} for group in pair)
        matches = [pair] if tasks & other_tasks else []
    if not matches:
        raise AuditError("the submissions have no benchmark in common, and no tasks with the same names")
    return matches


def _compare_groups(a: Group, b: Group, key: str, left_out: bool) -> Json:
    """Compare two groups; return the result in the report's form."""
    short = short_names({*a.tasks, *b.tasks})
    first, second = (_values_by_task(group, key, short, left_out) for group in (a, b))
    both = sorted(first.keys() & second.keys())
    pairs = {task: (first[task], second[task]) for task in both if first[task] and second[task]}
    means = {task: [scoring.exact_mean(values) for values in pair] for task, pair in pairs.items()}
    differences = [right - left for left, right in means.values()]
    ends = {task: [{*values} for values in pair] for task, pair in pairs.items()}
    gained, lost = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
    tasks = [
        {
            "task": task,
            "means": [left, right],
            "attempts": [*map(len, pairs[task])],
            "difference": right - left,
        }
        for task, (left, right) in ((task, map(_finite_double, both)) for task, both in means.items())
    ]
    return {
        "source": a.source or b.source or None,
        "key": key,
        "agents": [a.agent_and_model, b.agent_and_model],
        **_statistics(list(means.values()), differences),
        "gained": gained,
        "lost": lost,
        "sign_test": _sign_test(gained, lost),
        "tasks": tasks,
        "only": [sorted(first.keys() - second.keys()), sorted(second.keys() - first.keys())],
        "unscored": [[task for task in both if not own[task]] for own in (first, second)],
        "passed_then_failed": [task for task, values in ends.items() if values == [{1}, {0}]],
        "failed_then_passed": [task for task, values in ends.items() if values == [{0}, {1}]],
        "notes": list(_notes(a, b)),
    }


def _statistics(means: Sequence[Sequence[Fraction]], differences: Sequence[Fraction]) -> Json:
    """Return the means over tasks, and their difference with its error; all null if there is no task."""
    result = scoring.over_tasks([[difference] for difference in differences])
    if result is None:
        return dict.fromkeys(("means", "difference", "standard_error", "interval"))
    score = scoring.score_of(result, share=False)
    return {
        "means": [_finite_double(scoring.exact_mean([mean[side] for mean in means])) for side in (0, 1)],
        "difference": _finite_double(result[0]),
        **{name: score[name] for name in ("standard_error", "interval")},
    }


def _sign_test(gained: int, lost: int) -> float:
    """Return the two-sided probability of such an uneven split, if gains and losses were equally likely."""
    tasks, fewer = gained + lost, min(gained, lost)
    ways = sum(math.comb(tasks, number) for number in range(fewer + 1))
    return float(min(Fraction(1), Fraction(2 * ways, 2**tasks)))


def _reward_key(a: Group, b: Group, key: str | None) -> str:
    known = sorted({*a.reward_keys, *b.reward_keys})
    if key is not None and key not in known:
        raise AuditError(f"no trial has a reward {key!r}; the rewards are: {', '.join(known) or 'none'}")
    if key is None and len(known) > 1 and "reward" not in known:
        raise AuditError(f"there are several rewards; choose one with --key: {', '.join(known)}")
    return key if key is not None else known[0] if len(known) == 1 else "reward"


def _values_by_task(
    group: Group, key: str, short: Mapping[str, str], left_out: bool
) -> dict[str, list[scoring.Exact]]:
    """Return the rewards that count, by the task's short name."""
    tasks: dict[str, list[scoring.Exact]] = {}
    for task, rows in group.tasks.items():
        values = [value or 0 for value in scoring.rewards_for(rows, key) if value is not None or not left_out]
        tasks.setdefault(short.get(task, task), []).extend(values)
    return tasks


def _notes(a: Group, b: Group) -> Iterator[str]:
    if a.source != b.source:
        names = [group.source or "no dataset" for group in (a, b)]
        yield f"the dataset has two names: {names[0]} and {names[1]}"
    if both := sorted({row.trial for row in a.rows} & {row.trial for row in b.rows}):
        yield f"{len(both)} trial{'s' if both[1:] else ''} are in both: {first_few(both, 1)}"


def _finite_double(value: Fraction) -> float:
    """Return the nearest double; the largest one if the value is out of range."""
    number = scoring.nearest_double(value)
    return math.copysign(sys.float_info.max, value) if number is None else number


def _roll_up_both(request: CheckRequest) -> list[Submission]:
    """Audit and summarise the two submissions.

    Raises:
        AuditError: a location does not have exactly one submission, or it has no trials.
    """
    names, located = [printable_location(location) for location in request.locations], []
    for name, location in zip(names, request.locations, strict=True):
        contents = request.find(location)
        if contents.jobs[0].problem is not None:
            raise AuditError(f"{printable(name)}: {contents.jobs[0].problem}")
        if len(contents.submissions) > 1:
            count = f"{len(contents.submissions):,} submissions"
            few_names = first_few(map(printable, contents.submissions))
            raise AuditError(f"{printable(name)} contains {count}; name one of them: {few_names}")
        located.append(contents)
    jobs, sides = request.audited([job_place for side in located for job_place in side.jobs]), []
    for name, contents in zip(names, located, strict=True):
        submission = Submission.from_jobs(name, list(islice(jobs, len(contents.jobs))), {})
        if not submission.groups:
            problem = next((job.problem for job in submission.jobs if job.problem is not None), None)
            raise AuditError(f"{printable(name)}: {problem or 'no trial has a record'}")
        sides.append(roll_up(submission, [file for files in contents.submissions.values() for file in files]))
    return sides
