"""Reads untrusted JSON within limits, keeping repeated keys, their order and the spelling of numbers.

An untrusted job may have any size. Every limit is far above what a job with ten thousand trials needs; one
factor raises all of them. Memory is limited too: if it runs out, only the current file is skipped.
"""

import json
import math
import os
import re
import resource
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from itertools import accumulate
from typing import Any

from conformance.wire import pointers
from conformance.wire.text import encodable, shortened
from conformance.wire.untrusted_files import MIB, Folder, Refused, allowed, quantity
from reference_impl.cpython312.parsing import MAX_INT_DIGITS

MOST_VALUES = 4_000_000
DEEPEST = 261
"""The deepest nesting of arrays and objects that harbor writes; pydantic refuses more."""
MOST_SHOWN = 160
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NO_BRACKETS = bytes({*range(256)} - {*b"[]{}"})
_STEPS = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}
_LONGEST_KEY = 1000
_MOST_REPEATED = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an audit, for each job."""

    record_bytes: int = 64 * MIB
    """A trial's record or the job's configuration."""
    job_bytes: int = 64 * MIB
    """The job's `result.json`, which names every trial, or its lock."""
    memory: int = 500 * MIB
    """The memory for an audit, in addition to what its process already uses."""
    file_values: int = MOST_VALUES
    all_bytes: int = 2048 * MIB
    """All records and reward files of a job together."""
    all_values: int = 8_000_000
    """Values in all files that are not as harbor writes them, which are slow to check."""
    reward_bytes: int = MIB
    reward_keys: int = 10_000
    all_rewards: int = 500_000
    """The rewards of all trials together."""
    steps: int = 10_000
    trials: int = 100_000
    """Directories in the job's directory, and trials listed in its `result.json`."""
    log_bytes: int = 1024 * MIB
    """A log, which is read in pieces."""
    entries: int = 2_000_000
    seconds: int = 900
    """Processor time for one job, if it is audited in its own process."""

    def times(self, factor: float) -> "Limits":
        """Return these limits multiplied by a factor."""
        return Limits(**{limit.name: math.ceil(getattr(self, limit.name) * factor) for limit in fields(self)})


class StopError(Exception):
    """The rest of the job can't be audited; the message says why in a sentence."""


_COUNTED = {
    "all_bytes": "bytes",
    "all_values": "values in files that are not as harbor writes them",
    "all_rewards": "rewards",
    "trials": "directories",
}
"""The nouns for amounts that are counted over a whole job, by the name of their limit."""


@dataclass(slots=True)
class Spent:
    """The amounts read from a job so far, checked against its limits."""

    limits: Limits
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))
    file: str = ""

    def add(self, limit: str, count: int) -> None:
        """Count towards one of the limits of a whole job.

        Raises:
            StopError: the limit is exceeded.
        """
        self.counts[limit] += count
        if self.counts[limit] > (most := getattr(self.limits, limit)):
            up_to = f", counted up to {self.file}" if self.file else ""
            sentence = f"the job has more than {quantity(most, _COUNTED[limit])}{up_to}"
            raise StopError(f"{sentence}; --limits 2 doubles the limits")


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """Let this process allocate at most this many more bytes; then Python raises MemoryError.

    Sets no limit if the system does not report the process's memory, or in another thread than the main one,
    since the limit applies to the whole process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", "rb") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        bounds = [bound for bound in (*before, used + most) if bound != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(bounds), before[1]))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, before)


def read_file(folder: Folder, name: str, limit: int) -> bytes | None:
    """Return a file's bytes; None if it does not exist.

    Raises:
        Refused: as for `Folder.read`, or the file needs more memory than there is.
    """
    try:
        return folder.read(name, limit)
    except MemoryError:
        raise _out_of_memory() from None


def _out_of_memory() -> Refused:
    return Refused("too-large", "more than fits in memory", "less (--limits 2 doubles the limits)")


def too_many_entries(limits: Limits) -> str:
    """Return the sentence about a folder with too many entries."""
    return f"more than {limits.entries} entries; --limits 2 doubles the limits"


class Members(list[tuple[str, Any]]):
    """A JSON object as a list of all its members, repeated ones included."""

    __slots__ = ()

    def get(self, name: str) -> Any:
        """Return the value of the last member with this name, as Python's json does, or None."""
        return next((value for key, value in reversed(self) if key == name), None)

    def repeats(self) -> list[str]:
        """Return the names that occur more than once, sorted."""
        if len(self) == len({key for key, _ in self}):
            return []
        return sorted(name for name, count in Counter(key for key, _ in self).items() if count > 1)

    def has(self, name: str) -> bool:
        """Return whether there is a member with this name."""
        return any(key == name for key, _ in self)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its spelling; `value` is an int if it has no fraction and no exponent, else a double."""

    text: str
    value: int | float


def count_of(value: Any) -> int | None:
    """Return the value as a count, an int of at least 0; None if it is not one."""
    is_count = isinstance(value, Number) and isinstance(value.value, int) and value.value >= 0
    return value.value if is_count else None


def _int(text: str) -> Number:
    if len(text) - text.startswith("-") > MAX_INT_DIGITS:
        raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return Number(text, int(text))


_decoder = json.JSONDecoder(
    object_pairs_hook=Members,
    parse_int=_int,
    parse_float=lambda text: Number(text, float(text)),
    parse_constant=lambda text: Number(text, float(text)),
)


def require_few_values(content: bytes, most: int) -> None:
    """Refuse a JSON text with too many values before it is decoded, as decoders can crash without memory.

    Raises:
        Refused: it has more than `most` values.
    """
    if len(content) > most and (count := sum(map(content.count, (b",", b":", b"[", b"{")))) > most:
        raise Refused("too-large", f"{count} values or more", allowed(most, "values", count))


def parse(content: bytes, most: int = MOST_VALUES, wanted: str = "JSON") -> Any:
    """Return the value in a file: Members, lists, strings, Numbers, booleans and None.

    Raises:
        Refused: it is not UTF-8 or not JSON (`wanted` says what is expected), is nested too deeply, holds
            a lone surrogate, or has more than `most` values or more than fit in memory.
    """
    require_few_values(content, most)
    try:
        if depth_of(content) > DEEPEST:
            raise ValueError(f"nested too deeply: {DEEPEST} levels are the most that harbor writes")
        value = _decoder.decode(content.decode("utf-8"))
        for path, item in walk(value) if b"\\ud" in content or b"\\uD" in content else ():
            for name in [key for key, _ in item] if isinstance(item, Members) else [item]:
                if isinstance(name, str) and encodable(name) != name:
                    raise ValueError(f"a lone surrogate at {pointer(*path) or 'the top'}")
        return value
    except UnicodeDecodeError as error:
        why = f"byte {error.start} is not UTF-8"
    except json.JSONDecodeError as error:
        why = _json_error(error)
    except RecursionError:
        why = "nested too deeply"
    except ValueError as error:
        why = str(error)
    except MemoryError:
        raise _out_of_memory() from None
    raise Refused("not-json", why, wanted)


def depth_of(content: bytes) -> int:
    """Return the nesting depth of arrays and objects in a JSON text; 0 if it is certainly low."""
    if content.count(b"[") + content.count(b"{") <= DEEPEST:
        return 0
    return max(accumulate(_STEPS[byte] for byte in _STRINGS.sub(b"", content).translate(None, _NO_BRACKETS)))


def _json_error(error: json.JSONDecodeError) -> str:
    """Describe why a text is not JSON."""
    text = error.doc.rstrip()
    if not text:
        return "the file is empty"
    if text.startswith("\ufeff"):
        return "it starts with a byte order mark, which JSON does not allow"
    where = f"{error.msg} at line {error.lineno}, column {error.colno}"
    cut = error.pos >= len(text) or error.msg.startswith("Unterminated string")
    return f"the text is cut off: {where}" if cut else where


def pointer(*keys: str | int) -> str:
    """Return a JSON pointer (RFC 6901); very long keys are truncated."""
    long = _LONGEST_KEY
    return pointers.pointer(*(key if len(key) <= long else shortened(key, long) for key in map(str, keys)))


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield `value` and every value in it, in the file's order, each after the keys that lead to it."""
    yield path, value
    if isinstance(value, list | dict):
        pairs = value.items() if isinstance(value, dict) else value
        for key, item in pairs if isinstance(value, Members | dict) else enumerate(value):
            yield from walk(item, (*path, key))


def repeated(value: Any) -> list[str]:
    """Return pointers to repeated keys, up to a limit."""
    repeats: list[str] = []
    for path, item in walk(value):
        if isinstance(item, Members):
            repeats += [pointer(*path, key) for key in item.repeats()]
            if len(repeats) >= _MOST_REPEATED:
                break
    return sorted(repeats[:_MOST_REPEATED])


def plain(value: Any, finite: bool = False) -> Any:
    """Return the value as Python's json reads it; if `finite`, NaN and infinities become None."""
    if isinstance(value, Members):
        return {key: plain(member, finite) for key, member in value}
    if isinstance(value, list):
        return [plain(member, finite) for member in value]
    if isinstance(value, Number):
        return None if finite and value.text.endswith(("N", "y")) else value.value
    return value


def show(value: Any) -> str:
    """Return the value as one line of JSON, truncated if it is long."""
    return shortened(_text(value, MOST_SHOWN * 2), MOST_SHOWN)


def _text(value: Any, room: int) -> str:
    """Return the JSON text, or at least its first `room` characters."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Members):
        value = dict(value if len(value) <= room else value[:room])  # the rest would not be shown
    if isinstance(value, dict):
        opening, closing, parts = "{", "}", ((_text(k, room) + ": ", v) for k, v in value.items())
    elif isinstance(value, list):
        opening, closing, parts = "[", "]", (("", v) for v in value)
    else:
        return json.dumps(value[:room] if isinstance(value, str) else value, ensure_ascii=False)
    text = opening
    for number, (label, part) in enumerate(parts):
        if len(text) > room:
            return text
        text += (", " if number else "") + label + _text(part, room - len(text))
    return text + closing
