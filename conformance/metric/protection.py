"""Which walls this machine has to hold the code of a stranger, and which it lacks."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.metric import walls
from conformance.metric.scratch import scratch_folder

__all__ = ["KEEPER", "Protections", "can_lock_writes", "protections"]

_PROBE_SECONDS = 20.0
_START = "import sys; sys.path.append(sys.argv[1]); from conformance.metric import keeper; keeper.main()"
_KIT = str(Path(__file__).resolve().parents[2])
KEEPER = (sys.executable, "-I", "-S", "-c", _START, _KIT)
"""Runs the keeper without whatever else is installed beside the kit; its job comes last."""


@dataclass(frozen=True, slots=True)
class Protections:
    """What this machine gives to hold a metric."""

    landlock: int = 0
    """Landlock's version; 0 none."""
    namespaces: bool = False
    """Whether it can be given processes and mounts of its own."""
    read_only: bool = False
    """Whether all else can be read-only in them."""
    seccomp: bool = False
    """Whether the kernel filters its system calls."""

    def missing(self) -> list[str]:
        """What is not held here, a sentence each."""
        found = []
        if not self.landlock and not self.read_only:
            found.append(
                "this system has no Landlock: files that the metric writes elsewhere are not kept from it"
            )
        if not self.namespaces:
            other = "end or stop" if self.landlock < 6 else ""
            other += " and " * (bool(other) and not self.seccomp) + "change" * (not self.seccomp)
            reach = f"the metric can {other} your other processes, and " if other else ""
            found.append(f"this system gives no namespaces: {reach}what it writes is watched, not bounded")
        if not self.seccomp:
            found.append("this system has no seccomp filter: the metric may use every system call")
        return found


@cache
def protections() -> Protections:
    """What this machine gives: a process of its own tries it once."""
    if not sys.platform.startswith("linux"):
        return Protections()
    with scratch_folder() as folder:
        try:
            done = subprocess.run(
                [*KEEPER, json.dumps({"probe": str(folder)})],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
            return Protections(**json.loads(done.stdout))
        except (OSError, ValueError, TypeError, subprocess.TimeoutExpired):
            return Protections(landlock=max(0, walls.landlock_version(walls.libc())))


def can_lock_writes() -> bool:
    """Whether this machine can keep a metric from files elsewhere."""
    found = protections()
    return found.landlock >= 1 or found.read_only
