"""A trial's record as harbor 0.13.1 writes it, for reading it quickly.

Only a record that is written back as the same text, white space apart, is read this way. That
leaves no room for duplicate keys, unknown or missing members, values of another type, or numbers
and strings in another spelling; every other record is read by the standard library and judged by
its schema.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

__all__ = [
    "CLAUSE",
    "NULLABLE",
    "AgentResultShape",
    "RecordShape",
    "StepShape",
    "VerifierResultShape",
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
    "more_agent_result": ("rollout_details", "metadata"),
    "verifier_result": ("rewards",),
    "timing": ("started_at", "finished_at"),
    "step": ("agent_result", "verifier_result", "exception_info", "agent_execution", "verifier"),
}
"""Members that harbor's own reader does without, by the object that they are in."""
_SPACE = b" \n\r\t"


class _Shape(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """No member may be missing or unknown."""


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


class AgentResultShape(_Shape):
    """What the agent reported."""

    n_input_tokens: int | None
    n_cache_tokens: int | None
    n_output_tokens: int | None
    cost_usd: float | None
    rollout_details: list[Any] | None
    metadata: dict[str, Any] | None


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


class RecordShape(_Shape):
    """A trial."""

    id: UUID
    task_name: str
    trial_name: str
    trial_uri: str
    task_id: dict[str, str | None]
    source: str | None
    task_checksum: str
    config: dict[str, Any]
    agent_info: AgentShape
    agent_result: AgentResultShape | None
    verifier_result: VerifierResultShape | None
    exception_info: ExceptionShape | None
    started_at: datetime | None
    finished_at: datetime | None
    environment_setup: TimingShape | None
    agent_setup: TimingShape | None
    agent_execution: TimingShape | None
    verifier: TimingShape | None
    step_results: list[StepShape] | None


_decode = msgspec.json.Decoder(RecordShape).decode
_encode = msgspec.json.Encoder().encode


def quick(content: bytes) -> RecordShape | None:
    """The record, or None if it is not certain that this is what harbor would have written."""
    try:
        shape = _decode(content)
    except (msgspec.MsgspecError, RecursionError, ValueError):  # invalid UTF-8 is a ValueError
        return None
    text = _encode(shape).translate(None, _SPACE)  # first, so that few copies are there at once
    return shape if content.translate(None, _SPACE) == text else None
