"""What /proc tells of processes: which descend from which, and what they hold. Standard library alone."""

import contextlib
import os
import stat

__all__ = ["descendants", "shared_objects", "unnamed_bytes", "unused"]

_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a place, not a file


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


def unnamed_bytes(processes: list[int]) -> int:
    """What these processes keep in open files that have no name any more, in bytes."""
    found: dict[tuple[int, int], int] = {}
    for process in processes:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    status = os.stat(f"/proc/{process}/fd/{name}")
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def shared_objects() -> set[str]:
    """The paths of this user's shared memory, where it is a folder."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(_SHARED_MEMORY) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    found.add(entry.path)
    return found


def unused(paths: set[str]) -> set[str]:
    """Those of them that no process has open or mapped, of the processes that can be looked at.

    A file is known by its device and inode: a semaphore is mapped under another name than it gets.
    """
    left: dict[tuple[int, int], str] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            status = os.stat(path, follow_symlinks=False)
            left[status.st_dev, status.st_ino] = path
    for process in filter(str.isdigit, os.listdir("/proc") if left else ()):
        with contextlib.suppress(OSError):
            with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as file:
                for line in file:
                    device, inode = line.split(None, 5)[3:5]
                    major, minor = device.split(":")
                    left.pop((os.makedev(int(major, 16), int(minor, 16)), int(inode)), None)
            for name in os.listdir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    status = os.stat(f"/proc/{process}/fd/{name}")
                    left.pop((status.st_dev, status.st_ino), None)
    return set(left.values())
