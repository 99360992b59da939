"""A ``harbor-conformance`` that has its imports and its memos behind it, for tests that start many.

``warm.py serve SOCKET`` loads the kit once and makes a process for each command by a fork; ``warm.py ask
SOCKET WORDS`` is the command: where it is started, with its variables, its arguments, its standard streams,
and its exit code. It is half the time of a cold start; tests of starting, and of signals, start it cold.
"""

import array
import os
import socket
import sys

MOST = 1 << 20


def ask(path: str, words: "list[str]") -> int:
    """What the command exits with."""
    said = [os.getcwd(), *words, "", *(f"{name}={value}" for name, value in os.environ.items())]
    text = "\0".join([str(len(words)), *said]).encode("utf-8", "surrogateescape")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(path)
        streams = array.array("i", [0, 1, 2])
        line.sendmsg([len(text).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
        line.sendall(text)
        code = line.recv(1)
    return code[0] if code else 70


def heard(line: socket.socket) -> "tuple[str, list[str], dict[str, str]]":
    """Folder, words and variables of a command; its streams become this process's."""
    size, kept, _, _ = line.recvmsg(4, socket.CMSG_SPACE(12))
    for number, stream in enumerate(array.array("i", kept[0][2])):
        os.dup2(stream, number)
        os.close(stream)
    text = b""
    while len(text) < int.from_bytes(size, "big"):
        text += line.recv(MOST)
    count, folder, *rest = text.decode("utf-8", "surrogateescape").split("\0")
    words, variables = rest[: int(count)], rest[int(count) + 1 :]
    return folder, words, dict(one.split("=", 1) for one in variables)


def carried_out(line: socket.socket) -> int:
    """Runs a command in this process, which is made for it; its exit code."""
    import threading

    folder, words, variables = heard(line)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(  # noqa: SIM115 - it is this process's
            number, "w" if number else "r", encoding="utf-8", errors="surrogateescape", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = ["harbor-conformance", *words]
    from conformance.cli import main

    code: object = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    except BaseException:  # as Python itself does
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code if isinstance(code, int) else 0 if code is None else 1


def loaded() -> None:
    import contextlib
    import importlib
    import pkgutil

    import conformance
    from conformance.diagnosis.foretold import foretold
    from conformance.diagnosis.scratch import scratch
    from conformance.mistakes.catalogue import all_mistakes
    from conformance.paths import spec_names

    for module in pkgutil.walk_packages(conformance.__path__, "conformance."):
        if not module.name.startswith("conformance.adapters."):
            with contextlib.suppress(KeyError):  # what belongs to the process that asks metrics' classes
                importlib.import_module(module.name)
    for spec in spec_names():
        foretold(spec)
        scratch(spec)
    all_mistakes()


def serve(path: str) -> None:
    """Until standard input ends, and so with the test run that started it."""
    import gc
    import select

    loaded()
    gc.freeze()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(path)
        door.listen(16)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([door, 0], [], [], 1)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
            if 0 in ready:
                return
            if door in ready:
                line, _ = door.accept()
                if not os.fork():
                    door.close()
                    code = 70
                    try:
                        code = carried_out(line)
                    finally:
                        line.send(bytes([code & 255]))
                        os._exit(code & 255)
                line.close()


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        sys.exit(ask(sys.argv[2], sys.argv[3:]))
    serve(sys.argv[2])
