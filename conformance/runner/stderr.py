"""What is kept of a runner's standard error: how it began since the last reply, and how it ended.

A panic's message comes first and its backtrace after it, so a tail alone loses the message. Both ends are
bounded: a runner may write gigabytes.
"""

from conformance.wire.text import left_out

__all__ = ["KeptStderr"]

_HEAD = 8192
_TAIL = 8192


class KeptStderr:
    """The first and the last bytes of what was written since ``begin``; before that, the last alone."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._since = 0
        """How many bytes came since ``begin``."""
        self._line_feeds = 0
        """How many of them are line feeds."""

    def begin(self) -> None:
        """A reply has come: what is written from now on belongs to what is answered next."""
        self._head.clear()
        self._since = self._line_feeds = 0

    def add(self, chunk: bytes) -> None:
        """Takes what was written."""
        room = _HEAD - len(self._head)
        if room > 0:
            self._head += chunk[:room]
        self._since += len(chunk)
        self._line_feeds += chunk.count(b"\n")
        self._tail += chunk
        del self._tail[:-_TAIL]

    def text(self) -> str:
        """What came since ``begin``: whole, or both ends and between them how many lines are left out.

        Where nothing came since, it is the last of what came before.
        """
        if self._since <= len(self._tail):
            whole = self._tail[-self._since :] if self._since else self._tail
            return whole.decode("utf-8", "replace")
        missing = self._since - len(self._head) - len(self._tail)
        if missing <= 0:
            return (self._head + self._tail[-missing:]).decode("utf-8", "replace")
        lines = self._line_feeds - self._head.count(b"\n") - self._tail.count(b"\n")
        head, tail = (end.decode("utf-8", "replace") for end in (self._head, self._tail))
        return f"{head}\n{left_out(max(1, lines))}\n{tail}"
