"""Mistakes in what ``result.json`` says of a job as a whole: counts, identity, times."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result

ADD = "job_result.JobStatistics.add"
TIMES = ("started_at", "updated_at", "finished_at")


def _after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Has ``then`` correct the statistics whenever a trial was counted."""

    def around(original: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(ADD, around)


@mistake(
    "completed-without-errored",
    says="n_completed_trials leaves out the trials that ended in an error",
    op="job_result",
    clause="003-3.3-n-completed",
    why="Completed sounds like succeeded.",
    invited_by="the name of the counter",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        self._n_completed -= trial.exception is not None

    _after_add(reference, then)


@mistake(
    "completed-only-verified",
    says="n_completed_trials leaves out the trials without rewards",
    op="job_result",
    clause="003-3.3-n-completed",
    why="A trial is taken for complete when it was graded.",
    invited_by="counting rows of a table of rewards",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        self._n_completed -= trial.verifier_result is None or trial.verifier_result.rewards is None

    _after_add(reference, then)


@mistake(
    "pending-always-zero",
    says="n_pending_trials is 0 because the job has finished",
    op="job_result",
    clause="003-3.3-pending",
    why="Nothing is pending in a finished job.",
    invited_by="a constant beside n_running_trials",
)
def _(reference: Variant) -> None:
    change_result(reference, ("stats", "n_pending_trials"), lambda _: 0)


@mistake(
    "pending-negative",
    says="n_pending_trials goes below 0 where more trials finished than were planned",
    op="job_result",
    clause="003-3.3-pending",
    why="The difference of two counters, without max.",
    invited_by="any language with signed ints",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def result(self: Any, job: Any) -> Any:
            whole = original(self, job)
            for index, (name, value) in enumerate(whole.tree.members):
                if name == "stats":
                    members = [
                        (key, job.n_total_trials - self._n_completed if key == "n_pending_trials" else item)
                        for key, item in value.members
                    ]
                    whole.tree.members[index] = (name, type(value)(members))
            return whole

        return result

    reference.wrap("job_result.JobStatistics.result", around)


@mistake(
    "cancelled-not-errored",
    says="a cancelled trial is not counted as errored",
    op="job_result",
    clause="003-3.3-n-cancelled",
    why="A counter for each way to end, each trial in one.",
    invited_by="match and switch statements, enums of final states",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        self._n_errored -= trial.exception == "CancelledError"

    _after_add(reference, then)


@mistake(
    "cancelled-per-record",
    says="n_cancelled_trials counts cancelled trials, not their names",
    op="job_result",
    clause="003-3.3-cancelled-names",
    why="Every other counter goes up by one for each trial.",
    invited_by="n_cancelled += 1",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        if trial.exception == "CancelledError":
            self._cancelled.discard(trial.trial_name)
            self._cancelled.add((trial.trial_name, self._n_completed))

    _after_add(reference, then)


@mistake(
    "cancelled-by-word",
    says="every exception with cancel in its name counts as cancelled",
    op="job_result",
    clause="003-3.3-n-cancelled",
    why="Other libraries have other classes for it.",
    invited_by='"cancel" in name.lower(), startswith, regular expressions',
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        if "cancel" in (trial.exception or "").lower():
            self._cancelled.add(trial.trial_name)

    _after_add(reference, then)


@mistake(
    "cancelled-never-counted",
    says="n_cancelled_trials is always 0 in a finished job",
    op="job_result",
    clause="003-3.3-n-cancelled",
    why="A job that finished was not cancelled.",
    invited_by="a constant beside n_running_trials",
)
def _(reference: Variant) -> None:
    change_result(reference, ("stats", "n_cancelled_trials"), lambda _: 0)


@mistake(
    "retries-are-errors",
    says="n_retries is the number of errored trials",
    op="job_result",
    clause="003-3.3-retries",
    why="Restarts leave no record, so they are guessed from the errors that are left.",
    invited_by="runners that rebuild result.json from trial directories",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, job: original(self, replace(job, n_retries=self._n_errored))

    reference.wrap("job_result.JobStatistics.result", around)


@mistake(
    "total-is-what-ran",
    says="n_total_trials is the number of finished trials, not of planned ones",
    op="job_result",
    clause="003-3.3-pending",
    why="The list of trials is at hand, the plan is not.",
    invited_by="len(trials)",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, job: original(self, replace(job, n_total_trials=self._n_completed))

    reference.wrap("job_result.JobStatistics.result", around)


@mistake(
    "identity-in-capitals",
    says="the job's id is written in capitals",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="The type for UUIDs prints them so.",
    invited_by="Swift and Objective-C, Windows GUIDs, Oracle's and SQL Server's uniqueidentifier",
)
def _(reference: Variant) -> None:
    change_result(reference, ("id",), str.upper)


def _times(reference: Variant, text: Callable[[str], str]) -> None:
    for name in TIMES:
        change_result(reference, (name,), lambda given: None if given is None else text(given))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@mistake(
    "javascript-times",
    says="times are written by JavaScript: in UTC, with three digits of a second and a Z",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="A Date has milliseconds and no zone, and JSON.stringify calls toISOString.",
    invited_by="JavaScript, TypeScript",
)
def _(reference: Variant) -> None:
    def text(given: str) -> str:
        moment = _moment(given)
        utc = moment.replace(tzinfo=moment.tzinfo or timezone.utc).astimezone(timezone.utc)
        return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"

    _times(reference, text)


@mistake(
    "times-in-utc",
    says="times with an offset are converted to UTC",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="Stored times should share a zone.",
    invited_by="databases with time zones, Go's UTC(), Java's Instant, chrono's DateTime<Utc>",
)
def _(reference: Variant) -> None:
    def text(given: str) -> str:
        if not re.search(r"[+-]\d\d:\d\d$", given):
            return given
        moment = _moment(given).astimezone(timezone.utc)
        return moment.isoformat().replace("+00:00", "Z")

    _times(reference, text)


@mistake(
    "python-isoformat-times",
    says="times are written by Python's isoformat: +00:00 for Z",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="isoformat is the other half of fromisoformat; pydantic has a writer of its own.",
    invited_by="Python's datetime.isoformat, json.dumps(default=str)",
)
def _(reference: Variant) -> None:
    _times(reference, lambda given: _moment(given).isoformat())


@mistake(
    "fraction-zeros-dropped",
    says="trailing zeros of a second's fraction are dropped: .12 for .120000",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="The format has as many digits as the time needs.",
    invited_by="Go's RFC3339Nano, Rust's time crate, Java's ISO_LOCAL_DATE_TIME",
)
def _(reference: Variant) -> None:
    _times(reference, lambda given: re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", given).replace(".Z", "Z"))


@mistake(
    "times-without-fraction",
    says="times are cut to whole seconds",
    op="job_result",
    clause="003-3.3-identity-and-times",
    why="Nobody needs the rest.",
    invited_by="Go's RFC3339, date -Is, strftime, timespec='seconds'",
)
def _(reference: Variant) -> None:
    _times(reference, lambda given: re.sub(r"\.\d+", "", given))
