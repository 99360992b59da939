"""Starts untrusted commands one after the other in the sandbox. A standalone program for any Python 3.

Its standard input is a socket to the kit. The first call sets privileges and limits; the answer has
descriptors of the writable folders, through which the kit reads the commands' files. Each later call runs a
command; a call without a command asks for the number of remaining processes. An answer is a line.

With ``fork SCRIPT MODULE ...`` it is an untrusted process that imports the modules and then runs the script
in a fork of itself for each call. It answers ``y`` if a fork can behave like a new process: nothing was
printed, and no thread, file or module of the script's own folder is in use. This is not trusted: the caller
compares results. So it imports only modules that every Python has imported before any script.
"""

import _socket
import gc
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GRACE_SECONDS = 0.3
RIGHTS = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
DUMPABLE = 4


def say(channel: "_socket.socket", data: bytes, descriptors: "list[int]") -> None:
    """Sends a call: its length as eight hexadecimal digits, with the outputs' descriptors, and the bytes."""
    packed = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
    channel.sendmsg([b"%08x" % len(data)], [(*RIGHTS, packed)])
    channel.sendall(data)


def hear(channel: "_socket.socket") -> "tuple[Any, list[int]]":
    """The next call and its outputs; None at the end."""
    head, ancillary, _, _ = channel.recvmsg(8, _socket.CMSG_SPACE(8))
    if len(head) < 8:
        return None, []
    packed, data = ancillary[0][2] if ancillary else b"", b""
    while len(data) < int(head, 16):
        data += channel.recv(1 << 16)
    outputs = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
    return marshal.loads(data), outputs  # noqa: S302 - the kit wrote it


def settle(call: "dict[str, Any]", descriptors: "list[int]", kept: int = 256) -> None:
    """Prepares this process to run a command, with these as standard input, output and error."""
    os.setsid()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.chdir(call["cwd"])
    if call["processors"] and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: call["processors"]])
    os.closerange(3, kept)
    os.closerange(kept + 1, 256)


def started(call: "dict[str, Any]", descriptors: "list[int]") -> "tuple[int, bytes]":
    """Starts a command; returns its process, or why it could not be started. Closes the descriptors."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            settle(call, descriptors, writing)
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


def ended(child: int) -> bytes:
    """The exit code of a process, or the negative number of the signal that ended it."""
    status = os.waitpid(child, 0)[1]
    return b"%d" % (-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


# The untrusted process, which forks


def fits(script: str, modules: "list[str]") -> bool:
    """Imports the modules, and returns whether a fork behaves like a new process."""
    neighbours = {name.partition(".")[0] for name in os.listdir(os.path.dirname(script))}
    for name in modules:
        if name.partition(".")[0] not in neighbours:
            __import__(name)
    if not os.fork():
        os._exit(0)
    os.wait()
    # only libraries are safe that end their threads before a fork and start new ones on use
    threads = len(os.listdir("/proc/self/task"))
    files = [name for name in os.listdir("/proc/self/fd") if int(name) > 2]
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    imported = {name.partition(".")[0] for name in sys.modules}
    return threads == 1 and len(files) == 1 and not os.fstat(1).st_size and not imported & neighbours


def next_call(kit: "_socket.socket") -> "dict[str, Any]":
    """Waits for calls; returns in a fork, with the call that it is for."""
    try:
        answer = b"y" if fits(sys.argv[2], sys.argv[3:]) else b"n"
    except BaseException:
        answer = b"n"
    kit.sendall(answer)
    gc.freeze()  # freeze imported objects, so that garbage collection in a fork copies none of them
    while True:
        call, outputs = hear(kit)
        if call is None or answer != b"y":
            os._exit(0)
        child = os.fork()
        if child == 0:
            kit.detach()
            settle(call, [os.open(os.devnull, os.O_RDONLY), *outputs])
            return call  # type: ignore[no-any-return]
        for descriptor in outputs:
            os.close(descriptor)
        kit.sendall(ended(child))


def become_script(call: "dict[str, Any]") -> None:
    """Runs the script in this process as if the process had been started for it."""
    os.environ.clear()
    os.environ.update(call["environment"])
    sys.orig_argv = call["command"]
    sys.argv = sys.orig_argv[1:]
    script = sys.argv[0]
    sys.path.insert(0, os.path.dirname(script))
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec", 0, True)
    own = sys.modules["__main__"] = type(sys)("__main__")
    loader = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", script)
    vars(own).update(__builtins__=__builtins__, __file__=script, __loader__=loader, __cached__=None)
    exit_code = 0
    try:
        exec(code, vars(own))  # noqa: S102 - it is what runs it
    except SystemExit as error:
        if not (error.code is None or (type(error.code) is int and 0 <= error.code < 256)):
            raise
        exit_code = error.code or 0
    end_script(vars(own), exit_code)


def end_script(names: "dict[str, Any]", exit_code: int) -> None:
    """Ends like Python, but without tearing down imported modules, which is slow.

    Files that a module keeps open are not flushed then: a new process would show the difference.
    """
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    if "atexit" in sys.modules:
        sys.modules["atexit"]._run_exitfuncs()
    names.clear()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(exit_code)


# The kit's process


def restrict(user: "int | None", limits: "dict[str, int]") -> None:
    """Drops root, sets the limits, and makes the process undumpable, permanently."""
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


def others(known: "set[int]") -> int:
    """The number of processes except those, this one, and bubblewrap's first."""
    found = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in {1, os.getpid(), *known}:
            try:
                with open("/proc/" + name + "/stat", "rb") as file:
                    found += file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
            except OSError:
                continue
    return found


def start_forking(call: "dict[str, Any]") -> "tuple[_socket.socket | None, set[int]]":
    """A channel to a forking process, or None if forks don't work for the script; and that process."""
    channel, theirs = _socket.socketpair()
    path = os.path.join(call["cwd"], "said")
    printed = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    os.unlink(path)
    words = [call["command"][0], "-c", call["forking"], "fork", *call["command"][1:2], *call["imports"]]
    process, failure = started({**call, "command": words}, [theirs.detach(), printed, os.dup(printed)])
    if not failure and channel.recv(1) == b"y" and not others({process}):
        return channel, {process}
    os.kill(process, 9)
    return None, {process}


def left(known: "set[int]") -> int:
    """The number of remaining processes after some time."""
    import time

    until = time.monotonic() + GRACE_SECONDS
    while (found := others(known)) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def answered(call: "dict[str, Any]", outputs: "list[int]", channel: "_socket.socket | None") -> bytes:
    """Runs a command to its end, in a fork if there is a channel to a forking process.

    Raises:
        OSError, ValueError: that process is gone.
    """
    for name in call["folders"]:
        os.makedirs(name, exist_ok=True)
    for name, text in call["files"].items():
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    if channel is None:
        child, failure = started(call, [os.open(os.devnull, os.O_RDONLY), *outputs])
        code = ended(child)
        return b"!" + failure if failure else code
    say(channel, marshal.dumps(call), outputs)
    for descriptor in outputs:
        os.close(descriptor)
    return b"f%d" % int(channel.recv(16))


def serve(kit: "_socket.socket") -> None:
    """Serves the kit's calls."""
    setup, _ = hear(kit)
    restrict(setup["user"], setup["limits"])
    tops = [os.open(top, os.O_RDONLY | os.O_DIRECTORY) for top in setup["tops"]]
    say(kit, b"", tops)
    for top in tops:
        os.close(top)
    channel, forking = None, None
    while True:
        call, outputs = hear(kit)
        if call is None:
            return
        if not call:
            answer = b"%d" % left(forking or set())
        else:
            if call["forking"] and forking is None:
                os.makedirs(call["cwd"], exist_ok=True)
                channel, forking = start_forking(call)
            answer = answered(call, outputs, channel if call["forking"] else None)
        kit.sendall(answer + b"\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["fork"]:
        sys.path.pop(0)
        become_script(next_call(_socket.socket(fileno=0)))
    else:
        serve(_socket.socket(fileno=0))
