"""Processes that a runner leaves behind in sessions of their own, where no signal to its group reaches them.

Every process of a runner has a word of the kit in its environment, and whatever it starts inherits that. So
Linux's ``/proc`` tells whose daemons they are, however they were started; a program that starts others with
an empty environment hides them. Elsewhere nothing is found.
"""

import contextlib
import itertools
import os
import secrets
import signal
from pathlib import Path

__all__ = ["environment", "left_behind", "marked", "new_word"]

_NAME = "HARBOR_CONFORMANCE_RUNNER"
_ROUNDS = 3
"""A daemon may start another while it is looked for."""
_OURS = secrets.token_hex(8)
_numbers = itertools.count(1)


def new_word() -> str:
    """A word that no other process of a runner has."""
    return f"{_OURS}-{os.getpid()}-{next(_numbers)}"


def marked(word: str) -> dict[str, str]:
    """The variable that has this word; a kit that is a runner itself keeps its own."""
    before = os.environ.get(_NAME)
    return {_NAME: f"{before}:{word}" if before else word}


def environment(word: str) -> dict[str, str]:
    """The environment of a process with this word."""
    return {**os.environ, **marked(word)}


def left_behind(words: set[str]) -> int:
    """Ends what the processes with these words have left; how many that were."""
    ended = 0
    for _ in range(_ROUNDS if words else 0):
        found = [process for process in _processes() if words & _words_of(process)]
        if not found:
            break
        for process in found:
            with contextlib.suppress(OSError):
                os.kill(int(process.name), signal.SIGKILL)
                ended += 1
    return ended


def _processes() -> list[Path]:
    try:
        return [path for path in Path("/proc").iterdir() if path.name.isdecimal()]
    except OSError:
        return []


def _words_of(process: Path) -> set[str]:
    try:
        content = (process / "environ").read_bytes()
    except OSError:  # another user's, or gone
        return set()
    for entry in content.split(b"\0"):
        name, _, value = entry.partition(b"=")
        if name == _NAME.encode():
            return set(value.decode("ascii", "replace").split(":"))
    return set()
