"""`--explain`: shows a finding's rule, and how a metric or pass@k is computed from the trials that count.

Also finds the likely mistake behind a wrong mean or sum: a computation that gives the stated number.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from click import UsageError

from conformance.diagnosis.observation import LAST_BITS, OFF_BY_ONE, ROUNDED
from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.expected import Group
from conformance.extensions.audit.findings import Finding, kinds
from conformance.extensions.audit.formats import JOB_FILE, JobForm
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Members, Number, show
from conformance.extensions.audit.report import LENGTH, JobAudit, common_folder
from conformance.extensions.audit.rows import Row, errors_of, rewards_of
from conformance.extensions.audit.rules import OWN
from conformance.judging.levels import Level
from conformance.wire.pointers import keys_of
from conformance.wire.text import printable, shortened
from reference_impl.aggregation import METRICS, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.json_text import json_text
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task

_NAME = re.compile(rf"[0-9a-f]{{1,{LENGTH}}}", re.ASCII)
_MOST_FOUND, _FEW, _MOST_KEYS = 5, 8, 10
"""The most findings, factors, and reward keys that are listed."""
_INDENT = "    "
_MOST_SHARES, _MOST_NAMED, _LONGEST = 12, 3, 1000
"""The most groups of trials in a step, trials shown in a group, and characters in a line."""


class Target(NamedTuple):
    """What to explain: a place in a job that was audited with `keep_computation`, or a finding there."""

    job: JobAudit
    file: str
    path: str
    name: str | None = None
    finding: Finding | None = None


def find_target(target: str, places: Sequence[JobPlace], audit: Callable[[JobPlace], JobAudit]) -> Target:
    """Find the target named by a finding's name, the beginning of one, or JOB:POINTER.

    Raises:
        UsageError: the name matches nothing, or more than one finding.
    """
    if _NAME.fullmatch(target):
        targets = [
            Target(job, finding.file, finding.path, name, finding)
            for job in map(audit, places)
            for name, finding in job.named_findings()
            if name.startswith(target)
        ]
        if len(targets) != 1:
            first = targets[:_MOST_FOUND]
            few = "".join(f", {item.name} ({item.job.path} {item.file}{item.path})" for item in first)
            raise UsageError(
                f"{len(targets) or 'no'} findings have names that begin with {target!r}{few}; names depend "
                "on the locations, the level and the options, so repeat those of the report"
            )
        return targets[0]
    folder = common_folder((job_place.name, job_place.submission) for job_place in places)
    named = {f"{job_place.name.removeprefix(folder)}:": job_place for job_place in places}
    named |= {f"{job_place.name}:": job_place for job_place in places}  # a whole name takes precedence
    prefix = max((prefix for prefix in named if target.startswith(prefix)), key=len, default=None)
    if prefix is None:
        raise UsageError(
            f"{target!r} is neither a finding's name, up to {LENGTH} of the characters 0-9 and a-f, nor "
            "JOB:POINTER, such as my-job:/stats/n_completed_trials, with the job's name in the report"
        )
    job, path = audit(named[prefix]), target[len(prefix) :]
    if job.problem is not None:
        raise UsageError(f"{job.path} was not audited: {job.problem}")
    findings = (pair for pair in job.named_findings() if (pair[1].file, pair[1].path) == (JOB_FILE, path))
    return Target(job, JOB_FILE, path, *next(findings, ()))


def lines(target: Target, statements: Mapping[str, str]) -> Iterator[str]:
    """Explain how a job's expected number is computed; long lists are truncated."""
    finding = target.finding
    where = f"{target.job.path}: {target.file or 'the directory'} {target.path}".rstrip()
    yield _one_line(where) + (f" [{target.name}]" if target.name else "")
    if finding is None:
        yield f"{_INDENT}there is no finding at this place"
    else:
        yield f"{_INDENT}{finding.severity}: {finding.kind}"
        for name in ("found", "expected", "likely"):
            if (text := getattr(finding, name)) is not None:
                yield f"{_INDENT}{name}{':' * (name == 'likely')} {_one_line(text)}"
        if finding.clause is not None:
            rule = finding.rule or statements.get(finding.clause, "")
            yield f"{_INDENT}rule {finding.clause}: {_one_line(rule)}"
    yield ""
    steps, result = list[str](), None
    if target.file == JOB_FILE and target.job.working is not None:
        file, both = target.job.working
        path = keys_of(target.path.removeprefix(file.prefix))
        steps, result = _number_steps(file.form, both, path, None if finding is None else finding.expected)
    elif target.file == JOB_FILE:
        live = target.job.state == "unfinished"
        far, late = "could not be audited completely", "has not finished, so its numbers depend on timing"
        steps = [f"the job {late if live else far}: nothing is computed"]
    if not steps:
        problem = "the job has no number at that place" if result is None else f"the trials give {result}"
        steps = [problem if finding is None else f"it is {kinds()[finding.kind]}"]
    yield from map(_one_line, steps)
    if result is not None:
        yield f"expected: {result}"


def _one_line(text: str) -> str:
    return printable(shortened(text, _LONGEST))


def _grouped_step(says: str, items: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines of a step that groups trials by a property; `items` are pairs of property and name."""
    shares: dict[str, list[str]] = {}
    for label, name in items:
        shares.setdefault(label, []).append(name.replace("\0", "unknown trial "))
    first = sorted(shares.items(), key=lambda share: -len(share[1]))[:_MOST_SHARES]
    width = max((len(f"{len(names):,}") for _, names in first), default=0)
    step = [says]
    for label, names in first:
        listed = names if len(names) <= _MOST_NAMED + 1 else names[:_MOST_NAMED]
        more = f", … {len(names) - len(listed):,} more" if len(names) > len(listed) else ""
        step.append(f"{_INDENT}{len(names):>{width},}  {label}: {', '.join(listed)}{more}")
    return step + [f"{_INDENT}… {len(shares) - len(first):,} more"] * (len(shares) > len(first))


def _number_steps(
    form: JobForm, both: list[View], path: list[str], expected: str | None
) -> tuple[list[str], str | None]:
    """Return the steps to the value at a place in a job, and the value; `expected` is the finding's.

    Uses the view of the trials that gives the expected value, or else the view of the records.
    """
    views = [view for view in both if view.expected is not None]
    if not views:
        return ["harbor could not have written a file with these trials"], None
    texts = [
        value.text if isinstance(value := _value_at(item.wanted, path), Number) else None for item in views
    ]
    number = (expected or "").partition(",")[0]
    index = texts.index(number) if number in texts else -1
    view = views[index]
    steps = _steps_in_group(view, form, path)
    recorded = {row.trial.trial_name: row.trial for row in both[-1].rows}
    listed = [row for row in view.rows if recorded.get(row.trial.trial_name) != row.trial]
    if steps and listed:
        says = "the report takes some trials from result.json, not from their records:"
        steps = [*_grouped_step(says, (("from result.json", row.trial.trial_name) for row in listed)), *steps]
    return steps, texts[index]


def _value_at(wanted: Any, path: Sequence[str]) -> Any:
    """The value at a path; None if there is none."""
    for key in path:
        if isinstance(wanted, Members):
            wanted = wanted.get(key)
        elif isinstance(wanted, list) and key.isdigit() and int(key) < len(wanted):
            wanted = wanted[int(key)]
        else:
            return None
    return wanted


def _steps_in_group(view: View, form: JobForm, path: list[str]) -> list[str]:
    """Return the steps to a value among a group's metrics and pass@k."""
    computed = view.expected
    assert computed is not None
    if len(path) < 4 or path[:2] != ["stats", "evals"] or path[2] not in computed.groups:
        return []
    key, member = path[2:4]
    group, items = computed.groups[key], list[tuple[str, str]]()
    for row in (row for row in group.rows if not OWN.includes(row, form)):
        rewards, errors = rewards_of(row.trial), ", ".join(map(show, errors_of(row, form)))
        scored = "not scored" if rewards is None else f"rewards {show(rewards)}"
        items.append((f"{scored}, {errors}", row.trial.trial_name))
    says = f"{len(items)} trials of {show(key)} are left out, because their rewards are not valid:"
    steps = _grouped_step(says, items) if items else []
    if member == "metrics":
        return steps + _metric_steps(view, group.counted, group.names, path)
    return steps + _pass_at_k(group.counted, path[4:]) if member == "pass_at_k" else []


def _metric_steps(view: View, rows: list[Row], names: list[str | None], path: list[str]) -> list[str]:
    """Return the steps to a group's metric, or to one of its numbers; without an index, list the metrics."""
    group, index = show(path[2]), int(path[4]) if path[4:] and path[4].isdigit() else len(names)
    if not names:
        return [f"harbor finds no metrics for the dataset of {group}, and writes an empty list"]
    if index >= len(names):
        return [f"the metrics of {group}, in order: {', '.join(name or 'a script' for name in names)}"]
    name, entry = names[index], _value_at(view.wanted, path[:5])
    if name is None or not isinstance(entry, Members):
        return ["a script computed this metric; it is not checked"]
    keys = [key for key, _ in entry]
    if keys == [name]:
        return _number_of_metric_steps(name, rows, None)
    summary = f"the rewards have {len(keys)} keys, so {name} has a number for each of them: {show(keys)}"
    shown_keys = path[5:6] if path[5:6] and path[5] in keys else keys[:_MOST_KEYS]
    return [summary, *(line for key in shown_keys for line in _number_of_metric_steps(name, rows, key))]


def _number_of_metric_steps(name: str, rows: Sequence[Row], key: str | None) -> list[str]:
    """Return the steps to one number; `key` is the reward key, None if there is only one."""
    all_rewards = [rewards_of(row.trial) for row in rows]
    members = [rewards or {} for rewards in all_rewards]
    first = [next(iter(item.values()), None) if key is None else item.get(key) for item in members]
    values: list[int | float] = [0 if value is None else value for value in first]
    subject = "the reward" if key is None else f"the reward {show(key)}"
    lacks = "scored without a reward" if key is None else f"without {show(key)}"
    items = []
    for value, rewards, row in zip(first, all_rewards, rows, strict=True):
        none = f"{'not scored' if rewards is None else lacks}, counts as 0"
        items.append((none if value is None else f"reward {value!r}", row.trial.trial_name))
    steps = _grouped_step(f"{subject} of each of the {len(rows)} trials:", items)
    result = _as_written(METRICS[name](values))
    if name in ("max", "min"):
        which = "largest" if name == "max" else "smallest"
        return [*steps, f"the {which} of them, or the first if several are equal: {result}"]
    total, plainly = compensated_sum(values), 0
    for value in values:
        plainly += value  # type: ignore[assignment]
    counts = Counter(map(repr, values))
    products = " + ".join(f"{count} × {value}" for value, count in counts.most_common())
    products = products if len(counts) <= _FEW else f"{len(values)} numbers, added in the order of the file"
    steps.append(f"their sum: {products} = {_as_written(total)}")
    if repr(plainly) != repr(total):
        plain = f"added from left to right they give {_as_written(plainly)}; CPython 3.12's sum "
        steps.append(f"{plain}collects the rounding errors and adds them at the end")
    if name == "mean":
        steps.append(f"the mean, over all trials: {_as_written(total)} / {len(values)} = {result}")
        scored = [value for value, rewards in zip(values, all_rewards, strict=True) if rewards is not None]
        if 0 < len(scored) < len(values):
            scored_mean = _as_written(mean(scored))
            steps.append(f"over only the {len(scored)} scored trials it would be {scored_mean}")
    return steps


def _as_written(number: int | float) -> str:
    """Return the number as written in the file: null replaces NaN and infinities."""
    text = json_text(number)
    return f"{number!r}, which is written as null" if text == "null" else text


def _pass_at_k(rows: Sequence[Row], path: list[str]) -> list[str]:
    """Return the steps to a group's values of pass@k, or to one of them."""
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        rewards = rewards_of(row.trial)
        values = list((rewards or {}).values())
        if rewards is not None and (len(values) != 1 or values[0] not in (0, 1)):
            example = f"{show(row.trial.trial_name)} has {show(rewards)}"
            return [f"no pass@k: every trial needs one reward, 0 or 1, or none at all, and {example}"]
        tasks.setdefault(row.trial.task_name, []).append(1 in values)
    fewest = min(map(len, tasks.values()), default=0)
    eligible = eligible_k_values(fewest)
    which = "k is each power of two from 2 and each multiple of 5 up to that number"
    k_values = ", ".join(map(str, eligible)) or "none"
    steps = [f"{len(tasks)} tasks have at least {fewest} trials each; {which}: {k_values}"]
    for k in [k for k in eligible if not path or path[0] == str(k)]:
        counts = [(len(passes), sum(passes)) for passes in tasks.values()]
        numbers = [pass_at_k_for_task(n, c, k) for n, c in counts]
        pairs = zip(counts, map(json_text, numbers), strict=True)
        labels = [f"{n} trials, {c} passed: {_product(n, c, k)} = {value}" for (n, c), value in pairs]
        product = f"1 - product of (n - c - i) / (n - i) for i from 0 to {k - 1}"
        steps += _grouped_step(f"pass@{k} of each task, {product}:", zip(labels, tasks, strict=True))
        total = f"{json_text(compensated_sum(numbers))} / {len(numbers)} = {json_text(mean(numbers))}"
        steps.append(f"pass@{k}, the mean over tasks: {total}")
    return steps


def _product(n: int, c: int, k: int) -> str:
    if n - c < k:
        return "1 - 0, as any k trials include a passed one"
    factors = [f"{n - c - i}/{n - i}" for i in range(min(k, _FEW))]
    return f"1 - {' × '.join(factors)}{' × …' if k > _FEW else ''}"


_VAGUE_CAUSES = (None, OFF_BY_ONE, LAST_BITS, ROUNDED)
"""Causes that another computation describes better."""
_UNEXPLAINED = (
    "counters and lists agree with these trials: this number is of other trials, or was edited by hand"
)


def explain_wrong_numbers(findings: Sequence[Finding], view: View) -> Iterator[Finding]:
    """Add to each finding about a metric without a known cause the computation that explains it."""
    groups = view.expected.groups if view.expected is not None and view.whole else {}
    for finding in findings:
        keys = keys_of(finding.path)
        number = finding.kind == "pass-at-k" or (finding.kind == "metric" and len(keys) == 6)
        if number and finding.breaks is Level.VALUE and finding.likely in _VAGUE_CAUSES:
            ways = (
                _other_computations(groups[keys[2]], keys[5])
                if finding.kind == "metric" and keys[2] in groups
                else ()
            )
            same = (way for way, value in ways if repr(value) == finding.found)
            finding = replace(
                finding, likely=next(same, finding.likely or (_UNEXPLAINED if len(findings) == 1 else None))
            )
        yield finding


def _other_computations(group: Group, name: str) -> Iterator[tuple[str, float]]:
    """Yield other ways of computing a mean or sum of single rewards, each with its result."""
    rows = [(row.trial, next(iter((rewards_of(row.trial) or {}).values()), None)) for row in group.counted]
    values = [value or 0 for _, value in rows]
    scored = [value for _, value in rows if value is not None]
    passed = [value or 0 for trial, value in rows if trial.exception is None]
    total: float = 0
    for value in values:
        total += value
    if name == "sum":
        yield "the rewards are added left to right, without compensation", total
    elif name == "mean":
        yield "the rewards are added left to right, without compensation", total / len(values)
        if scored:
            yield "only the scored trials are averaged", sum(scored) / len(scored)
        if passed:
            yield "trials that ended in an exception are left out of the mean", sum(passed) / len(passed)
