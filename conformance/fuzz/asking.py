"""Asks a runner again in a separate process, to confirm a disagreement and to shrink its input."""

import time
from dataclasses import dataclass, field
from typing import Any

from conformance.diagnosis.environments import agreeing_environments
from conformance.diagnosis.giving import MistakeMatcher
from conformance.fuzz.causes import Cause, Disagreement, kind_of
from conformance.fuzz.expected import AGREED, Asked, Reference, parsed, read_reply
from conformance.fuzz.shrinking import OutOfBudgetError, shrink
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS, op_of
from conformance.run.options import RunOptions
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.runner.hello import NoTimeError
from conformance.runner.one_shot import OneShot, Talk
from conformance.wire.messages import BadReplyError, Failed, Hello, Ok, Refused, Reply

__all__ = ["Asking", "disagreement", "open_talk", "request_for"]

_MOST_REQUESTS = 1500
"""The most candidates for one counterexample."""
_MOST_STARTS = 40
"""The most new processes for one counterexample: each candidate that crashes the runner costs one."""


def open_talk(settings: Settings, *, oneshot: bool) -> Talk:
    """A conversation that parses only unexpected replies."""
    return OneShot(settings) if oneshot else Conversation(settings, parse=read_reply)


def request_for(op: str, input_: Any, expected: bytes, hello: Hello) -> Asked:
    """The request for an input, with the reference's reply, for the runner with this hello."""
    tail = OPS[op].tail(input_, numbers_as_strings=hello.numbers_as_strings)
    return Asked(op, op, tail, expected=expected, hello=hello)


def disagreement(
    number: int, op: str, input_: Any, base: str | None, expected: bytes, reply: Reply, level: Level
) -> tuple[Disagreement, str] | None:
    """A disagreement and its kind; None if runner and reference agree.

    Raises:
        BadReplyError: the expected answer holds an int too long for a message.
    """
    if reply.answer is AGREED:
        return None
    mine = parsed(expected)
    free = OPS[op].free_order(input_, mine)
    kind = kind_of(op, mine, reply.answer, free, level)
    if kind is None:
        return None
    return Disagreement(number, op, input_, base, mine, reply.answer, free, reply.stderr, reply.weight), kind


@dataclass(slots=True)
class Asking:
    """A second conversation with the runner, started on first use."""

    options: RunOptions
    settings: Settings
    reference: Reference
    matcher: MistakeMatcher
    hello: Hello | None = None
    cut_short: bool = False
    """Whether time ran out before the last counterexample was fully shrunk."""
    _talk: Talk | None = None
    _until: float = 0.0
    _requests: int = 0
    _starts: int = 0
    _wanted: str = ""
    _mistakes: frozenset[str] = field(default_factory=frozenset)

    def shrunk(self, old: Disagreement, kind: str, cause: Cause, seconds: float) -> Disagreement | None:
        """The disagreement, shrunk in at most ``seconds``; None if it does not repeat."""
        self._until = time.monotonic() + seconds
        self._requests = self._starts = 0
        self.cut_short = False
        if self._talk is not None:
            self._talk.until = self._until
        self._wanted, self._mistakes = kind, cause.mistakes
        smallest: list[Disagreement] = []

        def first_still_failing(candidates: list[Any]) -> int | None:
            for index, same in enumerate(self._ask(old, candidates)):
                if same is not None:
                    smallest[:] = [same]
                    return index
            return None

        try:
            if first_still_failing([old.input]) is None:
                return None
            shrink(old.op, old.input, first_still_failing)
        except OutOfBudgetError:
            self.cut_short = time.monotonic() >= self._until
        return smallest[-1] if smallest else old

    def _ask(self, old: Disagreement, candidates: list[Any]) -> list[Disagreement | None]:
        """For each candidate the disagreement, if it is the same; after the first, some are not asked."""
        disagreements: list[Disagreement | None] = []
        step = 1 if isinstance(old.actual, Failed) else len(candidates)  # each failure may cost a process
        for begin in range(0, len(candidates), step):
            if time.monotonic() > self._until or self._requests >= _MOST_REQUESTS:
                raise OutOfBudgetError
            disagreements += self._batch(old, candidates[begin : begin + step])
            if any(disagreements):
                break
        return disagreements

    def _batch(self, disagreement: Disagreement, candidates: list[Any]) -> list[Disagreement | None]:
        talk = self._open()
        expected = [self.reference.reply(disagreement.op, input_) for input_ in candidates]
        for input_, answer in zip(candidates, expected, strict=True):
            assert self.hello is not None
            talk.submit(request_for(disagreement.op, input_, answer, self.hello))
        disagreements: list[Disagreement | None] = []
        for input_, answer in zip(candidates, expected, strict=True):
            try:
                reply = talk.next_reply()
            except NoTimeError:
                self.close()  # the outstanding replies are of no use to the next counterexample
                raise OutOfBudgetError from None
            self._requests += 1
            if isinstance(reply.answer, Failed) and reply.answer.outcome == "not-run":
                self.close()  # too many failures in a row: the next candidates get a new conversation
                return disagreements
            disagreements.append(self._if_same(disagreement, input_, answer, reply))
        return disagreements

    def _if_same(self, old: Disagreement, input_: Any, expected: bytes, reply: Reply) -> Disagreement | None:
        try:
            judged = disagreement(old.number, old.op, input_, old.base, expected, reply, self.options.level)
        except BadReplyError:
            return None
        if judged is None or judged[1] != self._wanted:
            return None
        new, actual, free = judged[0], judged[0].actual, judged[0].unordered
        compared, level = (new.op, new.input, new.expected), self.options.level
        if isinstance(actual, Ok | Refused) and agreeing_environments(*compared, actual, level, free):
            return None
        question = (op_of(self.options.spec, new.op), new.input, actual, free)
        if self._mistakes and not self.matcher.still_matching(self._mistakes, *question, all_of_them=False):
            return None
        return new

    def _open(self) -> Talk:
        if self._talk is None:
            self._starts += 1
            if self._starts > _MOST_STARTS:
                raise OutOfBudgetError
            self._talk = open_talk(self.settings, oneshot=self.options.oneshot)
            self._talk.until = self._until
            try:
                self._talk.start()
            except (NoTimeError, RunnerStartError):
                self._talk = None
                raise OutOfBudgetError from None
        return self._talk

    def close(self) -> None:
        """Ends the second conversation."""
        if self._talk is not None:
            self._talk.kill()
            self._talk = None
