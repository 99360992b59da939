"""Finds uv and a CPython 3.12, which is executed to verify it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.errors import UserError

__all__ = [
    "PYTHON_VARIABLE",
    "PYTHON_VERSION",
    "Completed",
    "OracleError",
    "Python",
    "find_uv",
    "locate",
    "run",
]

PYTHON_VARIABLE = "HARBOR_CONFORMANCE_PYTHON"
PYTHON_VERSION = "3.12"

_PROBE = (
    "import platform, sys; "
    "print(platform.python_implementation(), platform.python_version(), sys.executable, sep='\\n')"
)
_PROBE_SECONDS = 30.0
_DOWNLOAD_SECONDS = 900.0

_PROBED: dict[tuple[object, ...], "Python"] = {}
"""Probed interpreters, by file and by the variables that shims depend on."""

Completed = subprocess.CompletedProcess[str]


class OracleError(UserError):
    """The oracle is not available; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter; ``version`` has three parts."""

    implementation: str
    version: str
    path: Path

    def is_cpython(self, version: str) -> bool:
        """Whether it is a CPython of this version, given as two parts."""
        return self.implementation == "CPython" and self.version.startswith(f"{version}.")


def locate(
    version: str = PYTHON_VERSION, *, download: bool = True, progress: Callable[[str], None] = lambda _: None
) -> Python:
    """A CPython of this version: the selected one, this one, or one from PATH, pyenv or uv.

    As a last resort, if ``download`` is true, uv downloads one.

    Raises:
        OracleError: none was found, or HARBOR_CONFORMANCE_PYTHON names something else.
    """
    chosen = os.environ.get(PYTHON_VARIABLE)
    if chosen:
        python = _probe(chosen)
        if python and python.is_cpython(version):
            return python
        fault = f"is {python.implementation} {python.version}" if python else "does not run as a Python"
        raise OracleError(
            f"{PYTHON_VARIABLE} is {chosen}, which {fault}: "
            f"set it to the path of a CPython {version}, or unset it."
        )
    for candidate in _candidates(version, download, progress):
        python = _probe(candidate)
        if python and python.is_cpython(version):
            return python
    raise OracleError(
        f"No CPython {version} was found: install one (`uv python install {version}` does), "
        f"or set {PYTHON_VARIABLE} to its path."
    )


def find_uv() -> str:
    """The path of uv: the one installed next to the kit, else the one on PATH.

    Raises:
        OracleError: there is none.
    """
    try:
        from uv import find_uv_bin

        return find_uv_bin()
    except (ImportError, FileNotFoundError):
        on_path = shutil.which("uv")
    if on_path is None:
        raise OracleError("uv builds the oracle, and was not found: run `pip install uv`.")
    return on_path


def run(
    command: Sequence[str],
    seconds: float,
    subject: str,
    *,
    cwd: Path | None = None,
    input_text: str = "",
    env: Mapping[str, str] | None = None,
    umask: int = -1,
) -> Completed:
    """Runs a command to its end, whatever its exit code; ``input_text`` is its standard input.

    Raises:
        OracleError: it could not start, or took longer than ``seconds`` and was killed.
    """
    try:
        return subprocess.run(
            command,
            input=input_text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            cwd=cwd,
            env=env,
            umask=umask,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OracleError(f"{subject} took over {seconds:.0f} seconds: run this again.") from None
    except (OSError, ValueError) as error:
        raise OracleError(f"{subject} could not start ({error}): check {command[0]}.") from None


def _candidates(version: str, download: bool, progress: Callable[[str], None]) -> Iterator[str]:
    if "{}.{}".format(*sys.version_info) == version:
        yield sys.executable
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for python in sorted(pyenv.glob(f"{version}*/bin/python{version}"), reverse=True):
        yield str(python)
    try:
        uv = find_uv()
    except OracleError:
        return
    yield from _of_uv(uv, version)
    if download:
        progress(f"no CPython {version} here: uv downloads one")
        run((uv, "python", "install", version), _DOWNLOAD_SECONDS, "Downloading Python")
        yield from _of_uv(uv, version)


def _of_uv(uv: str, version: str) -> Iterator[str]:
    find = (uv, "python", "find", "--managed-python", "--no-python-downloads", version)
    done = run(find, _PROBE_SECONDS, "`uv python find`")
    if done.returncode == 0 and done.stdout.strip():
        yield done.stdout.strip()


def _probe(python: str) -> Python | None:
    """Runs an interpreter to identify it: a name on PATH may be a broken shim.

    The result is cached, since a shim takes half a second to answer.
    """
    try:
        file = os.stat(shutil.which(python) or python)
    except OSError:
        return None
    chosen_by = [os.environ.get(name) for name in ("PATH", "PYENV_ROOT", "PYENV_VERSION", "PYENV_DIR")]
    key = (python, file.st_ino, file.st_mtime_ns, Path.cwd(), *chosen_by)
    if key not in _PROBED:
        try:
            done = run((python, "-I", "-c", _PROBE), _PROBE_SECONDS, f"Starting {python}")
        except OracleError:
            return None
        lines = done.stdout.splitlines()
        if done.returncode != 0 or len(lines) != 3:
            return None
        _PROBED[key] = Python(lines[0], lines[1], Path(lines[2]))
    return _PROBED[key]
