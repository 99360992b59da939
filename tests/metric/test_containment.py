"""Metrics that attack the machine: other environments, the processes above them, disk, owners, terminals.

Each is tried as this user, and as an ordinary one where this is root; with all walls, and with those that a
container has which gives no namespaces.
"""

import hashlib
import json
import os
import pty
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.metric.protection import Protections, protections
from conformance.oracle.python import find_uv

HERE = Path(__file__).parent
ATTACKS = HERE / "attacks"
SECONDS = 300
NOBODY = 65534
EVERYTHING = Protections(landlock=6, namespaces=True, read_only=True, seccomp=True)
WALLS: dict[str, dict[str, Any]] = {
    "all walls": {},
    "no namespaces": {"namespaces": False, "read_only": False},
}


@dataclass
class User:
    """Whoever runs the kit: a folder of his own, and a Python that he may read."""

    folder: Path
    python: str
    number: int | None
    """None is this one."""

    def attacked(self, attack: str, without: dict[str, Any], *, victims: str = "", **asked: Any) -> Any:
        """What checking an attack comes to."""
        shutil.copy(ATTACKS / attack, self.folder / attack)
        (self.folder / "tmp").mkdir(exist_ok=True)
        self.own()
        asked = {"cases": ["one-key"], "limits": {"seconds": 120}, **asked}
        asked |= {"script": str(self.folder / attack), "without": without}
        variables = {name: asked.pop(name) for name in list(asked) if name.isupper()}
        libraries = [path for path in sys.path if path.endswith("-packages")]
        done = subprocess.run(
            [self.python, "-X", "utf8", str(HERE / "attacked.py"), json.dumps(asked)],
            env={
                "PATH": f"{Path(find_uv()).parent}:{os.defpath}",
                "HOME": str(self.folder / "home"),
                "TMPDIR": str(self.folder / "tmp"),
                "UV_CACHE_DIR": str(self.folder / "cache"),
                "UV_PYTHON_DOWNLOADS": "never",
                "PYTHONPATH": os.pathsep.join([str(Path(conformance.__file__).parents[1]), *libraries]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "VICTIMS": victims,
                **variables,
            },
            cwd=self.folder,
            user=self.number,
            group=self.number,
            extra_groups=None if self.number is None else [],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"the kit ended with {done.returncode}: {done.stderr}"
        said = json.loads(done.stdout)
        assert said["left"] == []
        assert said["user"] == (os.getuid() if self.number is None else self.number)
        return said

    def own(self) -> None:
        """All in the folder belongs to the user."""
        if self.number is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.number, self.number, follow_symlinks=False)

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Another process of this user's."""
        return subprocess.Popen(command, user=self.number, group=self.number, stdin=subprocess.PIPE)


@pytest.fixture(scope="session")
def readable_python() -> Iterator[str]:
    """This Python, for an ordinary user: a copy, where its own folder is closed to others."""
    base = Path(sys.base_prefix).resolve()
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if all(place.stat().st_mode & 0o005 == 0o005 for place in (base, *base.parents)):
        yield str(base / "bin" / name)
        return
    with tempfile.TemporaryDirectory(prefix="python-") as folder:
        yield str(copied_python(base, name, Path(folder)))


def copied_python(base: Path, name: str, copy: Path) -> Path:
    copy.chmod(0o755)
    shutil.copytree(base / "bin", copy / "bin", symlinks=True, ignore=lambda _, names: set(names) - {name})
    # with its bytecode, which an ordinary user could not write, and each start would compile anew
    unneeded = shutil.ignore_patterns("test", "site-packages", "*.opt-?.pyc", "idlelib", "*.a", "config-*")
    library = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(library, copy / "lib" / library.name, ignore=unneeded)
    for shared in (base / "lib").glob("libpython*.so*"):
        shutil.copy(shared, copy / "lib")
    return copy / "bin" / name


@pytest.fixture(params=["this user", "ordinary user"])
def user(request: pytest.FixtureRequest, readable_python: str) -> Iterator[User]:
    """Not below pytest's own folder, which each run of pytest closes to others when it starts."""
    with tempfile.TemporaryDirectory(prefix="metric-", ignore_cleanup_errors=True) as root:
        (Path(root) / "user" / "home").mkdir(parents=True)
        yield from users(request, Path(root) / "user", readable_python)


def users(request: pytest.FixtureRequest, folder: Path, readable_python: str) -> Iterator[User]:
    if request.param == "this user":
        yield User(folder, sys.executable, None)
        return
    if os.getuid() != 0:
        pytest.skip("this user is an ordinary one: the same test as for this user")
    for place in (folder, folder.parent):
        place.chmod(0o755)
    made = User(folder, readable_python, NOBODY)
    made.own()
    needed = [HERE / "attacked.py", Path(conformance.__file__), Path(find_uv()), Path(pytest.__file__)]
    read = "import sys; [open(path, 'rb').close() for path in sys.argv[1:]]"
    tried = subprocess.run(
        [readable_python, "-I", "-S", "-c", read, *map(str, needed)],
        user=NOBODY, group=NOBODY, extra_groups=[],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    if tried.returncode != 0:
        pytest.skip(f"an ordinary user can't read what the kit needs: {tried.stderr.splitlines()[-1]}")
    yield made


pytestmark = pytest.mark.slow
walls = pytest.mark.parametrize("without", WALLS.values(), ids=WALLS.keys())


def test_this_machine_has_all_walls_or_says_which_it_lacks() -> None:
    held = protections()
    full = held.landlock >= 6 and held.namespaces and held.read_only and held.seccomp
    assert (held.missing() == []) == full
    assert EVERYTHING.missing() == []
    nothing = Protections().missing()
    assert [sentence.split(":")[0] for sentence in nothing] == [
        "this system has no Landlock",
        "this system gives no namespaces",
        "this system has no seccomp filter",
    ]
    assert "end or stop and change your other processes" in nothing[1]


def wheel(folder: Path) -> None:
    """A package of one module, as an index has it."""
    folder.mkdir()
    info = "victim-1.0.dist-info"
    files = {
        "victim.py": "ANSWER = 'as installed'\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: victim\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / "victim-1.0-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


@walls
def test_other_environments_stay_as_they_were(user: User, without: dict[str, Any]) -> None:
    """The oracle used to be linked to uv's cache, and every metric script could write there."""
    wheel(user.folder / "wheels")
    cache, other = user.folder / "cache", user.folder / "other"
    variables = {
        "UV_OFFLINE": "1", "UV_FIND_LINKS": str(user.folder / "wheels"), "UV_CACHE_DIR": str(cache),
        "UV_LINK_MODE": "hardlink",
    }  # fmt: skip
    for words in (["venv", "--python", user.python, str(other)], ["pip", "install", "victim"]):
        command = [find_uv(), *words, *(["--python", str(other)] if words[0] == "pip" else [])]
        environment = {**os.environ, **variables}
        subprocess.run(command, env=environment, check=True, timeout=SECONDS, capture_output=True)
    (installed,) = other.rglob("victim.py")
    assert installed.stat().st_nlink > 1  # linked to the cache, as uv does it
    before = digests(cache)
    said = user.attacked("oracle.py", without, victims=f"{cache}:{other}", **variables)
    assert said["found"] == []
    assert installed.read_text() == "ANSWER = 'as installed'\n"
    after = digests(cache)
    assert {path: after.get(path) for path in before} == before
    assert not [
        path for path in after if "altered" in Path(path).name or path.startswith("harbor-conformance")
    ]


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@walls
def test_the_processes_above_are_out_of_reach(user: User, without: dict[str, Any]) -> None:
    with user.start("cat") as bystander:
        priority = os.getpriority(os.PRIO_PROCESS, bystander.pid)
        limits = limits_of(bystander.pid)
        said = user.attacked(
            "limits.py", without, victims=str(bystander.pid), own=True, limits={"seconds": 20}
        )
        assert said["found"] == []
        assert bystander.poll() is None
        assert limits_of(bystander.pid) == limits
        assert os.getpriority(os.PRIO_PROCESS, bystander.pid) == priority
        assert os.sched_getscheduler(bystander.pid) == os.SCHED_OTHER
        bystander.kill()


@walls
def test_nor_can_a_class_reach_them(user: User, without: dict[str, Any]) -> None:
    with user.start("cat") as bystander:
        priority, limits = os.getpriority(os.PRIO_PROCESS, bystander.pid), limits_of(bystander.pid)
        asked: dict[str, Any] = {"class": "Metric", "cases": ["class"], "own": True}
        user.attacked("limits_class.py", without, victims=str(bystander.pid), **asked)
        assert bystander.poll() is None
        assert limits_of(bystander.pid) == limits
        assert os.getpriority(os.PRIO_PROCESS, bystander.pid) == priority
        bystander.kill()


def limits_of(process: int) -> str:
    return Path(f"/proc/{process}/limits").read_text()


@walls
@pytest.mark.parametrize("where", ["unlinked", "deep"])
def test_hidden_writes_are_seen(user: User, without: dict[str, Any], where: str) -> None:
    limits = {"seconds": 40, "folder_bytes": 32 << 20}
    said = user.attacked("hoard.py", without, limits=limits, WHERE=where)
    rule, sentence = said["found"][0]
    assert (rule, sentence) in [
        ("too-much", "It wrote over 32 MiB, or thousands of files, and was stopped."),
        ("exit-code", "It exited with 1: OSError: [Errno 28] No space left on device"),
    ]
    assert without == {} or rule == "too-much"


@walls
def test_owners_terminals_and_shared_memory(user: User, without: dict[str, Any]) -> None:
    first, second = pty.openpty()
    victim = user.folder / "victim"
    victim.write_text("mine")
    victim.chmod(0o600)
    user.own()
    terminal = os.ttyname(second)
    if user.number is not None:
        os.chown(terminal, user.number, -1)
    before = victim.stat()
    said = user.attacked("owner.py", without, victims=f"{victim}:{terminal}")
    os.set_blocking(first, False)
    with pytest.raises(BlockingIOError):
        os.read(first, 100)
    os.close(first)
    os.close(second)
    assert os.listxattr(victim) == []
    read_only = protections().read_only and not without
    done = "shared" if read_only else "chmod utime shared"  # shared memory is its own, or cleared away
    assert said["found"] == [["exit-code", f"It exited with 1: done: {done}"]]
    after = victim.stat()
    assert not read_only or (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)
    assert not Path("/dev/shm", tmp_name(user)).exists()


def tmp_name(user: User) -> str:
    return user.folder.parent.name


@walls
def test_a_daemon_is_ended_and_told(user: User, without: dict[str, Any]) -> None:
    said = user.attacked("daemon.py", without)
    assert said["found"] == [["leaves-behind", "1 of its processes outlived it, and were ended."]]
