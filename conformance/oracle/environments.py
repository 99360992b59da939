"""The oracles: each an adapter in a pinned environment, built once in the user's cache.

An environment is a CPython with every package of its recipe's lock file, by hash, from no cache and in
files of its own: what becomes of uv's cache does not reach it. It is made in a folder of its own beside
the final one, checked, and only then renamed: a build that was cut short is never taken for whole.
HARBOR_CONFORMANCE_CACHE moves the cache,
HARBOR_CONFORMANCE_PYTHON names the Python.
"""

import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from conformance.oracle import integrity
from conformance.oracle.python import PYTHON_VERSION, Completed, OracleError, Python, find_uv, locate, run
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import Recipe

__all__ = [
    "Oracle",
    "OracleError",
    "Status",
    "cache_dir",
    "ensure",
    "find_python",
    "problems",
    "runner_command",
    "status",
]

_default = SPEC_TABLE[DEFAULT_SPEC].oracle.recipe
assert _default is not None
_DEFAULT: Recipe = _default
CACHE_VARIABLE = "HARBOR_CONFORMANCE_CACHE"

_MARKER = "oracle.json"
_PARTIAL = re.compile(r"\.partial-([0-9]+)(?:\.old)?$")
_NETWORK = re.compile(r"connect|dns|network|send(ing)? request|timed? ?out|offline|fetch", re.I)

_BUILT = b"files of its own"
"""How it is built; an environment that was built otherwise has another folder."""

_VENV_SECONDS = 120.0
_INSTALL_SECONDS = 1_800.0
_CHECK_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Oracle:
    """A whole environment: its folder, its Python, and the version of the package in it."""

    folder: Path
    python: Path
    version: str
    recipe: Recipe = _DEFAULT

    @property
    def command(self) -> tuple[str, ...]:
        """The runner command."""
        return runner_command(self.python, self.recipe.adapter)


@dataclass(frozen=True, slots=True)
class Status:
    """For ``doctor``: the cache, the oracle if it is built, and what hinders building it."""

    cache: Path
    oracle: Oracle | None
    problem: str | None


def cache_dir() -> Path:
    """The folder of all oracles."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    return platformdirs.user_cache_path("harbor-conformance", appauthor=False)


def find_python(version: str = PYTHON_VERSION) -> Path:
    """The path of a CPython of this version; uv may have to download it.

    Raises:
        OracleError: there is none, or HARBOR_CONFORMANCE_PYTHON names something else.
    """
    return locate(version).path


def runner_command(python: Path, adapter: Path, **variables: str) -> tuple[str, ...]:
    """An adapter as a runner: nothing of the caller's Python gets in but PYTHONHASHSEED."""
    changed = (f"{name}={value}" for name, value in variables.items())
    unset = ("env", "-u", "PYTHONPATH", "-u", "PYTHONHOME")
    return (*unset, *changed, str(python), "-s", "-P", "-B", "-X", "utf8", str(adapter))


def ensure(progress: Callable[[str], None], rebuild: bool = False, recipe: Recipe = _DEFAULT) -> Oracle:
    """The oracle of a recipe, built if it is not there yet or if ``rebuild`` asks for it.

    Raises:
        OracleError: no Python, no uv, no network, an unwritable cache, or a failed check.
    """
    python = locate(recipe.python_version, progress=progress)
    folder = _folder(python, recipe)
    if not rebuild and (found := _whole(folder, recipe)):
        return found
    uv = find_uv()
    partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_overs(folder.parent)
        shutil.rmtree(partial, ignore_errors=True)
        try:
            _build(partial, python, uv, progress, recipe)
            _put_in_place(partial, folder, rebuild, recipe)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise OracleError(
            f"The oracle's cache {folder.parent} can't be written ({error.strerror or error}): "
            f"mend that, or set {CACHE_VARIABLE} to another folder."
        ) from error
    oracle = _whole(folder, recipe)
    if oracle is None:
        raise OracleError(f"The oracle in {folder} was removed while it was built: run this again.")
    progress(f"the oracle is ready: {folder}")
    return oracle


def status(recipe: Recipe = _DEFAULT) -> Status:
    """Whether a recipe's oracle is built, and if not what hinders it; builds and downloads nothing."""
    try:
        oracle = _whole(_folder(locate(recipe.python_version, download=False), recipe), recipe)
        if oracle is None:
            find_uv()
    except OracleError as error:
        return Status(cache_dir(), None, str(error))
    return Status(cache_dir(), oracle, None)


def problems(oracle: Oracle) -> list[str]:
    """What in an oracle is not as it was installed, a few words each; takes seconds.

    Raises:
        OracleError: that can't be found out.
    """
    base = locate(oracle.recipe.python_version, download=False)
    return integrity.problems(oracle.folder, oracle.python, base.path, oracle.recipe)


def _folder(python: Python, recipe: Recipe) -> Path:
    lock = hashlib.sha256(recipe.lock.read_bytes() + _BUILT).hexdigest()[:16]
    machine = f"{platform.system()}-{platform.machine()}".lower()
    return cache_dir() / f"{recipe.name}-python-{python.version}-{machine}-{lock}"


def _python_in(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _whole(folder: Path, recipe: Recipe) -> Oracle | None:
    try:
        made = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        oracle = Oracle(folder, _python_in(folder), str(made[recipe.package]), recipe)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return oracle if oracle.python.exists() else None


def _build(folder: Path, python: Python, uv: str, progress: Callable[[str], None], recipe: Recipe) -> None:
    progress(f"building the oracle, once, in {folder.parent} (Python {python.version})")
    inside = str(_python_in(folder))
    venv = (uv, "venv", "--quiet", "--relocatable", "--no-project", "--python", str(python.path))
    done = run((*venv, str(folder)), _VENV_SECONDS, "`uv venv`", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not make an environment with {python.path}: {_cause(done)}.")
    progress(f"installing {recipe.package} and its packages")
    sync = (uv, "pip", "sync", "--quiet", "--require-hashes", "--no-build", "--python", inside)
    own = ("--no-cache", "--link-mode", "copy")
    what = f"Installing {recipe.package}"
    done = run((*sync, *own, str(recipe.lock)), _INSTALL_SECONDS, what, cwd=folder.parent)
    if done.returncode != 0:
        advice = ": check the network, then run this again" if _NETWORK.search(done.stderr) else ""
        raise OracleError(f"uv could not install the oracle's packages ({_cause(done)}){advice}.")
    for path in folder.glob("lib/python3*/site-packages/_virtualenv.*"):
        path.unlink()  # uv's own, of use for distutils alone
    progress("checking what it answers")
    version = _check(Oracle(folder, Path(inside), "", recipe))
    made = json.dumps({recipe.package: version, "python": python.version})
    (folder / _MARKER).write_text(made + "\n", encoding="utf-8")


def _check(oracle: Oracle) -> str:
    """Asks the new oracle what is known of its package, and gives the package's version."""
    recipe = oracle.recipe
    requests: list[dict[str, Any]] = [{"id": 0, "op": "hello", "protocol": 1, "spec": recipe.spec}]
    requests += [{"id": i, "op": op, "input": given} for i, (op, given, _) in enumerate(recipe.checks, 1)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    command = [word for word in oracle.command if word != "-B"]  # what it loads is compiled, once
    done = run(
        (*command[:1], "-u", "PYTHONDONTWRITEBYTECODE", "-u", "PYTHONPYCACHEPREFIX", *command[1:]),
        _CHECK_SECONDS, "Checking the oracle", given=lines,
    )  # fmt: skip
    try:
        replies = {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines())}
        version = str(replies[0]["ok"]["version"])
    except (ValueError, LookupError, TypeError):
        raise OracleError(f"The new oracle does not answer: {_cause(done)}.") from None
    if version != recipe.version:
        raise OracleError(f"The new oracle says that it is {recipe.package} {version}, not {recipe.name}.")
    for index, (op, given, expected) in enumerate(recipe.checks, 1):
        reply = replies.get(index, {})
        if reply.get("ok") != expected:
            raise OracleError(f"The new oracle answers {op} of {given} with {reply}.")
    return version


def _put_in_place(partial: Path, folder: Path, rebuild: bool, recipe: Recipe) -> None:
    if folder.exists() and (rebuild or not _whole(folder, recipe)):
        old = partial.with_name(f"{partial.name}.old")
        os.rename(folder, old)
        shutil.rmtree(old, ignore_errors=True)
    try:
        os.rename(partial, folder)
    except OSError:
        if not _whole(folder, recipe):  # else another process was faster, and its oracle is as good
            raise


def _remove_left_overs(cache: Path) -> None:
    for entry in cache.iterdir():
        match = _PARTIAL.search(entry.name)
        if match and not _is_alive(int(match[1])):
            shutil.rmtree(entry, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # there is no signal 0 there: os.kill would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _cause(done: Completed) -> str:
    """The last thing that a failed command said, on one line."""
    said = [line.strip(" .|") for line in done.stderr.splitlines() if line.strip(" .|")]
    return said[-1][:300] if said else f"exit code {done.returncode}, no message"
