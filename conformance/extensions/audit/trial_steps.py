"""The steps to a trial's rewards, from its own files, and to an outcome line, from `result.json`."""

from contextlib import ExitStack
from typing import Any

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE, nearest_record_form, readings_of
from conformance.extensions.audit.limits import Limits, Spent
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.reading import Members, parse, plain, show
from conformance.extensions.audit.rewards import RewardFiles
from conformance.extensions.audit.rules import READINGS
from conformance.extensions.audit.sources import Place
from conformance.extensions.audit.steps import MOST_NAMED, Share, Step
from conformance.wire.text import decoded, shortened
from conformance.wire.untrusted_files import Folder, Refused, reason
from reference_impl import summarise

_MOST_SHOWN = 200
"""Bytes of a reward file that are shown."""


def trial_steps(place: Place, finding: Finding, evals: Any) -> list[Step]:
    """What the files of the finding's trial say, in the job's directory; `evals` is the job's."""
    trial, _, rest = finding.file.partition("/")
    if not rest:
        return [Step("it is no single trial that is missing, so nothing of one can be shown")]
    limits, steps = Limits(), list[Step]()
    with ExitStack() as opened:
        try:
            top = place.top()
            opened.callback(top.leave)
            folder = top.enter(trial)
            if folder is None:
                steps.append(Step(f"there is no directory {show(trial)}"))
            else:
                opened.callback(folder.leave)
                content = folder.read(JOB_FILE, limits.record_bytes)
                record = None if content is None else plain(parse(content))
                steps += _record(record) + _files(folder, rest, finding, record)
        except OSError as error:
            return [Step(f"the job's directory can't be read: {reason(error)}")]
        except Refused as refused:
            steps.append(Step(f"{show(trial)} can't be read: {refused}"))
    listed = Listing(evals, limits.trials).get(trial)
    if listed is None:
        return [*steps, Step(f"the job's result.json lists no trial {show(trial)}")]
    raised = f" and the exception {', '.join(map(show, listed.exceptions))}" if listed.exceptions else ""
    told = f"rewards {show(listed.rewards)}" if listed.rewards else "no reward"
    return [*steps, Step(f"the job's result.json lists it in {show(listed.group)} with {told}{raised}")]


def _record(record: Any) -> list[Step]:
    """What the record says, of the trial and of its steps."""
    if not isinstance(record, dict):
        return [Step(f"the trial has no {JOB_FILE} that can be read")]
    steps = record.get("step_results")
    parts = [record, *(steps if isinstance(steps, list) else [])][:MOST_NAMED]
    made = []
    for part in (one for one in parts if isinstance(one, dict)):
        result, raised = part.get("verifier_result"), part.get("exception_info")
        told = f"rewards {show(result.get('rewards'))}" if isinstance(result, dict) else "no verifier result"
        if isinstance(raised, dict):
            told += f", and that it ended in {show(raised.get('exception_type'))}"
        name = f"step {show(part.get('step_name'))}" if part is not record else show(record.get("trial_name"))
        made.append(Step(f"the record of {name} says: {told}"))
    if len(parts) > 1:
        made.append(Step("the trial's rewards are the mean of the steps, key by key, or the last step's"))
    return made


def _files(folder: Folder, rest: str, finding: Finding, record: Any) -> list[Step]:
    """The reward files that the finding is about, and what harbor's rules make of them."""
    where = rest if rest.startswith("steps/") else finding.expected.rpartition(", from ")[2]
    path = tuple(where.split("/")[:2]) if where.startswith("steps/") else ()
    config = record.get("config") if isinstance(record, dict) else None
    form = nearest_record_form(list(record) if isinstance(record, dict) else [])
    reading = readings_of((form,), config)[0]
    reader = RewardFiles(Spent(Limits()))
    files = reader.read(folder, path)
    at = "/".join((*path, "verifier"))
    if not files:
        return [Step(f"{at} has neither reward.json nor reward.txt: RewardFileNotFoundError")]
    made = []
    for name, content in files.items():
        text = shortened(decoded(content[:_MOST_SHOWN]), _MOST_SHOWN)
        made.append(Step(f"{at}/{name} holds {len(content)} bytes: {text!r}"))
    first = READINGS[reading].order[0]
    other = f"; {first} goes before the other" if len(files) > 1 else ""
    try:
        given = reader.given(files, reading, path)
    except RecursionError:
        return [*made, Step("whether it is read depends on Python's version")]
    return [*made, Step(f"by harbor's rules {given.file} gives {given.shown()}{other}")]


def outcome_steps(content: bytes, evals: Any) -> list[Step]:
    """What an outcome line has to say of a job, by its `result.json` as it is."""
    values = []
    for group, recorded in evals if isinstance(evals, Members) else ():
        metrics = recorded.get("metrics") if isinstance(recorded, Members) else None
        for metric in metrics if isinstance(metrics, list) else ():
            values.append(Share(f"{show(metric)} of {show(group)}", 1))
    try:
        summary = summarise(content)
        line = summary.line()
    except ValueError:
        return [Step("a total of so many digits is not printed, so there is no line")]
    shown, rest = values[:MOST_NAMED], max(len(values) - MOST_NAMED, 0)
    score = "the score is the mean of their values, of `mean` alone where an entry has it"
    return [
        Step(f"the metrics that {JOB_FILE} states:", shown, rest),
        Step(f"{score}: {summary.score!r}"),
        Step(f"resolved, score × {summary.total} planned trials, rounded half to even: {summary.resolved}"),
        Step(f"the status, by the count of errored trials: {summary.status}"),
        Step(f"so the line is {line}"),
    ]
