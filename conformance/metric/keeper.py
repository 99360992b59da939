"""Starts one command within limits and leaves no process of it behind. A program of its own, one file.

It reads a job (JSON) from its argument. It is the reaper of everything that the command starts, also
of what leaves its session, and ends all of it when the control pipe closes: on the kit's wish, or
because the kit is gone. On the status pipe it writes one JSON object a line: ``started`` with the
command's process, ``ended`` with the exit code, ``crowd`` with a number of processes that is too high,
and last ``left`` with the number of processes that had outlived the command.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any

SUBREAPER, NO_NEW_PRIVILEGES = 36, 38  # prctl
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # Landlock's system calls
WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))
SCOPES = 0b11
"""No signals to processes outside, no abstract sockets of theirs."""
LOOK_SECONDS = 0.5
KILL_SECONDS = 5.0
GRACE_SECONDS = 0.3


def libc() -> ctypes.CDLL:
    """The C library, with ``errno``."""
    return ctypes.CDLL(None, use_errno=True)


def landlock_version(library: ctypes.CDLL) -> int:
    """Which Landlock the kernel has; below 1 none."""
    if not sys.platform.startswith("linux"):
        return 0
    return int(library.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))


def lock_writes(library: ctypes.CDLL, writable: Sequence[str]) -> None:
    """Refuses this process, for good, every change of files outside of ``writable``."""
    version = landlock_version(library)
    if version < 1:
        return
    handled = WRITE_FILE | CHANGE_FOLDER
    handled |= REFER if version >= 2 else 0
    handled |= TRUNCATE if version >= 3 else 0
    ruleset = struct.pack("=QQQ", handled, 0, SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    opened = library.syscall(CREATE_RULESET, ruleset, ctypes.c_size_t(size), ctypes.c_uint32(0))
    if opened < 0:
        raise OSError(ctypes.get_errno(), "Landlock refused its rules")
    for path in writable:
        with contextlib.suppress(OSError):
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = handled if os.path.isdir(path) else handled & (WRITE_FILE | TRUNCATE)
            rule = struct.pack("=Qi", allowed, beneath)
            library.syscall(ADD_RULE, opened, ctypes.c_int(1), rule, ctypes.c_uint32(0))
            os.close(beneath)
    library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if library.syscall(RESTRICT_SELF, opened, ctypes.c_uint32(0)) != 0:
        raise OSError(ctypes.get_errno(), "Landlock could not be switched on")
    os.close(opened)


def limit(which: int, most: int) -> None:
    """Lowers a limit of this process for good."""
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (most, most))


def become(job: dict[str, Any], status: int) -> None:
    """Turns this process into the command."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_FSIZE, job["file_bytes"])
        limit(resource.RLIMIT_AS, job["memory_bytes"])
        os.chdir(job["folder"])
        if job["writable"] is not None:
            lock_writes(libc(), job["writable"])
        os.execvpe(job["command"][0], job["command"], job["environment"])  # noqa: S606 - no shell
    except OSError as error:
        os.write(status, json.dumps({"failed": str(error)}).encode() + b"\n")
    finally:
        os._exit(127)


def descendants(root: int) -> list[int]:
    """The processes that ``root`` or its children started, zombies apart; none where there is no /proc."""
    parents: dict[int, tuple[int, bool]] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, starter = file.read().rpartition(b")")[2].split()[:2]
                parents[int(name)] = (int(starter), state == b"Z")
    found: list[int] = []
    children: dict[int, list[tuple[int, bool]]] = {}
    for process, (parent, dead) in parents.items():
        children.setdefault(parent, []).append((process, dead))
    waiting = [root]
    while waiting:
        for process, dead in children.get(waiting.pop(), ()):
            waiting.append(process)
            if not dead:
                found.append(process)
    return found


def reap() -> dict[int, int]:
    """The processes that have ended, with their exit codes."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])
    return ended


def outlived() -> int:
    """How many processes are still there, after a moment in which they may end."""
    until = time.monotonic() + GRACE_SECONDS
    while (left := len(descendants(os.getpid()))) and time.monotonic() < until:
        time.sleep(0.01)
        reap()
    return left


def end_all(command: int) -> None:
    """Kills whatever is left."""
    until = time.monotonic() + KILL_SECONDS
    with contextlib.suppress(OSError):
        os.killpg(command, signal.SIGKILL)
    while time.monotonic() < until:
        left = descendants(os.getpid())
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        reap()
        if not left:
            return
        time.sleep(0.002)


def main() -> None:
    """Starts the command, tells how it ended, and clears up when the control pipe closes."""
    job = json.loads(sys.argv[1])
    control, status = job["control"], job["status"]
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)

    def tell(**said: int) -> None:
        with contextlib.suppress(OSError):
            os.write(status, json.dumps(said).encode() + b"\n")

    if sys.platform.startswith("linux"):
        libc().prctl(SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    command = os.fork()
    if command == 0:
        become(job, status)
    tell(started=command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # the pipes are the command's alone
        os.dup2(nothing, descriptor)
    running, told = True, False
    while True:
        ready, _, _ = select.select([control, woken], [], [], LOOK_SECONDS)
        if woken in ready:
            os.read(woken, 4096)
        ended = reap()
        if command in ended:
            running = False
            tell(ended=ended[command])
        if control in ready:
            break
        if not ready and not told and len(descendants(os.getpid())) > job["processes"]:
            told = True
            tell(crowd=job["processes"])
    left = 0 if running else outlived()
    end_all(command)
    tell(left=left)


if __name__ == "__main__":
    main()
