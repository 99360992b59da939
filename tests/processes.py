"""What runs on this machine, for tests that nothing is left running; nothing where there is no /proc."""

import contextlib
from collections.abc import Iterator
from pathlib import Path


def running(mark: str = "") -> Iterator[str]:
    """The words of the processes that have the mark in their environment, or among their words."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
            if (mark in words or mark.encode() in (place / "environ").read_bytes()) and alive(place.name):
                yield words


def alive(pid: int | str) -> bool:
    """Whether it runs: a zombie only waits for its new parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
