"""Asks a runner new inputs, in a separate process, after the run."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.diagnosis.experiments import Ask
from conformance.registry.ops import OPS
from conformance.runner.conversation import RunnerStartError
from conformance.runner.hello import NoTimeError
from conformance.runner.one_shot import Talk
from conformance.wire.messages import Failed, Hello, Ok, Refused, Request, encode_tail
from conformance.wire.numbers import meant_at, spell_at

__all__ = ["asking"]


@contextlib.contextmanager
def asking(new_talk: Callable[[], Talk], seconds: float) -> Iterator[Ask]:
    """Asks a runner that ``new_talk`` starts on first use and that ends with the context.

    After ``seconds`` of waiting in total, not counting its start, nothing more is asked.
    """
    asker = _Asker(new_talk, seconds)
    try:
        yield asker
    finally:
        asker.close()


class _Asker:
    def __init__(self, new_talk: Callable[[], Talk], seconds: float) -> None:
        self._new_talk = new_talk
        self._seconds = seconds
        """The remaining seconds."""
        self._talk: Talk | None = None
        self._hello: Hello | None = None

    def __call__(self, op: str, inputs: Sequence[Any]) -> list[Ok | Refused | None]:
        """The runner's answers; None from the first one that failed, or that there was no time for."""
        found: list[Ok | Refused | None] = []
        with contextlib.suppress(NoTimeError, RunnerStartError):
            talk, hello = self._open()
            began = time.monotonic()
            talk.until = began + self._seconds
            try:
                self._ask(talk, op, inputs, hello.numbers_as_strings, found)
            finally:
                self._seconds -= time.monotonic() - began
        return [*found, *[None] * (len(inputs) - len(found))]

    def _ask(
        self, talk: Talk, op: str, inputs: Sequence[Any], as_strings: bool, found: list[Ok | Refused | None]
    ) -> None:
        for given in inputs:
            spelled = spell_at(given, OPS[op].input_numbers, everything=True) if as_strings else given
            talk.submit(Request(op, encode_tail(op, spelled)))
        for _ in inputs:
            answer = talk.next_reply().answer
            if isinstance(answer, Failed):
                self.close()  # the outstanding replies are of no use
                return
            if isinstance(answer, Ok):
                answer = Ok(meant_at(answer.value, OPS[op].ok_numbers, numbers_as_strings=as_strings))
            found.append(answer if isinstance(answer, Ok | Refused) else None)

    def _open(self) -> tuple[Talk, Hello]:
        if self._talk is None or self._hello is None:
            self._talk = talk = self._new_talk()
            self._hello = talk.start()
        return self._talk, self._hello

    def close(self) -> None:
        """Ends the runner."""
        if self._talk is not None:
            self._talk.kill()
            self._talk = None
