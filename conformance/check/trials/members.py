"""Which releases wrote a trial's record, told by its members."""

import functools
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from conformance.check.generations import RECORD_GENERATIONS, RecordGeneration, record_generation
from conformance.check.reading.json_files import pointer

__all__ = ["exact", "is_later_config", "settled", "told", "without_strangers"]

_OPTIONAL = ("model_usage", "output_logprobs", "rollout_details")
"""Members of an agent's report that only some releases write."""
_REPORT = frozenset(name for one in RECORD_GENERATIONS for name in one.agent_result)
_STEP = ("step_name", "agent_result", "verifier_result", "exception_info", "agent_execution", "verifier")
_TIMING = dict.fromkeys(("started_at", "finished_at"))
_PARTS: dict[str, Any] = {
    "agent_result": dict.fromkeys(_REPORT),
    "verifier_result": {"rewards": None},
    "exception_info": dict.fromkeys(
        ("exception_type", "exception_message", "exception_traceback", "occurred_at")
    ),
    "agent_execution": _TIMING,
    "verifier": _TIMING,
}
_MEMBERS: dict[str, Any] = {
    **dict.fromkeys(name for one in RECORD_GENERATIONS for name in one.record),
    **_PARTS,
    "agent_info": {"name": None, "version": None, "model_info": dict.fromkeys(("name", "provider"))},
    "environment_setup": _TIMING,
    "agent_setup": _TIMING,
    "step_results": [dict.fromkeys(_STEP) | _PARTS],
}
"""Every member that some harbor writes; None where what is in it is not looked at here."""
_LATER_CONFIG = (
    ("agent", "skills"),
    ("environment", "cpu_enforcement_policy"),
    ("environment", "extra_docker_compose"),
)
"""Members of a trial's configuration that came after records had `step_results`."""


@functools.cache
def exact(mode: bool, steps: bool, report: tuple[bool, bool, bool] | None) -> RecordGeneration | None:
    """The releases whose records have exactly these of the members that not all have.

    `mode` and `steps` are `verifier_environment_mode` and `step_results`; `report` those of the
    agent's report, None if there is none.
    """
    for one in reversed(RECORD_GENERATIONS):
        due = tuple(name in one.agent_result for name in _OPTIONAL)
        has = ("verifier_environment_mode" in one.record, "step_results" in one.record)
        if has == (mode, steps) and report in (None, due):
            return one
    return None


def is_later_config(config: Any) -> bool:
    """Whether a configuration has what only releases write whose records have `step_results`."""
    if not isinstance(config, dict):
        return False
    parts = ((config.get(part), name) for part, name in _LATER_CONFIG)
    return any(isinstance(part, dict) and name in part for part, name in parts)


def told(value: dict[str, Any]) -> RecordGeneration:
    """The generation that a record in any state is nearest to."""
    report: Collection[str] = ()
    steps = value.get("step_results")
    for part in (value, *(steps if isinstance(steps, list) else ())):
        said = part.get("agent_result") if isinstance(part, dict) else None
        if isinstance(said, dict):
            report = said.keys() & _REPORT
            break
    members = value.keys() & _MEMBERS.keys()
    if "step_results" not in members and is_later_config(value.get("config")):
        members = members | {"step_results"}
    return record_generation(members, report)


def settled(counts: Counter[tuple[str, bool]]) -> Counter[str]:
    """The records of a job by generation: one that may be of several is of one that others are of.

    `counts` has the generation's first release and whether an older one's record would look the same,
    which is so where no agent reported anything.
    """
    made: Counter[str] = Counter()
    by_first = {one.first: one for one in RECORD_GENERATIONS}
    sure = {first for first, unsure in counts if not unsure}
    for (first, unsure), count in counts.items():
        due = by_first[first]
        if unsure and first not in sure:
            alike = [one for one in RECORD_GENERATIONS if one.first in sure and one.record == due.record]
            due = alike[-1] if alike else due
        made[due.name] += count
    return made


def without_strangers(value: Any) -> tuple[Any, list[str]]:
    """The record without the members that no harbor writes, and where they are."""
    places = list(_strangers(value, _MEMBERS, ()))
    return (value if not places else _cleaned(value, _MEMBERS)), places


def _strangers(value: Any, members: Any, path: tuple[str | int, ...]) -> Iterator[str]:
    if isinstance(members, dict) and isinstance(value, dict):
        for key, member in value.items():
            if key not in members:
                yield pointer(*path, key)
            elif members[key] is not None:
                yield from _strangers(member, members[key], (*path, key))
    elif isinstance(members, list) and isinstance(value, list):
        for item in value:
            yield from _strangers(item, members[0], (*path, "*"))


def _cleaned(value: Any, members: Any) -> Any:
    if isinstance(members, dict) and isinstance(value, dict):
        return {key: _cleaned(member, members[key]) for key, member in value.items() if key in members}
    if isinstance(members, list) and isinstance(value, list):
        return [_cleaned(item, members[0]) for item in value]
    return value
