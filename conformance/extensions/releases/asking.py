"""The questions for two releases (vectors, played jobs, random inputs), and asking a release."""

import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.fuzz.inputs import Inputs
from conformance.oracle.commands import resolve_command
from conformance.registry.op import Op
from conformance.registry.ops import OPS
from conformance.runner.conversation import PIPELINE, Conversation, RunnerStartError, Settings
from conformance.suite.vectors import Vector
from conformance.wire import messages
from conformance.wire.messages import Answer, Failed, Hello, Ok, Request
from conformance.wire.numbers import meant_at, spell_at

__all__ = ["NOT_ASKED", "SECONDS", "Asked", "Question", "Side", "ask_both", "questions", "side_of"]

CHANGED = 0.5
"""The share of random inputs derived from vectors, so that generated inputs and near misses of vectors are
equally frequent."""
SECONDS = 30.0
"""The default time-out for a reply: longer than a run's, since it may play a job."""
NOT_ASKED = "not-asked"
"""The outcome of a question that was skipped because the side failed too often."""
_MOST_FAILURES = 8
"""The number of failures of one op after which a side is not asked it any more."""
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+|newest")


@dataclass(frozen=True, slots=True)
class Question:
    """One question for both sides."""

    number: int
    """Its position in the stream, from 1."""
    name: str
    """The runners' name of the operation."""
    op: Op
    """The op that defines how answers are compared."""
    input: Any
    vector: Vector | None = None
    """The vector with this question; None for a random input."""
    base: Vector | None = None
    """The vector that it derives from; None for a generated input."""

    @property
    def played(self) -> bool:
        """Whether it is a played job."""
        return self.op.package_only

    @property
    def kind(self) -> str:
        """``vectors``, ``played`` or ``random``."""
        return "random" if self.vector is None else "played" if self.played else "vectors"

    @property
    def clause(self) -> str:
        """The clause that a difference most likely concerns."""
        near = self.vector or self.base
        return near.clause if near else self.op.fallback_clause

    def request(self, given: Any, *, numbers_as_strings: bool) -> Request:
        """The request for ``given``: its input, or a smaller one."""
        key = str(self.number)
        if self.vector is not None and given is self.input:
            return replace(self.vector.request(numbers_as_strings=numbers_as_strings), key=key)
        if numbers_as_strings and self.op.input_numbers:
            given = spell_at(given, self.op.input_numbers, everything=True)
        return Request(key, messages.encode_tail(self.name, given))


Asked = tuple[Question, Any]
"""A question with the input to ask."""


def questions(
    vectors: Sequence[Vector], seed: int, inputs: int, ops: frozenset[str] | None = None
) -> Iterator[Question]:
    """The stream of questions, which depends only on the arguments.

    ``ops`` are the ops to ask, or None for all ops of the vectors; equal vectors of different specs are one
    question.
    """
    number = itertools.count(1)
    asked: set[tuple[str, str]] = set()
    by_id: dict[str, Vector] = {}
    for vector in vectors:
        key = (vector.op.name, json.dumps(vector.input))
        if key not in asked and (ops is None or vector.op.name in ops):
            asked.add(key)
            by_id[vector.id] = vector
            yield Question(next(number), vector.op.name, vector.op, vector.input, vector)
    drawable = sorted({vector.op.name for vector in by_id.values() if not vector.op.package_only})
    if not drawable:
        return
    bases = list(by_id.values())
    for drawn in itertools.islice(Inputs(seed, drawable, bases, changed=CHANGED), inputs):
        base = by_id[drawn.base] if drawn.base else None
        yield Question(next(number), drawn.op, OPS[drawn.op], drawn.input, None, base)


@dataclass(slots=True)
class Side:
    """One of the two releases. Its failures to answer are findings and do not affect other questions."""

    subject: str
    """The user's name for it."""
    settings: Settings
    hello: Hello | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    """Ops that it is no longer asked, with reasons."""
    dead: str | None = None
    """Why it is no longer asked anything, in a sentence."""
    failures: Counter[str] = field(default_factory=Counter)
    """The number of questions without an answer, by op."""
    _talk: Conversation | None = None
    _asked: Sequence[Asked] = ()

    def start(self) -> None:
        """Starts the runner and says hello.

        Raises:
            RunnerStartError: it can't be tried.
        """
        self._talk = Conversation(self.settings)
        try:
            self.hello = self._talk.start()
        except RunnerStartError as error:
            raise RunnerStartError(f"{self.subject}: {error}", error.stderr) from None

    def submit(self, asked: Sequence[Asked]) -> None:
        """Sends questions; call ``answers`` next."""
        self._asked = asked
        self._send(asked)

    def _send(self, asked: Sequence[Asked]) -> None:
        for question, given in asked:
            if self._talk is not None and self.hello is not None and question.name not in self.given_up:
                as_strings = self.hello.numbers_as_strings
                self._talk.submit(question.request(given, numbers_as_strings=as_strings))

    def answers(self) -> Iterator[Answer]:
        """The answers to the submitted questions, in order."""
        for position, (question, _) in enumerate(self._asked):
            if self._talk is not None and question.name not in self.given_up:
                answer = self._talk.next_reply().answer
                if not isinstance(answer, Failed):
                    yield self._meant(question, answer)
                    continue
                if answer.outcome != "not-run":
                    self.failures[question.name] += 1
                    if self.failures[question.name] >= _MOST_FAILURES:
                        times = f"it failed to answer {self.failures[question.name]} times"
                        self._give_up(question.name, times, self._asked[position + 1 :])
                    yield answer
                    continue
                stopped = answer.sentence.removeprefix("not run: ")
                self._give_up(question.name, stopped, self._asked[position:])
            why = self.given_up.get(question.name) or self.dead or "it was not asked"
            yield Failed(NOT_ASKED, why)

    def _meant(self, question: Question, answer: Answer) -> Answer:
        if not isinstance(answer, Ok) or self.hello is None:
            return answer
        as_strings = self.hello.numbers_as_strings
        value = meant_at(answer.value, question.op.ok_numbers, numbers_as_strings=as_strings)
        return Ok(value, question.op.omitted_member(value, self.hello.ops))

    def _give_up(self, op: str, why: str, rest: Sequence[Asked]) -> None:
        """Stops asking an op, and asks the remaining questions in a new process."""
        self.given_up[op] = why
        self.stop()
        self._talk = Conversation(self.settings)
        try:
            self._talk.start()
        except RunnerStartError as error:
            self._talk, self.dead = None, f"it can't be started again: {error}"
        self._send(rest)

    def stop(self) -> None:
        """Kills the runner."""
        if self._talk is not None:
            self._talk.kill()
            self._talk = None


def ask_both(sides: tuple[Side, Side], asked: Sequence[Asked]) -> list[tuple[Answer, Answer]]:
    """The answers of both sides to some questions."""
    for side in sides:
        side.submit(asked)
    return list(zip(sides[0].answers(), sides[1].answers(), strict=True))


def side_of(text: str, spec: str, progress: Callable[[str], None], timeout: float = SECONDS) -> Side:
    """The side that a user names: a release by its number, a fork, or a runner command.

    Raises:
        CommandError: the text is not a valid command.
        OracleError: the release, or the fork's environment, is not available.
    """
    # Both must use the same hash seed, since the order of sets would otherwise differ by chance.
    os.environ.setdefault("PYTHONHASHSEED", "0")
    subject = text.strip()
    command = f"harbor:{subject}" if _RELEASE.fullmatch(subject) else subject
    return Side(subject, Settings(resolve_command(command, progress, spec), spec, timeout, PIPELINE))
