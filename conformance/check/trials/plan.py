"""The plan of a job, from its lock: which task with which agent, in which order."""

from typing import Any

import msgspec

from conformance.check.reading.json_files import too_large
from conformance.check.reading.limits import DEEPEST
from conformance.check.reading.weight import weigh
from conformance.check.trials.known_texts import Configuration

__all__ = ["Configurations", "Key", "planned"]


class _Task(msgspec.Struct):
    name: str
    path: str | None = None
    git_url: str | None = None
    source: str | None = None


class _Trial(msgspec.Struct):
    task: _Task
    agent: dict[str, Any]


class _Lock(msgspec.Struct):
    trials: list[_Trial]


_decode = msgspec.json.Decoder(_Lock).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


Key = tuple[Any, Any, Any, Any, bytes]
"""What tells tasks and agents apart: path, repository, source, name, and the agent as JSON."""


class Configurations:
    """Numbers the distinct tasks and agents of a job, as records and the lock name them."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._agent: tuple[dict[str, Any], bytes] = ({}, b"")

    def of_record(self, config: Configuration | None, path: str | None) -> int:
        """The number of a trial's task and agent, -1 if it is not told; `path` is that of the task."""
        if config is None:
            return -1
        number = config.numbers.get(path)
        if number is None:
            number = config.numbers[path] = self._of_content(config, path)
        return number

    def _of_content(self, config: Configuration, path: str | None) -> int:
        task, agent = config.content.get("task"), config.content.get("agent")
        if not isinstance(task, dict) or not isinstance(agent, dict):
            return -1
        said = [task.get(name) for name in ("path", "git_url", "source", "name")]
        if path is not None and config.path is not None:
            said = [path if value == config.path else value for value in said]
        place, repository, source, name = said
        try:
            return self.number((place, repository, source, None if place else name, self._said(agent)))
        except TypeError:  # a list or an object where a name is due
            return -1

    def of_lock(self, trial: _Trial) -> int:
        """The number of a planned trial's."""
        task = trial.task
        name = None if task.path else task.name
        return self.number((task.path, task.git_url, task.source, name, self._said(trial.agent)))

    def number(self, key: Key) -> int:
        """The number of a task and agent."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
        return number

    def key(self, number: int) -> Key:
        """The task and agent of that number."""
        return self._keys[number]

    def _said(self, agent: dict[str, Any]) -> bytes:
        known, said = self._agent
        if agent != known or not said:  # the same agent mostly comes again
            said = _encode({key: value for key, value in agent.items() if value is not None})
            self._agent = (agent, said)
        return said


def planned(content: bytes, configurations: Configurations, room: int) -> list[int] | None:
    """The configurations of the planned trials in order, None if the lock does not say.

    Raises:
        TooLargeError: it would take more than `room` bytes of memory.
    """
    weight = weigh(content, room)
    if weight.depth > DEEPEST:
        return None
    if weight.decoded > room:
        raise too_large(weight, weight.decoded, room)
    try:
        lock = _decode(content)
        return [configurations.of_lock(trial) for trial in lock.trials]
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError):
        return None
