"""Finds the smallest account of what is wrong with a job's `result.json`.

One change can make many numbers disagree: a record whose exception was taken out no longer gives
four of the counters and a list. So several accounts are worked out, and the one with the fewest
findings is given: that the file is wrong and the trials are right; that trials were added or
removed since; that records were changed since and the file still has what they said.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conformance.check.findings import Finding
from conformance.check.job.differences import JOB_FILE, MOST, differences
from conformance.check.job.expected import Expected, Header, Row, work_out
from conformance.check.job.listing import Listed, Listing
from conformance.check.job.metric_names import MetricNames
from conformance.check.job.trial_order import agrees, by_plan, by_time, chains, is_no_listing, merged, others
from conformance.check.reading.json_files import Members, show
from conformance.check.trials.records import RECORD
from reference_impl import PydanticSerializationError, Trial, VerifierResult, evals_key
from reference_impl.evals_key import SEPARATOR
from reference_impl.verifier_result import Rewards

__all__ = ["Account", "Job", "Working", "explain", "working"]

_PARTIAL = "trials are missing or can't be read: what only they tell (tasks, tokens) is not checked"
_SMALL = 1e-9
"""Relative difference below which a number may hang on the order of the trials."""
_REWARDS_OF_A_ROW = 3
"""Rewards, or names in lists, that take as long as a trial does."""
_MOST_SILENT = 1000
"""The most trials of which nothing but their number is known that are stood in for."""


@dataclass(frozen=True, slots=True)
class Job:
    """What an account starts from."""

    header: Header
    result: Members
    evals: Members
    completed: int
    """The trials that the file counts."""
    names: MetricNames
    listing: Listing
    plan: Sequence[int] | None
    """The configurations planned, in order; None if they are not known or not needed."""
    one_at_a_time: bool
    """Whether the job ran no two trials at once."""


@dataclass(slots=True)
class Account:
    """What is wrong, on one view of what happened."""

    findings: list[Finding]
    expected: Expected | None = None
    notes: tuple[str, ...] = ()
    rows: Sequence[Row] = ()
    """Its trials, in the order that explains the file best."""
    worked_out: Expected | None = None
    """What the file has to hold if these are its trials, also where some are known from its lists alone."""


@dataclass(frozen=True, slots=True)
class Working:
    """How the numbers of a job come about: what `--explain` shows."""

    job: Job
    judged: Account
    """The account that the findings are from."""
    there: Account
    """The one that takes every record as it stands."""


def working(job: Job, rows: list[Row], judged: Account) -> Working:
    """What is kept of a job that is to be explained."""
    return Working(job, judged, _judged(job, rows, []))


def explain(job: Job, rows: list[Row], unread: set[str]) -> Account:
    """The account with the fewest findings. `unread` are directories whose trials could not be read."""
    best = _judged(job, rows, [])
    if not best.findings:
        return best
    listed = job.listing.all()
    rows = rows + _stand_ins(job, rows, sorted(unread & listed.keys()))
    unlisted = len(unread - listed.keys())
    rows = rows + _silent(job, rows, min(unlisted, max(job.completed - len(rows), 0)))
    if unread:
        best = _judged(job, rows, [])
    for account in _other_views(job, rows, listed):
        if len(account.findings) < len(best.findings):
            best = account
    return best


def _other_views(job: Job, rows: list[Row], listed: dict[str, Listed]) -> list[Account]:
    names = {row.trial.trial_name for row in rows}
    missing = sorted(listed.keys() - names)
    gone = [
        Finding(
            *(
                "missing-trial",
                f"{name}/{RECORD}",
                "",
                "nothing",
                f"the trial that {JOB_FILE} lists as {show(name)}",
            ),
            "003-3.3-n-completed",
        )
        for name in missing
    ]
    kept = [row for row in rows if row.trial.trial_name in listed or not _leaves_traces(row.trial)]
    added = [
        Finding(
            *("extra-trial", f"{row.folder}/{RECORD}", "", f"a trial that {JOB_FILE} does not count"),
            *("no such trial", "003-3.3-n-completed"),
        )
        for row in rows
        if row.trial.trial_name not in listed and _leaves_traces(row.trial)
    ]
    views = []
    changed = kept + _stand_ins(job, kept, missing)
    silent = job.completed - len(changed)
    if gone or added or silent > 0:
        views.append(_judged(job, changed, gone + added))
    if 0 < silent <= _MOST_SILENT and not added:
        lost = Finding(
            *("missing-trial", "", "", f"{len(rows)} trials"),
            *(f"{job.completed}, as {JOB_FILE} counts", "003-3.3-n-completed"),
        )
        views.append(_judged(job, changed + _silent(job, changed, silent), [*gone, lost]))
    corrected, wrong = _as_listed(job, changed, listed)
    if wrong:
        views.append(_judged(job, corrected, gone + added + wrong))
    return views


def _leaves_traces(trial: Trial) -> bool:
    """Whether a job that counts the trial lists it."""
    return trial.exception is not None or bool(trial.verifier_result and trial.verifier_result.rewards)


# Rows that stand for what is not there


def _stand_ins(job: Job, rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Rows for trials that are known from the listing alone."""
    listed = job.listing.all()
    triples = _triples(rows)
    made = []
    for name in names:
        said = listed[name]
        agent, model, source = triples.get(said.group) or _split(said.group)
        rewards = said.numbers()
        result = None if rewards is None else VerifierResult(rewards)
        made.append(Row(Trial(name, name, source, agent, model, result, said.exception), name, whole=False))
    return made


def _silent(job: Job, rows: Sequence[Row], count: int) -> list[Row]:
    """Rows for trials of which nothing but their number is known."""
    triples = _triples(rows)
    group = next(iter(job.evals), ("agent__adhoc", None))[0]
    agent, model, source = triples.get(group) or _split(group)
    return [Row(Trial("", f"\0{index}", source, agent, model), "", whole=False) for index in range(count)]


def _triples(rows: Sequence[Row]) -> dict[str, tuple[str, str | None, str | None]]:
    distinct = {(row.trial.agent, row.trial.model, row.trial.source) for row in rows}
    return {evals_key(*triple): triple for triple in sorted(distinct, key=repr)}


def _split(group: str) -> tuple[str, str | None, str | None]:
    """An agent and a dataset that give the group's key."""
    agent, _, source = group.rpartition(SEPARATOR)
    return agent, None, source


def _as_listed(job: Job, rows: Sequence[Row], listed: dict[str, Listed]) -> tuple[list[Row], list[Finding]]:
    """The rows as the job lists them, and a finding for each record that says otherwise."""
    corrected: list[Row] = []
    wrong: list[Finding] = []
    triples = _triples(rows)
    for row in rows:
        trial, said = row.trial, listed.get(row.trial.trial_name)
        if said is None:
            corrected.append(row)
            continue
        file = f"{row.folder}/{RECORD}"
        if (key := evals_key(trial.agent, trial.model, trial.source)) != said.group:
            agent, model, source = triples.get(said.group) or _split(said.group)
            place = "/source" if source != trial.source else "/agent_info"
            clause = "003-3.3-evals-key-verbatim"
            wrong.append(
                Finding(
                    "record",
                    file,
                    place,
                    f"group {show(key)}",
                    f"{show(said.group)}, where {JOB_FILE} lists it",
                    clause,
                )
            )
            trial = replace(trial, agent=agent, model=model, source=source)
        if trial.exception != said.exception:
            place = "/exception_info" + ("/exception_type" if trial.exception and said.exception else "")
            due = f"{show(said.exception)}, as {JOB_FILE} lists"
            wrong.append(
                Finding("record", file, place, show(trial.exception), due, "003-3.3-exception-stats")
            )
            trial = replace(trial, exception=said.exception)
        rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
        if {key: repr(float(value)) for key, value in (rewards or {}).items() if _sane(value)} != {
            key: repr(float(value)) for key, value in (said.numbers() or {}).items() if _sane(value)
        }:
            due = f"{show(said.numbers())}, as {JOB_FILE} lists"
            wrong.append(
                Finding(
                    "record", file, "/verifier_result/rewards", show(rewards), due, "003-3.3-reward-stats"
                )
            )
            numbers: Rewards | None = said.numbers()
            trial = replace(trial, verifier_result=None if numbers is None else VerifierResult(numbers))
        corrected.append(row if trial is row.trial else replace(row, trial=trial))
    return corrected, wrong


def _sane(value: int | float) -> bool:
    return isinstance(value, float) or abs(value) < 2**1023


# One view, judged


def _judged(job: Job, rows: list[Row], already: list[Finding]) -> Account:
    """What the file gets wrong if these are its trials, in the order that explains it best."""
    lists = chains(job.evals)
    first = by_time(rows)
    notes: tuple[str, ...] = ()
    if not agrees(first, lists):
        planned = None if job.plan is None else by_plan(merged(first, lists) or first, job.plan)
        if planned is not None and agrees(planned, lists):
            first = planned
        else:
            ordered = merged(planned or first, lists)
            if (
                planned is not None
                and ordered is not None
                and job.one_at_a_time
                and is_no_listing(ordered, planned)
            ):
                ordered = None
            if ordered is not None:
                notes = ("the trials come in an order that only a resumed job gives them",)
            first = ordered or planned or first
    best = _compared(job, first)
    if any(map(_hangs_on_order, best.findings)):
        for tried in _other_orders(job, first, lists):
            account = _compared(job, tried)
            if len(account.findings) < len(best.findings):
                best = account
                if not any(map(_hangs_on_order, best.findings)):
                    break
    return replace(best, findings=already + best.findings, notes=notes + best.notes)


def _other_orders(job: Job, rows: list[Row], lists: list[list[str]]) -> Iterable[list[Row]]:
    rewards = sum(len(row.trial.verifier_result.rewards or ()) for row in rows if row.trial.verifier_result)
    work = max(rewards, sum(map(len, lists)), len(job.evals)) // _REWARDS_OF_A_ROW
    found = others(rows, lists, work)
    planned = None if job.plan is None else by_plan(rows, job.plan)
    ordered = None if planned is None else merged(planned, lists)
    return found if ordered is None else itertools.chain([ordered], found)


def _hangs_on_order(finding: Finding) -> bool:
    """Whether another order of the same trials could make the difference."""
    if finding.kind == "listing" and finding.path.count("/") > 5:
        return finding.breaks > finding.breaks.VALUE
    if finding.kind not in ("metric", "total"):
        return False
    try:
        found, due = float(finding.found), float(finding.expected)
    except ValueError:
        return False
    return abs(found - due) <= _SMALL * max(abs(found), abs(due)) or "NaN" in finding.expected


def _compared(job: Job, rows: Sequence[Row]) -> Account:
    recorded = {key: group.get("metrics") for key, group in job.evals if isinstance(group, Members)}
    total = len(job.plan) if job.plan is not None else len(rows)
    header = replace(job.header, n_total_trials=total)
    try:
        expected = work_out(rows, header, job.names, recorded)
    except PydanticSerializationError as error:
        what = ("a finished job", f"harbor can't write this result: {error}")
        return Account([Finding("never-finishes", JOB_FILE, "", *what, "003-3.3-text")])
    partial = [row for row in rows if not row.whole]
    found = differences(expected, job.result, totals=not partial)
    many = (f"{JOB_FILE} differs in {MOST} places; the rest of it is not looked at",)
    notes = many if len(found) >= MOST else ()
    if partial:
        groups = {evals_key(row.trial.agent, row.trial.model, row.trial.source) for row in partial}
        unnamed = any(row.trial.trial_name.startswith("\0") for row in partial)
        found = [finding for finding in found if not _unknown(finding, groups, unnamed)]
        return Account(found, None, (_PARTIAL, *notes), rows, expected)
    return Account(found, expected, notes, rows, expected)


def _unknown(finding: Finding, groups: set[str], unnamed: bool) -> bool:
    """Whether a difference says nothing, because it hangs on what is not known of a trial."""
    if finding.kind == "pass-at-k":
        return unnamed or any(
            f"/{group.replace('~', '~0').replace('/', '~1')}/" in finding.path for group in groups
        )
    return unnamed and (finding.kind == "metric" or finding.path.endswith("/n_trials"))
