"""Programs: one as a module of this process, and those that run on this machine, where there is /proc."""

import contextlib
import fcntl
import importlib.util
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KIT = [sys.executable, "-c", "from conformance.cli import main; main()"]
"""``harbor-conformance`` as a process."""


def lying(*how: str) -> str:
    """The command of ``runners/lying.py``."""
    return shlex.join([sys.executable, str(Path(__file__).parent / "runners" / "lying.py"), *how])


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """While no other process makes the file: whoever comes second finds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def waited_for(seen: Callable[[], object], what: str, seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < until, f"no {what}"
        time.sleep(0.02)


def children(pid: int | str) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def workers(pid: int) -> list[int]:
    """Of its children, those that Python spawned."""
    return [int(one) for one in children(pid) if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def module_at(path: Path) -> Any:
    """A program that is no module of a package, loaded once more for each call."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_under_test", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
