"""Shared code for building environments in the cache: oracles, releases and forks."""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs

from conformance.oracle.python import Completed, OracleError, Python, run

__all__ = [
    "CACHE_VARIABLE",
    "INSTALL_SECONDS",
    "cache_dir",
    "cause",
    "folder_size",
    "install",
    "make_environment",
    "network_advice",
    "partial_of",
    "put_in_place",
    "python_in",
    "remove_left_overs",
    "runner_command",
    "unwritable_cache",
]

CACHE_VARIABLE = "HARBOR_CONFORMANCE_CACHE"
INSTALL_SECONDS = 1_800.0

_PARTIAL = re.compile(r"\.partial-([0-9]+)(?:\.old)?$")
_NETWORK = re.compile(r"connect|dns|network|send(ing)? request|timed? ?out|offline|fetch", re.I)
_VENV_SECONDS = 120.0


def cache_dir() -> Path:
    """The folder of all environments."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    return platformdirs.user_cache_path("harbor-conformance", appauthor=False)


def runner_command(python: Path, adapter: Path, **variables: str) -> tuple[str, ...]:
    """The command that runs an adapter, isolated from the caller's Python except for PYTHONHASHSEED.

    ``variables`` are set in its environment.
    """
    changed = (f"{name}={value}" for name, value in variables.items())
    unset = ("env", "-u", "PYTHONPATH", "-u", "PYTHONHOME")
    return (*unset, *changed, str(python), "-s", "-P", "-B", "-X", "utf8", str(adapter))


def python_in(folder: Path) -> Path:
    """The path of an environment's Python."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def partial_of(folder: Path) -> Path:
    """The temporary folder in which this process builds ``folder``."""
    return folder.with_name(f"{folder.name}.partial-{os.getpid()}")


def make_environment(folder: Path, python: Python, uv: str) -> Path:
    """Creates an empty environment; returns its Python.

    Raises:
        OracleError: uv can't create one.
    """
    venv = (uv, "venv", "--quiet", "--relocatable", "--no-project", "--python", str(python.path))
    done = run((*venv, str(folder)), _VENV_SECONDS, "`uv venv`", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not make an environment with {python.path}: {cause(done)}.")
    return python_in(folder)


def install(
    folder: Path, python: Path, uv: str, pins: Sequence[str], what: str, *, build: bool = False
) -> None:
    """Installs exactly these packages, as the environment's own files.

    Raises:
        OracleError: uv can't.
    """
    listed = folder / "packages.txt"
    listed.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    sync = (uv, "pip", "sync", "--quiet", "--link-mode", "copy", "--python", str(python))
    options = () if build else ("--no-build",)
    done = run((*sync, *options, str(listed)), INSTALL_SECONDS, f"Installing {what}", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not install {what} ({cause(done)}){network_advice(done)}.")


def network_advice(done: Completed) -> str:
    """What to do if a failed command complains of the network; otherwise empty."""
    return ": check the network, then run this again" if _NETWORK.search(done.stderr) else ""


def cause(done: Completed) -> str:
    """The last message of a failed command, on one line."""
    lines = [line.strip(" .|") for line in done.stderr.splitlines() if line.strip(" .|")]
    return lines[-1][:300] if lines else f"exit code {done.returncode}, no message"


def unwritable_cache(folder: Path, error: OSError) -> OracleError:
    """The error message for a cache that can't be written."""
    return OracleError(
        f"The oracle's cache {folder} can't be written ({error.strerror or error}): "
        f"fix that, or set {CACHE_VARIABLE} to another folder."
    )


def put_in_place(partial: Path, folder: Path, rebuild: bool, is_whole: Callable[[], bool]) -> None:
    """Renames the finished folder; if another process was faster, its result is used.

    Raises:
        OSError: it can't be renamed.
    """
    if folder.exists() and (rebuild or not is_whole()):
        old = partial.with_name(f"{partial.name}.old")
        os.rename(folder, old)
        shutil.rmtree(old, ignore_errors=True)
    try:
        os.rename(partial, folder)
    except OSError:
        if not is_whole():
            raise


def folder_size(folder: Path) -> int:
    """The total size of the files in a folder, in bytes; files that vanish meanwhile are ignored."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total


def remove_left_overs(cache: Path) -> None:
    """Removes temporary folders of builds whose process has ended."""
    for entry in cache.iterdir():
        match = _PARTIAL.search(entry.name)
        if match and not _is_alive(int(match[1])):
            shutil.rmtree(entry, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # Windows has no signal 0: os.kill would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
