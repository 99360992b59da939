"""Trials that stand in the job's own file, under `trial_results`.

Harbor writes the list there while a job runs, and it is empty. Who keeps it in a finished job fills it with
whole records: they are the job's trials where there are no directories, and else the same trials once more.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from conformance.check.findings import Finding
from conformance.check.generations import LIVE
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Row
from conformance.check.job.stand_ins import shortlist
from conformance.check.reading.json_files import Members, plain, pointer, show
from conformance.check.reading.limits import Limits, OverLimitError
from reference_impl import AgentResult, Trial, ValidationError, VerifierResult, validate_rewards

__all__ = ["embedded", "held_to_each_other"]

_CLAUSE = "003-3.3-trial-record"


class _Report(msgspec.Struct):
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None

    def result(self) -> AgentResult:
        return AgentResult(self.n_input_tokens, self.n_cache_tokens, self.n_output_tokens, self.cost_usd)


class _Step(msgspec.Struct):
    agent_result: _Report | None = None


class _Model(msgspec.Struct):
    name: str


class _Agent(msgspec.Struct):
    name: str
    model_info: _Model | None = None


class _Verified(msgspec.Struct):
    rewards: dict[str, Any] | None = None


class _Raised(msgspec.Struct):
    exception_type: str


class _Record(msgspec.Struct):
    task_name: str
    trial_name: str
    agent_info: _Agent
    source: str | None = None
    agent_result: _Report | None = None
    verifier_result: _Verified | None = None
    exception_info: _Raised | None = None
    started_at: datetime | None = None
    step_results: list[_Step] | None = None


def embedded(result: Members, limits: Limits) -> tuple[list[Row], list[Finding]]:
    """The trials of the list, and a finding for each entry of which nothing can be made.

    Raises:
        OverLimitError: there are too many.
    """
    entries = result.get(LIVE)
    rows: dict[str, Row] = {}
    found: list[Finding] = []
    if not isinstance(entries, list) or isinstance(entries, Members):
        return [], []
    if len(entries) > limits.trials:
        sentence = f"{JOB_FILE} holds more than {limits.trials} trials; --limits 2 doubles the limits"
        raise OverLimitError(sentence)
    for index, entry in enumerate(entries):
        place = pointer(LIVE, index)
        try:
            row = _row(plain(entry))
        except (msgspec.MsgspecError, ValidationError, RecursionError, ValueError, TypeError) as error:
            what = (show(entry), f"a trial's record: {error}")
            found.append(Finding("schema", JOB_FILE, place, *what, _CLAUSE))
            continue
        name = row.trial.trial_name
        if name in rows:
            what = (f"the trial {show(name)} again", "each trial once")
            found.append(Finding("duplicate-trial", JOB_FILE, f"{place}/trial_name", *what, _CLAUSE))
            continue
        rows[name] = row
    return list(rows.values()), found


def _row(value: Any) -> Row:
    record = msgspec.convert(value, _Record)
    rewards = None if record.verifier_result is None else record.verifier_result.rewards
    if rewards is not None:
        numbers = validate_rewards({key: one for key, one in rewards.items() if one is not None}) or {}
        rewards = {key: numbers.get(key, float("nan")) for key in rewards}  # null is how NaN is written
    model, report, began = record.agent_info.model_info, record.agent_result, record.started_at
    steps = record.step_results
    trial = Trial(
        record.task_name,
        record.trial_name,
        record.source,
        record.agent_info.name,
        None if model is None else model.name,
        None if record.verifier_result is None else VerifierResult(rewards),
        None if record.exception_info is None else record.exception_info.exception_type,
        None if report is None else report.result(),
        None
        if steps is None
        else [None if step.agent_result is None else step.agent_result.result() for step in steps],
    )
    started = None if began is None else (began.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
    return Row(trial, record.trial_name, started)


def held_to_each_other(rows: Sequence[Row], records: Sequence[Row]) -> list[Finding]:
    """Where the list, `rows`, and the directories' records are of other trials or say other things."""
    listed = {row.trial.trial_name: row.trial for row in rows}
    there = {row.trial.trial_name: row.trial for row in records}
    found = []
    for kind, names, what, due in (
        ("missing-trial", listed.keys() - there.keys(), "trials that have no directory", "a directory each"),
        ("extra-trial", there.keys() - listed.keys(), "trials with a directory left out", "every trial"),
    ):
        if names:
            said = f"{len(names)} {what}: {shortlist(sorted(names))}"
            found.append(Finding(kind, JOB_FILE, pointer(LIVE), said, due, "003-3.3-n-completed"))
    for place, of in (("verifier_result/rewards", _rewards), ("exception_info", _exception)):
        names = {name for name in listed.keys() & there.keys() if of(listed[name]) != of(there[name])}
        if names:
            first = min(names)
            index = [row.trial.trial_name for row in rows].index(first)
            said = f"{show(of(listed[first]))} for {show(first)}"
            due = f"{show(of(there[first]))}, as its record says"
            more = f"so in {len(names)} trials" if len(names) > 1 else None
            where = f"{pointer(LIVE, index)}/{place}"
            found.append(Finding("record", JOB_FILE, where, said, due, _CLAUSE, more))
    return found


def _rewards(trial: Trial) -> Any:
    rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
    return None if rewards is None else {key: None if one != one else one for key, one in rewards.items()}


def _exception(trial: Trial) -> Any:
    return trial.exception
