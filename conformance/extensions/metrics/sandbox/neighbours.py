"""Copies a folder for untrusted commands to see in its place.

Hidden files are skipped, links are not followed, and only regular files and folders are copied: so the copy
contains no hidden secrets, pipes, sockets or devices.
"""

import os
from collections.abc import Collection
from pathlib import Path

from conformance.wire.untrusted_files import MIB, Folder, Refused, TooManyEntriesError

__all__ = ["MOST_OF_A_SCRIPT", "bytes_of", "copy_visible"]

MOST_BYTES, MOST_OF_A_SCRIPT = 64 * MIB, 16 * MIB
MOST_FILES = 5000
DEEPEST = 6
_LEFT_OUT = {"__pycache__", "node_modules", "site-packages"}


def bytes_of(path: Path, most: int) -> bytes:
    """The bytes of a user's file, followed through links.

    Raises:
        Refused: it is not a regular file, or has more than ``most`` bytes.
        OSError: it is not there.
    """
    real = Path(os.path.realpath(path))
    folder = Folder.top(str(real.parent))
    try:
        content = folder.read(real.name, most)
    finally:
        folder.leave()
    if content is None:
        raise FileNotFoundError(f"{path} does not exist")
    return content


def copy_visible(source: str, target: Path, mounted: Collection[str]) -> bool:
    """Copies the visible files of a folder, top levels first; returns whether it copied all of them.

    ``target`` exists and is empty. Folders for mounts below ``source`` are created.
    """
    left = MOST_BYTES
    files = 0
    whole = True
    waiting = [("", 0)]
    for below, depth in waiting:
        try:
            top = Folder.top(source)
            try:
                folder = top.below(below or ".")
            finally:
                top.leave()
        except (OSError, Refused):
            continue
        if folder is None:
            continue
        try:
            names = sorted(folder.entries(MOST_FILES))
        except (OSError, TooManyEntriesError):
            names, whole = [], False
        for name, mode in names:
            if name.startswith(".") or name in _LEFT_OUT:
                continue
            path = os.path.join(below, name)
            if mode == 0o040000:
                if depth < DEEPEST and os.path.join(source, path) not in mounted:
                    waiting.append((path, depth + 1))
                    (target / path).mkdir(mode=0o755)
                continue
            try:
                content = folder.read(name, left) if files < MOST_FILES and mode == 0o100000 else None
            except Refused as error:
                content, whole = None, whole and error.kind != "too-large"
            if content is not None:
                (target / path).write_bytes(content)
                (target / path).chmod(0o755)
                left -= len(content)
                files += 1
        folder.leave()
    for path in mounted:
        if path.startswith(source.rstrip("/") + "/"):
            (target / os.path.relpath(path, source)).mkdir(mode=0o755, parents=True, exist_ok=True)
    return whole and files < MOST_FILES
