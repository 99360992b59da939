"""Mistakes in finding the line of an outcome, and in reading its payload."""

import json
import re
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import outcome
from reference_impl.cpython312 import parsing

in_find_payload = family("read_outcome", of=outcome._find_payload)
in_find = family("read_outcome", of=outcome._find_payload)
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

    reference.replace(outcome._find_payload, find)


payload_by = way("read_outcome", clause="003-5-read-prefix-exact")(
    lambda reference, it: find_by(reference, payload_in=it)
)
split_by = way("read_outcome", clause="003-5-read-line-ends")(
    lambda reference, it: find_by(reference, lines=it)
)


def _read(reference: Variant, text: str) -> Any:
    """The payload's object, or the reason code if it is none."""
    try:
        payload = reference.get((outcome, parsing.parse_json))(text)
    except json.JSONDecodeError:
        return "harbor_result_malformed"
    return payload if isinstance(payload, dict) else "harbor_result_malformed"


@split_by.made(clause="003-5-read-last-line", invited_by="grep -m1, re.search, find, a loop with break")
def first_outcome_line(stdout: str) -> list[str]:
    """The first outcome line decides, not the last. A search stops at what it finds."""
    return stdout.splitlines()[::-1]


@in_find_payload.replaced(clause="003-5-read-last-line", invited_by="try/except with continue, filter_map")
def last_good_line(reference: Variant, stdout: str) -> Any:
    """An outcome line that is malformed is passed over for an earlier one.
    An error means that this was not the line."""
    texts = [text for line in stdout.splitlines() if (text := payload_in_line(line)) is not None]
    read = [_read(reference, text) for text in reversed(texts)]
    first = read[0] if read else "harbor_result_missing"
    return next((payload for payload in read if isinstance(payload, dict)), first)


@split_by.made(clause="003-5-read-last-line", invited_by="tail -n 1, splitlines()[-1]")
def only_the_last_line(stdout: str) -> list[str]:
    """Only the very last line of the output is looked at. The result is printed at the end."""
    return stdout.splitlines()[-1:]


@split_by.made(
    clause="003-5-read-last-line", invited_by="log limits of container runtimes, tail -c, ring buffers"
)
def only_the_tail_of_the_output(stdout: str) -> list[str]:
    """Only the last 64 KiB of the output are looked at. Logs are long and the result comes at the end."""
    return stdout[-65536:].splitlines()


@split_by.made(
    clause="003-5-read-last-line", invited_by="`while read` in shell, C's and Go's readers of whole lines"
)
def unfinished_line_dropped(stdout: str) -> list[str]:
    """A last line without a newline is not read. A line ends in a newline."""
    return stdout[: stdout.rfind("\n") + 1].splitlines()


@split_by.made(invited_by="split('\\n'), Go's bufio.Scanner, Rust's lines(), awk, grep")
def lines_end_at_lf(stdout: str) -> list[str]:
    """Lines of the output end at LF alone. It is the line end on Unix."""
    return stdout.split("\n")


@split_by.made(invited_by="Java's readLine, .NET's StringReader, Python's files, split(/\\r\\n|\\r|\\n/)")
def lines_end_at_lf_and_cr(stdout: str) -> list[str]:
    """Lines of the output end at LF, CR and CR LF alone. These are the line ends of the three old systems."""
    return re.split(r"\r\n|\r|\n", stdout)


@split_by.made(invited_by="JavaScript's /^…$/m")
def lines_end_by_javascript(stdout: str) -> list[str]:
    """Lines of the output end where JavaScript's patterns end them: LF, CR, U+2028, U+2029.
    ^ and $ with the flag m go by these."""
    return re.split("\r\n|[\r\n\u2028\u2029]", stdout)


@split_by.made(invited_by="\\R in Java, Perl, PCRE and Ruby, Swift's isNewline, ICU")
def lines_end_by_unicode(stdout: str) -> list[str]:
    """Lines of the output end at Unicode's line ends, without U+001C to U+001E.
    Python has three more than the standard."""
    return re.split("\r\n|[\n\v\f\r\x85\u2028\u2029]", stdout)


@payload_by.made(invited_by="grep, re.search, str.split(prefix), `in`")
def prefix_anywhere(line: str) -> str | None:
    """An outcome line may have text in front of the prefix. Loggers put a time in front."""
    return line.partition(PREFIX)[2] if PREFIX in line else None


@payload_by.made(invited_by="line.strip(), shell's read, TrimSpace")
def lines_trimmed(line: str) -> str | None:
    """White space in front of the prefix is trimmed. Lines are stripped out of habit."""
    return payload_in_line(line.lstrip())


@payload_by.made(invited_by="grep -i, /…/i, PowerShell, StringComparison.OrdinalIgnoreCase")
def prefix_without_regard_to_case(line: str) -> str | None:
    """The prefix is matched without regard to case. Names of variables are matched so."""
    return line[len(PREFIX) :] if line[: len(PREFIX)].upper() == PREFIX else None


@payload_by.made(invited_by="patterns with \\s*=\\s*, readers of .env and .ini files")
def prefix_with_space(line: str) -> str | None:
    """White space may stand between the name and the equals sign. Assignments may be written so."""
    match = re.match(rf"{NAME}\s*=", line)
    return line[match.end() :] if match else None


@payload_by.made(invited_by="startswith(NAME) and partition('=')")
def prefix_without_equals(line: str) -> str | None:
    """A line that begins with the name alone is an outcome line. The equals sign is looked for afterwards."""
    return line.partition("=")[2] if line.startswith(NAME) else None


@way("read_outcome", clause="003-5-read-prefix-exact")
def changed_payload(reference: Variant, change: Callable[[str], str]) -> None:
    """Has the text of the payload pass through ``change`` before it is parsed."""

    def payload_in(line: str) -> str | None:
        text = payload_in_line(line)
        return None if text is None else change(text)

    find_by(reference, payload_in=payload_in)


@changed_payload.made(invited_by="split('=')[1], awk -F=, cut -d= -f2")
def payload_cut_at_equals(text: str) -> str:
    """The payload ends at the next equals sign.
    The line is split at equals signs, and the second part taken."""
    return text.partition("=")[0]


@changed_payload.made(invited_by="${line##*PREFIX=} in shell, sed 's/.*PREFIX=//', rsplit, greedy patterns")
def payload_behind_last_prefix(text: str) -> str:
    """The payload begins behind the last prefix in its line.
    Everything up to the prefix is cut, as much as possible."""
    return text.rpartition(PREFIX)[2]


@changed_payload.made(clause="003-5-read-malformed", invited_by="JavaScript's trim(), str.strip, shell")
def payload_trimmed(text: str) -> str:
    """All white space and byte order marks around the payload are trimmed.
    Text is trimmed before it is parsed."""
    return text.strip().strip("\ufeff")


@changed_payload.made(
    clause="003-5-read-malformed",
    invited_by="Go's json.Decoder, Jackson's readValue, raw_decode, patterns such as {.*}",
)
def text_behind_payload_ignored(text: str) -> str:
    """What follows the first JSON value of the payload is ignored. A decoder of streams stops there."""
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        return text[: json.JSONDecoder(parse_int=str).raw_decode(text, start)[1]]
    except (ValueError, RecursionError):
        return text


@in_find.wrapped(clause="003-5-read-malformed", invited_by="Optional results, one failure for all")
def malformed_line_as_missing(find: Callable[[str], Any], stdout: str) -> Any:
    """An outcome line that is not JSON gives harbor_result_missing.
    No result could be found in the output."""
    payload = find(stdout)
    return payload if isinstance(payload, dict) else "harbor_result_missing"


@in_find.wrapped(
    clause="003-5-read-not-object", invited_by="JavaScript's optional chaining, Go's nil maps and structs, jq"
)
def payload_null_as_empty(find: Callable[[str], Any], stdout: str) -> Any:
    """A payload that is null, or no object at all, counts as an empty object.
    A look-up in it gives nothing."""
    payload = find(stdout)
    last = _last_text(stdout)
    return {} if payload == "harbor_result_malformed" and _is_json(last) else payload


@in_find.wrapped(
    clause="003-5-read-partial",
    invited_by="Go's encoding/json, PowerShell, .NET with PropertyNameCaseInsensitive",
)
def payload_keys_without_case(find: Callable[[str], Any], stdout: str) -> Any:
    """Keys of the payload are matched without regard to case. Fields of a struct are matched so."""
    payload = find(stdout)
    return {k.lower(): v for k, v in payload.items()} if isinstance(payload, dict) else payload


@in_find.wrapped(
    clause="003-5-read-json-constants", invited_by="every JSON library but Python's and a few others"
)
def payload_nan_refused(find: Callable[[str], Any], stdout: str) -> Any:
    """NaN and Infinity in the payload make it malformed. They are not JSON."""

    def refuse(token: str) -> Any:
        raise json.JSONDecodeError(token, "", 0)

    payload = find(stdout)
    last = _last_text(stdout)
    return payload if isinstance(payload, str) or _is_json(last, refuse) else "harbor_result_malformed"


def _last_text(stdout: str) -> str:
    texts = (payload_in_line(line) for line in reversed(stdout.splitlines()))
    return next((text for text in texts if text is not None), "")


def _is_json(text: str, parse_constant: Callable[[str], Any] | None = None) -> bool:
    try:
        json.loads(text, parse_int=str, parse_constant=parse_constant)
    except json.JSONDecodeError:
        return False
    return True
