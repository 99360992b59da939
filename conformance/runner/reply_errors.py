"""Error messages for missing or invalid replies, with guesses at the cause for the runner's author.

Guesses are hints for rejected lines, and never affect an outcome.
"""

import json
import re
from typing import Any

from conformance.option_names import option
from conformance.wire.messages import BadReplyError
from conformance.wire.text import is_json

__all__ = [
    "excerpt",
    "guess",
    "silent_at_hello",
    "too_late",
    "too_long",
    "too_often_late",
    "unfinished",
    "unusable",
]

_MOST_LATE = 20
"""A run with replies is never ended for fewer time-outs."""
_MOST_LATE_WITHOUT_REPLY = 3
"""The time-outs that end a run without any reply."""
_SHOWN = 160
"""The most characters shown of a line."""
_ID = re.compile(rb'(\s*\{\s*"id"\s*:\s*)[0-9]+')

_FLUSH = (
    "did you flush stdout after each reply (python -u, Rust stdout().flush(), Go's bufio Flush(), "
    "C fflush(stdout))?"
)
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TEXTS = (
    (
        r"\{'\w+': |\{ ?\w+: |\{\"\w+\"=>|\{:\w+|map\[\w+:|\[object Object\]|Object \{",
        "it is an object in the language's notation: write JSON (json.dumps, JSON.stringify or the like)",
    ),
    (r"[\[{]", ""),
    (
        r"(/\S*/)?(env|sh|bash|zsh|dash|ksh|fish)(: line \d+|: \d+)?: |.*(command not found|: not found$|"
        r"No such file or directory|Permission denied$|is not recognized as an internal or external command)",
        "it is a shell's error: the command did not start the runner",
    ),
    (
        r"Traceback \(|.*panicked at|panic: |Exception in thread|\S*(Error|Exception): |Uncaught ",
        "it is an error's text: print it to stderr, standard output is for replies alone",
    ),
    ("", "it looks like a log line or a greeting: log to stderr, standard output is for replies alone"),
)
"""Patterns for the start of a line that is not JSON, each with a guess; the first match counts."""


def too_long(limit: int) -> str:
    """The message for a reply longer than the limit, in bytes."""
    return f"the runner's reply is longer than {limit >> 20} MiB"


def too_late(seconds: float, begun: bytes = b"") -> str:
    """Return the message for a late reply; ``begun`` is the part that came in time."""
    if begun:
        came = f"no whole reply within {seconds:g} s, only {unfinished(begun)}."
    else:
        came = f"no reply within {seconds:g} s: {_FLUSH}"
    return f"{came} If it only needs longer, {option('runner-timeout')} raises that limit"


def too_often_late(late: int, answered: int) -> str | None:
    """Return why a runner is stopped after so many time-outs; None if it may go on."""
    if not answered and late >= _MOST_LATE_WITHOUT_REPLY:
        return f"not run: none of {late} requests was answered in time"
    if late < _MOST_LATE or 10 * late <= late + answered:
        return None
    return (
        f"not run: {late} of {late + answered} replies did not come in time, which is more than one in ten: "
        f"fix the runner, or give it more time with {option('runner-timeout')}"
    )


def silent_at_hello(seconds: float, begun: bytes = b"", *, oneshot: bool = False) -> str:
    """The message for a running process that did not answer hello."""
    if begun:
        came = f"the runner gave no whole answer to hello within {seconds:g} s, only {unfinished(begun)}."
    else:
        came = f"the runner runs, but did not answer hello within {seconds:g} s: {_FLUSH}"
        if not oneshot:
            came += " A runner that reads to the end of its input before it answers needs "
            came += f"{option('oneshot')}."
    return (
        f"{came} If it only needs longer to start: it is given three times the seconds of "
        f"{option('runner-timeout')}"
    )


def unfinished(begun: bytes) -> str:
    """Describe a line without a line feed."""
    if is_json(begun):
        return f"{excerpt(_anywhere(begun))}, which lacks only its line feed: end each reply with one"
    return f"{excerpt(_anywhere(begun))} without a line feed: end each reply with one, and flush"


def unusable(bad: BadReplyError, line: bytes, *, hello: bool = False) -> str:
    """The message for an invalid reply line, or answer to hello, with its start and a guess."""
    noun, probably = "answer to hello" if hello else "reply", guess(line)
    quoted = line if hello or str(bad).startswith("its id") else _anywhere(line)
    why = f" ({probably})" if probably else ""
    return f"the runner's {noun} can't be used: {bad}: {excerpt(quoted)}{why}"


def _anywhere(line: bytes) -> bytes:
    """Remove the leading id from a line, so that messages do not depend on the position in a run."""
    return _ID.sub("\\1…".encode(), line, count=1) if _ID.match(line) else line


def excerpt(line: bytes) -> str:
    """The start of a line, quoted and printable."""
    begin = line[: 4 * _SHOWN]
    try:
        text = repr(begin.decode("utf-8"))
    except UnicodeDecodeError as error:
        cut_in_two = len(begin) < len(line) and error.start >= len(begin) - 3  # only the last character
        text = repr(begin[: error.start].decode("utf-8") if cut_in_two else begin)
    if len(text) <= _SHOWN and len(begin) == len(line):
        return text
    return f"{text[:_SHOWN]}... (cut, {len(line)} bytes in all)"


def guess(line: bytes) -> str:
    """Guess what a rejected line is; empty if unknown."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")) or (
        line[:64].count(0) and is_json(line.replace(b"\0", b""))
    ):
        return "it is UTF-16: write UTF-8, without a byte order mark"
    if line.startswith(b"\xef\xbb\xbf"):
        return "a UTF-8 byte order mark comes before the JSON: write UTF-8 without it (not 'utf-8-sig')"
    try:
        text = _COLOURS.sub("", line.decode("utf-8")).strip()
    except UnicodeDecodeError:
        return "it is not UTF-8: write UTF-8, whatever the locale"
    if not text:
        return "an empty line: end each reply with one line feed, and print nothing else to standard output"
    try:
        return _of_value(json.loads(text))
    except json.JSONDecodeError as error:
        return _guess_from_text(text, error)
    except (RecursionError, ValueError):  # too deep, or an int of too many digits
        return ""


def _of_value(value: Any) -> str:
    """A guess about JSON that is not a reply."""
    if isinstance(value, str) and is_json(value.encode("utf-8", "replace")):
        return "it is a string that holds JSON: it was encoded twice"
    if not isinstance(value, dict):
        return ""
    if "op" in value and not value.keys() & {"ok", "error", "unsupported"}:
        return "it repeats the request: answer with its id and ok, error or unsupported"
    if "runner" in value or "ops" in value:
        return 'the runner\'s description belongs in ok: {"id":0,"ok":{...}}'
    return ""


def _guess_from_text(text: str, error: json.JSONDecodeError) -> str:
    """A guess about text that is not JSON."""
    if text[0] in "{[" and error.msg == "Extra data":
        if text[error.pos :].lstrip()[:1] in "{[":
            return "several JSON values are on one line: end each reply with a line feed"
        return "there is text after the JSON: a line holds one reply and nothing else"
    if text[0] in "{[" and error.pos >= len(text):  # valid so far
        return "it is the first line of multi-line JSON: print each reply on one line"
    return next(description for pattern, description in _TEXTS if re.match(pattern, text))
