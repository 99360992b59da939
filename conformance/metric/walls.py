"""What holds the code of a stranger: Landlock, namespaces, a filter of system calls, no capabilities.

Standard library alone: ``keeper`` uses it. Each wall is the kernel's; where it lacks one the others hold.
"""

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterator, Sequence

__all__ = [
    "SHARED_MEMORY",
    "calls_filtered",
    "children_die_with_parent",
    "filter_calls",
    "furnish",
    "give_up_capabilities",
    "landlock_version",
    "libc",
    "lock_writes",
    "mount_memory",
    "prctl",
    "separate",
]

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # Landlock's system calls
WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))
SCOPES = 0b11
"""No signals to processes outside, no abstract sockets of theirs."""

PARENT_DEATH, DUMPABLE, SECCOMP, DROP_BOUND, NO_NEW_PRIVILEGES = 1, 4, 22, 24, 38  # prctl
READ_ANYTHING = 2
"""The one capability that root keeps: reading is not held."""
CAPABILITIES_3 = 0x20080522

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000
MOUNT_SETATTR = 442
NO_SUID, NO_DEVICES, RECURSIVE, BIND, PRIVATE = 2, 4, 1 << 14, 1 << 12, 1 << 18
READ_ONLY = 1
HERE, WHOLE_TREE = -100, 0x8000

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a place, not a file
MOST_SHARED = 10_000
"""Objects in it."""


def libc() -> ctypes.CDLL:
    """The C library, with ``errno``."""
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> bool:
    """Whether the kernel did it."""
    return int(libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0)) == 0


def _failed(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


# Landlock


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
        raise _failed("Landlock refused its rules")
    for path in writable:
        with contextlib.suppress(OSError):
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = handled if os.path.isdir(path) else handled & (WRITE_FILE | TRUNCATE)
            rule = struct.pack("=Qi", allowed, beneath)
            library.syscall(ADD_RULE, opened, ctypes.c_int(1), rule, ctypes.c_uint32(0))
            os.close(beneath)
    prctl(NO_NEW_PRIVILEGES, 1)
    if library.syscall(RESTRICT_SELF, opened, ctypes.c_uint32(0)) != 0:
        raise _failed("Landlock could not be switched on")
    os.close(opened)


# Namespaces


def separate() -> None:
    """Gives this process mounts and System V objects of its own, and its children processes of their own.

    Raises:
        OSError: the kernel, or what guards it, does not give them.
    """
    library = libc()
    user, group = os.geteuid(), os.getegid()
    kinds = NEW_PIDS | NEW_MOUNTS | NEW_IPC
    if user != 0 or library.unshare(kinds) != 0:
        if library.unshare(kinds | NEW_USER) != 0:
            raise _failed("no namespaces")
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)
    _mount("none", "/", None, RECURSIVE | PRIVATE)


def _mount(what: str, place: str, kind: str | None, flags: int, options: str = "") -> None:
    """Raises OSError where it is refused."""
    words = [None if word is None else os.fsencode(word) for word in (what, place, kind)]
    if libc().mount(*words, ctypes.c_ulong(flags), options.encode() or None) != 0:
        raise _failed(f"mounting {place}")


def mount_memory(place: str, most: int, entries: int) -> None:
    """Makes a folder an empty file system of limited size.

    Raises:
        OSError: it is refused.
    """
    options = f"size={most},nr_inodes={entries},mode=0700"
    _mount("tmpfs", place, "tmpfs", NO_SUID | NO_DEVICES, options)


def _set_read_only(place: str, read_only: bool, flags: int = 0) -> bool:
    on, off = (READ_ONLY, 0) if read_only else (0, READ_ONLY)
    attributes = struct.pack("=QQQQ", on, off, 0, 0)
    path = os.fsencode(place)
    size = ctypes.c_size_t(len(attributes))
    return not libc().syscall(MOUNT_SETATTR, HERE, path, ctypes.c_uint(flags), attributes, size)


def furnish(mounted: Sequence[str], writable: Sequence[str] | None, shared_bytes: int) -> bool:
    """For the first process of the new namespace: its own /proc, no terminals, all else is read-only.

    ``mounted`` and ``writable`` are not; ``writable`` None leaves everything else as it is. Whether all is
    read-only now. With ``shared_bytes`` 0 shared memory stays that of all.
    """
    if libc().unshare(NEW_MOUNTS) != 0:
        raise _failed("no mounts of its own")
    with contextlib.suppress(OSError):  # refused where parts of the outer one are hidden
        _mount("proc", "/proc", "proc", NO_SUID | NO_DEVICES)
    for place, most in ((SHARED_MEMORY, shared_bytes), ("/dev/pts", 4096)):
        with contextlib.suppress(OSError):
            if most:
                mount_memory(place, most, MOST_SHARED)
    if writable is None:
        return False
    for place in writable:
        if place not in (*mounted, SHARED_MEMORY) and os.path.isdir(place):
            _mount(place, place, None, BIND | RECURSIVE)
    if not _set_read_only("/", True, WHOLE_TREE):
        return False
    for place in (*mounted, SHARED_MEMORY, *writable):
        if os.path.isdir(place):
            _set_read_only(place, False, WHOLE_TREE)
    return True


def children_die_with_parent() -> None:
    """The kernel kills this process when its parent ends; it can't be traced or read."""
    prctl(PARENT_DEATH, 9)
    prctl(DUMPABLE, 0)


def give_up_capabilities() -> None:
    """What root may beyond others, but for reading; for good."""
    library = libc()
    for capability in range(64):
        if capability != READ_ANYTHING:
            library.prctl(DROP_BOUND, ctypes.c_ulong(capability), 0, 0, 0)
    kept = 1 << READ_ANYTHING if os.geteuid() == 0 else 0
    data = struct.pack("=6I", kept, kept, 0, 0, 0, 0)
    library.capset(struct.pack("=Ii", CAPABILITIES_3, 0), data)
    prctl(NO_NEW_PRIVILEGES, 1)


# A filter of system calls: seccomp. By name the numbers of x86_64 and aarch64.

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_NUMBERS = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "kcmp": (312, 272),
    "perf_event_open": (298, 241), "move_pages": (279, 239), "migrate_pages": (256, 238),
    # the kernel, and ways around this filter
    "bpf": (321, 280), "io_uring_setup": (425, 425), "userfaultfd": (323, 282),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "setns": (308, 268), "unshare": (272, 97),
    # its own alone
    "prlimit64": (302, 261), "ioctl": (16, 29),
    "kill": (62, 129), "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    # the owner of files, and what is written beside their content
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
}  # fmt: skip
_OWN_ARGUMENT = {"prlimit64": 0, "sched_setparam": 0, "sched_setscheduler": 0, "sched_setaffinity": 0,
                 "sched_setattr": 0, "setpriority": 1, "ioprio_set": 1}  # fmt: skip
"""Which argument names a process; 0 is the caller."""
_WHOSE = {"setpriority": 2, "ioprio_set": 3}
"""Of which their first argument says that all processes of a user are meant."""
_ALONE = {"kill", *_OWN_ARGUMENT} - {"prlimit64"}
_FILES = {name for name in _NUMBERS if "chown" in name or "xattr" in name}
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS, _ENOTSUP = 1, 38, 95
_X32 = 0x40000000

_Step = tuple[int, int, int, int]


def calls_filtered() -> bool:
    """Whether the filter is known for this machine."""
    return sys.platform.startswith("linux") and os.uname().machine in _MACHINES and sys.maxsize > 1 << 32


def filter_calls(*, apart: bool, read_only: bool) -> None:
    """Refuses, for good, system calls that reach other processes or the kernel.

    Also those on processes that a namespace of its own (``apart``) makes harmless, and those on files
    that a read-only system does, where it has none.

    Raises:
        OSError: the kernel takes no filter.
    """
    if not calls_filtered():
        return
    column, architecture = _MACHINES[os.uname().machine]
    refused = _return(_ERRNO | _ENOSYS)
    steps: list[_Step] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), refused, (_LOAD, 0, 0, 0)]
    if column == 0:
        steps += [(_AT_LEAST, 0, 1, _X32), refused]
    for name, numbers in _NUMBERS.items():
        number = numbers[column]
        harmless = (apart and name in _ALONE) or (read_only and name in _FILES)
        if number is not None and not harmless:
            body = list(_when_called(name))
            steps += [(_EQUAL, 0, len(body), number), *body]
    steps.append(_return(_ALLOW))
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("@HP", len(steps), ctypes.addressof(held))
    prctl(NO_NEW_PRIVILEGES, 1)
    if libc().prctl(SECCOMP, ctypes.c_ulong(2), pointer, 0, 0) != 0:
        raise _failed("no filter of system calls")


def _return(value: int) -> _Step:
    return (_RETURN, 0, 0, value)


def _argument(index: int, half: int = 0) -> _Step:
    """Loads the lower or the upper half of an argument."""
    return (_LOAD, 0, 0, 16 + 8 * index + 4 * half)


def _when_called(name: str) -> Iterator[_Step]:
    """Steps that end with an answer."""
    refuse, allow = _return(_ERRNO | _EPERM), _return(_ALLOW)
    if name == "ioctl":
        for command in _TERMINAL_INPUT:
            yield from (_argument(1), (_EQUAL, 0, 1, command), refuse)
        yield allow
    elif name == "kill":
        yield from (_argument(0), (_EQUAL, 0, 1, 0xFFFFFFFF), refuse, allow)
    elif name == "prlimit64":  # of others it may be read
        yield from (_argument(0), (_EQUAL, 0, 1, 0), allow)
        for half in (0, 1):
            yield from (_argument(2, half), (_EQUAL, 1, 0, 0), refuse)
        yield allow
    elif name in _OWN_ARGUMENT:
        if name in _WHOSE:
            yield from (_argument(0), (_EQUAL, 0, 1, _WHOSE[name]), refuse)
        yield from (_argument(_OWN_ARGUMENT[name]), (_EQUAL, 0, 1, 0), allow, refuse)
    elif name in _FILES and "xattr" in name:
        yield _return(_ERRNO | _ENOTSUP)  # what copies a file takes it well
    else:
        yield refuse
