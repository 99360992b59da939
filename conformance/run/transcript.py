"""Records a runner's answers as JSON lines, from which verdicts can be computed anywhere.

Records are sent from an xdist worker to its controller, and from the shards of a run to their merge. There a
``Replay`` answers in place of the runner, and everything else works as in other runs.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict, considered
from conformance.run.dispatcher import Dispatcher
from conformance.runner.allowance import weight_of
from conformance.suite.vectors import Vector
from conformance.wire.messages import Failed, Hello, Ok, Refused, Reply, Unsupported
from conformance.wire.writing import nested_deeper

__all__ = ["Replay", "heard"]

_DEEPEST = 100
"""A depth of nesting that JSON readers of all languages accept."""
_BEGINNING = 2_000
"""How many characters of an answer that is not stored are recorded."""


def heard(reply: Reply, verdict: Verdict) -> dict[str, Any]:
    """Return a reply and its verdict in the form of the schema ``transcript``."""
    line: dict[str, Any] = {"id": verdict.vector.id, "seconds": round(reply.seconds, 6)}
    right = verdict.outcome in (Outcome.PASSED, Outcome.UNEXPECTED_PASS)
    if right and verdict.level is Level.BYTES and not (verdict.vector.variants or verdict.each):
        # it equals the vector's in every environment
        left_out = verdict.answer.left_out if isinstance(verdict.answer, Ok) else ""
        return line | {"as_expected": left_out or True}
    if verdict.outcome is Outcome.FLAKY:
        line["flaky"] = verdict.sentence
    members: dict[str, Any]
    match reply.answer:
        case Ok(value):
            members = {"ok": value}
        case Refused():
            members = {"error": asdict(reply.answer)}
        case Unsupported(reason):
            return line | {"unsupported": reason}
        case Failed(outcome, sentence):
            return line | {"failed": outcome, "why": sentence, "stderr": reply.stderr}
    text = _text(members)
    if verdict.kept and text is not None:
        return line | members
    beginning = {"beginning": text and text[:_BEGINNING], "characters": text and len(text)}
    level = None if verdict.level is None else str(verdict.level)
    outcome = str(verdict.actual or verdict.outcome)
    return line | {"not_kept": beginning, "outcome": outcome, "level": level, "why": verdict.sentence}


def _text(members: Any) -> str | None:
    """Return the value as JSON; None if some readers can't read it."""
    if nested_deeper(members, _DEEPEST):
        return None
    try:
        return json.dumps(members, allow_nan=False)
    except ValueError:  # more digits than a number may have
        return None


@dataclass(slots=True)
class Replay(Dispatcher):
    """Answers from transcripts instead of a runner."""

    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The records by vector id, including rephrased vectors."""

    def start(self, meanwhile: Iterable[object] = ()) -> Hello:
        """The runner's recorded hello."""
        assert self.hello is not None
        return self.hello

    def prefetch(self, vectors: Iterable[Vector]) -> None:
        """Does nothing: all answers are available."""

    def verdict(self, vector: Vector) -> Verdict:
        """The verdict on one vector."""
        return self.judged(vector, self.lines[vector.id])

    def judged(self, vector: Vector, line: Mapping[str, Any]) -> Verdict:
        """Return the verdict on a vector, from its record."""
        if "as_expected" in line:
            left_out = line["as_expected"] if isinstance(line["as_expected"], str) else ""
            verdict = Verdict(vector, Outcome.PASSED, Level.BYTES, line["seconds"], answer=Ok({}, left_out))
            return considered(verdict, self.known, self.options.classes)
        if "not_kept" in line:
            self.keeping.left_out += 1
            level = None if line["level"] is None else Level[line["level"].upper()]
            verdict = Verdict(
                *(vector, Outcome(line["outcome"]), level, line["seconds"], line["why"]),
                answer=Ok(dict(line["not_kept"])),
                kept=False,
            )
            verdict = considered(verdict, self.known, self.options.classes)
        else:
            verdict = self.judge(vector, _reply(vector.id, line))
        if "flaky" not in line:
            return verdict
        return replace(
            verdict, outcome=Outcome.FLAKY, actual=verdict.outcome, sentence=line["flaky"], each={}
        )


def _reply(key: str, line: Mapping[str, Any]) -> Reply:
    answer: Ok | Refused | Unsupported | Failed
    weight = 0
    if "ok" in line:
        answer, weight = Ok(line["ok"]), weight_of(json.dumps(line["ok"]).encode())
    elif "error" in line:
        answer, weight = Refused(**line["error"]), weight_of(json.dumps(line["error"]).encode())
    elif "unsupported" in line:
        answer = Unsupported(line["unsupported"])
    else:
        answer = Failed(line["failed"], line["why"])
    return Reply(key, answer, line["seconds"], line.get("stderr", ""), weight=weight)
