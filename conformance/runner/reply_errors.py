"""Error messages for missing or invalid replies, with advice for the runner's author."""

import json
import re
from collections.abc import Sequence

from conformance.option_names import option
from conformance.runner.advice import build_advice, flush_advice
from conformance.runner.guesses import guess, shown
from conformance.wire.messages import BadReplyError

__all__ = ["silent_at_hello", "too_late", "too_long", "unfinished", "unusable", "unusable_hello"]

_ID = re.compile(rb'(\s*\{\s*"id"\s*:\s*)[0-9]+')


def too_long(limit: int) -> str:
    """The message for a reply longer than the limit, in bytes."""
    return f"the runner's reply is longer than {limit >> 20} MiB"


def too_late(seconds: float, command: Sequence[str], begun: bytes = b"") -> str:
    """The message for a reply that did not come in time, or only its beginning, ``begun``."""
    if begun:
        came = f"no whole reply within {seconds:g} s, only {unfinished(begun)}."
    else:
        came = f"no reply within {seconds:g} s: {_first_things(command)}"
    return f"{came} If it only needs longer, {option('runner-timeout')} raises that limit"


def silent_at_hello(
    seconds: float, command: Sequence[str], begun: bytes = b"", *, oneshot: bool = False
) -> str:
    """The message for a running process that did not answer hello."""
    if begun:
        build = build_advice(command)
        came = f"the runner gave no whole answer to hello within {seconds:g} s, only {unfinished(begun)}"
        came += f"; {build}." if build else "."
    else:
        came = f"the runner runs, but did not answer hello within {seconds:g} s: {_first_things(command)}"
        if not oneshot:
            came += " A runner that reads to the end of its input before it answers needs "
            came += f"{option('oneshot')}."
    return (
        f"{came} If it only needs longer to start: it is given three times the seconds of "
        f"{option('runner-timeout')}"
    )


def _first_things(command: Sequence[str]) -> str:
    """The most common causes of silence."""
    build = build_advice(command)
    return flush_advice(command) + (f" And {build}." if build else "")


def unfinished(begun: bytes) -> str:
    """The problem of a line without line feed."""
    try:
        json.loads(begun)
    except (ValueError, RecursionError):
        return f"{shown(_anywhere(begun))} without a line feed: end each reply with one, and flush"
    return f"{shown(_anywhere(begun))}, which lacks only its line feed: end each reply with one"


def unusable(bad: BadReplyError, line: bytes) -> str:
    """The message for an invalid reply line, with its start and a guess."""
    probably = guess(line)
    problem = str(bad)
    return _with_guess(
        f"the runner's reply can't be used: {problem}",
        line if problem.startswith("its id") else _anywhere(line),
        probably,
    )


def _anywhere(line: bytes) -> bytes:
    """A line without its leading id, so that messages do not depend on the position in a run."""
    return _ID.sub("\\1…".encode(), line, count=1) if _ID.match(line) else line


def unusable_hello(bad: BadReplyError, lines: Sequence[bytes], command: Sequence[str]) -> str:
    """The message for an invalid answer to hello: shows the first invalid line."""
    line, further = lines[0], lines[1:]
    message = f"the runner's answer to hello can't be used: {bad}"
    probably = guess(line, further)
    build = build_advice(command)
    if build and not line.lstrip().startswith(b"{"):
        probably = build
    return _with_guess(message, line, probably)


def _with_guess(message: str, line: bytes, probably: str) -> str:
    return f"{message}: {shown(line)}" + (f" ({probably})" if probably else "")
