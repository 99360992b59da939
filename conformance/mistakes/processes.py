"""Caches the processes that copies of the reference start: they repeat each other's, and each is slow.

It replaces ``subprocess`` in a module of a copy. The key is everything that a process gets: its command,
the files in the folders that its command names, the options, the working directory. A hit restores the
files that the process left in these folders. The folders' names, which are new each time, are not part of
the key.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PROCESSES", "Processes"]

_MOST = 4096
"""The number of cached processes; a copy starts some hundreds."""
_Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: bytes | None
    stderr: bytes | None
    left: tuple[_Files, ...]
    """The files in each folder afterwards."""


class _UnusualError(Exception):
    """Folders that contain more than files, or a command that consists of more than texts and paths."""


class Processes:
    """``subprocess`` with a caching ``run``; everything else is unchanged."""

    def __init__(self) -> None:
        self.run_for_real = 0
        """How many processes were started."""
        self._known: dict[object, _Done] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def run(self, command: Any, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Like ``subprocess.run``."""
        try:
            folders = _folders(command)
            key = (
                tuple(_without(folders, os.fsencode(part)) for part in command),
                tuple(tuple(sorted(files.items())) for files in _files(folders)),
                repr(sorted(options.items())),
                os.getcwd(),
            )
        except (_UnusualError, OSError):
            return self._really(command, options)
        if key not in self._known:
            ended = self._really(command, options)
            try:
                done = _Done(
                    ended.returncode,
                    _without(folders, ended.stdout),
                    _without(folders, ended.stderr),
                    _files(folders),
                )
            except (_UnusualError, OSError):
                return ended
            if len(self._known) < _MOST:
                self._known[key] = done
            return ended
        done = self._known[key]
        for folder, before, after in zip(folders, _files(folders), done.left, strict=True):
            for name in before.keys() - after.keys():
                (folder / name).unlink()
            for name, content in after.items():
                if before.get(name) != content:
                    (folder / name).write_bytes(_with(folders, content) or b"")
        return subprocess.CompletedProcess(
            command, done.returncode, _with(folders, done.stdout), _with(folders, done.stderr)
        )

    def _really(self, command: Any, options: dict[str, Any]) -> "subprocess.CompletedProcess[bytes]":
        self.run_for_real += 1
        done: subprocess.CompletedProcess[bytes] = subprocess.run(command, **options)
        return done


def _folders(command: Any) -> list[Path]:
    """The temporary folders that a command's files are in, in their order."""
    if not isinstance(command, list) or not all(isinstance(part, str | os.PathLike) for part in command):
        raise _UnusualError
    temporary = Path(tempfile.gettempdir())
    named = (Path(part).parent for part in command[1:] if os.path.isabs(part))
    return list(dict.fromkeys(folder for folder in named if temporary in folder.parents))


def _files(folders: Sequence[Path]) -> tuple[_Files, ...]:
    found = []
    for folder in folders:
        files = {}
        for path in folder.iterdir():
            if path.is_symlink() or not path.is_file():
                raise _UnusualError
            files[path.name] = _without(folders, path.read_bytes()) or b""
        found.append(files)
    return tuple(found)


def _mark(place: int) -> bytes:
    return b"\0folder %d\0" % place


def _without(folders: Sequence[Path], text: bytes | None) -> bytes | None:
    """The text with the folders' names replaced by marks."""
    for place, folder in enumerate(folders):
        text = text.replace(os.fsencode(folder), _mark(place)) if text else text
    return text


def _with(folders: Sequence[Path], text: bytes | None) -> bytes | None:
    for place, folder in enumerate(folders):
        text = text.replace(_mark(place), os.fsencode(folder)) if text else text
    return text


PROCESSES = Processes()
"""The cache of this process's copies."""
