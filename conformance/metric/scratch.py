"""The folder that a metric may write to, and what is seen of writes elsewhere."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.metric import tree

__all__ = [
    "below",
    "bytes_in",
    "copied",
    "environment",
    "listing",
    "removed",
    "scratch_folder",
    "subfolders",
    "work_folder",
]

_MOST_COPIED = 256 << 20
_PREFIX = "harbor-conformance-metric-"


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
    tree.remove(str(folder))


def copied(source: Path, target: Path) -> None:
    """Copies what is in a folder into another."""
    opened = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in (source, target)]
    try:
        tree.copy(opened[0], opened[1], _MOST_COPIED)
    finally:
        for descriptor in opened:
            os.close(descriptor)


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


def bytes_in(folder: Path, most_entries: int = tree.MOST_ENTRIES) -> int:
    """How much there is below a folder, in bytes on disk; too many entries are a flood too."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0
    try:
        return tree.bytes_below(opened, most_entries)
    finally:
        os.close(opened)


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
