"""Standard output and standard error that fail no command, and where they lead.

A reader that has seen enough (``| head -1``) or a full disk must not cost anything of what a command has
found: what can't be written is forgotten, and told at the end.
"""

import contextlib
import errno
import io
import os
import re
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from conformance.wire.text import harmless

if TYPE_CHECKING:
    from rich.console import Console  # slow to load

__all__ = ["Unfailing", "on_terminal", "unfailing", "unfailing_outputs", "write_commands"]

_NOBODY_READS = (errno.EPIPE, errno.ECONNRESET)
_OPTION = r"(?:file|line|title)=[^\x00-\x1f:,]+"
_ANNOTATION = re.compile(
    rf"::(?:error|warning|notice)(?: {_OPTION}(?:,{_OPTION})*)?::[^\x00-\x1f]*|"
    r"##vso\[task\.logissue type=(?:error|warning);"
    r"(?:sourcepath=[^\x00-\x1f;\]]+;)?(?:linenumber=\d+;)?\][^\x00-\x1f]*"
)
"""A whole line that shows an annotation, and does nothing else."""


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
        self.write_as_it_is(data)
        return taken

    def write_as_it_is(self, data: bytes) -> None:
        """Writes the bytes unchanged."""
        while data and not self._ended:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._ended = True
                self.error = None if error.errno in _NOBODY_READS else error

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
    """Puts such streams in place of both outputs, with nothing on them that a CI system would act on.

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


def write_commands(lines: Iterable[str]) -> None:
    """Writes annotations to standard output, where everything else that a CI system would act on is defused.

    Raises:
        ValueError: a line is something else, or more than one line; nothing is written then.
    """
    said = list(lines)
    for line in said:
        if not _ANNOTATION.fullmatch(line) or harmless(line[2:]) != line[2:]:
            raise ValueError(f"no annotation: {line!r}")
    text = "".join(f"{line}\n" for line in said)
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, Unfailing):
        raw.write_as_it_is(text.encode(sys.stdout.encoding, "backslashreplace"))
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def on_terminal(console: "Console") -> bool:
    """Whether what is written can be written over: colours wished for in a file make it no terminal."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()
