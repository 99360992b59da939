"""Standard output and standard error that never make a command fail.

A closed pipe (``| head -1``) or a full disk must not lose a command's results: what can't be written is
dropped, and the error is reported at the end.
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
"""A whole line that shows an annotation and does nothing else."""


class _Bytes(io.FileIO):
    """A stream's bytes, written unbuffered; a system error only ends the output."""

    def __init__(self, stream: TextIO, change: Callable[[str], str] | None) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        self._change = change
        self._ended = False
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Accepts the bytes, whether or not they can be written."""
        data = bytes(content)
        length = len(data)
        if self._change is not None:
            data = self._change(data.decode("latin-1")).encode("latin-1")
        self.write_unchanged(data)
        return length

    def write_unchanged(self, data: bytes) -> None:
        while data and not self._ended:
            try:
                data = data[os.write(self.fileno(), data) :]
            except BlockingIOError:
                select.select([], [self.fileno()], [])
            except OSError as error:
                self._ended = True
                self.error = None if error.errno in _NOBODY_READS else error


class Unfailing(io.TextIOWrapper):
    """A replacement for a stream that raises nothing; characters that the encoding lacks are escaped.

    ``change`` transforms the text, as ASCII, before writing.
    """

    def __init__(self, stream: TextIO, change: Callable[[str], str] | None = None) -> None:
        stream.flush()
        self._bytes = _Bytes(stream, change)
        super().__init__(self._bytes, encoding=stream.encoding, errors="backslashreplace", write_through=True)

    @property
    def error(self) -> OSError | None:
        """The error that stopped the output; None if there was none, or the reader closed it."""
        return self._bytes.error

    def write_unchanged(self, text: str) -> None:
        """Writes text that ``change`` must not transform."""
        self._bytes.write_unchanged(text.encode(self.encoding, "backslashreplace"))


def unfailing(stream: TextIO | None, change: Callable[[str], str] | None = None) -> Unfailing | None:
    """The replacement for a stream; None if it has no file descriptor."""
    try:
        return None if stream is None else Unfailing(stream, change)
    except (AttributeError, OSError, ValueError):
        return None


@contextlib.contextmanager
def unfailing_outputs() -> Iterator[Callable[[], OSError | None]]:
    """Replaces both outputs with such streams, defusing everything that a CI system would act on.

    Yields a function that returns the error of standard output, or None.
    """
    before = sys.stdout, sys.stderr
    out, err = (unfailing(stream, harmless) for stream in before)
    sys.stdout, sys.stderr = out or before[0], err or before[1]
    try:
        yield lambda: None if out is None else out.error
    finally:
        sys.stdout, sys.stderr = before


def write_commands(lines: Iterable[str]) -> None:
    """Writes annotations to standard output, the only text on it that a CI system acts on.

    Raises:
        ValueError: a line is not an annotation, or is several lines; nothing is written then.
    """
    written = list(lines)
    for line in written:
        if not _ANNOTATION.fullmatch(line) or harmless(line[2:]) != line[2:]:
            raise ValueError(f"not an annotation: {line!r}")
    text = "".join(f"{line}\n" for line in written)
    sys.stdout.flush()
    if isinstance(sys.stdout, Unfailing):
        sys.stdout.write_unchanged(text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def on_terminal(console: "Console") -> bool:
    """Whether lines can be overwritten: forced colours do not make a file a terminal."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()
