"""The oracle: harbor's adapter in a pinned environment, built once in the user's cache.

The environment is CPython 3.12 with every package of the lock file in ``locks``, by hash. It is
made in a folder of its own beside the final one, checked, and only then renamed: a build that was
cut short is never taken for whole. HARBOR_CONFORMANCE_CACHE moves the cache,
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

from conformance.oracle_python import (
    PYTHON_VERSION,
    Completed,
    OracleError,
    Python,
    find_uv,
    locate,
    run,
)

__all__ = ["Oracle", "OracleError", "Status", "cache_dir", "ensure", "find_python", "status"]

CACHE_VARIABLE = "HARBOR_CONFORMANCE_CACHE"

ADAPTER = Path(__file__).resolve().parent / "adapters" / "harbor.py"
_LOCK = Path(__file__).resolve().parent / "locks" / "harbor-0.13.1.txt"
_MARKER = "oracle.json"
_PARTIAL = re.compile(r"\.partial-([0-9]+)(?:\.old)?$")
_NETWORK = re.compile(r"connect|dns|network|send(ing)? request|timed? ?out|offline|fetch", re.I)

_VENV_SECONDS = 120.0
_INSTALL_SECONDS = 1_800.0
_CHECK_SECONDS = 300.0

# What a whole oracle answers. To ask it loads most of harbor, so that the bytecode is there.
CHECKS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("aggregate", {"metric": "sum", "rewards": [{"reward": 0.1}] * 10}, {"sum": 1.0}),
    ("parse_reward", {"files": {"reward.txt": {"text": "1_0"}}}, {"rewards": {"reward": 10.0}}),
    ("terminal_bench_reward", {"exit_code": 0}, {"reward.txt": {"text": "1\n"}}),
    ("evals_key", {"agent": "a", "model": None, "source": None}, {"evals_key": "a__adhoc"}),
    ("pass_at_k", {"trials": []}, {}),
    (
        "multi_step_reward",
        {"strategy": None, "steps": []},
        {"verifier_result": None, "steps_run": 0},
    ),
    ("plan_trials", {"n_attempts": 1, "tasks": ["t"], "agents": ["a"]}, {"trials": [["t", "a"]]}),
)


@dataclass(frozen=True, slots=True)
class Oracle:
    """A whole environment: its folder, its Python, and the version of harbor in it."""

    folder: Path
    python: Path
    harbor_version: str

    @property
    def command(self) -> tuple[str, ...]:
        """The runner command: nothing of the caller's Python gets in but PYTHONHASHSEED."""
        unset = ("env", "-u", "PYTHONPATH", "-u", "PYTHONHOME")
        return (*unset, str(self.python), "-s", "-P", "-X", "utf8", str(ADAPTER))


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


def ensure(progress: Callable[[str], None], rebuild: bool = False) -> Oracle:
    """The oracle, built if it is not there yet or if ``rebuild`` asks for it.

    Raises:
        OracleError: no Python, no uv, no network, an unwritable cache, or a failed check.
    """
    python = locate(progress=progress)
    folder = _folder(python)
    if not rebuild and (found := _whole(folder)):
        return found
    uv = find_uv()
    partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_overs(folder.parent)
        shutil.rmtree(partial, ignore_errors=True)
        try:
            _build(partial, python, uv, progress)
            _put_in_place(partial, folder, rebuild)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise OracleError(
            f"The oracle's cache {folder.parent} can't be written ({error.strerror or error}): "
            f"mend that, or set {CACHE_VARIABLE} to another folder."
        ) from error
    oracle = _whole(folder)
    if oracle is None:
        raise OracleError(f"The oracle in {folder} was removed while it was built: run this again.")
    progress(f"the oracle is ready: {folder}")
    return oracle


def status() -> Status:
    """Whether the oracle is built, and if not what hinders it; builds and downloads nothing."""
    try:
        oracle = _whole(_folder(locate(download=False)))
        if oracle is None:
            find_uv()
    except OracleError as error:
        return Status(cache_dir(), None, str(error))
    return Status(cache_dir(), oracle, None)


def _folder(python: Python) -> Path:
    lock = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]
    machine = f"{platform.system()}-{platform.machine()}".lower()
    return cache_dir() / f"{_LOCK.stem}-python-{python.version}-{machine}-{lock}"


def _python_in(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _whole(folder: Path) -> Oracle | None:
    try:
        made = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        oracle = Oracle(folder, _python_in(folder), str(made["harbor"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return oracle if oracle.python.exists() else None


def _build(folder: Path, python: Python, uv: str, progress: Callable[[str], None]) -> None:
    progress(f"building the oracle, once, in {folder.parent} (Python {python.version})")
    inside = str(_python_in(folder))
    venv = (uv, "venv", "--quiet", "--relocatable", "--no-project", "--python", str(python.path))
    done = run((*venv, str(folder)), _VENV_SECONDS, "`uv venv`", cwd=folder.parent)
    if done.returncode != 0:
        raise OracleError(f"uv could not make an environment with {python.path}: {_cause(done)}.")
    progress("installing harbor and its packages")
    sync = (uv, "pip", "sync", "--quiet", "--require-hashes", "--no-build", "--python", inside)
    done = run((*sync, str(_LOCK)), _INSTALL_SECONDS, "Installing harbor", cwd=folder.parent)
    if done.returncode != 0:
        advice = ": check the network, then run this again" if _NETWORK.search(done.stderr) else ""
        raise OracleError(f"uv could not install the oracle's packages ({_cause(done)}){advice}.")
    progress("checking what it answers")
    version = _check(Oracle(folder, Path(inside), ""))
    made = json.dumps({"harbor": version, "python": python.version})
    (folder / _MARKER).write_text(made + "\n", encoding="utf-8")


def _check(oracle: Oracle) -> str:
    """Asks the new oracle what is known of harbor, and gives harbor's version."""
    requests: list[dict[str, Any]] = [{"id": 0, "op": "hello", "protocol": 1, "spec": _LOCK.stem}]
    requests += [{"id": i, "op": op, "input": given} for i, (op, given, _) in enumerate(CHECKS, 1)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = run(oracle.command, _CHECK_SECONDS, "Checking the oracle", given=lines)
    try:
        replies = {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines())}
        version = str(replies[0]["ok"]["version"])
    except (ValueError, LookupError, TypeError):
        raise OracleError(f"The new oracle does not answer: {_cause(done)}.") from None
    if f"harbor-{version}" != _LOCK.stem:
        raise OracleError(f"The new oracle says that it is harbor {version}, not {_LOCK.stem}.")
    for index, (op, given, expected) in enumerate(CHECKS, 1):
        reply = replies.get(index, {})
        if reply.get("ok") != expected:
            raise OracleError(f"The new oracle answers {op} of {given} with {reply}.")
    return version


def _put_in_place(partial: Path, folder: Path, rebuild: bool) -> None:
    if folder.exists() and (rebuild or not _whole(folder)):
        old = partial.with_name(f"{partial.name}.old")
        os.rename(folder, old)
        shutil.rmtree(old, ignore_errors=True)
    try:
        os.rename(partial, folder)
    except OSError:
        if not _whole(folder):  # else another process was faster, and its oracle is as good
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
