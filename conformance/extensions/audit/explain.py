"""`--explain`: a finding with its rule, and the steps to a metric or a pass@k, with the trials that count."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from click import UsageError

from conformance import __version__
from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.findings import KINDS, Finding
from conformance.extensions.audit.formats import JOB_FILE, JobForm
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Members, Number, show
from conformance.extensions.audit.report import LENGTH, Below, JobAudit
from conformance.extensions.audit.rows import Row, errors_of, rewards_of
from conformance.extensions.audit.rules import OWN
from conformance.outcomes.words import counted
from conformance.suite.schemas import urn
from conformance.wire.pointers import keys_of
from conformance.wire.text import printable, shortened
from reference_impl.aggregation import METRICS, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.json_text import json_text
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task

_NAME = re.compile(rf"[0-9a-f]{{1,{LENGTH}}}", re.ASCII)
SCHEMA = urn("check-explanation")
_MOST_FOUND, _MOST_NAMED, _MOST_SHARES, _FEW, _MOST_KEYS = 5, 20, 200, 8, 10
"""The most findings, trials of a share, shares of a step, factors, and reward keys that are listed."""
_INDENT = "    "
_SHOWN_SHARES, _SHOWN_NAMES, _LONGEST = 12, 3, 1000
"""The most shares and names, and characters of a line, in the text."""
Json = dict[str, Any]
"""Also a step: `says`, `shares` (trials with a common property: `what`, `count`, `trials`), `left_out`."""


class Wanted(NamedTuple):
    """What to explain: a place of a job that was audited with `keep_working`, or a finding there."""

    job: JobAudit
    file: str
    path: str
    name: str | None = None
    finding: Finding | None = None


def wanted(asked: str, places: Sequence[JobPlace], audit: Callable[[JobPlace], JobAudit]) -> Wanted:
    """Finds what is asked for, a finding's name or JOB:PLACE; audits no more jobs than needed.

    Raises:
        UsageError: there is nothing of that name, or more than one.
    """
    if not _NAME.fullmatch(asked):
        return _at_place(asked, places, audit)
    found: list[Wanted] = []
    for job in map(audit, places):
        named = [(name, one) for name, one in job.named() if name.startswith(asked)]
        found += [Wanted(job, one.file, one.path, name, one) for name, one in named]
        if found and len(asked) == LENGTH:
            break
    if not found:
        raise UsageError(
            f"no finding's name begins with {asked!r}; names depend on the places named, the level and the "
            "options, so use those of the report"
        )
    if len(found) > 1:
        few = ", ".join(f"{one.name} ({one.job.path} {one.file}{one.path})" for one in found[:_MOST_FOUND])
        raise UsageError(f"{counted(len(found), 'finding')} have names that begin with {asked!r}: {few}")
    return found[0]


def _at_place(asked: str, places: Sequence[JobPlace], audit: Callable[[JobPlace], JobAudit]) -> Wanted:
    if ":/" not in asked and not asked.endswith(":"):
        raise UsageError(
            f"{asked!r} is neither a finding's name (up to {LENGTH} of the characters 0-9 and a-f, in "
            "brackets in the report) nor a JOB:PLACE, such as my-job:/stats/n_completed_trials"
        )
    below = Below.of((place.name, place.submission) for place in places)
    for names in (Below(), below):  # a whole name takes precedence over an abbreviation of another
        found = [place for place in places if asked.startswith(f"{names.short(place.name)}:")]
        if found:
            job = audit(max(found, key=lambda place: len(place.name)))
            break
    else:
        raise UsageError(f"no job has the name before the colon in {asked!r}; names are those of the report")
    if job.problem is not None:
        raise UsageError(f"{job.path} was not audited: {job.problem}")
    ends = (at for at, one in enumerate(asked) if one == ":" and job.path.endswith(asked[:at]))
    path = asked[next(ends) + 1 :]
    there = (one for one in job.named() if (one[1].file, one[1].path) == (JOB_FILE, path))
    return Wanted(job, JOB_FILE, path, *next(there, ()))


def explained(asked: Wanted, statements: Mapping[str, str]) -> Json:
    """How a job's expected number is computed, in the form of the schema `check-explanation`."""
    finding, working, result = asked.finding, asked.job.working, None
    steps: list[Json] = []
    if asked.file == JOB_FILE and working is None:
        what = "could not be audited that far"
        if asked.job.state == "unfinished":
            what = "has not finished, so its numbers depend on timing"
        steps = [_step(f"the job {what}, and nothing is worked out")]
    elif asked.file == JOB_FILE and working is not None:
        file, both = working
        path = keys_of(asked.path.removeprefix(file.place))
        steps, result = _number_steps(file.form, both, path, None if finding is None else finding.expected)
    if not steps:
        what = "no number of the job is at that place" if result is None else f"the trials give {result}"
        steps = [_step(what if finding is None else f"it is {KINDS[finding.kind]}")]
    names = ("clause", "rule", "severity", "kind", "found", "expected", "likely")
    about = {name: finding and getattr(finding, name) for name in names}
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "job": asked.job.path,
        "id": asked.name,
        "severity": about["severity"] and str(about["severity"]),
        "file": asked.file,
        "path": asked.path,
        "clause": about["clause"],
        "rule": about["rule"] or statements.get(about["clause"] or ""),
        **{name: about[name] for name in names[3:]},
        "steps": steps,
        "result": result,
    }


def lines(explanation: Mapping[str, Any]) -> Iterator[str]:
    """The explanation as text; long lists are cut."""
    name = "" if explanation["id"] is None else f" [{explanation['id']}]"
    where = f"{explanation['file'] or 'the directory'} {explanation['path']}".rstrip()
    yield _text(f"{explanation['job']}: {where}") + name
    if explanation["kind"] is not None:
        yield f"{_INDENT}{explanation['severity']}: {explanation['kind']}"
        yield f"{_INDENT}found {_text(explanation['found'])}"
        yield f"{_INDENT}expected {_text(explanation['expected'])}"
        if explanation["likely"] is not None:
            yield f"{_INDENT}likely: {_text(explanation['likely'])}"
    else:
        yield f"{_INDENT}no finding is about this place"
    if explanation["clause"] is not None:
        yield f"{_INDENT}rule {explanation['clause']}: {_text(explanation['rule'] or '')}"
    yield ""
    for step in explanation["steps"]:
        yield _text(step["says"])
        shares = step["shares"][:_SHOWN_SHARES]
        width = max((len(f"{share['count']:,}") for share in shares), default=0)
        for share in shares:
            count, names = share["count"], share["trials"]
            shown = names if count <= _SHOWN_NAMES + 1 else names[:_SHOWN_NAMES]
            more = f", … {count - len(shown):,} more" if count > len(shown) else ""
            listed = f": {', '.join(map(_text, shown))}{more}" if names else ""
            yield f"{_INDENT}{count:>{width},}  {_text(share['what'])}{listed}"
        if rest := len(step["shares"]) - len(shares) + step["left_out"]:
            yield f"{_INDENT}… {rest:,} more"
    if explanation["result"] is not None:
        yield f"expected: {explanation['result']}"


def _text(text: str) -> str:
    return printable(shortened(text, _LONGEST))


def _step(says: str, items: Iterable[tuple[str, str]] = ()) -> Json:
    """A step that groups trials by a common property, given pairs of property and name."""
    made: dict[str, Json] = {}
    for what, name in items:
        share = made.setdefault(what, {"what": what, "count": 0, "trials": []})
        share["count"] += 1
        if len(share["trials"]) < _MOST_NAMED:
            share["trials"].append(name.replace("\0", "unknown trial "))
    shares = sorted(made.values(), key=lambda share: -share["count"])
    return {"says": says, "shares": shares[:_MOST_SHARES], "left_out": max(len(shares) - _MOST_SHARES, 0)}


def _number_steps(
    form: JobForm, both: list[View], path: list[str], expected: str | None
) -> tuple[list[Json], str | None]:
    """The steps to the value at a place of a job, and that value; `expected` is the finding's.

    Uses the view of the trials that gives this value, or else the view of the records.
    """
    views = [view for view in both if view.expected is not None]
    if not views:
        return [_step("harbor could not have written a file with these trials")], None
    texts = [value.text if isinstance(value := _at(one.wanted, path), Number) else None for one in views]
    number = (expected or "").partition(",")[0]
    at = texts.index(number) if number in texts else -1
    view = views[at]
    steps = _steps(view, form, path)
    recorded = {row.trial.trial_name: row.trial for row in both[-1].rows}
    other = [row for row in view.rows if recorded.get(row.trial.trial_name) != row.trial]
    if steps and other:
        says = "the report uses some trials as result.json lists or counts them, not as their records state:"
        steps.insert(0, _step(says, (("taken so", row.trial.trial_name) for row in other)))
    return steps, texts[at]


def _at(wanted: Any, path: Sequence[str]) -> Any:
    """The value at a path; None if there is none."""
    for key in path:
        if isinstance(wanted, Members):
            wanted = wanted.get(key)
        elif isinstance(wanted, list) and key.isdigit() and int(key) < len(wanted):
            wanted = wanted[int(key)]
        else:
            return None
    return wanted


def _steps(view: View, form: JobForm, path: list[str]) -> list[Json]:
    """The steps to the value at a place among a group's metrics and pass@k."""
    made = view.expected
    assert made is not None
    if len(path) < 4 or path[:2] != ["stats", "evals"] or path[2] not in made.groups:
        return []
    key, member = path[2:4]
    group, steps = made.groups[key], list[Json]()
    if left_out := [row for row in group.rows if not OWN.takes(row, form)]:
        says = f"{len(left_out)} trials of {show(key)} are left out, because their rewards are not valid:"
        items: list[tuple[str, str]] = []
        for row in left_out:
            rewards, errors = rewards_of(row.trial), ", ".join(map(show, errors_of(row, form)))
            scored = "not scored" if rewards is None else f"rewards {show(rewards)}"
            items.append((f"{scored}, {errors}", row.trial.trial_name))
        steps = [_step(says, items)]
    if member == "metrics":
        return steps + _metrics(view, group.counted, group.names, path)
    if member == "pass_at_k":
        return steps + _pass_at_k(group.counted, path[4:])
    return []


def _metrics(view: View, rows: list[Row], names: list[str | None], path: list[str]) -> list[Json]:
    """How a group's metrics are computed: all, one metric, or one number."""
    group, rest, wanted = show(path[2]), path[4:], _at(view.wanted, path[:4])
    if not names:
        return [_step(f"harbor finds no metric for the dataset of {group}, and writes an empty list")]
    every = f"the metrics of {group}, in order: {', '.join(name or 'of a script' for name in names)}"
    steps = [_step(every)] if not rest or not rest[0].isdigit() or int(rest[0]) >= len(names) else []
    for index in range(len(names)) if steps else [int(rest[0])]:
        name = names[index]
        entry = wanted[index] if isinstance(wanted, list) and index < len(wanted) else None
        if name is None or not isinstance(entry, Members):
            steps.append(_step("a script computed this metric; it is not checked"))
            continue
        keys = [key for key, _ in entry]
        if keys == [name]:
            steps += _metric(name, rows, None)
            continue
        each = f"the rewards have {len(keys)} keys, so {name} has a number for each of them: {show(keys)}"
        steps.append(_step(each))
        for key in rest[1:2] if rest[1:2] and rest[1] in keys else keys[:_MOST_KEYS]:
            steps += _metric(name, rows, key)
    return steps


def _metric(name: str, rows: Sequence[Row], key: str | None) -> list[Json]:
    """The steps to one number; `key` is the reward's, None if there is only one."""
    every = [rewards_of(row.trial) for row in rows]
    first = [next(iter((one or {}).values()), None) if key is None else (one or {}).get(key) for one in every]
    values: list[int | float] = [0 if value is None else value for value in first]
    what = "the reward" if key is None else f"the reward {show(key)}"
    lacks = "scored without a reward" if key is None else f"without {show(key)}"
    stated = [
        f"reward {value!r}"
        if value is not None
        else f"{'not scored' if rewards is None else lacks}, counts as 0"
        for value, rewards in zip(first, every, strict=True)
    ]
    names = (row.trial.trial_name for row in rows)
    steps = [_step(f"{what} of each of the {len(rows)} trials:", zip(stated, names, strict=True))]
    result = _printed(METRICS[name](values))
    if name in ("max", "min"):
        which = "largest" if name == "max" else "smallest"
        return [*steps, _step(f"the {which} of them, the first of equal ones: {result}")]
    total, plainly = compensated_sum(values), 0
    for value in values:
        plainly += value  # type: ignore[assignment]
    counts = Counter(map(repr, values))
    products = " + ".join(f"{count} × {value}" for value, count in counts.most_common())
    products = products if len(counts) <= _FEW else f"{len(values)} numbers, added in the order of the file"
    steps.append(_step(f"their sum: {products} = {_printed(total)}"))
    if repr(plainly) != repr(total):
        plain = f"added from left to right it would be {_printed(plainly)}; the sum of CPython 3.12 "
        steps.append(_step(f"{plain}carries each addition's rounding error along and adds it at the end"))
    if name == "mean":
        steps.append(_step(f"the mean, over all trials: {_printed(total)} / {len(values)} = {result}"))
        scored = [value for value, rewards in zip(values, every, strict=True) if rewards is not None]
        if 0 < len(scored) < len(values):
            alone = _printed(mean(scored))
            steps.append(_step(f"over the {len(scored)} scored trials alone it would be {alone}"))
    return steps


def _printed(number: int | float) -> str:
    """The number as in the file, where null replaces NaN and the infinities."""
    text = json_text(number)
    return f"{number!r}, which is written as null" if text == "null" else text


def _pass_at_k(rows: Sequence[Row], path: list[str]) -> list[Json]:
    """How a group's values of pass@k are computed, or one of them."""
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        rewards = rewards_of(row.trial)
        values = list((rewards or {}).values())
        if rewards is not None and (len(values) != 1 or values[0] not in (0, 1)):
            shown = f"{show(row.trial.trial_name)} has {show(rewards)}"
            return [_step(f"no pass@k: every trial needs one reward, 0 or 1, or none at all, and {shown}")]
        tasks.setdefault(row.trial.task_name, []).append(1 in values)
    fewest = min(map(len, tasks.values()), default=0)
    eligible = eligible_k_values(fewest)
    which = "k are the powers of two from 2 and the multiples of 5 up to that"
    every = ", ".join(map(str, eligible)) or "none"
    steps = [_step(f"{len(tasks)} tasks have {fewest} trials at least: {which}: {every}")]
    for k in [k for k in eligible if not path or path[0] == str(k)]:
        counts = [(len(passes), sum(passes)) for passes in tasks.values()]
        numbers = [pass_at_k_for_task(n, c, k) for n, c in counts]
        what = [
            f"{n} trials, {c} passed: {_product(n, c, k)} = {json_text(value)}"
            for (n, c), value in zip(counts, numbers, strict=True)
        ]
        product = f"1 - product of (n - c - i) / (n - i) for i from 0 to {k - 1}"
        steps.append(_step(f"pass@{k} of each task, {product}:", zip(what, tasks, strict=True)))
        total = f"{json_text(compensated_sum(numbers))} / {len(numbers)} = {json_text(mean(numbers))}"
        steps.append(_step(f"pass@{k}, the mean over tasks: {total}"))
    return steps


def _product(n: int, c: int, k: int) -> str:
    if n - c < k:
        return "1 - 0, as any k trials include a success"
    factors = [f"{n - c - i}/{n - i}" for i in range(min(k, _FEW))]
    return f"1 - {' × '.join(factors)}{' × …' if k > _FEW else ''}"
