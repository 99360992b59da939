"""Whoever runs the kit: this user, and an ordinary one where this is root, with a Python that he may read."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.oracle.python import find_uv

HERE = Path(__file__).parent
SECONDS = 1800
NOBODY = 65534


@dataclass
class User:
    """Whoever runs the kit."""

    folder: Path
    python: str
    number: int | None
    """None is this one."""

    def run(self, program: str, asked: dict[str, Any], **variables: str) -> list[Any]:
        """The lines that a program of the tests prints when the user runs it."""
        for name in ("home", "tmp"):
            (self.folder / name).mkdir(exist_ok=True)
        self.own()
        libraries = [path for path in sys.path if path.endswith("-packages")]
        done = subprocess.run(
            [self.python, "-X", "utf8", str(HERE / program), json.dumps(asked)],
            env={
                "PATH": f"{Path(find_uv()).parent}:{os.defpath}",
                "HOME": str(self.folder / "home"),
                "TMPDIR": str(self.folder / "tmp"),
                "UV_CACHE_DIR": str(self.folder / "cache"),
                "UV_PYTHON_DOWNLOADS": "never",
                "PYTHONPATH": os.pathsep.join([str(Path(conformance.__file__).parents[1]), *libraries]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "SECRET": "secret",
                **variables,
            },
            cwd=self.folder,
            user=self.number,
            group=self.number,
            extra_groups=None if self.number is None else [],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"the kit ended with {done.returncode}: {done.stderr}"
        said = [json.loads(line) for line in done.stdout.splitlines()]
        assert said[0] == {"user": os.getuid() if self.number is None else self.number}
        return said[1:]

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


@pytest.fixture(scope="session", params=["this user", "ordinary user"])
def user(request: pytest.FixtureRequest, readable_python: str) -> Iterator[User]:
    """Not below pytest's own folder, which each run of pytest closes to others when it starts."""
    with tempfile.TemporaryDirectory(prefix="metric-", ignore_cleanup_errors=True) as root:
        (folder := Path(root) / "user").mkdir()
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
