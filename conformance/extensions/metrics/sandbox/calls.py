"""The filter for system calls that escape the namespaces, or hide memory from the limits.

bubblewrap loads it into the kernel (seccomp). It exists only for x86_64 and aarch64.
"""

import os
import struct
import sys
from collections.abc import Iterator

__all__ = ["call_filter"]

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
"""Sockets of Unix, IPv4, IPv6 and netlink: others, such as those to a hypervisor, ignore namespaces."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN, _AND = 0x20, 0x15, 0x35, 0x06, 0x54
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
_X32 = 0x40000000

_Step = tuple[int, int, int, int]


def call_filter() -> bytes | None:
    """The filter program; None if the machine's system call numbers are unknown."""
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
    # its flags are in memory, which filters can't see; programs fall back to clone
    yield from ((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ENOSYS))
    for call, argument, bits, value in _REFUSED_WITH:
        yield from ((_EQUAL, 0, 5, call[column]), (_LOAD, 0, 0, 16 + 8 * argument), (_AND, 0, 0, bits))
        yield from ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, 0))
    yield from ((_EQUAL, 0, 2 + len(_FAMILIES), _SOCKET[column]), (_LOAD, 0, 0, 16))
    for at, family in enumerate(_FAMILIES):
        yield (_EQUAL, len(_FAMILIES) - at, 0, family)
    yield from ((_RETURN, 0, 0, _EPERM), (_RETURN, 0, 0, _ALLOW))
