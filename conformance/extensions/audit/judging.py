"""Decides whether the job's file is wrong, or its trials' records.

One change can make many numbers disagree: if an exception is deleted from a record, the record contradicts
four counters and a list. So the file is compared with the trials as recorded, and again with the trials as
listed, which adds findings about the records. The view with fewer findings is used.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.extensions.audit.diff import MOST, differences
from conformance.extensions.audit.expected import Expected, Header, MetricNames, expected
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import JOB_FILE, JobForm
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.listing import Listed, Listing, error_pointer, order_rows, zero_finding
from conformance.extensions.audit.reading import Members, parse, pointer, show
from conformance.extensions.audit.rows import Row, counted_rewards, errors_of, fix_tasks, group_of, rewards_of
from conformance.judging.levels import Level
from conformance.pages.words import enumerated
from reference_impl import PydanticSerializationError, Trial, VerifierResult
from reference_impl.evals_key import SEPARATOR
from reference_impl.json_text import JsonObject, json_text
from reference_impl.verifier_result import Rewards

_COMPLETED, _LISTS = "003-3.3-n-completed", "003-3.3-reward-stats"
_FEW = 2
"""The most departures that are reported one by one."""
_MOST_SILENT = 1000
"""The most rows for trials that the file counts but does not list."""
_FALLBACK_GROUP = f"agent{SEPARATOR}adhoc"
_PHRASES = {
    "missing-trial": ("listed without a record", f"listed in {JOB_FILE}, but missing"),
    "extra-trial": ("other than the recorded ones", f"not counted in {JOB_FILE}"),
    "record": ("listed differently from their records", f"listed differently in {JOB_FILE}"),
}
"""Phrases for trials that depart from the records, by kind of finding: the main one, and one for lists."""


@dataclass(slots=True)
class AsListed:
    """The trials as the job lists and counts them, and the differences from their records."""

    recorded: Sequence[Row]
    listing: Listing
    form: JobForm
    rows: list[Row] = field(default_factory=list)
    departures: list[Finding] = field(default_factory=list)
    """Findings about listed trials without a record, uncounted trials, and records that differ."""
    zeroed: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    """Unscored trials that the job lists with a score of 0, by group, key and spelling."""
    _first: dict[str, Trial] = field(default_factory=dict)
    """The first trial of each evals key."""

    def __post_init__(self) -> None:
        for row in self.recorded:
            self._first.setdefault(group_of(row.trial, self.form), row.trial)

    def findings(self, counted: int, existing: int, as_recorded: Sequence[Finding]) -> list[Finding]:
        """Return one finding for all departures, or one for each if they are few.

        The file counts `counted` trials, and `existing` exist. `as_recorded` has the file's errors, assuming
        that the records are right.
        """
        path, clause = pointer("stats", self.form.stats[0]), _COMPLETED
        zeroed = [zero_finding(*key, trials) for key, trials in self.zeroed.items()]
        trials: dict[str, set[str]] = {}
        for departure in self.departures:
            trials.setdefault(departure.kind, set()).add(departure.file.rpartition("/")[0])
        if "missing-trial" in trials and not existing:
            details = (f"{counted} trials counted", "a record of each; there is none at all")
            return [Finding("missing-trial", JOB_FILE, path, *details, clause), *zeroed]
        if len(self.departures) <= _FEW:
            return self.departures + zeroed
        likely = ", ".join(
            f"{len(names)} {_PHRASES[kind][1]} ({enumerated(map(show, sorted(names)), 3)})"
            for kind in ("extra-trial", "missing-trial", "record")
            if (names := trials.get(kind))
        )
        metric = next((finding for finding in as_recorded if finding.kind == "metric"), None)
        if counted == existing and metric is not None:
            wanted = f"{metric.expected}, the value for the existing trials"
            return [replace(metric, expected=wanted, likely=likely), *zeroed]
        if counted == existing:
            kind = next(kind for kind in _PHRASES if kind in trials)
            path, clause = pointer("stats", "evals"), _LISTS if kind == "record" else _COMPLETED
            details = (f"{len(trials[kind])} trials {_PHRASES[kind][0]}", f"the {existing} recorded trials")
        else:
            kind = "extra-trial" if counted < existing else "missing-trial"
            details = (f"{counted} trials counted", f"{existing}, the number of records")
            if metric is not None:
                name = metric.path.rpartition("/")[2]
                likely += f"; it states a {name} of {metric.found}, but these records give {metric.expected}"
        return [Finding(kind, JOB_FILE, path, *details, clause, likely), *zeroed]

    def placeholders(self, unread: set[str], completed: int) -> list[Row]:
        """Return rows for trials whose directories can't be read, as listed or, if unlisted, nameless."""
        rows = [self._from_lists(name, self.listing[name]) for name in sorted(unread & self.listing.keys())]
        silent = min(len(unread - self.listing.keys()), completed - len(self.recorded) - len(rows))
        return rows + self._unnamed(next(iter(self._first), _FALLBACK_GROUP), min(silent, _MOST_SILENT))

    def fill(self, completed: int, evals: Members, *, running: bool) -> None:
        """Add the trials that the file lists, up to the `completed` ones that it counts.

        While a job is `running`, records that it does not list or count yet are ignored.
        """
        silent: list[Row] = []
        unlisted: list[Row] = []
        for row in self.recorded:
            listed = self.listing.get(row.trial.trial_name)
            if listed is not None:
                self.rows.append(self._as_listed(row, listed))
            else:
                scored = errors_of(row, self.form) or counted_rewards(row, self.form)
                (unlisted if scored else silent).append(row)
        for name in sorted(self.listing.keys() - {row.trial.trial_name for row in self.recorded}):
            self.rows.append(self._from_lists(name, self.listing[name]))
            wanted = f"the trial that {JOB_FILE} lists as {show(name)}"
            self._add("missing-trial", f"{name}/{JOB_FILE}", "", "nothing", wanted, _COMPLETED)
        room = max(completed - len(self.rows), 0)  # counted by the file, but not listed
        for waiting in (silent, unlisted):
            waiting.sort(key=lambda row: row.started or 0.0)
            counted, extra = waiting[:room], waiting[room:]
            room -= len(counted)
            for row in () if running else extra:
                details = (f"a trial that {JOB_FILE} does not count", "no such trial", _COMPLETED)
                self._add("extra-trial", f"{row.folder}/{JOB_FILE}", "", *details)
            for row in counted:
                if waiting is unlisted:
                    wanted = f"none, as {JOB_FILE} does not list the trial"
                    if not running:
                        self._report(row, "/verifier_result/rewards", show(rewards_of(row.trial)), wanted)
                    trial = replace(row.trial, verifier_result=None, exception=None)
                    row = replace(row, trial=trial, step_errors=())
                self.rows.append(row)
        if 0 < room <= _MOST_SILENT:
            self.rows += self._unnamed(next((key for key, _ in evals), _FALLBACK_GROUP), room)
            details = (f"{len(self.recorded)} trials", f"{completed}, as {JOB_FILE} counts", _COMPLETED)
            self._add("missing-trial", "", "", *details)

    def _add(self, kind: str, *details: str) -> None:
        self.departures.append(Finding(kind, *details))  # type: ignore[arg-type]

    def _report(self, row: Row, path: str, actual: str, wanted: str, clause: str = _LISTS) -> None:
        """Report a record that differs from the job's lists."""
        self._add("record", f"{row.folder}/{JOB_FILE}", path, actual, wanted, clause)

    def _as_listed(self, row: Row, listed: Listed) -> Row:
        """Return the row as the job lists it; report each member of the record that contradicts the lists."""
        trial, form, lists = row.trial, self.form, f"as {JOB_FILE} lists"
        key, numbers, rewards = group_of(trial, form), listed.numbers(), rewards_of(trial)
        errors, wanted_errors = errors_of(row, form), listed.errors(form)
        if key != listed.group:
            like = self._trial_like(listed.group)
            path = "/source" if like.source != trial.source else "/agent_info"
            wanted = f"{show(listed.group)}, where {JOB_FILE} lists it"
            self._report(row, path, f"group {show(key)}", wanted, "003-3.3-evals-key-verbatim")
            trial = replace(trial, agent=like.agent, model=like.model, source=like.source)
            row = replace(row, trial=trial)
        if errors != wanted_errors:
            steps = row.step_errors if form.by_validity else ()
            found, expected = (
                names if len(names) > 1 else next(iter(names), None) for names in (errors, wanted_errors)
            )
            path = error_pointer(trial, steps, errors, wanted_errors)
            self._report(row, path, show(found), f"{show(expected)}, {lists}", "003-3.3-exception-stats")
            own = trial.exception if steps and trial.exception in wanted_errors else None
            trial = replace(trial, exception=own if steps else next(iter(wanted_errors), None))
            row = replace(row, trial=trial)
            if form.by_validity:
                row.step_errors = tuple(wanted_errors)
        if _uniform_spelling(counted_rewards(row, form)) != _uniform_spelling(numbers):
            if rewards is None and numbers and not any(numbers.values()):
                listing_key = (listed.group, *next(iter(listed.rewards.items())))
                self.zeroed.setdefault(listing_key, []).append(trial.trial_name)
            elif numbers is not None and _uniform_spelling(rewards) == _uniform_spelling(numbers):
                self._report(row, "/reward_valid", show("no valid reward"), f"one, {lists}")
            else:
                self._report(row, "/verifier_result/rewards", show(rewards), f"{show(numbers)}, {lists}")
            trial = replace(trial, verifier_result=None if numbers is None else VerifierResult(numbers))
            row = replace(row, trial=trial, valid=numbers is not None if form.by_validity else None)
        return row

    def _from_lists(self, name: str, listed: Listed) -> Row:
        """Return a row for a trial that is only known from the job's lists or counters."""
        like, rewards, errors = self._trial_like(listed.group), listed.numbers(), listed.errors(self.form)
        result = None if rewards is None else VerifierResult(rewards)
        trial = Trial(name, name, like.source, like.agent, like.model, result, next(iter(errors), None))
        return Row(trial, "", whole=False, step_errors=tuple(errors), valid=result is not None)

    def _unnamed(self, group: str, count: int) -> list[Row]:
        """Return rows for trials of a group that are not listed."""
        return [self._from_lists(f"\0{index}", Listed(group)) for index in range(count)]

    def _trial_like(self, group: str) -> Trial:
        """Return a trial with the agent, model and dataset of a group."""
        agent, _, source = group.rpartition(SEPARATOR)
        return self._first.get(group) or Trial("", "", source, agent, None)


def _uniform_spelling(rewards: Rewards | None) -> dict[str, str]:
    """Return a uniform spelling of the rewards that fit into a double."""
    items = (rewards or {}).items()
    return {key: repr(float(n)) for key, n in items if isinstance(n, float) or abs(n) < 2**1023}


_PARTIAL = "trials are missing or can't be read: their tasks and tokens are not checked"
_TIMING_DEPENDENT = re.compile(
    r"/n_total_trials|/stats/n_(running|pending|cancelled)_trials|/stats/(n_(in|out)put|n_cache)_tokens"
    r"|/stats/cost_usd|/stats/evals/[^/]*/pass_at_k.*"
)
"""Pointers to values that a running job can't know yet, or updates later than its lists."""


@dataclass(slots=True)
class View:
    """The file compared with the trials, as recorded or as listed."""

    findings: list[Finding]
    rows: list[Row]
    """The trials in the order that fits the file best."""
    expected: Expected | None = None
    """The expected file for these trials; None if harbor could not have written it."""
    wanted: Members = field(default_factory=Members)
    text: str = ""

    @property
    def whole(self) -> bool:
        """Whether the rows have all facts about each trial."""
        return all(row.whole for row in self.rows)

    @property
    def known_text(self) -> str | None:
        """The expected text of the file; None if not all of it is known."""
        computed = self.expected
        return self.text if computed is not None and not computed.unchecked and self.whole else None


@dataclass(slots=True)
class Judge:
    """Compares a job's file that has statistics."""

    file: JobFile
    header: Header
    listing: Listing
    metrics: MetricNames
    unread: set[str]
    """Directories whose trials could not be read."""
    planned: int | None
    """The number of planned trials, if the lock has it."""
    notes: Findings
    views: list[View] = field(default_factory=list)
    """The chosen view, then the view of the trials as recorded."""

    def finished(self, rows: list[Row]) -> Iterator[Finding]:
        """Check the file of a finished job; misnamed tasks get the name that fits the file better."""
        file, existing, total = self.file, len(rows), self.header["n_total_trials"]
        counted = existing if file.counted is None else file.counted
        unread_rows = AsListed(rows, self.listing, file.form).placeholders(self.unread, counted)
        named, renamed = fix_tasks(rows)
        best = self._view([*rows, *unread_rows], self._planned_or(existing + len(unread_rows)))
        if renamed:
            renamed_view = self._view([*named, *unread_rows], self._planned_or(existing + len(unread_rows)))
            best = min((renamed_view, best), key=lambda view: len(view.findings))
        self.views = [best, best]
        if best.findings:
            listed = AsListed([*rows, *unread_rows], self.listing, file.form)
            listed.fill(counted, file.evals, running=False)
            departures = listed.findings(counted, existing, best.findings)
            is_total = total in {existing, len(listed.rows), self.planned}
            view = self._view(listed.rows, total if is_total else self._planned_or(existing))
            if _severity_key([*departures, *view.findings]) < _severity_key(best.findings):
                if total != len(listed.rows):  # the number of pending trials is reported already
                    view.findings = [item for item in view.findings if item.path != "/stats/n_pending_trials"]
                view.findings = departures + view.findings
                self.views = [view, best]
        chosen = self.views[0]
        if not chosen.whole:
            self.notes.note(_PARTIAL)
        if len(chosen.findings) >= MOST:
            self.notes.note(f"{JOB_FILE} differs in {MOST} places; the rest of it is not compared")
        if chosen.expected is not None and chosen.expected.unchecked:
            self.notes.note("metrics that a script computed are not checked")
        yield from renamed
        yield from chosen.findings

    def unfinished(self, rows: list[Row]) -> Iterator[Finding]:
        """Check the file of a running or interrupted job for internal contradictions.

        Harbor counts and lists a trial as soon as its record exists. What a running job can't know is not
        reported: trials that are not counted yet, totals, and the number of pending trials.
        """
        self.notes.note(f"the job has not finished: what depends on timing in {JOB_FILE} is not checked")
        file, total = self.file, self.header["n_total_trials"]
        rows, renamed = fix_tasks(rows)
        yield from renamed
        read = AsListed(rows, self.listing, file.form)
        rows = [*rows, *read.placeholders(self.unread, len(rows) + len(self.unread))]
        listed = AsListed(rows, self.listing, file.form)
        listed.fill(file.counted or 0, file.evals, running=True)
        view = self._view(listed.rows, total)
        self.views = [view, view]
        yield from (departures := listed.findings(file.counted or 0, len(rows), []))
        recorded = self._view(rows, total).findings if departures else view.findings
        places = {item.path for item in recorded}  # a number from the records can only contradict the lists
        silent = sum(row.trial.trial_name not in self.listing for row in listed.rows)
        for finding in view.findings:
            of_moment = _TIMING_DEPENDENT.fullmatch(finding.path) or finding.kind == "never-finishes"
            unlisted = silent and len(file.evals) > 1 and finding.kind in ("metric", "counter")
            absent = finding.kind == "metric" and (finding.found == "[]" or finding.path.endswith("/metrics"))
            excused = of_moment or unlisted or absent or finding.path not in places
            if finding.breaks is Level.VALUE and not excused:
                yield finding

    def _planned_or(self, existing: int) -> int:
        return existing if self.planned is None else self.planned

    def _view(self, rows: Sequence[Row], total: int) -> View:
        """Compare the file with these trials."""
        file = self.file
        ordered, certain = order_rows(rows, file.evals)
        header = {**self.header, "n_total_trials": total}
        try:
            computed = expected(ordered, header, file.form, self.metrics, file.metrics())
            text = json_text(computed.tree)
            computed.tree = JsonObject([])  # only its text is used from here on, and it may be large
        except PydanticSerializationError as error:
            details = ("a finished job", f"harbor can't write this result: {error}")
            return View([Finding("never-finishes", JOB_FILE, "", *details, "003-3.3-text")], ordered)
        view = View([], ordered, computed, text=text)
        if computed.failure is None and text.encode("utf-8", "surrogatepass") == file.content:
            view.wanted = file.result
            return view
        view.wanted = parse(text.encode("utf-8", "replace"))
        found = differences(view.wanted, file.result, computed, totals=view.whole)
        findings = [item for item in found if certain or item.kind != "order"]
        partial = {f"{pointer(group_of(row.trial, file.form))}/" for row in ordered if not row.whole}
        unnamed = any(row.trial.trial_name.startswith("\0") for row in ordered if not row.whole)
        for gap in findings:  # a difference that depends on unknown facts proves nothing
            of_tasks = gap.kind == "pass-at-k" and (unnamed or any(group in gap.path for group in partial))
            of_number = unnamed and (gap.kind == "metric" or gap.path.endswith("/n_trials"))
            if not (of_tasks or (of_number and gap.kind != "pass-at-k")):
                view.findings.append(gap)
        return view


def _severity_key(findings: Sequence[Finding]) -> tuple[int, int]:
    """Return a sort key for lists of findings: wrong numbers weigh most."""
    return sum(finding.severity is Severity.WRONG for finding in findings), len(findings)
