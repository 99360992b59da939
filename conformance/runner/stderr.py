"""Stores parts of a runner's standard error: the start since the last reply, and the end.

A panic's message comes before its backtrace, so the end alone would lose the message. Both parts are limited,
since a runner may write gigabytes.
"""

from conformance.wire.text import left_out

__all__ = ["KeptStderr"]

_HEAD = 8192
_TAIL = 8192


class KeptStderr:
    """The first and last bytes written since ``begin``; before that, only the last."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._since = 0
        """The number of bytes since ``begin``."""
        self._line_feeds = 0
        """The number of line feeds among them."""

    def begin(self) -> None:
        """Called after a reply: later output belongs to the next one."""
        self._head.clear()
        self._since = self._line_feeds = 0

    def add(self, chunk: bytes) -> None:
        """Adds output."""
        room = _HEAD - len(self._head)
        if room > 0:
            self._head += chunk[:room]
        self._since += len(chunk)
        self._line_feeds += chunk.count(b"\n")
        self._tail += chunk
        del self._tail[:-_TAIL]

    def text(self) -> str:
        """The text since ``begin``, or both ends of it with the number of omitted lines.

        If there is none, the end of the earlier text.
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
