"""Starts one command within limits and leaves no process of it behind. A program of its own.

It reads a job (JSON) from its argument. It is the reaper of everything that the command starts, also
of what leaves its session, and ends all of it when the control pipe closes: on the kit's wish, or
because the kit is gone. On the status pipe it writes one JSON object a line: ``started`` with a process
whose group may be killed, ``ended`` with the exit code, ``crowd`` with a number of processes that is too
high, ``hoard`` with bytes that are too many, and last ``left`` with the number of processes that had
outlived the command.

Where the job says ``apart`` the command is in namespaces of its own: it can't name any process of outside,
its folder is a file system of limited size, and what is in it is copied out at the end.
"""

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from conformance.metric import tree, walls
from conformance.metric.processes import descendants, shared_objects, unnamed_bytes, unused

SUBREAPER = 36  # prctl
LOOK_SECONDS = 0.5
KILL_SECONDS = 5.0
GRACE_SECONDS = 0.3
SLACK = 1 << 20
"""How much more its file system holds than the command may write, for that to be seen."""
LOST = 125


def limit(which: int, most: int) -> None:
    """Lowers a limit of this process for good."""
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (most, most))


def become(job: dict[str, Any], status: int, *, read_only: bool = False) -> None:
    """Turns this process into the command."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_FSIZE, job["file_bytes"])
        limit(resource.RLIMIT_AS, job["memory_bytes"])
        os.chdir(job["cwd"])
        if sys.platform.startswith("linux"):
            walls.give_up_capabilities()
            if job["writable"] is not None:
                walls.lock_writes(walls.libc(), job["writable"])
            if job["filtered"]:
                walls.filter_calls(apart=job["apart"], read_only=read_only)
        os.execvpe(job["command"][0], job["command"], job["environment"])  # noqa: S606 - no shell
    except OSError as error:
        os.write(status, json.dumps({"failed": str(error)}).encode() + b"\n")
    finally:
        os._exit(127)


def reap() -> dict[int, int]:
    """The processes that have ended, with their exit codes."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])
    return ended


def outlived(own: int) -> int:
    """How many processes but ``own`` are still there, after a moment in which they may end."""
    until = time.monotonic() + GRACE_SECONDS
    while (left := len(descendants(os.getpid())) - own) > 0 and time.monotonic() < until:
        time.sleep(0.01)
        reap()
    return max(0, left)


def end_all(first: int) -> None:
    """Kills whatever is left."""
    until = time.monotonic() + KILL_SECONDS
    with contextlib.suppress(OSError):
        os.killpg(first, signal.SIGKILL)
    while time.monotonic() < until:
        left = descendants(os.getpid())
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        reap()
        if not left:
            return
        time.sleep(0.002)


def close_streams() -> None:
    """The pipes are the command's alone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def be_first(job: dict[str, Any], status: int, told: int) -> None:
    """The first process of a namespace: starts the command, reaps everything, writes its exit code."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        walls.children_die_with_parent()
        places = job["writable"]
        mounted = [job["folder"], *job["fresh"]]
        named = (*mounted, *(places or ()), *job["command"], job["cwd"], os.getcwd() + "/")
        hides = any(f"{walls.SHARED_MEMORY}/" in word for word in named)  # what it needs lies there
        read_only = walls.furnish(mounted, places, 0 if hides else job["folder_bytes"])
        command = os.fork()
        if command == 0:
            become(job, status, read_only=read_only)
        close_streams()
        os.close(status)
        while True:
            try:
                process, how = os.wait()
            except ChildProcessError:
                signal.pause()
                continue
            if process == command:
                os.write(told, b"%d\n" % os.waitstatus_to_exitcode(how))
    except OSError as error:
        os.write(status, json.dumps({"failed": str(error)}).encode() + b"\n")
    finally:
        os._exit(LOST)


class Room:
    """A folder of the command as a file system of its own, and the folder that it stands for."""

    def __init__(self, folder: str, most: int) -> None:
        self._folder, self._most = folder, most
        # Opened before the mounts are this process's own: what is mounted there hides nothing in it.
        self._real = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._own = -1

    def mount(self) -> None:
        """Makes it, with what is in the folder."""
        walls.mount_memory(self._folder, self._most + SLACK, tree.MOST_ENTRIES)
        self._own = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        tree.copy(self._real, self._own, self._most)

    def is_full(self) -> bool:
        """Whether it holds more than it may."""
        found = os.statvfs(self._own)
        taken = (found.f_blocks - found.f_bfree) * found.f_frsize
        return taken > self._most or found.f_ffree == 0

    def copy_out(self, levels: int) -> None:
        """What is left in it, by name and size; of the files in the first levels the content too."""
        for name in os.listdir(self._real):
            tree.remove(name, self._real)
        tree.copy(self._own, self._real, self._most, levels)


def tried(attempt: Callable[[], bool]) -> bool:
    """Whether something works, tried by a process that ends then."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if attempt() else 1)
        except OSError:
            os._exit(1)
        finally:
            os._exit(LOST)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def probe(folder: str) -> dict[str, int]:
    """What this machine has of each wall; ``folder`` is an empty one."""

    def separates() -> bool:
        room = Room(folder, SLACK)
        walls.separate()
        room.mount()
        return tried(lambda: walls.furnish([folder], None, SLACK) is False)

    def makes_read_only() -> bool:
        room = Room(folder, SLACK)
        walls.separate()
        room.mount()
        return tried(lambda: walls.furnish([folder], [folder], SLACK))

    def filters() -> bool:
        walls.filter_calls(apart=False, read_only=False)
        return walls.calls_filtered()

    return {
        "landlock": max(0, walls.landlock_version(walls.libc())),
        "namespaces": tried(separates),
        "read_only": tried(makes_read_only),
        "seccomp": tried(filters),
    }


def main() -> None:
    """Starts the command, tells how it ended, and clears up when the control pipe closes."""
    job = json.loads(sys.argv[2])
    if "probe" in job:
        print(json.dumps(probe(job["probe"])))  # noqa: T201 - what it was asked for
        return
    control, status, apart = job["control"], job["status"], job["apart"]
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)

    def tell(**said: int | str) -> None:
        with contextlib.suppress(OSError):
            os.write(status, json.dumps(said).encode() + b"\n")

    if sys.platform.startswith("linux"):
        walls.prctl(SUBREAPER, 1)
    rooms: list[Room] = []
    try:
        if apart:
            rooms = [Room(folder, job["folder_bytes"]) for folder in (job["folder"], *job["fresh"])]
            walls.separate()
            for room in rooms:
                room.mount()
    except OSError as error:
        tell(failed=str(error))
        return
    shared = shared_objects()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    heard, told = os.pipe()
    first = os.fork()
    if first == 0 and apart:
        be_first(job, status, told)
    elif first == 0:
        become(job, status)
    os.close(told)
    tell(started=first)
    close_streams()
    running, too_much = True, False
    watched = [control, woken, heard]
    next_look = time.monotonic() + LOOK_SECONDS
    while True:
        ready, _, _ = select.select(watched, [], [], max(0.0, next_look - time.monotonic()))
        if woken in ready:
            os.read(woken, 4096)
        ended = reap()
        if heard in ready:
            code = os.read(heard, 64)
            if not code:
                watched.remove(heard)
            elif apart:
                running = False
                tell(ended=int(code))
        if first in ended and not apart:
            running = False
            tell(ended=ended[first])
        if control in ready:
            break
        if first in ended and running:  # somebody ended the namespace
            tell(lost=1)
            break
        if time.monotonic() >= next_look and not too_much:
            next_look = time.monotonic() + LOOK_SECONDS
            processes = descendants(os.getpid())
            if len(processes) - apart > job["processes"]:
                too_much = True
                tell(crowd=len(processes))
            elif unnamed_bytes(processes) > job["folder_bytes"] or any(room.is_full() for room in rooms):
                too_much = True
                tell(hoard=job["folder_bytes"])
    left = 0 if running else outlived(apart)
    end_all(first)
    if not too_much and any(room.is_full() for room in rooms):
        tell(hoard=job["folder_bytes"])
    if rooms:
        with contextlib.suppress(OSError):
            rooms[0].copy_out(job["levels"])
    else:
        for path in unused(shared_objects() - shared):
            tree.remove(path)
    tell(left=left)


if __name__ == "__main__":
    main()
