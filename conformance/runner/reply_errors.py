"""The sentences on a runner that gave no reply which can be used."""

from conformance.wire.messages import BadReplyError
from conformance.wire.text import decoded

__all__ = ["too_late", "too_long", "unusable"]


def too_long(limit: int) -> str:
    """The sentence on a reply beyond the limit, which is given in bytes."""
    return f"the runner's reply is longer than {limit >> 20} MiB"


def too_late(seconds: float) -> str:
    """The sentence on a reply that did not come."""
    return f"no reply within {seconds:g} s; --runner-timeout raises that limit"


def unusable(bad: BadReplyError, line: bytes) -> str:
    """The sentence on a line that is no reply, with its beginning."""
    beginning = repr(decoded(line[:200])) + (" (cut)" if len(line) > 200 else "")
    return f"the runner's reply can't be used: {bad}: {beginning}"
