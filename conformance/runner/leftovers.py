"""Finds processes that a runner leaves behind in other sessions, beyond signals to its group.

Each process of a runner has a token in its environment, which its children inherit. So Linux's ``/proc``
shows which daemons belong to a runner, unless they have an empty environment. On other systems, none are
found.
"""

import contextlib
import itertools
import os
import secrets
import signal
from pathlib import Path

__all__ = ["left_behind", "marked", "new_token"]

_NAME = "HARBOR_CONFORMANCE_RUNNER"
_ROUNDS = 3
"""The search is repeated, since a daemon may start another one meanwhile."""
_OURS = secrets.token_hex(8)
_numbers = itertools.count(1)


def new_token() -> str:
    """Return a token that no other process has."""
    return f"{_OURS}-{os.getpid()}-{next(_numbers)}"


def marked(word: str) -> dict[str, str]:
    """Return the environment variable with this token, after those of outer kits."""
    before = os.environ.get(_NAME)
    return {_NAME: f"{before}:{word}" if before else word}


def left_behind(words: set[str]) -> int:
    """Kill the processes with these tokens; return their number."""
    ended = 0
    for _ in range(_ROUNDS if words else 0):
        processes = [process for process in Path("/proc").glob("[0-9]*") if words & _words_of(process)]
        if not processes:
            break
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(int(process.name), signal.SIGKILL)
                ended += 1
    return ended


def _words_of(process: Path) -> set[str]:
    try:
        content = (process / "environ").read_bytes()
    except OSError:  # belongs to another user, or is gone
        return set()
    entries = (entry.decode("ascii", "replace").partition("=") for entry in content.split(b"\0"))
    return next((set(value.split(":")) for name, _, value in entries if name == _NAME), set())
