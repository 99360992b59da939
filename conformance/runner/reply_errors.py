"""The sentences on a runner that gave no reply which can be used, and what its author should try first."""

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
    """The sentence on a reply beyond the limit, which is given in bytes."""
    return f"the runner's reply is longer than {limit >> 20} MiB"


def too_late(seconds: float, command: Sequence[str], begun: bytes = b"") -> str:
    """The sentence on a reply that did not come in time, or of which only ``begun`` came."""
    if begun:
        came = f"no whole reply within {seconds:g} s, only {unfinished(begun)}."
    else:
        came = f"no reply within {seconds:g} s: {_first_things(command)}"
    return f"{came} If it only needs longer, {option('runner-timeout')} raises that limit"


def silent_at_hello(
    seconds: float, command: Sequence[str], begun: bytes = b"", *, oneshot: bool = False
) -> str:
    """The sentence on a process that runs, but did not answer hello."""
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
    """What silence mostly comes from."""
    build = build_advice(command)
    return flush_advice(command) + (f" And {build}." if build else "")


def unfinished(begun: bytes) -> str:
    """What is wrong with a line that has no end."""
    try:
        json.loads(begun)
    except (ValueError, RecursionError):
        return f"{shown(_anywhere(begun))} without a line feed: end each reply with one, and flush"
    return f"{shown(_anywhere(begun))}, which is whole but for its line feed: end each reply with one"


def unusable(bad: BadReplyError, line: bytes) -> str:
    """The sentence on a line that is no reply, with its beginning and what it probably is."""
    probably = guess(line)
    said = str(bad)
    return _with_guess(
        f"the runner's reply can't be used: {said}",
        line if said.startswith("its id") else _anywhere(line),
        probably,
    )


def _anywhere(line: bytes) -> bytes:
    """A line without the id at its head: what is told of it is the same wherever in a run it came."""
    return _ID.sub("\\1…".encode(), line, count=1) if _ID.match(line) else line


def unusable_hello(bad: BadReplyError, lines: Sequence[bytes], command: Sequence[str]) -> str:
    """The sentence on an answer to hello: of several lines, the first that is none is shown."""
    line, further = lines[0], lines[1:]
    said = f"the runner's answer to hello can't be used: {bad}"
    probably = guess(line, further)
    build = build_advice(command)
    if build and not line.lstrip().startswith(b"{"):
        probably = build
    return _with_guess(said, line, probably)


def _with_guess(said: str, line: bytes, probably: str) -> str:
    return f"{said}: {shown(line)}" + (f" ({probably})" if probably else "")
