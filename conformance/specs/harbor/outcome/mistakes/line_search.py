"""Mistakes in finding the outcome line and in reading its payload."""

import json
import re
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

__all__ = ["FIND", "PREFIX", "find_by", "payload_in_line"]

FIND = "outcome._find_payload"
NAME = "BASE_BENCHMARK_RESULT"
PREFIX = NAME + "="


def payload_in_line(line: str) -> str | None:
    """What follows the prefix, by the rule; None if it is no outcome line."""
    return line.removeprefix(PREFIX) if line.startswith(PREFIX) else None


def find_by(
    reference: Variant,
    *,
    lines: Callable[[str], list[str]] = str.splitlines,
    payload_in: Callable[[str], str | None] = payload_in_line,
) -> None:
    """Has the output split by ``lines``, and the payload taken from the last line that has one."""

    def find(stdout: str) -> Any:
        texts = (payload_in(line) for line in reversed(lines(stdout)))
        text = next((text for text in texts if text is not None), None)
        return "harbor_result_missing" if text is None else _read(reference, text)

    reference.replace(FIND, find)


def _read(reference: Variant, text: str) -> Any:
    """The payload's object, or the reason code if it is none."""
    try:
        payload = reference.get("outcome.parse_json")(text)
    except json.JSONDecodeError:
        return "harbor_result_malformed"
    return payload if isinstance(payload, dict) else "harbor_result_malformed"


@mistake(
    "first-outcome-line",
    says="the first outcome line decides, not the last",
    op="read_outcome",
    clause="003-5-read-last-line",
    why="A search stops at what it finds.",
    invited_by="grep -m1, re.search, find, a loop with break",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: stdout.splitlines()[::-1])


@mistake(
    "last-good-line",
    says="an outcome line that is malformed is passed over for an earlier one",
    op="read_outcome",
    clause="003-5-read-last-line",
    why="An error means that this was not the line.",
    invited_by="try/except with continue, filter_map",
)
def _(reference: Variant) -> None:
    def find(stdout: str) -> Any:
        texts = [text for line in stdout.splitlines() if (text := payload_in_line(line)) is not None]
        read = [_read(reference, text) for text in reversed(texts)]
        first = read[0] if read else "harbor_result_missing"
        return next((payload for payload in read if isinstance(payload, dict)), first)

    reference.replace(FIND, find)


@mistake(
    "only-the-last-line",
    says="only the very last line of the output is looked at",
    op="read_outcome",
    clause="003-5-read-last-line",
    why="The result is printed at the end.",
    invited_by="tail -n 1, splitlines()[-1]",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: stdout.splitlines()[-1:])


@mistake(
    "only-the-tail-of-the-output",
    says="only the last 64 KiB of the output are looked at",
    op="read_outcome",
    clause="003-5-read-last-line",
    why="Logs are long and the result comes at the end.",
    invited_by="log limits of container runtimes, tail -c, ring buffers",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: stdout[-65536:].splitlines())


@mistake(
    "unfinished-line-dropped",
    says="a last line without a newline is not read",
    op="read_outcome",
    clause="003-5-read-last-line",
    why="A line ends in a newline.",
    invited_by="`while read` in shell, C's and Go's readers of whole lines",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: stdout[: stdout.rfind("\n") + 1].splitlines())


@mistake(
    "lines-end-at-lf",
    says="lines of the output end at LF alone",
    op="read_outcome",
    clause="003-5-read-line-ends",
    why="It is the line end on Unix.",
    invited_by="split('\\n'), Go's bufio.Scanner, Rust's lines(), awk, grep",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: stdout.split("\n"))


@mistake(
    "lines-end-at-lf-and-cr",
    says="lines of the output end at LF, CR and CR LF alone",
    op="read_outcome",
    clause="003-5-read-line-ends",
    why="These are the line ends of the three old systems.",
    invited_by="Java's readLine, .NET's StringReader, Python's files, split(/\\r\\n|\\r|\\n/)",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: re.split(r"\r\n|\r|\n", stdout))


@mistake(
    "lines-end-by-javascript",
    says="lines of the output end where JavaScript's patterns end them: LF, CR, U+2028, U+2029",
    op="read_outcome",
    clause="003-5-read-line-ends",
    why="^ and $ with the flag m go by these.",
    invited_by="JavaScript's /^…$/m",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: re.split("\r\n|[\r\n\u2028\u2029]", stdout))


@mistake(
    "lines-end-by-unicode",
    says="lines of the output end at Unicode's line ends, without U+001C to U+001E",
    op="read_outcome",
    clause="003-5-read-line-ends",
    why="Python has three more than the standard.",
    invited_by="\\R in Java, Perl, PCRE and Ruby, Swift's isNewline, ICU",
)
def _(reference: Variant) -> None:
    find_by(reference, lines=lambda stdout: re.split("\r\n|[\n\v\f\r\x85\u2028\u2029]", stdout))


@mistake(
    "prefix-anywhere",
    says="an outcome line may have text in front of the prefix",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="Loggers put a time in front.",
    invited_by="grep, re.search, str.split(prefix), `in`",
)
def _(reference: Variant) -> None:
    find_by(reference, payload_in=lambda line: line.partition(PREFIX)[2] if PREFIX in line else None)


@mistake(
    "lines-trimmed",
    says="white space in front of the prefix is trimmed",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="Lines are stripped out of habit.",
    invited_by="line.strip(), shell's read, TrimSpace",
)
def _(reference: Variant) -> None:
    find_by(reference, payload_in=lambda line: payload_in_line(line.lstrip()))


@mistake(
    "prefix-without-regard-to-case",
    says="the prefix is matched without regard to case",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="Names of variables are matched so.",
    invited_by="grep -i, /…/i, PowerShell, StringComparison.OrdinalIgnoreCase",
)
def _(reference: Variant) -> None:
    find_by(
        reference,
        payload_in=lambda line: line[len(PREFIX) :] if line[: len(PREFIX)].upper() == PREFIX else None,
    )


@mistake(
    "prefix-with-space",
    says="white space may stand between the name and the equals sign",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="Assignments may be written so.",
    invited_by="patterns with \\s*=\\s*, readers of .env and .ini files",
)
def _(reference: Variant) -> None:
    def payload_in(line: str) -> str | None:
        match = re.match(rf"{NAME}\s*=", line)
        return line[match.end() :] if match else None

    find_by(reference, payload_in=payload_in)


@mistake(
    "prefix-without-equals",
    says="a line that begins with the name alone is an outcome line",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="The equals sign is looked for afterwards.",
    invited_by="startswith(NAME) and partition('=')",
)
def _(reference: Variant) -> None:
    find_by(reference, payload_in=lambda line: line.partition("=")[2] if line.startswith(NAME) else None)
