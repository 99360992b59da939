"""A trial's record as harbor writes it, for reading it quickly.

One shape does for all generations: members that only some releases write may be absent, and which of
them are there tells the generation. Only a record that is written back as the same text, white space
apart, is read this way. That leaves no room for duplicate keys, unknown or missing members, values of
another type, or numbers and strings in another spelling; every other record is read by the standard
library and judged by its schema.
"""

from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import UNSET, Raw, UnsetType

from conformance.check.generations import RecordGeneration
from conformance.check.trials.known_texts import SPACE, KnownTexts
from conformance.check.trials.members import exact

__all__ = [
    "ABSENT",
    "CLAUSE",
    "NULL",
    "NULLABLE",
    "AgentResultShape",
    "RecordShape",
    "StepShape",
    "VerifierResultShape",
    "generation_of",
    "quick",
]

CLAUSE = "003-3.3-trial-record"
"""What every record traces."""
NULLABLE = {
    "": (
        *("source", "agent_result", "verifier_result", "exception_info", "started_at", "finished_at"),
        *("environment_setup", "agent_setup", "agent_execution", "verifier", "step_results"),
    ),
    "agent_info": ("model_info",),
    "model_info": ("provider",),
    "agent_result": ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"),
    "more_agent_result": ("model_usage", "output_logprobs", "rollout_details", "metadata"),
    "verifier_result": ("rewards",),
    "timing": ("started_at", "finished_at"),
    "step": ("agent_result", "verifier_result", "exception_info", "agent_execution", "verifier"),
    "later": ("verifier_environment_mode",),
}
"""Members that harbor's own reader does without, by the object that they are in."""
ABSENT = Raw(b"")
"""Stands for a member that is not there."""
NULL = Raw(b"null")


class _Shape(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """No member may be unknown, and none missing but those that some generations lack."""


class TimingShape(_Shape):
    """When a phase began and ended."""

    started_at: datetime | None
    finished_at: datetime | None


class ModelShape(_Shape):
    """The agent's model."""

    name: str
    provider: str | None


class AgentShape(_Shape):
    """The agent."""

    name: str
    version: str
    model_info: ModelShape | None


class AgentResultShape(_Shape, kw_only=True):
    """What the agent reported; its own accounts are left as they stand."""

    n_input_tokens: int | None
    n_cache_tokens: int | None
    n_output_tokens: int | None
    cost_usd: float | None
    model_usage: Raw = ABSENT
    output_logprobs: Raw = ABSENT
    rollout_details: Raw = ABSENT
    metadata: Raw


class VerifierResultShape(_Shape):
    """What the verifier measured; NaN and infinities are written as null."""

    rewards: dict[str, int | float | None] | None


class ExceptionShape(_Shape):
    """The exception that a trial or step ended in."""

    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: datetime


class StepShape(_Shape):
    """A step that ran."""

    step_name: str
    agent_result: AgentResultShape | None
    verifier_result: VerifierResultShape | None
    exception_info: ExceptionShape | None
    agent_execution: TimingShape | None
    verifier: TimingShape | None


class RecordShape(_Shape, kw_only=True):
    """A trial; what it was asked to do is left as it stands."""

    id: UUID
    task_name: str
    trial_name: str
    trial_uri: str
    task_id: dict[str, str | None]
    source: str | None
    task_checksum: str
    config: Raw
    agent_info: AgentShape
    agent_result: AgentResultShape | None
    verifier_result: VerifierResultShape | None
    verifier_environment_mode: str | UnsetType | None = UNSET
    exception_info: ExceptionShape | None
    started_at: datetime | None
    finished_at: datetime | None
    environment_setup: TimingShape | None
    agent_setup: TimingShape | None
    agent_execution: TimingShape | None
    verifier: TimingShape | None
    step_results: list[StepShape] | UnsetType | None = UNSET

    @property
    def steps(self) -> list[StepShape] | None:
        """Its steps; None for a trial without."""
        return None if self.step_results is UNSET else self.step_results


_decode = msgspec.json.Decoder(RecordShape).decode
_encode = msgspec.json.Encoder().encode
_ZERO = Raw(b"0")
_CONFIG = b'"config": '
_LAID_OUT, _NEXT, _AGENT = b'\n    "config": ', b',\n    "agent_info": ', b'"agent_info"'


def quick(content: bytes, known: KnownTexts | None = None) -> RecordShape | None:
    """The record, or None if it is not certain that this is what some harbor would have written.

    What is `known` of the job's records already need not be found out again.
    """
    known = known or KnownTexts()
    shape = _of_known_config(content, known)
    if shape is not None:
        return shape
    try:
        shape = _decode(content)
        config = shape.config
        raw = bytes(config)
        if not known.is_config(raw, shape.trial_name, shape.task_id.get("path")):
            return None
        known.generation = generation_of(shape, known)
        if known.generation is None or not _accounts(shape, known):
            return None
        shape.config = _ZERO
        text = _encode(shape).translate(None, SPACE)
        shape.config = config
    except (msgspec.MsgspecError, RecursionError, ValueError):  # invalid UTF-8 is a ValueError
        return None
    at = content.find(_CONFIG) + len(_CONFIG)
    end = at + len(raw)
    if content[at:end] != raw:  # another layout, or the name of a member above
        at = content.find(raw)
        end = at + len(raw)
    # Wherever these bytes stand: with a 0 in their place the texts are equal only if it is the right place.
    return shape if (content[:at] + b"0" + content[end:]).translate(None, SPACE) == text else None


def _of_known_config(content: bytes, known: KnownTexts) -> RecordShape | None:
    """The record, if its configuration is that of the one before but for names, and its layout harbor's.

    What stands in the configuration's place is taken out and compared as a text; the rest is decoded with
    a 0 there. It is the right place: no string holds a line feed, no member before `agent_info` a number,
    and in another order than harbor's the members are not written back as the same text.
    """
    found = content.find(_LAID_OUT) if known.comes_again else -1
    at = found + len(_LAID_OUT)
    end = content.find(_NEXT, at)
    if found < 0 or end < 0 or _AGENT in content[:at]:
        return None
    text = content[:at] + b"0" + content[end:]
    try:
        shape = _decode(text)
        if shape.config != _ZERO or not known.is_last_config(
            content[at:end], shape.trial_name, shape.task_id.get("path")
        ):
            return None
        known.generation = generation_of(shape, known)
        if known.generation is None or not _accounts(shape, known):
            return None
        again = _encode(shape)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    if b" " in again:  # in a string, or in what is left as it stands
        again = again.translate(None, SPACE)
    return shape if again == text.translate(None, SPACE) else None


def _accounts(shape: RecordShape, known: KnownTexts) -> bool:
    """Whether what agents said of their own work is as harbor writes it."""
    if not shape.step_results:
        return shape.agent_result is None or _account(shape.agent_result, known)
    reports = (shape.agent_result, *(step.agent_result for step in shape.step_results))
    return all(report is None or _account(report, known) for report in reports)


def _account(report: AgentResultShape, known: KnownTexts) -> bool:
    for own, opening in (
        (report.metadata, b"{"),
        (report.rollout_details, b"["),
        (report.model_usage, b"{"),
        (report.output_logprobs, b"["),
    ):
        if own is not ABSENT and own != NULL and not known.is_written_by_harbor(own, opening):
            return False
    return True


def generation_of(shape: RecordShape, known: KnownTexts) -> RecordGeneration | None:
    """The releases that write exactly these members; None if there are none."""
    steps = shape.step_results
    found = _by_members(shape, shape.agent_result)
    told = shape.agent_result is not None
    for step in steps or ():
        if step.agent_result is not None:
            this = _by_members(shape, step.agent_result)
            if told and this is not found:
                return None
            found, told = this, True
    known.unsure = not told
    if found is None or (steps is UNSET and known.is_later):
        return None
    if found.provider_required:
        model = shape.agent_info.model_info
        if model is not None and model.provider is None:
            return None
    return found


def _by_members(shape: RecordShape, report: AgentResultShape | None) -> RecordGeneration | None:
    return exact(
        shape.verifier_environment_mode is not UNSET,
        shape.step_results is not UNSET,
        None
        if report is None
        else (
            report.model_usage is not ABSENT,
            report.output_logprobs is not ABSENT,
            report.rollout_details is not ABSENT,
        ),
    )
