"""Shared code for building environments in the cache: oracles, releases and forks."""

import contextlib
import json
import os
import platform
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import platformdirs

from conformance.oracle.python import Completed, OracleError, Python, find_uv, run
from conformance.registry.spec import Recipe

__all__ = [
    "CACHE_VARIABLE",
    "build_or_load",
    "built_for",
    "cache_dir",
    "cause",
    "folder_size",
    "install",
    "install_pins",
    "make_environment",
    "network_advice",
    "python_in",
    "remove_left_overs",
    "runner_command",
    "unwritable_cache",
    "verify",
]

CACHE_VARIABLE = "HARBOR_CONFORMANCE_CACHE"
Kept = TypeVar("Kept")

_DAY = 86_400.0
_NETWORK = re.compile(r"connect|dns|network|send(ing)? request|timed? ?out|offline|fetch", re.I)
_VENV_SECONDS, _INSTALL_SECONDS, _CHECK_SECONDS = 120.0, 1_800.0, 300.0


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


def built_for(python: Python) -> str:
    """The suffix of an environment's name: its Python and this machine."""
    return f"python-{python.version}-{platform.system()}-{platform.machine()}".lower()


def make_environment(folder: Path, python: Python) -> Path:
    """Creates an empty environment; returns its Python.

    Raises:
        OracleError: uv can't create one.
    """
    venv = (find_uv(), "venv", "--quiet", "--relocatable", "--no-project", "--python", str(python.path))
    done = run((*venv, str(folder)), _VENV_SECONDS, "`uv venv`", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not make an environment with {python.path}: {cause(done)}.")
    return python_in(folder)


def install(folder: Path, python: Path, packages: Path, subject: str, *options: str) -> None:
    """Installs exactly the packages of a file, as the environment's own files, and compiles them.

    Raises:
        OracleError: uv can't.
    """
    sync = (find_uv(), "pip", "sync", "--quiet", "--link-mode", "copy", "--python", str(python))
    options = (*options, "--compile-bytecode")
    done = run((*sync, *options, str(packages)), _INSTALL_SECONDS, f"Installing {subject}", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not install {subject} ({cause(done)}){network_advice(done)}.")


def install_pins(folder: Path, python: Path, pins: Sequence[str], subject: str, *options: str) -> None:
    """Installs exactly these packages, as `install`."""
    listed = folder / "packages.txt"
    listed.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    install(folder, python, listed, subject, *options)


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


def build_or_load(
    folder: Path, read: Callable[[Path], Kept | None], build: Callable[[Path], None], *, rebuild: bool = False
) -> Kept:
    """The result of ``read`` on an environment's folder, which is built if that is None, or to ``rebuild``.

    It is built in a temporary folder, and renamed once it is finished. If another process was faster, its
    result is used.

    Raises:
        OracleError: the cache can't be written, or ``build`` failed.
    """
    if not rebuild and (kept := read(folder)) is not None:
        return kept
    partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_left_overs(folder.parent)
        shutil.rmtree(partial, ignore_errors=True)
        try:
            build(partial)
            _put_in_place(partial, folder, rebuild, lambda: read(folder) is not None)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise unwritable_cache(folder.parent, error) from error
    if (kept := read(folder)) is None:
        raise OracleError(f"The environment in {folder} was removed while it was built: run this again.")
    return kept


def _put_in_place(partial: Path, folder: Path, rebuild: bool, is_whole: Callable[[], bool]) -> None:
    if folder.exists() and (rebuild or not is_whole()):
        old = partial.with_name(f"{partial.name}.old")
        os.rename(folder, old)
        shutil.rmtree(old, ignore_errors=True)
    try:
        os.rename(partial, folder)
    except OSError:
        if not is_whole():
            raise


def verify(python: Path, recipe: Recipe, version: str, subject: str) -> None:
    """Checks that a new environment has the right version of its package, and answers.

    Raises:
        OracleError: it does not.
    """
    hello = json.dumps({"id": 0, "op": "hello", "protocol": 1, "spec": recipe.spec})
    command = runner_command(python, recipe.adapter)
    done = run(command, _CHECK_SECONDS, f"Checking {subject}", input_text=f"{hello}\n")
    try:
        reported = str(json.loads(done.stdout)["ok"]["version"])
    except (ValueError, LookupError, TypeError):
        raise OracleError(f"{subject} does not answer: {cause(done)}.") from None
    if reported != version:
        raise OracleError(
            f"{subject} says that it is {recipe.package} {reported[:60]}, not {recipe.package}-{version}."
        )


def folder_size(folder: Path) -> int:
    """The total size of the files in a folder, in bytes; files that vanish meanwhile are ignored."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return total


def remove_left_overs(cache: Path) -> None:
    """Removes temporary folders that no build has changed for a day."""
    for entry in cache.glob("*.partial-*"):
        with contextlib.suppress(FileNotFoundError):  # just finished
            if time.time() - entry.stat().st_mtime > _DAY:
                shutil.rmtree(entry, ignore_errors=True)
