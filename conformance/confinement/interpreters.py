"""Asks a Python which files it needs to run."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

__all__ = ["Interpreter", "InterpreterError", "interpreter", "links_on_the_way", "outermost", "within"]

_PROBE = """
import json, sys
base = getattr(sys, "_base_executable", None) or sys.executable
found = [sys.executable, base, sys.prefix, sys.base_prefix]
more = []
if sys.argv[1:]:
    from importlib import metadata
    more = [path for path in sys.path if path]
    for one in metadata.distributions():
        try:
            origin = json.loads(one.read_text("direct_url.json") or "{}")
        except ValueError:
            continue
        if origin.get("dir_info", {}).get("editable") and origin["url"].startswith("file:///"):
            more.append(origin["url"][7:])
print(json.dumps([found, list(sys.version_info[:3]), more]))
"""
_SECONDS = 60.0


class InterpreterError(Exception):
    """The Python does not run; the message is the system's."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and the files it needs."""

    path: str
    """The executable; for a virtual environment, the environment's own."""
    base: str
    """The executable outside any environment."""
    version: tuple[int, ...]
    """The version, as three numbers."""
    folders: tuple[str, ...]
    """The folders that it reads, except the system's own."""
    links: tuple[tuple[str, str], ...]
    """Symbolic links on the way to it that are in none of the folders, and their targets."""


@cache
def interpreter(path: str, *, installed: bool = False) -> Interpreter:
    """Asks a Python, named by the user or found by uv, where its files are.

    With ``installed``, includes its import path, and so packages installed in editable mode. Without it, no
    installed code runs.

    Raises:
        InterpreterError: it does not run.
    """
    words = ["-c", _PROBE, "installed"] if installed else ["-I", "-S", "-c", _PROBE]
    try:
        done = subprocess.run(
            [path, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            cwd="/",
        )
        (executable, base, *prefixes), version, more = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise InterpreterError(f"it had not answered after {_SECONDS:g} seconds") from None
    except OSError as error:
        raise InterpreterError(str(error)) from None
    except ValueError:
        raise InterpreterError(f"it is not a Python: it ended with {done.returncode}") from None
    wanted = [found for found in (*prefixes, *more) if os.path.exists(found)]
    folders = outermost({*wanted, *map(os.path.realpath, (*wanted, os.path.dirname(base)))})
    links = [link for start in (executable, base) for link in links_on_the_way(start)]
    outside = tuple(dict.fromkeys(link for link in links if not within(link[0], folders)))
    return Interpreter(executable, base, tuple(version), tuple(folders), outside)


def outermost(paths: set[str]) -> list[str]:
    """The folders that are not inside any of the others."""
    found: list[str] = []
    for path in sorted(paths, key=len):
        if path != "/" and not within(path, found):
            found.append(path)
    return found


def within(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of the folders, or inside one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def links_on_the_way(path: str) -> Iterator[tuple[str, str]]:
    """The symbolic links along a path, and their targets."""
    for _ in range(20):
        if not os.path.islink(path):
            return
        target = os.readlink(path)
        yield path, target
        path = os.path.normpath(os.path.join(os.path.dirname(path), target))
