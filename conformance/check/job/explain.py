"""Finds the smallest account of what is wrong with a job's `result.json`.

One change can make many numbers disagree: a record whose exception was taken out no longer gives
four of the counters and a list. So several accounts are worked out, and the one with the fewest
findings is given: that the file is wrong and the trials are right; that trials were added or
removed since; that records were changed since and the file still has what they said.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.check.findings import Finding
from conformance.check.generations import LATEST_JOB, JobGeneration
from conformance.check.job.differences import JOB_FILE, MOST, differences
from conformance.check.job.expected import Expected, Header, Row, work_out
from conformance.check.job.listing import Listing
from conformance.check.job.metric_names import MetricNames
from conformance.check.job.stand_ins import StandIns, group_of, leaves_traces
from conformance.check.job.summary import Departures
from conformance.check.job.trial_order import agrees, by_plan, by_time, chains, is_no_listing, merged, others
from conformance.check.reading.json_files import Members, pointer, show
from conformance.check.trials.records import RECORD
from reference_impl import PydanticSerializationError

__all__ = ["RESUMED", "Account", "Job", "Working", "explain"]

RESUMED = "the trials come in an order that only a resumed job gives them"
"""Known only where the plan is: else trials may have been tried again."""

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
    generation: JobGeneration = LATEST_JOB
    planned: int | None = None
    """The number of planned trials, if that is none of the rows'."""


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
    rows: list[Row]
    """The trials as their records have them."""
    place: str
    """Where in the file the job's result stands, a JSON pointer: not at its top if it is wrapped."""

    def as_they_are(self) -> Account:
        """The account that takes every record as it stands."""
        return _judged(self.job, self.rows, [])


def explain(job: Job, rows: list[Row], unread: set[str]) -> Account:
    """The account with the fewest findings. `unread` are directories whose trials could not be read."""
    best = _judged(job, rows, [])
    if not best.findings:
        return best
    listed = job.listing.all()
    make = StandIns(job.evals, listed, job.generation)
    rows = rows + make.listed_alone(rows, sorted(unread & listed.keys()))
    unlisted = len(unread - listed.keys())
    rows = rows + make.silent(rows, min(unlisted, max(job.completed - len(rows), 0)))
    if unread:
        best = _judged(job, rows, [])
    as_they_are = best.findings
    zeroed, zeros = make.unscored_as_zero(rows)
    accounts = _other_views(job, make, rows, [], as_they_are)
    if zeros:
        of_zeroed = _other_views(job, make, zeroed, zeros, as_they_are)
        accounts = itertools.chain([_judged(job, zeroed, zeros)], accounts, of_zeroed)
    for account in accounts:
        if len(account.findings) < len(best.findings):
            best = account
        if len(best.findings) <= 1:
            break
    return best


def _other_views(
    job: Job, make: StandIns, rows: list[Row], already: list[Finding], as_they_are: list[Finding]
) -> Iterator[Account]:
    """What is wrong if trials were added, taken away or changed since the file was written."""
    listed = make.listed
    missing = sorted(listed.keys() - {row.trial.trial_name for row in rows})
    gone = [
        Finding(
            *("missing-trial", f"{name}/{RECORD}", "", "nothing"),
            *(f"the trial that {JOB_FILE} lists as {show(name)}", "003-3.3-n-completed"),
        )
        for name in missing
    ]
    kept = [row for row in rows if row.trial.trial_name in listed or not leaves_traces(row.trial)]
    unlisted = [row for row in rows if row.trial.trial_name not in listed and leaves_traces(row.trial)]
    room = job.completed - len(kept) - len(missing)  # what the file counts beyond those
    if room < 0:
        silent = [row for row in by_time(kept) if row.trial.trial_name not in listed]
        unlisted += silent[room:]
        left_out = {id(row) for row in silent[room:]}
        kept = [row for row in kept if id(row) not in left_out]

    def departures(changed: list[Finding], added: list[Row]) -> list[Finding]:
        own = Departures(gone, [_extra(row) for row in added], changed)
        return already + own.findings(job.generation, job.completed, len(rows), as_they_are)

    stand_ins = make.listed_alone(kept, missing)
    if gone or unlisted or room > 0:
        yield _judged(job, kept + stand_ins, departures([], unlisted), len(rows))
    if 0 < room <= _MOST_SILENT and not unlisted:
        lost = Finding(
            *("missing-trial", "", "", f"{len(rows)} trials"),
            *(f"{job.completed}, as {JOB_FILE} counts", "003-3.3-n-completed"),
        )
        silents = make.silent(kept + stand_ins, room)
        yield _judged(job, kept + stand_ins + silents, [*departures([], []), lost], len(rows))
    counted = by_time(unlisted)[: max(room, 0)]
    corrected, wrong = make.as_listed(kept + counted + stand_ins, {row.trial.trial_name for row in counted})
    if wrong:
        as_counted = set(map(id, counted))
        added = [row for row in unlisted if id(row) not in as_counted]
        yield _judged(job, corrected, departures(wrong, added), len(rows))


def _extra(row: Row) -> Finding:
    what = (f"a trial that {JOB_FILE} does not count", "no such trial")
    return Finding("extra-trial", f"{row.folder}/{RECORD}", "", *what, "003-3.3-n-completed")


# One view, judged


def _judged(job: Job, rows: list[Row], already: list[Finding], there: int | None = None) -> Account:
    """What the file gets wrong if these are its trials, in the order that explains it best.

    If they are not the trials that are `there`, the planned number may be that of either.
    """
    if there is not None and job.header.n_total_trials == there:
        job = replace(job, planned=there)
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
                notes = (RESUMED,)
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
    total = total if job.planned is None else job.planned
    header = replace(job.header, n_total_trials=total)
    try:
        expected = work_out(rows, header, job.names, recorded, job.generation)
    except PydanticSerializationError as error:
        what = ("a finished job", f"harbor can't write this result: {error}")
        return Account([Finding("never-finishes", JOB_FILE, "", *what, "003-3.3-text")])
    partial = [row for row in rows if not row.whole]
    found = differences(expected, job.result, totals=not partial)
    if job.planned is not None:  # whether the rest of them is pending is told already
        found = [finding for finding in found if finding.path != "/stats/n_pending_trials"]
    many = (f"{JOB_FILE} differs in {MOST} places; the rest of it is not looked at",)
    notes = many if len(found) >= MOST else ()
    if partial:
        groups = {group_of(row.trial, job.generation) for row in partial}
        unnamed = any(row.trial.trial_name.startswith("\0") for row in partial)
        found = [finding for finding in found if not _unknown(finding, groups, unnamed)]
        return Account(found, None, (_PARTIAL, *notes), rows, expected)
    return Account(found, expected, notes, rows, expected)


def _unknown(finding: Finding, groups: set[str], unnamed: bool) -> bool:
    """Whether a difference says nothing, because it hangs on what is not known of a trial."""
    if finding.kind == "pass-at-k":
        return unnamed or any(f"{pointer(group)}/" in finding.path for group in groups)
    return unnamed and (finding.kind == "metric" or finding.path.endswith("/n_trials"))
