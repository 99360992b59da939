"""The limits of a run, how it ended, and a filter for system calls.

The filter blocks calls that escape the namespaces or hide memory from the limits. Bubblewrap loads it into
the kernel (seccomp). It exists only for x86_64 and aarch64.
"""

import contextlib
import os
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.option_names import metric_option
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

__all__ = ["DEFAULT_SECONDS", "Ended", "Limits", "call_filter", "last_line"]

DEFAULT_SECONDS = 30.0
"""The time limit of one run of a script, or one case of a class."""
_STOPS = {
    "time": "never-ends: It had not ended after {seconds:g} seconds and was stopped ({timeout} N raises the "
    "limit).",
    "open": "never-ends: It ended, but a process that it started kept its output open for {seconds:g} "
    "seconds: harbor waits.",
    "printed": "too-much: It printed over {printed} MiB and was stopped.",
    "written": "too-much: It wrote over {written} MiB, or thousands of files, and was stopped.",
    "processes": "too-much: It started over {processes} processes and was stopped.",
    "memory": "too-much: Its processes used over {memory} MiB of memory and were stopped.",
    "keeper": "ends-process: It killed its supervisor process, and was stopped.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run."""

    seconds: float = DEFAULT_SECONDS
    printed: int = 64 * MIB
    """Bytes on standard output, and on standard error."""
    file_bytes: int = 64 * MIB
    folder_bytes: int = 256 * MIB
    memory_bytes: int = 8 << 30
    """The address space of each process, and the memory of all processes together."""
    processes: int = 200
    open_files: int = 1024

    def of_a_process(self) -> dict[str, int]:
        """Return the limits that the kernel enforces; RLIMIT_CPU ends processes that outlive a run."""
        return {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_NOFILE": self.open_files,
            **dict.fromkeys(("RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO", "RLIMIT_NICE"), 0),
            "RLIMIT_NPROC": 20 * self.processes,  # including threads
            "RLIMIT_CPU": 100 * (1 + int(self.seconds)) * (os.cpu_count() or 1),
        }


@dataclass(slots=True)
class Ended:
    """How a call ended."""

    code: int | None = None
    """The exit code, or a signal's negative number; None if the command had not ended."""
    stopped: str | None = None
    """Why it was stopped: time, printed, written, processes, memory or keeper (it killed its supervisor);
    None if it ended by itself."""
    failure: str | None = None
    """Why it could not be started."""
    left: int = 0
    """The number of processes that outlived the command."""
    stdout: bytes = b""
    stderr: bytes = b""
    """The last bytes of each."""
    decodes: bool = True
    """Whether both outputs are UTF-8 throughout."""

    def why_stopped(self, limits: Limits) -> tuple[str, str]:
        """Return the rule that a stopped run broke, and a sentence."""
        held_open = self.stopped == "time" and self.code is not None
        rule, _, sentence = _STOPS["open" if held_open else self.stopped or ""].partition(": ")
        return rule, sentence.format(
            seconds=limits.seconds,
            printed=limits.printed // MIB,
            written=limits.folder_bytes // MIB,
            processes=limits.processes,
            memory=limits.memory_bytes // MIB,
            timeout=metric_option("timeout"),
        )

    def parse_answer(self, line: bytes) -> bool:
        """Parse the sandboxed program's answer to a call, which may be forged; return whether it is valid."""
        text = line.decode("utf-8", "replace").strip()
        if not line.endswith(b"\n"):
            return False
        if text.startswith("!"):
            self.failure = shortened(text[1:], 300)
        else:
            with contextlib.suppress(ValueError):
                self.code = max(-99, min(255, int(text)))
        return self.failure is not None or self.code is not None


def last_line(stderr: bytes) -> str:
    """Return the last non-empty line, shortened."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return shortened(lines[-1], 200) if lines else ""


_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_REFUSED = {
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),  # the caller's keys
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),  # memory that belongs to no process
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "fsopen": (430, 430),
    "open_by_handle_at": (304, 265), "io_uring_setup": (425, 425),
    "inotify_init": (253, 26), "inotify_init1": (294, 26), "fanotify_init": (300, 262),  # file watches
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
}  # fmt: skip
_REFUSED_WITH = (
    # a call, an argument's index, a bit mask, and the refused value
    ((56, 220), 0, 0x10000000, 0x10000000),  # clone, for a new user namespace
    ((72, 25), 1, 0xFFFFFFFF, 1024),  # fcntl, for a lease
    ((72, 25), 1, 0xFFFFFFFF, 1026),  # fcntl, for news of a folder
    ((9, 222), 3, 0x21, 0x21),  # mmap of shared memory, which no limit counts once the processes end
)
_CLONE3, _SOCKET = 435, (41, 198)
_FAMILIES = (1, 2, 10, 16)
"""The allowed socket families: Unix, IPv4, IPv6 and netlink. Others, such as vsock, ignore namespaces."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN, _AND = 0x20, 0x15, 0x35, 0x06, 0x54
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
_X32 = 0x40000000

_Step = tuple[int, int, int, int]


def call_filter() -> bytes | None:
    """Return the filter program; None if the machine's system call numbers are unknown."""
    machine = os.uname().machine
    if not sys.platform.startswith("linux") or machine not in _MACHINES or sys.maxsize <= 1 << 32:
        return None
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(*_MACHINES[machine]))


def _steps(column: int, architecture: int) -> Iterator[_Step]:
    yield from ((_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _ENOSYS), (_LOAD, 0, 0, 0))
    if column == 0:
        yield from ((_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ENOSYS))
    for numbers in _REFUSED.values():
        yield from ((_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _EPERM))
    # its flags are in memory, which filters can't read; programs fall back to clone
    yield from ((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ENOSYS))
    for call, argument, bits, value in _REFUSED_WITH:
        yield from ((_EQUAL, 0, 5, call[column]), (_LOAD, 0, 0, 16 + 8 * argument), (_AND, 0, 0, bits))
        yield from ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, 0))
    yield from ((_EQUAL, 0, 2 + len(_FAMILIES), _SOCKET[column]), (_LOAD, 0, 0, 16))
    for index, family in enumerate(_FAMILIES):
        yield (_EQUAL, len(_FAMILIES) - index, 0, family)
    yield from ((_RETURN, 0, 0, _EPERM), (_RETURN, 0, 0, _ALLOW))
