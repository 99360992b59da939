"""Tells a job's `result.json` from a trial's by its first members, so that only the audit parses it."""

import re
from collections.abc import Iterator
from enum import Enum

import msgspec

from conformance.check.reading.files import Folder, Refused

__all__ = ["Kind", "kind_of"]

OPENING = 16 * 2**10
"""Bytes that are looked at first; what tells stands within the first few hundred that harbor writes."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_OF_A_TRIAL = {b"trial_name", b"task_name"}


class Kind(Enum):
    """Whose result it is."""

    JOB = "job"
    TRIAL = "trial"
    OTHER = "other"
    """JSON of another shape."""
    UNCLEAR = "unclear"
    """It can't be read, or is no JSON."""
    ABSENT = "absent"


class _Inner(msgspec.Struct):
    stats: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Outer(_Inner):
    trial_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    task_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_OUTER, _INNER = msgspec.json.Decoder(_Outer), msgspec.json.Decoder(_Inner)


def kind_of(folder: Folder, name: str, limit: int) -> Kind:
    """Whose result the file of that name in the folder is; of at most `limit` bytes."""
    try:
        opened = folder.beginning(name, OPENING)
        if opened is None:
            return Kind.ABSENT
        told = _by_its_keys(opened)
        if told is not None:
            return told
        content = opened if len(opened) < OPENING else folder.read(name, limit)
    except Refused:
        return Kind.UNCLEAR
    return Kind.ABSENT if content is None else _whole(content)


def _by_its_keys(content: bytes) -> Kind | None:
    """What the first bytes tell, None if that is nothing."""
    for path in _keys(content):
        if path in ((b"stats",), (b"result", b"stats")):
            return Kind.JOB
        if len(path) == 1 and path[0] in _OF_A_TRIAL:
            return Kind.TRIAL
    return None


def _keys(content: bytes) -> Iterator[tuple[bytes, ...]]:
    """The keys of the outermost object and of the objects right in it, as far as the content goes."""
    depth = 0
    above = last = b""
    for found in _TOKEN.finditer(content):
        token = found[0]
        if token == b":":
            if depth == 1:
                above = last
                yield (last,)
            elif depth == 2:
                yield above, last
        elif token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth <= 2:
            last = token.strip(b'"')


def _whole(content: bytes) -> Kind:
    """What a file tells that has a long way to its first telling member."""
    try:
        outer = _OUTER.decode(content)
        if not isinstance(outer.trial_name, msgspec.UnsetType):
            return Kind.TRIAL
        if not isinstance(outer.task_name, msgspec.UnsetType):
            return Kind.TRIAL
        if not isinstance(outer.stats, msgspec.UnsetType):
            return Kind.JOB
        if isinstance(outer.result, msgspec.UnsetType):
            return Kind.OTHER
        inner = _INNER.decode(outer.result)
    except msgspec.ValidationError:
        return Kind.OTHER
    except (msgspec.DecodeError, RecursionError):
        return Kind.UNCLEAR
    return Kind.OTHER if isinstance(inner.stats, msgspec.UnsetType) else Kind.JOB
