"""Mistakes in what ``result.json`` says of a job as a whole: counts, identity, times."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl.job_result import JobStatistics

in_result = family("job_result", of=JobStatistics.result, clause="003-3.3-retries")
mistakes = family("job_result", clause="003-3.3-identity-and-times")

ADD = JobStatistics.add
TIMES = ("started_at", "updated_at", "finished_at")


@way("job_result", clause="003-3.3-n-cancelled")
def after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Has ``then`` correct the statistics whenever a trial was counted."""

    def around(original: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(ADD, around)


@after_add.made(clause="003-3.3-n-completed", invited_by="the name of the counter")
def completed_without_errored(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials that ended in an error. Completed sounds like succeeded."""
    self._n_completed -= trial.exception is not None


@after_add.made(clause="003-3.3-n-completed", invited_by="counting rows of a table of rewards")
def completed_only_verified(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials without rewards.
    A trial is taken for complete when it was graded."""
    self._n_completed -= trial.verifier_result is None or trial.verifier_result.rewards is None


change_result_family = way("job_result", clause="003-3.3-n-cancelled")(change_result)


@change_result_family.made(
    ("stats", "n_pending_trials"), clause="003-3.3-pending", invited_by="a constant beside n_running_trials"
)
def pending_always_zero(_: Any) -> Any:
    """n_pending_trials is 0 because the job has finished. Nothing is pending in a finished job."""
    return 0


@in_result.wrapped(clause="003-3.3-pending", invited_by="any language with signed ints")
def pending_negative(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_pending_trials goes below 0 where more trials finished than were planned.
    The difference of two counters, without max."""
    whole = original(self, job)
    for index, (name, value) in enumerate(whole.tree.members):
        if name == "stats":
            members = [
                (key, job.n_total_trials - self._n_completed if key == "n_pending_trials" else item)
                for key, item in value.members
            ]
            whole.tree.members[index] = (name, type(value)(members))
    return whole


@after_add.made(invited_by="match and switch statements, enums of final states")
def cancelled_not_errored(self: Any, trial: Any) -> None:
    """A cancelled trial is not counted as errored. A counter for each way to end, each trial in one."""
    self._n_errored -= trial.exception == "CancelledError"


@after_add.made(clause="003-3.3-cancelled-names", invited_by="n_cancelled += 1")
def cancelled_per_record(self: Any, trial: Any) -> None:
    """n_cancelled_trials counts cancelled trials, not their names.
    Every other counter goes up by one for each trial."""
    if trial.exception == "CancelledError":
        self._cancelled.discard(trial.trial_name)
        self._cancelled.add((trial.trial_name, self._n_completed))


@after_add.made(invited_by='"cancel" in name.lower(), startswith, regular expressions')
def cancelled_by_word(self: Any, trial: Any) -> None:
    """Every exception with cancel in its name counts as cancelled.
    Other libraries have other classes for it."""
    if "cancel" in (trial.exception or "").lower():
        self._cancelled.add(trial.trial_name)


@change_result_family.made(("stats", "n_cancelled_trials"), invited_by="a constant beside n_running_trials")
def cancelled_never_counted(_: Any) -> Any:
    """n_cancelled_trials is always 0 in a finished job. A job that finished was not cancelled."""
    return 0


@in_result.wrapped(invited_by="runners that rebuild result.json from trial directories")
def retries_are_errors(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_retries is the number of errored trials.
    Restarts leave no record, so they are guessed from the errors that are left."""
    return original(self, replace(job, n_retries=self._n_errored))


@in_result.wrapped(clause="003-3.3-pending", invited_by="len(trials)")
def total_is_what_ran(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_total_trials is the number of finished trials, not of planned ones.
    The list of trials is at hand, the plan is not."""
    return original(self, replace(job, n_total_trials=self._n_completed))


@mistakes.changed(
    invited_by="Swift and Objective-C, Windows GUIDs, Oracle's and SQL Server's uniqueidentifier"
)
def identity_in_capitals(reference: Variant) -> None:
    """The job's id is written in capitals. The type for UUIDs prints them so."""
    change_result(reference, str.upper, ("id",))


@way("job_result", clause="003-3.3-identity-and-times")
def times(reference: Variant, text: Callable[[str], str]) -> None:
    """Spells the times in another way."""
    for name in TIMES:
        change_result(reference, lambda given: None if given is None else text(given), (name,))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@times.made(invited_by="JavaScript, TypeScript")
def javascript_times(given: str) -> str:
    """Times are written by JavaScript: in UTC, with three digits of a second and a Z.
    A Date has milliseconds and no zone, and JSON.stringify calls toISOString."""
    moment = _moment(given)
    utc = moment.replace(tzinfo=moment.tzinfo or timezone.utc).astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


@times.made(invited_by="databases with time zones, Go's UTC(), Java's Instant, chrono's DateTime<Utc>")
def times_in_utc(given: str) -> str:
    """Times with an offset are converted to UTC. Stored times should share a zone."""
    if not re.search(r"[+-]\d\d:\d\d$", given):
        return given
    moment = _moment(given).astimezone(timezone.utc)
    return moment.isoformat().replace("+00:00", "Z")


@times.made(invited_by="Python's datetime.isoformat, json.dumps(default=str)")
def python_isoformat_times(given: str) -> str:
    """Times are written by Python's isoformat: +00:00 for Z.
    isoformat is the other half of fromisoformat; pydantic has a writer of its own."""
    return _moment(given).isoformat()


@times.made(invited_by="Go's RFC3339Nano, Rust's time crate, Java's ISO_LOCAL_DATE_TIME")
def fraction_zeros_dropped(given: str) -> str:
    """Trailing zeros of a second's fraction are dropped: .12 for .120000.
    The format has as many digits as the time needs."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", given).replace(".Z", "Z")


@times.made(invited_by="Go's RFC3339, date -Is, strftime, timespec='seconds'")
def times_without_fraction(given: str) -> str:
    """Times are cut to whole seconds. Nobody needs the rest."""
    return re.sub(r"\.\d+", "", given)
