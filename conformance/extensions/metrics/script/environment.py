"""The environment of a metric script: a Python, and the dependencies from its header.

uv creates it outside the sandbox, so no untrusted code may take part: uv runs in an empty folder, without
configuration, with a Python from the user or uv, and installs wheels, which it only unpacks. The
environment's own Python never runs outside the sandbox.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
import weakref
from pathlib import Path

from conformance.confinement.bubblewrap import SANDBOX_USER, Mounts, confined
from conformance.confinement.interpreters import Interpreter, InterpreterError, interpreter
from conformance.extensions.metrics.findings import CannotTryError
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.sandbox.neighbours import MOST_OF_A_SCRIPT, bytes_of, copy_visible
from conformance.extensions.metrics.sandbox.outputs import remove
from conformance.extensions.metrics.sandbox.room import Room
from conformance.extensions.metrics.script.header import Header
from conformance.extensions.metrics.script.script_run import last_line
from conformance.oracle.python import OracleError, find_uv

__all__ = ["ScriptEnvironment"]

NO_UV = "harbor runs metric scripts with uv, which was not found: run `pip install uv`."
_INSTALL_SECONDS = 900.0
_MOST_TAKEN = 8 << 30
"""The disk space for a script's dependencies, in bytes, checked periodically."""
_LOOK_SECONDS = 0.25
_NO_WHEEL = re.compile(r"no (usable )?wheels|building from source is disabled")
_ALONE = ("--no-config", "--color", "never")


class ScriptEnvironment:
    """The environment of one script; removed with this object, or when Python ends.

    Raises:
        CannotTryError: there is no uv, or the script's dependencies are not available.
    """

    def __init__(self, script: Path, python: str | None) -> None:
        try:
            self._uv = find_uv()
        except OracleError:
            raise CannotTryError(NO_UV) from None
        self.notes: list[str] = []
        """The differences to harbor."""
        content = bytes_of(script, MOST_OF_A_SCRIPT)
        header = Header.read(content.decode("utf-8", "replace"))
        self.has_header = header.is_there
        self._folder = Path(tempfile.mkdtemp(prefix="harbor-conformance-metric-")).resolve()
        self.remove = weakref.finalize(self, remove, self._folder)
        try:
            self._make(script, content, header, python)
        except BaseException:
            self.remove()
            raise

    def _make(self, script: Path, content: bytes, header: Header, python: str | None) -> None:
        self._script, self._content = script, content
        self._empty = self._folder / "empty"
        self._empty.mkdir()
        self._folder.chmod(0o755)
        self.version = self._run_uv("--version")
        found = self._found(python, header)
        self.python = self._made(found, header) if header.is_there else found
        self._readable = [self._environment] if header.is_there else []
        if header.unheeded:
            self.notes.append(f"[tool.uv] of the script is ignored: {', '.join(header.unheeded)}.")
        self.mounts = self._mounts()

    @property
    def _environment(self) -> str:
        return str(self._folder / "environment")

    def _found(self, named: str | None, header: Header) -> Interpreter:
        """The selected Python, or else uv's choice."""
        request = [named] if named else [header.python] if header.python else []
        path = self._run_uv("python", "find", "--no-project", *_ALONE, *request)
        try:
            found = interpreter(path, installed=not header.is_there)
        except InterpreterError as error:
            raise CannotTryError(f"{path} can't be used: {error}") from None
        if not header.allows(found.version):
            has = ".".join(map(str, found.version))
            raise CannotTryError(f"the script requires Python {header.python}, and {path} is {has}")
        return found

    def _made(self, found: Interpreter, header: Header) -> Interpreter:
        place = self._environment
        self._run_uv("venv", "--no-project", *_ALONE, "--python", found.base, place)
        python = os.path.join(place, "bin", "python")
        made = Interpreter(python, found.base, found.version, found.folders, found.links)
        if header.dependencies:
            newest = ("--exclude-newer", header.newest) if header.newest else ()
            self._run_uv(
                *("pip", "install", *_ALONE, "--no-build", "--link-mode", "copy", *newest),
                *("--python", python, "--", *header.dependencies),
            )
            self._compile(made)
        return made

    def _compile(self, made: Interpreter) -> None:
        """Compiles everything that was installed, inside the sandbox, since it is read-only later."""
        packages = os.path.join(self._environment, "lib")
        if SANDBOX_USER is not None and confined():
            for folder, _, _ in os.walk(packages):
                os.chown(folder, SANDBOX_USER, SANDBOX_USER)
        limits = Limits(seconds=_INSTALL_SECONDS)
        with Room(limits, made, Mounts(writable=[packages])) as room:
            words = [made.base, "-I", "-S", "-m", "compileall", "-q", "-j", "0", "-x", "/tests?/", packages]
            room.call(words, environment={}, cwd="/")

    def _mounts(self) -> Mounts:
        """The mounts: copies of the script and of visible files next to it."""
        source = os.path.dirname(os.path.realpath(self._script))
        target = Path(tempfile.mkdtemp(prefix="copy-", dir=self._folder))
        target.chmod(0o755)
        is_whole = source not in ("/", "/tmp")
        if is_whole and not copy_visible(source, target, self.python.folders):
            self.notes.append(
                "Only a part of the script's folder is available to it: the folder is too large."
            )
        (target / self._script.name).write_bytes(self._content)
        if not is_whole:
            copies = [(str(path), os.path.join(source, path.name)) for path in target.iterdir()]
            return Mounts(self._readable, copies)
        return Mounts(self._readable, [(str(target), source)])

    def _run_uv(self, *words: str) -> str:
        """Uv's output; it may have to install something."""
        room = self._room_on_disks()
        until = time.monotonic() + _INSTALL_SECONDS
        try:
            process = subprocess.Popen(
                (self._uv, *words),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                cwd=self._empty,
                env={name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
                umask=0o022,
            )
        except OSError as error:
            raise CannotTryError(f"uv can't be used: {error}") from None
        with process:
            while process.returncode is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    printed, complaint = process.communicate(timeout=_LOOK_SECONDS)
                taken = max(one - other for one, other in zip(room, self._room_on_disks(), strict=True))
                if taken > _MOST_TAKEN or time.monotonic() > until:
                    process.kill()
                    process.communicate()
                    what = f"{taken >> 30} GiB of disk" if taken > _MOST_TAKEN else f"{_INSTALL_SECONDS:g} s"
                    raise CannotTryError(f"the script's dependencies take more than {what}")
        if process.returncode != 0:
            why = last_line(complaint.encode())
            if _NO_WHEEL.search(" ".join(complaint.split())):
                why = f"only wheels are installed, as a build would run a stranger's code: {why}"
            raise CannotTryError(f"uv can't prepare the script's environment: {why}")
        return printed.strip()

    def _room_on_disks(self) -> list[int]:
        """The free disk space for the environment and uv's cache, in bytes."""
        cache = Path(os.environ.get("UV_CACHE_DIR") or Path.home())
        there = next((path for path in (cache, *cache.absolute().parents) if path.exists()), self._folder)
        return [shutil.disk_usage(path).free for path in (self._folder, there)]
