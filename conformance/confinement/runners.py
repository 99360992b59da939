"""``--confine``: runs a runner's command in a sandbox, for untrusted runners and forks.

No code of the runner runs to find out what it needs, and its files can make nothing visible except a Python
installation.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.confinement.bubblewrap import (
    Mounts,
    bubblewrap,
    command,
    links_on_the_way,
    outermost,
    why_unconfined,
    within,
)
from conformance.errors import UserError

__all__ = ["ConfinementError", "confined_command", "program_of", "require_program"]

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHASHSEED")
_MOST_READ = 1 << 16
_KIT = Path(__file__).parents[2]


class ConfinementError(UserError):
    """The command can't be confined; the message is one sentence."""


def confined_command(words: Sequence[str]) -> tuple[str, ...]:
    """The command that starts a runner in its working directory, with only ``/tmp`` writable.

    It sees the working directory, the files and folders that its words name, its interpreter and the system's
    libraries, and only environment variables for languages and paths. There is no network.

    Raises:
        ConfinementError: no bubblewrap works here, or the working directory would expose too much.
    """
    path = bubblewrap()
    if path is None:
        raise ConfinementError(f"--confine can't be kept: {why_unconfined()}")
    cwd = os.path.realpath(".")
    if _shows_all(cwd):
        raise ConfinementError(f"--confine would show the runner all of {cwd}: start in a smaller folder")
    kit = [str(folder) for name in ("conformance", "reference_impl") if (folder := _KIT / name).is_dir()]
    needed = [entry for word in words for entry in _needed(word)]
    folders = outermost({cwd, *kit, *(os.path.realpath(entry) for entry in needed), *needed})
    links = [link for entry in needed for link in links_on_the_way(entry) if not within(link[0], folders)]
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= dict.fromkeys(("HOME", "TMPDIR"), "/tmp")
    named = [part for name, value in variables.items() for part in ("--setenv", name, value)]
    more = ["--chdir", cwd, "--clearenv", *named]
    return tuple(command(path, Mounts(readable=folders, links=links), words, more=more))


def program_of(words: Sequence[str]) -> str:
    """The program that a command starts, in the sandbox or not."""
    return words[words.index("--") + 1] if _is_confined(words) else words[0]


def require_program(words: Sequence[str]) -> None:
    """Fails as starting the command without a sandbox would; bubblewrap itself would start, and then exit.

    Raises:
        FileNotFoundError: the program, or its interpreter, does not exist.
        PermissionError: it may not be executed.
    """
    if not _is_confined(words):
        return
    program_path = shutil.which(program := program_of(words))
    if program_path is None:
        raise PermissionError if os.path.exists(program) else FileNotFoundError
    if not all(map(os.path.exists, _first_line(program_path)[:1])):
        raise FileNotFoundError


def _is_confined(words: Sequence[str]) -> bool:
    return "--die-with-parent" in words and "--" in words


def _shows_all(folder: str) -> bool:
    """Whether a folder contains all of a user's, or the machine's, files."""
    home = os.path.realpath(os.path.expanduser("~"))
    return folder in ("/", "/tmp", "/var", "/etc") or within(home, [folder])


def _needed(word: str, *, is_file_alone: bool = False) -> Iterator[str]:
    """The paths in a command's word: a program, a file with its folder, or the value of a variable."""
    value = word if os.path.sep in word.partition("=")[0] else word.partition("=")[2] or word
    for part in value.split(os.pathsep):
        path = os.path.abspath(part) if os.path.exists(part) else shutil.which(part)
        if not part or path is None:
            continue
        if not os.path.isfile(path):
            yield from () if _shows_all(os.path.realpath(path)) else (path,)
            continue
        folder = os.path.dirname(path)
        yield path if is_file_alone or os.access(path, os.X_OK) or _shows_all(folder) else folder
        yield from _python_folders(path)
        for named in () if is_file_alone else _first_line(path):
            yield from _needed(named, is_file_alone=True)


def _python_folders(path: str) -> Iterator[str]:
    """The folders of a Python; nothing for any other program."""
    for file in [path, *(os.path.join(os.path.dirname(start), to) for start, to in links_on_the_way(path))]:
        folder = os.path.dirname(os.path.abspath(file))
        prefix = Path(folder).parent
        with contextlib.suppress(OSError, ValueError):
            settings = (prefix / "pyvenv.cfg").read_text("utf-8")[:_MOST_READ].splitlines()
            homes = [line.partition("=")[2].strip() for line in settings if line.startswith("home ")]
            yield str(prefix)
            yield from (str(base) for home in homes if _is_python(base := Path(home).parent))
        if _is_python(prefix):
            yield str(prefix)


def _is_python(prefix: Path) -> bool:
    return next(prefix.glob("lib*/python3*/os.py"), None) is not None


def _first_line(path: str) -> list[str]:
    """The interpreter that a script names, and its arguments."""
    with open(path, "rb") as file:
        line = file.readline(_MOST_READ)
    return line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
