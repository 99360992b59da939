"""Compares texts with harbor's: lists of names, `result.json` as a whole, the outcome line."""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.listing import number_of
from conformance.extensions.audit.reading import Members, parse, plain, pointer, show
from conformance.judging.comparison import Level
from conformance.wire.text import decoded, shortened
from conformance.wire.untrusted_files import Refused, allowed, quantity
from reference_impl import summarise
from reference_impl.outcome import RESULT_PREFIX

_REPR = "keys are spelled as Python's repr spells them"
_NANS = "each NaN has its own key, except that bare NaNs in reward.json files share one"
_ORDER = "names are in trial order, and keys in the order in which trials first have them"


def list_findings(path: str, wanted: Members, found: Any, clause: str) -> Iterator[Finding]:
    """Checks the names under rewards or exceptions; gives at most one finding, at the narrowest place."""
    if not isinstance(found, Members):
        yield Finding("schema", JOB_FILE, path, show(found), "an object", clause)
        return
    for key, names in found:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            what = (show(names), "an array of trial names", clause)
            yield Finding("schema", JOB_FILE, path + pointer(key), *what)
            return
    if found != wanted:
        yield _respelled_key(path, wanted, found, clause) or _misplaced_name(path, wanted, found, clause)


def _respelled_key(path: str, wanted: Members, found: Members, clause: str) -> Finding | None:
    """The finding if the names are right but one key above them is not."""
    wrong = [(left, right) for (left, _), (right, _) in zip(wanted, found, strict=False) if left != right]
    if [names for _, names in wanted] != [names for _, names in found] or len(wrong) != 1:
        return None
    ((spelling, other),) = wrong
    left, right = number_of(spelling), number_of(other)
    breaks, likely = Level.VALUE, None
    if left is not None and right is not None and (left == right or left != left != right):
        breaks = Level.BYTES if type(left) is type(right) else Level.EXACT
        clause, likely = "003-3.3-key-text", _REPR
    what = (f"the key {show(other)}", f"the key {show(spelling)}", clause, likely, breaks)
    return Finding("listing", JOB_FILE, path + pointer(other), *what)


def _misplaced_name(path: str, wanted: Members, found: Members, clause: str) -> Finding:
    """The finding if names are missing, duplicated, in the wrong list or in another order."""
    under, expected = _by_name(found), _by_name(wanted)
    moved = [name for name in {**under, **expected} if under.get(name) != expected.get(name)]
    keys = (show([key for key, _ in found]), show([key for key, _ in wanted]))
    if moved and _by_number(wanted) == _by_number(found):
        return Finding("listing", JOB_FILE, path, *keys, "003-3.3-key-text", _REPR, Level.EXACT)
    if moved:
        empty = Counter[str]()
        pairs = [(under.get(name, empty), expected.get(name, empty)) for name in moved]
        lists = {key for left, right in pairs for key in (left - right) + (right - left)}
        place = path + pointer(*lists) if len(lists) == 1 else path
        return Finding("listing", JOB_FILE, place, _places(moved, under), _places(moved, expected), clause)
    if Counter(key for key, _ in wanted) != Counter(key for key, _ in found):
        return Finding("listing", JOB_FILE, path, *keys, "003-3.3-reward-stats-nan", _NANS)
    if [key for key, _ in wanted] == [key for key, _ in found]:  # otherwise the first name in another place
        each = zip(wanted, found, strict=True)
        key, ours, names = next((key, ours, names) for (key, ours), (_, names) in each if ours != names)
        both = enumerate(zip_longest(names, ours))
        at, left, right = next((at, left, right) for at, (left, right) in both if left != right)
        path, keys = path + pointer(key, at), (show(left), show(right))
    return Finding("order", JOB_FILE, path, *keys, "003-3.3-first-seen-order", _ORDER, Level.BYTES)


def _by_name(lists: Members) -> dict[str, Counter[str]]:
    """How often each name occurs under each key."""
    places: dict[str, Counter[str]] = {}
    for key, names in lists:
        for name in names:
            places.setdefault(name, Counter())[key] += 1
    return places


def _by_number(lists: Members) -> dict[object, Counter[str]]:
    """Names by the number that a key spells; NaN and keys that spell no number count by their spelling."""
    found: dict[object, Counter[str]] = {}
    for key, names in lists:
        number = number_of(key)
        place = key if number is None or number != number else number
        found.setdefault(place, Counter()).update(names)
    return found


def _places(names: list[str], under: dict[str, Counter[str]]) -> str:
    """The places of the first few names, for people."""
    keys = [", ".join(map(show, under.get(name, ()))) or "nothing" for name in names[:3]]
    shown = [f"{show(name)} under {where}" for name, where in zip(names, keys, strict=False)]
    return "; ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


_OLD_EXPONENT = re.compile(r'(?m)^( +(?:"(?:[^"\\]|\\.)*": )?-?[0-9](?:\.[0-9]+)?e)\+([0-9]+,?)$')
_MOST_SHOWN = 120


def text_finding(wanted: str, content: bytes) -> Iterator[Finding]:
    """At most one finding: where the text first differs from harbor's.

    Exponents may lack the plus sign that pydantic writes since 2.13.
    """
    if content in (wanted.encode(), _OLD_EXPONENT.sub(r"\1\2", wanted).encode()):
        return
    found, lines = decoded(content).split("\n"), wanted.split("\n")
    at = next(number for number, (left, right) in enumerate(zip_longest(found, lines)) if left != right)
    left, right = (one[at] if at < len(one) else "nothing" for one in (found, lines))
    what = (f"line {at + 1}: {shortened(left, _MOST_SHOWN)}", shortened(right, _MOST_SHOWN))
    yield Finding("text", JOB_FILE, "", *what, "003-3.3-text", breaks=Level.BYTES)


_PREFIX = RESULT_PREFIX.encode()
_LONGEST = 2**16
"""The most bytes of a line that are read: no right line is nearly as long."""
_CLAUSE = "003-5-line-format"


def judge_log(path: str, content: bytes, wanted: str | None, most: int) -> Finding | None:
    """Checks the last outcome line in a log of at most `most` bytes; there must be one.

    `content` is the job's file, `wanted` its expected text; None if that is unknown. Errors in the file are
    reported elsewhere, so the line may match either of them.

    Raises:
        OSError: the log can't be read.
        Refused: it is not a file, or has too much in it.
    """
    found = _last_line(path, most)
    if found is None:
        wanted_line = "a line that begins with BASE_BENCHMARK_RESULT="
        return Finding("outcome-line", path, "", "no outcome line", wanted_line, "003-5-read-no-line")
    number, text = found
    texts = [content] if wanted is None else [content, wanted.encode("utf-8", "replace")]
    lines = list(map(_line, texts))
    if text in lines or None in lines:
        return None
    what = (f"line {number}: {show(text)}", f"{lines[0]}, from {JOB_FILE}", _CLAUSE)
    return Finding("outcome-line", path, "", *what, breaks=_gap(text, lines[0] or ""))


def _last_line(path: str, most: int) -> tuple[int, str] | None:
    """The number of the last line with the prefix, and the line; None if there is none."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("special-file", "no file", "a log")
        left = size = status.st_size
        if size > most:
            raise Refused("too-large", quantity(size, "bytes"), allowed(most, "bytes", size))
        found: tuple[int, bytes] | None = None
        number, begins = 1, True
        while left > 0 and (piece := file.readline(min(_LONGEST, left))):
            if begins and piece.startswith(_PREFIX):
                found = (number, piece)
            left -= len(piece)
            begins = piece.endswith(b"\n")
            number += begins
    return None if found is None else (found[0], decoded(found[1].removesuffix(b"\n").rstrip(b"\r")))


def _line(content: bytes) -> str | None:
    """The outcome line for a result; None if it gives none."""
    try:
        return summarise(content).line()
    except ValueError:  # a total with more digits than Python prints
        return None


def _gap(line: str, wanted: str) -> Level:
    """The lowest level at which two lines differ."""
    try:
        printed = plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = plain(parse(wanted.removeprefix(RESULT_PREFIX).encode()))
    except Refused:
        return Level.VALUE
    if printed != meant:
        return Level.VALUE
    same_types = all(type(printed.get(key)) is type(meant[key]) for key in meant)
    return Level.BYTES if same_types else Level.EXACT
