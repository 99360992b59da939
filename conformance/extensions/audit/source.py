"""Where the audit reads a job: an open directory, wherever it is."""

from collections.abc import Iterator
from typing import Protocol

__all__ = ["Source"]


class Source(Protocol):
    """An open directory; `conformance.wire.untrusted_files.Folder` is one on this machine.

    Names are a stranger's. No method follows a link or leaves the directory.
    """

    def enter(self, name: str) -> "Source | None":
        """A directory in this one, None if nothing has that name; `leave` it.

        Raises:
            Refused: it is no directory, or can't be entered.
        """

    def read(self, name: str, limit: int) -> bytes | None:
        """The bytes of a file in this directory, None if nothing has that name.

        Raises:
            Refused: it is not a file, has more than `limit` bytes, changes meanwhile or can't be read.
        """

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        """Names in this directory and what they are (a mode without permissions), unordered.

        Raises:
            TooManyEntriesError: there are more than `limit`.
            OSError: it can't be listed.
        """

    def leave(self) -> None:
        """Close it."""
