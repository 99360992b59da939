"""Standard output and standard error that fail no command, and where they lead.

A reader that has seen enough (``| head -1``) or a full disk must not cost anything of what a command has
found: what can't be written is forgotten, and told at the end.
"""

import contextlib
import errno
import io
import os
import select
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from rich.console import Console

from conformance.wire.text import harmless

__all__ = ["Unfailing", "on_terminal", "unfailing", "unfailing_outputs"]

_NOBODY_READS = (errno.EPIPE, errno.ECONNRESET)


class Unfailing(io.BufferedIOBase):
    """The bytes of a stream, written at once; an error of the system ends the output and nothing else."""

    def __init__(self, stream: TextIO, change: Callable[[str], str] | None) -> None:
        self._descriptor = stream.fileno()
        self._is_terminal = stream.isatty()
        self._change = change
        self._ended = False
        self.error: OSError | None = None
        """What kept the output from being written; None where all was, or nobody wanted to read more."""

    def write(self, content: Any) -> int:
        """Takes the bytes, whatever becomes of them."""
        data = bytes(content)
        taken = len(data)
        if self._change is not None:
            data = self._change(data.decode("latin-1")).encode("latin-1")
        while data and not self._ended:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._ended = True
                self.error = None if error.errno in _NOBODY_READS else error
        return taken

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The stream's own."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal, which colours and environment variables have no say in."""
        return self._is_terminal


def unfailing(stream: TextIO, change: Callable[[str], str] | None = None) -> tuple[TextIO, Unfailing] | None:
    """A stream in place of ``stream`` that raises nothing; None where that is no file of the system.

    What the encoding lacks is escaped. ``change`` changes the text, seen as ASCII, on its way.
    """
    try:
        stream.flush()
        raw = Unfailing(stream, change)
    except (AttributeError, OSError, ValueError):
        return None
    return io.TextIOWrapper(
        raw,
        encoding=stream.encoding,
        errors="backslashreplace",
        write_through=True,  # type: ignore[type-var]
    ), raw


@contextlib.contextmanager
def unfailing_outputs() -> Iterator[Callable[[], OSError | None]]:
    """Puts such streams in the place of both outputs, with nothing on them that a CI system would act on.

    Gives what tells why standard output was not written, None where it was.
    """
    before = sys.stdout, sys.stderr
    mine = [None if stream is None else unfailing(stream, harmless) for stream in before]
    out = mine[0]
    sys.stdout, sys.stderr = (
        stream if made is None else made[0] for stream, made in zip(before, mine, strict=True)
    )
    try:
        yield lambda: None if out is None else out[1].error
    finally:
        sys.stdout, sys.stderr = before


def on_terminal(console: Console) -> bool:
    """Whether what is written can be written over: colours wished for in a file make it no terminal."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()
