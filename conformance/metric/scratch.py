"""The folder that a metric may write to, and what is seen of writes elsewhere."""

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "below",
    "bytes_in",
    "environment",
    "listing",
    "removed",
    "scratch_folder",
    "subfolders",
    "work_folder",
]

_PREFIX = "harbor-conformance-metric-"
_MOST_ENTRIES = 20_000
_REMOVE_SECONDS = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder, which is gone afterwards whatever was put there."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    try:
        yield folder
    finally:
        removed(folder)


def removed(folder: Path) -> None:
    """Removes a folder, also one that its maker made hard to remove."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    for entry, status in below(folder):
        if stat.S_ISDIR(status.st_mode):
            with contextlib.suppress(OSError):
                os.chmod(entry, stat.S_IRWXU)
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # nested more deeply than Python can go
        command = ["rm", "-rf", "--", str(folder)]
        subprocess.run(command, capture_output=True, timeout=_REMOVE_SECONDS, check=False)


def subfolders(folder: Path) -> tuple[Path, Path, Path]:
    """The working directory, the home and the place for temporary files of one run."""
    return folder / "work", folder / "home", folder / "tmp"


def work_folder(folder: Path) -> None:
    """Makes the folders of one run."""
    for made in subfolders(folder):
        made.mkdir(parents=True)


def environment(folder: Path) -> dict[str, str]:
    """The caller's environment, with the home and temporary files of one run."""
    _, home, temporary = subfolders(folder)
    real = Path(os.environ.get("HOME") or "/")
    changed = dict(os.environ)
    changed.setdefault("XDG_CONFIG_HOME", str(real / ".config"))  # where uv's own settings are
    if (real / ".pyenv").is_dir():
        changed.setdefault("PYENV_ROOT", str(real / ".pyenv"))
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        changed.pop(name, None)
    for name in ("TMPDIR", "TMP", "TEMP"):
        changed[name] = str(temporary)
    changed["HOME"] = str(home)
    return changed


def below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder, as deep as a path can name it; links are not followed."""
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(entry.path)


def bytes_in(folder: Path) -> int:
    """How much there is below a folder, in bytes on disk; too many entries are a flood too."""
    total = 0
    for number, (_, status) in enumerate(below(folder)):
        total += status.st_blocks * 512
        if number > _MOST_ENTRIES:
            return 1 << 62
    return total


def listing(folders: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """The visible entries of folders with size and time of change; what Python caches is left out."""
    found: dict[str, tuple[int, int]] = {}
    for folder in folders:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith((".", "__pycache__")):
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        found[entry.path] = (status.st_size, status.st_mtime_ns)
    return found
