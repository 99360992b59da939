"""Mistakes in which trials a group's values are made of: dropped, replaced, sorted, filled up."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.scores import GroupScore, TrialRecord, _score

mistakes = family("scores")
Trials = Sequence[TrialRecord]
Sent = list[Any]


@way("scores", clause="003-3.3-every-trial-aggregated")
def trials_first(reference: Variant, change: Callable[[Trials], Iterable[TrialRecord]]) -> None:
    """Changes the trials of a group before anything is counted; where none is left, all stay."""

    def around(score: Callable[[Trials], GroupScore]) -> Callable[[Trials], GroupScore]:
        return lambda trials: score(list(change(trials)) or trials)

    reference.wrap(_score, around)


@way("scores", clause="003-3.3-no-attempt-number")
def sent_first(reference: Variant, change: Callable[[Sent], Sent]) -> None:
    """Changes the records as they were sent, with their numbers and messages."""
    reference.wrap_op(
        "scores", lambda answer: lambda given: answer({**given, "trials": change(given["trials"])})
    )


def by_task(trials: Trials) -> dict[str, list[TrialRecord]]:
    """The attempts at each task, in order."""
    tasks: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        tasks.setdefault(trial.task, []).append(trial)
    return tasks


@trials_first.made(invited_by="try/except around a trial, status = 'completed' in SQL")
def errored_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials with an exception are left out of everything but a group that has no others.
    What crashed says nothing about the agent, it seems."""
    return [trial for trial in trials if trial.exception is None]


@trials_first.made(invited_by="dropna(), inner joins with a table of rewards")
def unscored_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials without rewards are left out of everything but a group that has no others.
    A row without a score can't be scored."""
    return [trial for trial in trials if trial.rewards is not None]


@trials_first.made(invited_by="excluding infrastructure failures, retry queues")
def failed_unscored_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials with an exception and no rewards are left out of everything but a group that has no others.
    The infrastructure failed, not the agent."""
    return [trial for trial in trials if trial.exception is None or trial.rewards is not None]


@trials_first.made(invited_by="dropna() behind a join with the exceptions")
def unscored_without_exception_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials with neither rewards nor an exception are left out of everything but a group without others.
    They look as if they had not been run."""
    return [trial for trial in trials if trial.exception is not None or trial.rewards is not None]


@trials_first.made(clause="003-3.3-exception-kind-free", invited_by="except asyncio.CancelledError: continue")
def cancelled_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials that ended in a CancelledError are left out of everything but a group that has no others.
    Who cancels a trial does not want it counted."""
    return [trial for trial in trials if trial.exception != "CancelledError"]


@trials_first.made(
    clause="003-3.3-exception-kind-free", invited_by="lists of excluded errors, harbor's retry exclusions"
)
def environment_failures_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials whose environment did not start are left out of everything but a group that has no others.
    EnvironmentStartTimeoutError is nothing that the agent did."""
    return [trial for trial in trials if trial.exception != "EnvironmentStartTimeoutError"]


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="drop_duplicates(), SELECT DISTINCT, sets")
def equal_records_merged(trials: Trials) -> Iterable[TrialRecord]:
    """Trials of one task with the same rewards and exception are counted once.
    Equal rows look like a double import."""
    kept: list[TrialRecord] = []
    for trial in trials:
        if trial not in kept:
            kept.append(trial)
    return kept


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="dicts by task, upserts, INSERT OR REPLACE")
def last_attempt_kept(trials: Trials) -> Iterable[TrialRecord]:
    """Only the last trial of each task is kept. A dict by task name holds one, and the last is the latest."""
    return [attempts[-1] for attempts in by_task(trials).values()]


@trials_first.made(
    clause="003-3.3-no-attempt-number", invited_by="setdefault, INSERT OR IGNORE, pass@1 tables"
)
def first_attempt_kept(trials: Trials) -> Iterable[TrialRecord]:
    """Only the first trial of each task is kept. A score is of one attempt, and the others are spare."""
    return [attempts[0] for attempts in by_task(trials).values()]


def _best(trial: TrialRecord) -> float:
    return max((float(value) for value in (trial.rewards or {}).values() if value == value), default=0.0)


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="best-of-n, MAX(reward) GROUP BY task")
def best_attempt_kept(trials: Trials) -> Iterable[TrialRecord]:
    """Only the best trial of each task is kept. Submissions are told to send their best attempt."""
    return [max(attempts, key=_best) for attempts in by_task(trials).values()]


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="retry loops, harbor's own retries")
def errored_replaced_by_next(trials: Trials) -> Iterable[TrialRecord]:
    """A trial with an exception is dropped if its task has another behind it.
    It is taken for the retry of the failed one, as harbor itself retries within a trial."""
    last = {trial.task: place for place, trial in enumerate(trials)}
    return [
        trial for place, trial in enumerate(trials) if trial.exception is None or last[trial.task] == place
    ]


@trials_first.made(clause="003-4.3-own-n", invited_by="matrices of tasks by attempts, zip")
def attempts_cut_alike(trials: Trials) -> Iterable[TrialRecord]:
    """Every task counts with as many trials as the task with the fewest has.
    Comparing tasks fairly seems to take equal numbers."""
    fewest = min(map(len, by_task(trials).values()))
    seen: dict[str, int] = {}
    kept = []
    for trial in trials:
        seen[trial.task] = seen.get(trial.task, 0) + 1
        if seen[trial.task] <= fewest:
            kept.append(trial)
    return kept


@trials_first.made(clause="003-4.3-own-n", invited_by="pivot tables with fillna(0), reindex")
def attempts_filled_alike(reference: Variant, trials: Trials) -> Iterable[TrialRecord]:
    """Tasks with fewer trials than others are filled up with trials without rewards.
    A plan has as many attempts for each task, and the missing ones count 0."""
    tasks = by_task(trials)
    most = max(map(len, tasks.values()))
    record = reference.its(TrialRecord)
    missing = [(task, most - len(attempts)) for task, attempts in tasks.items()]
    return [
        *trials,
        *(record(trials[0].group, task, None, None) for task, count in missing for _ in range(count)),
    ]


@trials_first.made(clause="003-3.2-trial-order", invited_by="ORDER BY task, groupby, sorted tables")
def trials_sorted_by_task(trials: Trials) -> Iterable[TrialRecord]:
    """The trials of a group are sorted by task before they are added up. Tables are sorted for display."""
    return sorted(trials, key=lambda trial: trial.task)


@trials_first.made(clause="003-3.2-trial-order", invited_by="GROUP BY task, dicts of lists by task")
def trials_gathered_by_task(trials: Trials) -> Iterable[TrialRecord]:
    """The trials of a group are added up task by task, tasks in order of appearance.
    Attempts are collected in a dict of lists by task."""
    return [trial for attempts in by_task(trials).values() for trial in attempts]


@trials_first.made(clause="003-3.2-trial-order", invited_by="ORDER BY reward DESC, ranked tables")
def trials_sorted_by_reward(trials: Trials) -> Iterable[TrialRecord]:
    """The trials of a group are sorted by reward, best first, before they are added up.
    Rankings are sorted so."""
    return sorted(trials, key=_best, reverse=True)


@trials_first.made(clause="003-3.2-trial-order", invited_by="two queries, completed rows and failed rows")
def errored_trials_last(trials: Trials) -> Iterable[TrialRecord]:
    """The trials of a group with an exception are added up behind the others.
    They stand in a table of their own."""
    return sorted(trials, key=lambda trial: trial.exception is not None)


@trials_first.made(clause="003-3.2-trial-order", invited_by="stacks, ORDER BY id DESC, newest first")
def trials_newest_first(trials: Trials) -> Iterable[TrialRecord]:
    """The trials of a group are added up from the last to the first. Feeds and logs show the newest first."""
    return trials[::-1]


def _number(trial: Any) -> int:
    return int(trial["attempt"])


@sent_first.made(clause="003-3.2-trial-order", invited_by="ORDER BY attempt, primary keys (task, attempt)")
def trials_sorted_by_attempt(trials: Sent) -> Sent:
    """The trials are sorted by their attempt numbers before they are added up.
    A number looks like an order."""
    return sorted(trials, key=_number)


def _name(trial: Any) -> Any:
    return trial["group"], trial["task"], _number(trial)


@sent_first.made(invited_by="primary keys (task, attempt), upserts, dicts of dicts")
def same_number_last_wins(trials: Sent) -> Sent:
    """Of trials of one task with the same attempt number the last is kept.
    Task and attempt make a primary key, and a later row replaces the earlier."""
    return list({_name(trial): trial for trial in trials}.values())


@sent_first.made(invited_by="primary keys (task, attempt), INSERT OR IGNORE, drop_duplicates()")
def same_number_first_wins(trials: Sent) -> Sent:
    """Of trials of one task with the same attempt number the first is kept.
    Task and attempt make a primary key, and a second row is refused."""
    kept: dict[Any, Any] = {}
    for trial in trials:
        kept.setdefault(_name(trial), trial)
    return list(kept.values())


@sent_first.made(invited_by="arrays indexed by attempt, ranges up to the highest number")
def gaps_count_as_failures(trials: Sent) -> Sent:
    """Attempt numbers that a task skips are counted as trials without rewards.
    Attempts fill an array by their number, and its empty places are 0."""
    present = {_name(trial) for trial in trials}
    highest: dict[tuple[str, str], int] = {}
    for trial in trials:
        task = trial["group"], trial["task"]
        highest[task] = max(highest.get(task, 0), min(_number(trial), 1000))
    return [
        *trials,
        *(
            {"group": group, "task": task, "attempt": number, "rewards": None, "exception": None}
            for (group, task), most in highest.items()
            for number in range(1, most + 1)
            if (group, task, number) not in present
        ),
    ]


@sent_first.made(invited_by="`attempt == 1`, n_attempts=1 as the default")
def only_attempt_one_counted(trials: Sent) -> Sent:
    """Where a group has trials with the attempt number 1, its others are left out.
    A leaderboard shows the first attempt."""
    first = {trial["group"] for trial in trials if _number(trial) == 1}
    return [trial for trial in trials if _number(trial) == 1 or trial["group"] not in first]


def _says(trial: Any, *words: str) -> bool:
    message = ((trial["exception"] or {}).get("message") or "").lower()
    return any(word in message for word in words)


@way("scores", clause="003-3.3-exception-kind-free")
def left_out_by_message(reference: Variant, matches: Callable[[Any], bool]) -> None:
    """Leaves trials out whose message matches, but of groups that have no others."""

    def change(trials: Sent) -> Sent:
        kept = {trial["group"] for trial in trials if not matches(trial)}
        return [trial for trial in trials if not matches(trial) or trial["group"] not in kept]

    sent_first(reference, change)


@left_out_by_message.made(invited_by="'timed out' in str(error), log scraping")
def timed_out_left_out(trial: Any) -> bool:
    """Trials whose exception says that something timed out are left out, but of a group without others.
    A time-out is taken for a fault of the infrastructure."""
    return _says(trial, "timed out", "timeout")


@left_out_by_message.made(invited_by="'Cancelled' in str(error), log scraping")
def cancelled_by_message_left_out(trial: Any) -> bool:
    """Trials whose exception's message speaks of a cancellation are left out, but of a group without others.
    The type was lost on the way, and the message is searched."""
    return _says(trial, "cancel")


@left_out_by_message.made(invited_by="regular expressions over error logs")
def connection_failures_left_out(trial: Any) -> bool:
    """Trials whose exception says that a connection failed are left out, but of a group without others.
    The network is nobody's fault."""
    return _says(trial, "connection")


@left_out_by_message.made(invited_by="empty messages taken for import errors")
def silent_failures_left_out(trial: Any) -> bool:
    """Trials whose exception has an empty message are left out, but of a group without others.
    They look like broken rows."""
    return trial["exception"] is not None and trial["exception"]["message"] == ""
