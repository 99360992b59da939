"""A part of a run as its report tells it: the records that its results were made of."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any

from conformance.diagnosis.evidence import answer_from_text
from conformance.publishing.reading import Document, PublishingError
from conformance.report.environments import KINDS, Held
from conformance.report.records import AgainRecord, PropertyRecord, Record
from conformance.wire.messages import Hello, Ok, Refused
from conformance.wire.text import printable, shortened

__all__ = ["Part", "were"]

_INTERRUPTED = frozenset({129, 130, 143})


class Part:
    """One part."""

    def __init__(self, document: Document) -> None:
        content = document.content
        shard = content.get("selection", {}).get("shard")
        if shard is None:
            raise PublishingError(
                f"{document.name} is no part of a run: it was made without --shard (`selection.shard`)"
            )
        self.name, self.content = document.name, content
        self.number: int = shard["number"]
        self.of: int = shard["of"]
        if self.number > self.of:
            raise PublishingError(
                f"{self.name} contradicts itself: `selection.shard` is {self.number} of {self.of}"
            )

    @property
    def told(self) -> str:
        """It for people."""
        return f"shard {self.number}/{self.of}"

    @property
    def chosen(self) -> int:
        """How many vectors were selected in it."""
        return int(self.content["vectors"]["total"] - self.content["selection"]["filtered"])

    @property
    def hello(self) -> Hello | None:
        """What the runner said of itself; None where it could not be tried."""
        runner = self.content["runner"]
        if runner["name"] is None or runner["version"] is None:
            return None
        return Hello(
            runner["name"], runner["version"], frozenset(runner["ops"]), runner["numbers"] == "string"
        )

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended it."""
        return self.content["exit_code"] in _INTERRUPTED

    @property
    def lacking(self) -> int:
        """How many of its vectors it did not come to."""
        return max(0, self.chosen - len(self.content["results"]))

    @property
    def rest(self) -> Mapping[str, Any]:
        """What it says for the merge alone."""
        said: Mapping[str, Any] = self.content["for_merging"]
        return said

    @property
    def again_seed(self) -> int | None:
        """What decided what was asked again; None where nothing was."""
        told = self.content.get("asked_again")
        return None if told is None else told["seed"]

    def problems(self, *, alone: bool) -> list[str]:
        """What was wrong with it; where it did not come to its end that is said as well, unless ``alone``."""
        said: list[str] = list(self.content["problems"])
        if alone or not self.lacking:
            return [f"{self.told}: {one}" for one in said] if self.interrupted else said
        why = "was interrupted" if self.interrupted else "ended early"
        if self.hello is None:
            why = "could not be tried"
        return [*said, f"{self.told} {why}: {were(self.lacking, 'vector', 'vectors')} not asked"]

    def text(self, value: Any) -> str | None:
        """An answer as the text that records have.

        Raises:
            PublishingError: it is none that JSON can hold.
        """
        if value is None:
            return None
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            raise PublishingError(f"{self.name} is not JSON that can be read") from None

    @cached_property
    def records(self) -> dict[str, Record]:
        """What became of its vectors, by id."""
        left_out = self.rest["left_out"]
        every = [
            Record(
                *(one["id"], one["outcome"], one["level"], one["seconds"], one["detail"]),
                *(one["expected_by"], one["real_outcome"], one.get("demanded", False)),
                self.text(one["actual"]),
                left_out.get(one["id"]),
            )
            for one in self.content["results"]
        ]
        return self._by_id("results", every)

    @cached_property
    def properties(self) -> dict[str, PropertyRecord]:
        """What became of its properties, by id."""
        every = [
            PropertyRecord(
                *(one["id"], one["op"], one["class"], one["clause"], one["outcome"], one["examples"]),
                *(one["seed"], one["seconds"], one["detail"], one["expected_by"], one["real_outcome"]),
                *(one.get("demanded", False), one["counterexamples"]),
                self.text(one["asked"]),
                self.text(one["expected"]),
                self.text(one["actual"]),
            )
            for one in self.content["properties"]
        ]
        return self._by_id("properties", every)

    @cached_property
    def again(self) -> dict[str, AgainRecord]:
        """What became of what it asked again, by the vectors' ids."""
        told = self.content.get("asked_again") or {"results": []}
        every = [
            AgainRecord(
                *(one["id"], one["op"], one["class"], one["outcome"], 0.0, one["changes"], one["detail"]),
                *(one["expected_by"], one.get("demanded", False)),
                *(self.text(one[name]) for name in ("asked", "expected", "actual")),
            )
            for one in told["results"]
        ]
        return self._by_id("asked_again.results", every)

    @cached_property
    def answers(self) -> dict[str, Ok | Refused | None]:
        """The answers that its results don't tell in whole, by the vectors' ids.

        Raises:
            PublishingError: one is no answer, or to no vector of this part.
        """
        found = {}
        for key, text in self.rest["answers"].items():
            try:
                if key not in self.records or not _is_answer(json.loads(text)):
                    raise ValueError
            except (ValueError, RecursionError):
                raise PublishingError(f"{self.name}: `for_merging.answers.{key}` is no answer") from None
            found[key] = answer_from_text(text)
        return found

    @cached_property
    def held(self) -> dict[str, dict[str, Held]]:
        """What became of answers in each environment.

        Raises:
            PublishingError: a record has not the members of its kind.
        """
        found: dict[str, dict[str, Held]] = {}
        for key, told in self.rest["environments"].items():
            kind = KINDS[told["kind"]]
            names = {one.name for one in fields(kind)}
            for record in told["each"].values():
                if set(record) != names:
                    raise PublishingError(
                        f"{self.name}: `for_merging.environments` has {printable(shortened(key, 200))} "
                        "with members that are not of its kind"
                    )
                for name in ("asked", "expected", "actual"):
                    self._readable(record.get(name))
            found[key] = {name: kind(**record) for name, record in told["each"].items()}
        return found

    def _readable(self, text: str | None) -> None:
        try:
            self.text(json.loads(text or "null"))
        except (ValueError, RecursionError):
            raise PublishingError(f"{self.name} has an answer that is not JSON") from None

    def _by_id(self, member: str, every: Sequence[Any]) -> dict[str, Any]:
        found = {one.id: one for one in every}
        if len(found) < len(every):
            seen: set[str] = set()
            twice = next(one.id for one in every if one.id in seen or seen.add(one.id))  # type: ignore[func-returns-value]
            raise PublishingError(f"{self.name}: `{member}` has {twice} more than once")
        return found


def _is_answer(said: Any) -> bool:
    """Whether it is what ``answer_text`` makes."""
    if not isinstance(said, list) or not 2 <= len(said) <= 3 or not isinstance(said[0], bool):
        return False
    accepted, content, *left_out = said
    if accepted:
        return isinstance(content, dict) and all(isinstance(one, str) for one in left_out)
    return (
        isinstance(content, list)
        and len(content) == 2
        and isinstance(content[0], str)
        and isinstance(content[1], str | None)
        and not left_out
    )


def were(count: int, one: str, several: str) -> str:
    """How many there were, for people."""
    return f"1 {one} was" if count == 1 else f"{count} {several} were"
