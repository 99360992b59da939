"""What /proc says of a stranger's processes: which there are, and what memory they hold."""

import contextlib
import os

__all__ = ["descendants", "memory_of"]


def descendants(root: int) -> list[int]:
    """The processes that ``root`` or its children started, but for zombies; none where there is no /proc."""
    children: dict[int, list[tuple[int, bool]]] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                state, starter = file.read().rpartition(b")")[2].split()[:2]
                children.setdefault(int(starter), []).append((int(name), state == b"Z"))
    found: list[int] = []
    waiting = [root]
    while waiting:
        for process, dead in children.get(waiting.pop(), ()):
            waiting.append(process)
            if not dead:
                found.append(process)
    return found


def memory_of(processes: list[int], most: int) -> int:
    """The memory of all of them in bytes; what they share counts once where that decides over ``most``."""
    total = sum(map(_resident, processes))
    return total if total <= most else sum(map(_proportional, processes))


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # it is gone
        return 0


def _proportional(process: int) -> int:
    try:
        with open(f"/proc/{process}/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except OSError:  # it lets nobody look into it
        return _resident(process)
