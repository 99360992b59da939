"""Runs untrusted commands one after another in the sandbox. A standalone program for any Python 3.

Its standard input is a socket to the kit. The first call sets privileges and limits; the answer has
descriptors of the writable folders, through which the kit reads the commands' files. Each later call runs a
command, or requests the number of remaining processes if it has no command. Each answer is a line.
"""

import _socket
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GRACE_SECONDS = 0.3
RIGHTS = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
DUMPABLE = 4


def send(channel: "_socket.socket", data: bytes, descriptors: "list[int]") -> None:
    """Send a call: its length in eight hexadecimal digits, with the outputs' descriptors, then its bytes."""
    packed = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
    channel.sendmsg([b"%08x" % len(data)], [(*RIGHTS, packed)])
    channel.sendall(data)


def receive(channel: "_socket.socket") -> "tuple[Any, list[int]]":
    """Return the next call and the descriptors of its outputs; None at the end."""
    header, ancillary, _, _ = channel.recvmsg(8, _socket.CMSG_SPACE(8))
    if len(header) < 8:
        return None, []
    packed, data = ancillary[0][2] if ancillary else b"", b""
    while len(data) < int(header, 16):
        data += channel.recv(1 << 16)
    outputs = [int.from_bytes(packed[start : start + 4], sys.byteorder) for start in range(0, len(packed), 4)]
    return marshal.loads(data), outputs  # noqa: S302 - the kit wrote it


def prepare_process(call: "dict[str, Any]", descriptors: "list[int]", kept: int = 256) -> None:
    """Prepare this process for a command; the descriptors become standard input, output and error."""
    os.setsid()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.chdir(call["cwd"])
    if call["processors"] and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: call["processors"]])
    os.closerange(3, kept)
    os.closerange(kept + 1, 256)


def start_process(call: "dict[str, Any]", descriptors: "list[int]") -> "tuple[int, bytes]":
    """Start a command; return its process id, and why it could not be started. Closes the descriptors."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            prepare_process(call, descriptors, writing)
            os.execvpe(call["command"][0], call["command"], call["environment"])  # noqa: S606 - no shell
        except BaseException as error:
            os.write(writing, str(error).encode("utf-8", "replace"))
        finally:
            os._exit(127)
    for descriptor in (*descriptors, writing):
        os.close(descriptor)
    failure = os.read(reading, 4096)
    os.close(reading)
    return child, failure.replace(b"\n", b" ")


def wait_for(child: int) -> bytes:
    """Wait for a process; return its exit code, or the negative number of the signal that ended it."""
    status = os.waitpid(child, 0)[1]
    return b"%d" % (-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


def restrict(user: "int | None", limits: "dict[str, int]") -> None:
    """Drop root, set the limits, and make the process undumpable, permanently."""
    import contextlib
    import resource

    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    for name, most in limits.items():
        which = getattr(resource, name, None)
        if which is not None:
            hard = resource.getrlimit(which)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with contextlib.suppress(ValueError, OSError):  # not every system has every limit
                resource.setrlimit(which, (most, most))
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)


def count_processes() -> int:
    """Count the processes except this one and bubblewrap's first."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            try:
                with open("/proc/" + name + "/stat", "rb") as file:
                    count += file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
            except OSError:
                continue
    return count


def remaining_processes() -> int:
    """Count the processes that remain after a grace period."""
    import time

    until = time.monotonic() + GRACE_SECONDS
    while (count := count_processes()) and time.monotonic() < until:
        time.sleep(0.01)
    return count


def run_command(call: "dict[str, Any]", outputs: "list[int]") -> bytes:
    """Run a command to its end; return its exit code, or why it could not be started."""
    for name in call["folders"]:
        os.makedirs(name, exist_ok=True)
    for name, text in call["files"].items():
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    child, failure = start_process(call, [os.open(os.devnull, os.O_RDONLY), *outputs])
    code = wait_for(child)
    return b"!" + failure if failure else code


def serve(kit: "_socket.socket") -> None:
    """Answer the kit's calls."""
    setup, _ = receive(kit)
    restrict(setup["user"], setup["limits"])
    tops = [os.open(top, os.O_RDONLY | os.O_DIRECTORY) for top in setup["tops"]]
    send(kit, b"", tops)
    for top in tops:
        os.close(top)
    while True:
        call, outputs = receive(kit)
        if call is None:
            return
        kit.sendall((run_command(call, outputs) if call else b"%d" % remaining_processes()) + b"\n")


if __name__ == "__main__":
    serve(_socket.socket(fileno=0))
