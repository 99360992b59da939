"""A run's report as its page needs it; what older reports lack is taken from the kit's vectors."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.publishing.blocks import Tone
from conformance.publishing.counts import VectorSet, checked
from conformance.report.consistency import Entry, again_fails, fails, listed, tried
from conformance.run.shards import in_shard
from conformance.suite import clauses
from conformance.suite.vectors import select
from conformance.wire.text import shortened

__all__ = ["Run", "counted", "cut", "number", "real_outcome", "tone_of"]

_LONGEST = 2_000
"""Characters of an input or an answer that a page has."""
_TONES = {
    Outcome.PASSED: Tone.GOOD,
    Outcome.UNEXPECTED_PASS: Tone.BAD,
    Outcome.EXPECTED_FAILURE: Tone.KNOWN,
    Outcome.UNSUPPORTED: Tone.WARN,
    Outcome.NOT_RUN: Tone.QUIET,
}


def tone_of(outcome: str) -> Tone:
    """How an outcome is to be taken."""
    return _TONES.get(Outcome(outcome), Tone.BAD)


def real_outcome(one: Entry) -> str:
    """What came out, whatever had been expected; the entry that expects it says so too."""
    outcome = str(one["outcome"])
    if outcome == Outcome.UNEXPECTED_PASS.value:
        return Outcome.PASSED.value
    if outcome == Outcome.EXPECTED_FAILURE.value:
        return str(one.get("real_outcome") or one["expected_by"].rpartition(" ")[2])
    return outcome


def number(count: int) -> str:
    """A count for people."""
    return f"{count:,}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def cut(text: str, most: int = _LONGEST) -> str:
    """The text, or its beginning with its length."""
    return text if len(text) <= most else f"{text[:most]}… (cut, {number(len(text))} characters in all)"


@dataclass(frozen=True)
class Run:
    """A run's report, held to its own results."""

    document: Mapping[str, Any]
    of: VectorSet

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Run":
        """The run of a report that agrees with its schema.

        Raises:
            PublishingError: the report contradicts itself.
        """
        return cls(document, checked(document))

    @property
    def spec(self) -> str:
        """The spec."""
        return str(self.document["spec"])

    @property
    def level(self) -> str:
        """The level that was demanded."""
        return str(self.document["level"])

    @property
    def exit_code(self) -> int:
        """What the run exited with."""
        return int(self.document["exit_code"])

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended it, so that there is no verdict."""
        return self.exit_code > 2

    @property
    def untried(self) -> bool:
        """Whether the runner could not be tried."""
        return self.exit_code == 2

    @property
    def selection(self) -> Mapping[str, Any] | None:
        """What was asked for; None in reports of earlier kits."""
        return self.document.get("selection")

    @property
    def problems(self) -> Sequence[str]:
        """What was wrong with the run as a whole."""
        found: Sequence[str] = self.document["problems"]
        return found

    @cached_property
    def results(self) -> dict[str, Entry]:
        """What became of each vector, by id."""
        return {one["id"]: one for one in self.document["results"]}

    @property
    def properties(self) -> Sequence[Entry]:
        """What became of each property."""
        found: Sequence[Entry] = self.document["properties"]
        return found

    @property
    def again(self) -> Sequence[Entry]:
        """What became of vectors asked again."""
        return tried(self.document)

    @cached_property
    def judged(self) -> list[Entry]:
        """All that was judged: vectors, properties, vectors asked again."""
        return listed(self.document)

    @cached_property
    def totals(self) -> Counter[str]:
        """How often each outcome occurred."""
        return Counter(one["outcome"] for one in self.results.values())

    @cached_property
    def failed(self) -> list[Entry]:
        """The vectors that fail the run by a wrong answer or none: new failures."""
        others = {Outcome.NOT_RUN.value, Outcome.UNEXPECTED_PASS.value}
        return [
            one
            for one in self.results.values()
            if Outcome(one["outcome"]) in UNEXPECTED and one["outcome"] not in others
        ]

    @cached_property
    def demanded(self) -> list[Entry]:
        """The vectors that are unsupported and must not be."""
        return [one for one in self.results.values() if one.get("demanded", False)]

    @cached_property
    def broken(self) -> list[Entry]:
        """The properties that fail the run."""
        return [one for one in self.properties if fails(one)]

    @cached_property
    def again_wrong(self) -> list[Entry]:
        """The vectors that fail the run asked again."""
        return [one for one in self.again if again_fails(one)]

    @property
    def total(self) -> int | None:
        """How many vectors the set has; None where nobody knows."""
        said = self.document.get("vectors")
        if said is not None:
            return int(said["total"])
        return len(self.results) if self.document["complete"] else None

    @property
    def newer(self) -> int:
        """How many more vectors the kit had, that were left out."""
        said = self.document.get("vectors")
        return 0 if said is None else int(said["newer"])

    @property
    def filtered(self) -> int:
        """How many vectors were not selected, as far as is known; other shards' are told apart."""
        return 0 if self.selection is None else int(self.selection["filtered"]) - self.in_other_shards

    @cached_property
    def in_other_shards(self) -> int:
        """How many of them other parts of the run have, where that can be told."""
        selection, shard = self.selection, self.shard
        if selection is None or shard is None or not self.of.of_kit:
            return 0
        selected = select((self.of.known[key] for key in self.of.counting), selection["patterns"])
        others = sum(not in_shard(one.id, (shard["number"], shard["of"])) for one in selected)
        return others if others <= selection["filtered"] else 0

    @property
    def missing(self) -> Mapping[str, Any] | None:
        """The parts of a merged run that were not there."""
        return None if self.selection is None else self.selection.get("missing_shards")

    @property
    def missing_vectors(self) -> int:
        """How many vectors were selected in them."""
        return 0 if self.missing is None else int(self.missing["vectors"])

    @property
    def shard(self) -> Mapping[str, int] | None:
        """Which part of a run this is alone."""
        return None if self.selection is None else self.selection["shard"]

    @property
    def unreached(self) -> int:
        """How many were selected and could have been asked, and there is no result of them."""
        if self.total is None:
            return 0
        elsewhere = self.filtered + self.in_other_shards + self.missing_vectors
        return self.total - elsewhere - len(self.results)

    @property
    def in_part(self) -> bool:
        """Whether it is not of the whole set that its kit had."""
        return not self.document["complete"]

    @property
    def claimed(self) -> list[str]:
        """The classes that are claimed."""
        return [name for name, one in self.document["classes"].items() if one["claimed"]]

    @property
    def runner(self) -> str:
        """Who was tested, in a few words."""
        said = self.document["runner"]
        if said["name"] is None:
            return cut(str(said["command"]), 100)
        return " ".join(cut(str(said[key]), 100) for key in ("name", "version") if said[key])

    @cached_property
    def statements(self) -> dict[str, str]:
        """The statement of each clause, by id: the report's own, and the kit's for others."""
        return {**clauses.statements(self.spec), **self.document.get("clauses", {})}

    def rule(self, one: Entry) -> str:
        """What a vector shows, in a sentence; empty where nobody knows."""
        if "rule" in one:
            return str(one["rule"])
        vector = self.of.known.get(one["id"])
        return vector.rule if vector is not None else ""

    def asked(self, one: Entry) -> str | None:
        """What the runner was asked, as JSON text; None where nobody knows."""
        said, vector = one.get("asked"), self.of.known.get(one["id"])
        if said is not None and "input" in said:
            return _shown(said["input"])
        if vector is not None and "changes" not in one:  # what is cut in the report is not, in the vector
            return _shown(vector.input)
        return None if said is None else _beginning(said)


def answer_text(said: Mapping[str, Any] | None) -> str | None:
    """An answer for people: the value as JSON, an error by its name."""
    if said is None:
        return None
    if "error" in said:
        error = said["error"]
        reason = f" ({error['reason_code']})" if error["reason_code"] else ""
        message = f": {error['message']}" if error.get("message") else ""
        return cut(f"error {error['type']}{reason}{message}")
    return _shown(said["ok"]) if "ok" in said else _beginning(said)


def _beginning(said: Mapping[str, Any]) -> str:
    beginning, characters = said.get("beginning"), said.get("characters")
    if beginning is None:
        return "(nested too deeply, or too large, to be shown)"
    return f"{beginning[:_LONGEST]}… (cut, {characters} characters in all)"


def _shown(value: Any) -> str:
    try:
        return cut(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return "(nested too deeply, or too large, to be shown)"


def sentence(text: str, most: int = 500) -> str:
    """A sentence that may quote a runner, on one line."""
    return shortened(" ".join(text.split()), most)
