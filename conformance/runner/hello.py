"""The first exchange with a runner's process: hello and its reply."""

import math
import time
from collections.abc import Iterable

from conformance.runner.process import LineTooLongError, RunnerProcess, RunnerStartError
from conformance.runner.reply_errors import silent_at_hello, unfinished, unusable
from conformance.runner.settings import Settings
from conformance.wire import messages
from conformance.wire.messages import BadReplyError, Hello

__all__ = ["NoTimeError", "RunnerStartError", "say_hello"]


class NoTimeError(Exception):
    """The caller's time was over before the runner's; the runner is not to blame."""


def say_hello(
    process: RunnerProcess,
    settings: Settings,
    *,
    then_close: bool = False,
    until: float = math.inf,
    meanwhile: Iterable[object] = (),
) -> Hello:
    """Send hello and return the reply, waiting at most until ``until`` by the monotonic clock.

    ``meanwhile`` is work to do in steps while the runner starts, until the reply arrives.

    Raises:
        RunnerStartError: no reply in time, or an invalid one.
        NoTimeError: ``until`` came first.
    """
    allowed = min(settings.hello_seconds, max(0.001, until - time.monotonic()))
    process.send(messages.hello_line(settings.spec))
    if then_close:
        process.close_stdin()
    lines: list[bytes] = []
    try:
        for _ in meanwhile:
            if (lines := process.poll(0)) or process.ended:
                break
        lines = lines or process.poll(allowed)
        if lines:
            hello = messages.parse_hello(lines[0])
            if len(lines) > 1:
                del lines[0]
                raise BadReplyError("more than one line came in reply")
            return hello
        begun = process.unfinished_line()
        if process.ended or process.has_exited():
            sentence = f"the runner {process.how_it_ended()} before it answered hello"
            if begun:
                sentence += f"; it wrote {unfinished(begun)}"
        else:
            sentence = silent_at_hello(allowed, begun, oneshot=then_close)
    except LineTooLongError:
        sentence = "the runner's answer to hello is longer than 1 MiB"
    except BadReplyError as bad:
        sentence = unusable(bad, lines[0], hello=True)
    if time.monotonic() >= until:
        raise NoTimeError
    raise RunnerStartError(sentence, process.stderr_tail())
