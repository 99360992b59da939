"""The two that are asked. What one of them fails to answer is a finding, and costs nothing of the rest."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.releases.questions import Question, request_for
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.wire.messages import Answer, Failed, Hello, Ok
from conformance.wire.numbers import meant_at

__all__ = ["NOT_ASKED", "Side"]

NOT_ASKED = "not-asked"
"""The outcome of a question that a side was not asked, as it failed too often before."""
_MOST_FAILURES = 8
"""Crashes, time-outs and broken replies to one op after which a side is not asked it any more."""


@dataclass(slots=True)
class Side:
    """One of the two releases: questions in, answers out, in order."""

    subject: str
    """What the user called it."""
    settings: Settings
    hello: Hello | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    """Ops that it is not asked any more, each with why."""
    dead: str | None = None
    """Why it is asked nothing at all any more, a sentence."""
    failures: Counter[str] = field(default_factory=Counter)
    """How often it gave no answer, by op."""
    _talk: Conversation | None = None
    _waiting: deque[tuple[Question, Any, bool]] = field(default_factory=deque)
    """What is to be answered, with the input that is asked; whether that was sent."""

    def start(self) -> Hello:
        """Starts the runner and says hello.

        Raises:
            RunnerStartError: it can't be tried.
        """
        self._talk = Conversation(self.settings)
        try:
            self.hello = self._talk.start()
        except RunnerStartError as error:
            raise RunnerStartError(f"{self.subject}: {error}", error.stderr) from None
        return self.hello

    def submit(self, question: Question, given: Any) -> None:
        """Queues a question; ``given`` is its input, or another in its place."""
        sent = self._send(question, given)
        self._waiting.append((question, given, sent))

    def _send(self, question: Question, given: Any) -> bool:
        if self._talk is None or self.hello is None or question.name in self.given_up:
            return False
        as_strings = self.hello.numbers_as_strings
        self._talk.submit(request_for(question, given, numbers_as_strings=as_strings))
        return True

    def next_answer(self) -> Answer:
        """The answer to the oldest question that has none yet."""
        question, _, sent = self._waiting[0]
        answer: Answer
        if not sent:
            why = self.given_up.get(question.name) or self.dead or "it was not asked"
            answer = Failed(NOT_ASKED, why)
        else:
            assert self._talk is not None
            answer = self._talk.next_reply().answer
            if isinstance(answer, Ok) and self.hello is not None and question.name == question.op.name:
                spelled = self.hello.numbers_as_strings
                value = meant_at(answer.value, question.op.ok_numbers, numbers_as_strings=spelled)
                answer = Ok(value, question.op.may_leave_out(value, self.hello.ops))
            if isinstance(answer, Failed):
                if answer.outcome == "not-run":
                    self._give_up(question.name, answer.sentence.removeprefix("not run: "))
                    return self.next_answer()
                self.failures[question.name] += 1
        self._waiting.popleft()
        if isinstance(answer, Failed) and self.failures[question.name] >= _MOST_FAILURES and sent:
            self._give_up(question.name, f"it failed to answer {self.failures[question.name]} times")
        return answer

    def _give_up(self, op: str, why: str) -> None:
        """Asks an op no more, and all that still waits of another process."""
        self.given_up[op] = why
        self.stop()
        self._talk = Conversation(self.settings)
        try:
            self._talk.start()
        except RunnerStartError as error:
            self._talk, self.dead = None, f"it can't be started again: {error}"
        self._waiting = deque((one, given, self._send(one, given)) for one, given, _ in self._waiting)

    def forget(self) -> None:
        """Drops whatever is still unanswered; what is asked next gets a process of its own."""
        if self._waiting:
            self._waiting.clear()
            self.stop()

    def ready(self) -> bool:
        """Starts it again where nothing runs; whether it can be asked."""
        if self._talk is None and self.dead is None:
            self._talk = Conversation(self.settings)
            try:
                self._talk.start()
            except RunnerStartError as error:
                self._talk, self.dead = None, f"it can't be started again: {error}"
        return self._talk is not None

    def stop(self) -> None:
        """Ends the runner at once."""
        if self._talk is not None:
            self._talk.kill()
            self._talk = None
