"""Writes files completely or not at all, and reports errors in one sentence."""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from conformance import interrupts

__all__ = [
    "CannotWriteError",
    "by_level",
    "dumps",
    "nested_deeper",
    "unwritten",
    "unwritten_change",
    "write_bytes",
    "write_if_changed",
    "write_report",
    "write_text",
]

_PREFIX = ".conformance-"
"""The prefix of temporary file names."""


class CannotWriteError(OSError):
    """The file can't be written; the message is one sentence that names it. An old file is unchanged."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(error.errno, error.strerror or str(error))
        self._path = path

    def __str__(self) -> str:
        return f"{self._path} can't be written: {self.strerror}"


def dumps(document: Any) -> str:
    """A JSON document in the kit's format: two spaces, ASCII, one final newline, no NaN.

    ASCII, because documents may contain characters that look alike in editors.
    """
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def nested_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects in a value are nested deeper than this many levels."""
    return next(islice(by_level(value), levels, None), None) is not None


def by_level(value: Any) -> Iterator[list[Any]]:
    """The values inside a value, itself included, by the depth of their nesting."""
    level = [value]
    while level:
        yield level
        holders = [node for node in level if isinstance(node, dict | list)]
        level = [item for node in holders for item in (node.values() if isinstance(node, dict) else node)]


def write_text(path: Path, text: str) -> None:
    """Writes a file, replacing it completely; follows links, and writes directly to devices and pipes.

    Raises:
        CannotWriteError: the file can't be written; an old file is unchanged.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """As ``write_text``, for bytes.

    Raises:
        CannotWriteError: the file can't be written; an old file is unchanged.
    """
    try:
        with interrupts.held():
            own = _own_output(path)
            if own is not None:
                _write_all(own, content)
            elif path.exists() and not path.is_file():
                with open(path, "wb", buffering=0) as file:
                    _write_all(file.fileno(), content)
            else:
                _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise CannotWriteError(path, error) from None


def _own_output(path: Path) -> int | None:
    """Standard output or error, if the path refers to it, such as ``/dev/stdout``."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                return descriptor
    return None


def _replace(target: Path, content: bytes) -> None:
    """Replaces a file once the new bytes are on disk."""
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mode = None
    temporary = target.with_name(f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        try:
            _write_all(descriptor, content)
            if mode is not None:
                os.fchmod(descriptor, mode)
            _to_disk(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _to_disk(descriptor: int) -> None:
    """Flushes to disk, which may report only here that it is full."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):  # a file system without fsync
            raise


def _write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def write_if_changed(path: Path, text: str) -> None:
    """As ``write_text``, unless the file already has this text.

    Raises:
        CannotWriteError: the file can't be written.
    """
    with contextlib.suppress(OSError, ValueError):
        if path.read_text(encoding="utf-8") == text:
            return
    write_text(path, text)


def unwritten_change(path: Path, text: str) -> str | None:
    """Writes a file if its text differs; returns a sentence if it can't be written."""
    try:
        write_if_changed(path, text)
    except CannotWriteError as error:
        return str(error)
    return None


def unwritten(path: Path, content: str | bytes) -> str | None:
    """Writes a file; returns a sentence if it can't be written."""
    try:
        if isinstance(content, bytes):
            write_bytes(path, content)
        else:
            write_text(path, content)
    except CannotWriteError as error:
        return str(error)
    return None


def write_report(path: Path | None, document: Any) -> str | None:
    """Writes a JSON report if requested; returns a sentence if it can't be written."""
    sentence = None if path is None else unwritten(path, dumps(document))
    return f"the report {sentence}" if sentence else None
