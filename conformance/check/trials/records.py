"""Reads a trial's record: quickly if it is as harbor writes it, else piece by piece."""

from datetime import datetime
from typing import Any

import msgspec

from conformance.check.findings import MOST_OF_A_KIND, Finding, Severity
from conformance.check.reading.json_files import (
    NotJsonError,
    Number,
    parse,
    plain,
    pointer,
    repeated,
    show,
    too_large,
    walk,
)
from conformance.check.reading.limits import DEEPEST, Limits, Spent, TooLargeError, allowed
from conformance.check.reading.weight import weigh
from conformance.check.trials.known_texts import Configuration, KnownTexts
from conformance.check.trials.members import told, without_strangers
from conformance.check.trials.shapes import CLAUSE, NULL, NULLABLE, RecordShape, quick
from conformance.judging.comparison import Level
from reference_impl import ValidationError, validate_rewards

__all__ = ["RECORD", "SMALL", "read_record", "read_slowly", "rewards_in", "stranger"]

_encode = msgspec.json.Encoder().encode

RECORD = "result.json"
"""The name of a trial's record in its directory, and of the job's result in the job's."""

SMALL = 64 * 1024
"""Bytes from which on a record is weighed before it is read."""
_QUICKER = 12
"""How much less time a value takes in a record that is as harbor writes it."""
_TEXT_CLAUSE = "003-3.3-text"
_TELLING = frozenset({"trial_name", "task_name", "agent_info", "verifier_result", "exception_info"})
"""Members of which every trial's record has some."""
_FEW = 5
_UNUSED: dict[str, Any] = {
    "id": "00000000-0000-0000-0000-000000000000",
    "trial_uri": "",
    "task_id": {},
    "task_checksum": "",
    "config": NULL,
}
"""What the audit does not look at."""


def read_record(
    content: bytes, file: str, explain: bool, spent: Spent, known: KnownTexts | None = None
) -> tuple[RecordShape | None, list[Finding]]:
    """The record, None if nothing can be made of it, and what is wrong with its text.

    Without `explain` it is not held to the schema. A member that no harbor writes is a note. What is
    `known` of the job's records is what this one says afterwards.

    Raises:
        OverLimitError: the records of the job have too many values.
    """
    known = known or KnownTexts()
    shape = quick(content, known) if len(content) <= SMALL else None
    return (shape, []) if shape is not None else read_slowly(content, file, explain, spent, known)


def read_slowly(
    content: bytes, file: str, explain: bool, spent: Spent, known: KnownTexts
) -> tuple[RecordShape | None, list[Finding]]:
    """The same for a record that is large, or that `quick` does not take.

    Raises:
        OverLimitError: as for `read_record`.
    """
    known.forget()
    try:
        if len(content) > SMALL:
            shape = _large(content, spent, known)
            if shape is not None:
                return shape, []
        else:
            spent.parsed(content.count(b",") + content.count(b":"))
        return _read(content, file, explain, spent, known)
    except TooLargeError as error:
        return None, [Finding("too-large", file, "", error.what, error.due, None)]
    except NotJsonError as error:
        return None, [Finding("not-json", file, "", str(error), "a trial's record in JSON", CLAUSE)]


def _large(content: bytes, spent: Spent, known: KnownTexts) -> RecordShape | None:
    """A large record, if `quick` takes it; it is weighed first."""
    room = spent.limits.file_memory
    weight = weigh(content, room)
    if weight.depth > DEEPEST:
        raise NotJsonError(f"nested too deeply: {DEEPEST} levels are the most that harbor writes")
    if weight.decoded > room:
        raise too_large(weight, weight.decoded, room)
    shape = quick(content, known)
    spent.parsed(weight.values if shape is None else weight.values // _QUICKER)
    return shape


def _read(
    content: bytes, file: str, explain: bool, spent: Spent, known: KnownTexts
) -> tuple[RecordShape | None, list[Finding]]:
    value = parse(content, spent.limits.file_memory // 2)  # it is kept twice for a moment
    found = [
        Finding("duplicate-key", file, place, "the key stands twice", "each key once", _TEXT_CLAUSE)
        for place in repeated(value)
    ]
    value = _plain(value, file, found)
    _few_members(value, spent.limits)
    if isinstance(value, dict) and not value.keys() & _TELLING:
        due = "a trial's record; this is somebody else's"
        what = f"an object of {', '.join(map(show, list(value)[:_FEW])) or 'nothing'}"
        return None, [*found, Finding("schema", file, "", what, due, CLAUSE)]
    value, strangers = without_strangers(value)
    found += [stranger(file, place) for place in strangers]
    shape = _as_written(value, known)
    if shape is not None:  # all that is wrong is told
        return shape, found
    known.generation = told(value) if isinstance(value, dict) else None
    if explain:
        from conformance.check.trials.record_schema import schema_findings  # rarely needed, and slow to load

        places = {finding.path for finding in found}
        found += [one for one in schema_findings(value, file, known.generation) if one.path not in places]
    return _lenient(value, known), found


def stranger(file: str, place: str, records: int = 1) -> Finding:
    """The note on a member that no harbor writes, in so many records; the first is in `file`."""
    what = f"a member that no harbor writes, in {records} record{'s' if records > 1 else ''}"
    note = Severity.NOTE
    return Finding("schema", file, place, what, "no such member", CLAUSE, None, Level.BYTES, graver=note)


def _as_written(value: Any, known: KnownTexts) -> RecordShape | None:
    """The record, if harbor would write these values; its text may be laid out otherwise."""
    try:
        return quick(_encode(value), known)
    except (msgspec.MsgspecError, RecursionError, ValueError, OverflowError):
        return None


def rewards_in(record: RecordShape, limits: Limits) -> int:
    """How many rewards a trial and its steps have.

    Raises:
        TooLargeError: there are more steps, or more rewards in one of them, than can be judged.
    """
    result = record.verifier_result
    whole = len(result.rewards) if result is not None and result.rewards else 0
    if not record.step_results:
        _few(0, whole, limits)
        return whole
    counts = [whole]
    for step in record.step_results:
        result = step.verifier_result
        counts.append(len(result.rewards) if result is not None and result.rewards else 0)
    _few(len(counts) - 1, max(counts), limits)
    return sum(counts)


def _few(steps: int, rewards: int, limits: Limits) -> None:
    if steps <= limits.steps and rewards <= limits.reward_keys:
        return
    for number, limit, of in ((steps, limits.steps, "steps"), (rewards, limits.reward_keys, "rewards")):
        if number > limit:
            raise TooLargeError(f"{number} {of}", allowed(limit, of, number))


def _few_members(value: Any, limits: Limits) -> None:
    """The same for a record in any layout, before it is held to its schema."""
    steps = value.get("step_results") if isinstance(value, dict) else None
    steps = steps if isinstance(steps, list) else []
    _few(len(steps), 0, limits)
    for part in (value, *steps):
        result = part.get("verifier_result") if isinstance(part, dict) else None
        rewards = result.get("rewards") if isinstance(result, dict) else None
        _few(0, len(rewards) if isinstance(rewards, dict | list) else 0, limits)


def _plain(value: Any, file: str, found: list[Finding]) -> Any:
    """The value as Python has it; NaN and infinities, which harbor writes as null, become null."""
    for path, leaf in walk(value):
        if isinstance(leaf, Number) and leaf.text in ("NaN", "Infinity", "-Infinity"):
            likely = "NaN or an infinity is spelled out, which is no JSON"
            what = (leaf.text, "null", "003-6-nan-in-result", likely)
            found.append(Finding("not-json", file, pointer(*path), *what))
            if len(found) > MOST_OF_A_KIND:
                break
    return plain(value, finite=True)


# What can be made of a record that is not as harbor writes it


def _lenient(value: Any, known: KnownTexts) -> RecordShape | None:
    """The record as harbor's own reader would understand it, None if it would not."""
    known.configuration = known.path = None
    try:
        shape = msgspec.convert(_filled(value), RecordShape, strict=False)
        if isinstance(value.get("config"), dict):
            known.configuration = Configuration(value["config"], shape.trial_name, None)
        return shape
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, KeyError):
        return None


def _kept(value: Any, *names: str, nullable: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("an object is due here")
    made = {name: value[name] for name in names}
    return made | {name: value.get(name) for name in NULLABLE[nullable]}


def _filled(value: Any) -> dict[str, Any]:
    made = {
        **_UNUSED,
        **_kept(value, "task_name", "trial_name", "agent_info", nullable=""),
    }
    agent = _kept(made["agent_info"], "name", nullable="agent_info") | {"version": ""}
    if agent["model_info"] is not None:
        agent["model_info"] = _kept(agent["model_info"], "name", nullable="model_info")
        agent["model_info"]["provider"] = None
    made["agent_info"] = agent
    _fill_result(made)
    for name in ("environment_setup", "agent_setup"):
        made[name] = None
    if made["step_results"] is not None:
        steps = [_kept(step, "step_name", nullable="step") for step in made["step_results"]]
        for step in steps:
            _fill_result(step)
        made["step_results"] = steps
    made["finished_at"] = None
    made["started_at"] = _moment(made["started_at"])
    return made


def _moment(value: Any) -> datetime | None:
    try:
        return msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        return None


def _fill_result(made: dict[str, Any]) -> None:
    """What a trial and a step have in common."""
    if made["agent_result"] is not None:
        made["agent_result"] = _kept(made["agent_result"], nullable="agent_result") | {
            "metadata": NULL,
        }
    if made["verifier_result"] is not None:
        rewards = _kept(made["verifier_result"], nullable="verifier_result")["rewards"]
        made["verifier_result"] = {"rewards": None if rewards is None else _rewards(rewards)}
    if made["exception_info"] is not None:
        kept = _kept(made["exception_info"], "exception_type", nullable="timing")
        made["exception_info"] = {
            "exception_type": kept["exception_type"],
            "exception_message": "",
            "exception_traceback": "",
            "occurred_at": "2000-01-01T00:00:00",
        }
    made["agent_execution"] = None
    if made["verifier"] is not None:
        made["verifier"] = {"started_at": None, "finished_at": None}


def _rewards(value: Any) -> dict[str, Any]:
    """Null stays: it stands for NaN and the infinities."""
    if not isinstance(value, dict):
        raise TypeError("an object is due here")
    try:
        numbers = validate_rewards({key: item for key, item in value.items() if item is not None}) or {}
    except ValidationError as error:
        raise TypeError(str(error)) from error
    return {key: numbers.get(key) for key in value}
