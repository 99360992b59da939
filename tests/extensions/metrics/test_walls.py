"""The walls themselves, without a process: what bubblewrap is started with, the limits, what is read back."""

import os
import shutil
import socket
import struct
import subprocess
import sys
from types import SimpleNamespace

import pytest

from conformance.confinement import bubblewrap
from conformance.confinement.bubblewrap import Mounts
from conformance.extensions.metrics.checker import CannotTryError
from conformance.extensions.metrics.sandbox import limits as calls
from conformance.extensions.metrics.sandbox import sandbox
from conformance.extensions.metrics.sandbox.limits import Ended, Limits
from conformance.extensions.metrics.sandbox.outputs import copy_visible
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.extensions.metrics.script.environment import Header
from conformance.wire.untrusted_files import Folder, Refused
from tests.extensions.metrics.bodies import each_of
from tests.extensions.metrics.in_process import HERE

SHOWN = Mounts(readable=["/opt/py/3"], copies=[("/tmp/copy", "/home/me/metrics")], links=[("/opt/p", "py/3")])


@pytest.mark.parametrize("root", [True, False])
def test_what_bubblewrap_is_started_with(monkeypatch, root) -> None:
    monkeypatch.setattr(bubblewrap, "SANDBOX_USER", 61184 if root else None)
    words = bubblewrap.command("bwrap", SHOWN, ["python", "-c", "x"], 9)
    text = " ".join(words)
    for needed in (
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--cap-drop ALL"),
        *("--die-with-parent", "--new-session", "--seccomp 9", "--remount-ro /dev", "--remount-ro /proc"),
        *("--ro-bind /opt/py/3 /opt/py/3", "--ro-bind /tmp/copy /home/me/metrics", "--symlink py/3 /opt/p"),
        "--perms 0555 --dir /home/me",
        *("--size 67108864 --tmpfs /tmp", "--size 67108864 --tmpfs /dev/shm"),
        "--cap-add CAP_SETUID" if root else "--unshare-user --disable-userns --uid 1000",
    ):
        assert needed in text
    assert words[-8:] == ["--remount-ro", "/", "--seccomp", "9", "--", "python", "-c", "x"]
    for never in ("--bind", "--dev-bind", "--share-net"):
        assert never not in words
    mounted = {words[at + 2] for at, word in enumerate(words) if word == "--ro-bind"}
    assert mounted <= {"/opt/py/3", "/home/me/metrics", "/dev/zero", *bubblewrap._SYSTEM}


@each_of("bubblewrap")
def test_a_machine_under_load_keeps_its_walls(monkeypatch, row) -> None:
    answers = list(row["answers"])
    raised = {"slow": subprocess.TimeoutExpired("bwrap", 1), "error": OSError()}

    def run(*_, **__):
        answer = answers.pop(0)
        if answer in raised:
            raise raised[answer]
        return SimpleNamespace(returncode=answer)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(bubblewrap, "interpreter", lambda _: HERE)
    assert bubblewrap._works("bwrap") is row["works"]


def test_a_user_of_the_sandbox_is_nobody_else() -> None:
    assert (bubblewrap.SANDBOX_USER is None) == (os.geteuid() != 0)
    assert bubblewrap.SANDBOX_USER is None or 61184 <= bubblewrap.SANDBOX_USER < 65534


def test_the_limits_that_the_kernel_keeps() -> None:
    limits = Limits(seconds=30, file_bytes=1, memory_bytes=2, processes=3, open_files=4)
    found = limits.of_a_process()
    assert found.pop("RLIMIT_CPU") >= 30
    assert found == {
        **dict.fromkeys(("RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO", "RLIMIT_NICE"), 0),
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 1,
        "RLIMIT_AS": 2,
        "RLIMIT_NPROC": 60,
        "RLIMIT_NOFILE": 4,
    }
    assert Limits() == Limits(30.0, 64 << 20, 64 << 20, 256 << 20, 8 << 30, 200, 1024)


def filtered(program, architecture, number, *arguments):
    """What the kernel answers to a system call: 0 that it may be made, else the error."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at, value = 0, 0
    while True:
        code, then, other, operand = steps[at]
        if code == 0x06:
            return operand & 0xFFFF if operand & 0x7FFF0000 != 0x7FFF0000 else 0
        if code == 0x54:
            value, at = value & operand, at + 1
        elif code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
            at += 1
        else:
            holds = {0x15: value == operand, 0x35: value >= operand}[code]
            at += 1 + (then if holds else other)


ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


@each_of("calls")
def test_which_calls_are_refused(monkeypatch, row) -> None:
    machine = row["machine"]
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "h", "6", "v", machine)))
    program = calls.call_filter()
    assert program is not None
    architecture = row.get("architecture", ARCHITECTURES[machine])
    errors = {str(call): filtered(program, architecture, *call) for call in row["calls"]}
    assert errors == dict.fromkeys(errors, row["error"])


class Left(Sandbox):
    """A room in which a folder of this machine was left."""

    def __init__(self, folder) -> None:
        super().__init__(Limits(), HERE, path=str(folder))
        self._bwrap, self._folders, self._roots = None, [Folder.top(str(folder))], (str(folder),)


@pytest.fixture
def left(tmp_path):
    made = Left(tmp_path)
    yield made
    made._folders[0].leave()


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda path: path.symlink_to("/dev/zero"), "symbolic-link"),
        (lambda path: path.symlink_to("other"), "symbolic-link"),
        (os.mkfifo, "special-file"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "special-file"),
        (lambda path: path.mkdir(), "wrong-type"),
        (lambda path: path.write_bytes(b"x" * 101), "too-large"),
        (lambda path: path.write_bytes(b"x" * 100), None),
    ],
    ids=["device", "link", "pipe", "socket", "folder", "large", "file"],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_read_back(left, tmp_path, make, kind) -> None:
    (tmp_path / "other").write_text("x")
    make(tmp_path / "output")
    if kind is None:
        assert left.read(f"{left.path}/output", 100) == b"x" * 100
        assert left.read(f"{left.path}/nothing", 100) is None
    else:
        with pytest.raises(Refused) as refused:
            left.read(f"{left.path}/output", 100)
        assert refused.value.kind == kind


def test_a_folder_that_is_a_link_is_not_listed(left, tmp_path) -> None:
    (tmp_path / "work").symlink_to("/")
    assert left.names(f"{left.path}/work") is None
    with pytest.raises(Refused):
        left.read(f"{left.path}/work/etc/passwd", 1 << 20)


@each_of("over")
def test_what_is_over_a_limit(left, monkeypatch, row) -> None:
    left.limits = Limits(folder_bytes=100, processes=6, memory_bytes=1000)
    left._bwrap, left._process = "bwrap", SimpleNamespace(pid=1)
    monkeypatch.setattr(sandbox, "_MOST_ENTRIES", 10)
    monkeypatch.setattr(left, "_usage", lambda: (row["taken"], row["entries"]))
    monkeypatch.setattr(sandbox, "descendants", lambda _: [2] * row["processes"])
    monkeypatch.setattr(sandbox, "memory_of", lambda *_: row["memory"])
    assert left._exceeded_limit() == row["over"]


@each_of("heard")
def test_what_is_heard_of_a_call(left, monkeypatch, row) -> None:
    monkeypatch.setattr(left, "_exceeded_limit", lambda **_: None)
    left.limits, ended = Limits(seconds=0.2), Ended()
    left._socket, theirs = socket.socketpair()
    with left._socket, theirs:
        theirs.sendall((row["answer"] * row.get("times", 1) + row.get("end", "")).encode())
        left._wait(ended, [])
    assert (ended.code, ended.failure, ended.stopped) == tuple(map(row.get, ("code", "failure", "stopped")))


def test_a_flood_of_names_is_not_listed(left, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sandbox, "_MOST_NAMES", 3)
    for name in "abc":
        (tmp_path / name).touch()
    assert left.names(left.path) == ["a", "b", "c"]
    (tmp_path / "d").touch()
    assert left.names(left.path) is None


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_lies_next_to_a_script_is_copied(tmp_path, monkeypatch) -> None:
    """Of too much a part."""
    source, target = tmp_path / "source", tmp_path / "target"
    target.mkdir()
    for name in (".git", "package", "__pycache__", "venv/bin"):
        (source / name).mkdir(parents=True)
    for name in ("weights.json", ".env", "package/module.py", ".git/config", "venv/bin/python"):
        (source / name).write_text(name)
    (source / "link").symlink_to("/etc/passwd")
    os.mkfifo(source / "pipe")
    socket.socket(socket.AF_UNIX).bind(str(source / "socket"))
    assert copy_visible(str(source), target, [str(source / "venv")])
    found = sorted(str(path.relative_to(target)) for path in target.rglob("*"))
    assert found == ["package", "package/module.py", "venv", "weights.json"]
    shutil.rmtree(target)
    target.mkdir()
    monkeypatch.setattr("conformance.extensions.metrics.sandbox.outputs.MOST_BYTES", 20)
    assert not copy_visible(str(source), target, [str(source / "venv")])
    assert len([path for path in target.rglob("*") if path.is_file()]) == 1


def header(*lines):
    return "".join(f"# {line}\n" for line in ("/// script", *lines, "///"))


@each_of("headers")
def test_a_header(row) -> None:
    text = header(*row["lines"]) if row["lines"] else "print(1)"
    read = {name: tuple(value) if isinstance(value, list) else value for name, value in row["read"].items()}
    assert Header.read(text.replace("\n", "\r\n")) == Header(**read)


@each_of("dependencies")
def test_a_dependency_that_is_not_installed_for_a_stranger(row) -> None:
    with pytest.raises(CannotTryError):
        Header.read(header(f"dependencies = ['{row['dependency']}']"))


def test_metadata_that_would_keep_a_parser_busy() -> None:
    with pytest.raises(CannotTryError, match="longer than 65536 characters"):
        Header.read(header("dependencies = []", f"# {'x' * 70_000}"))
