"""Published releases of harbor, each built once in the user's cache.

The kit has no lock files for releases: packages are resolved as of the upload date, and the result is stored
in the release's folder.
"""

import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.oracle.building import (
    build_or_load,
    built_for,
    cache_dir,
    install_pins,
    make_environment,
    python_in,
    remove_left_overs,
    unwritable_cache,
    verify,
)
from conformance.oracle.environments import DEFAULT
from conformance.oracle.forks import FORK_PREFIX
from conformance.oracle.index import Index, Resolved
from conformance.oracle.python import OracleError, Python, find_uv, locate

__all__ = [
    "NEWEST",
    "Release",
    "built_releases",
    "check_version",
    "ensure_release",
    "newest_release",
    "remove_releases",
]

NEWEST = "newest"
"""The name for the newest published version."""

_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5})){2}", re.ASCII)
_MARKER = "release.json"
_PREFIX = "release-"
_BUILDING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Release:
    """A built release: its folder, and its packages."""

    folder: Path
    made: Resolved

    @property
    def version(self) -> str:
        """Its version."""
        return self.made.version

    @property
    def python(self) -> Path:
        """Its Python."""
        return python_in(self.folder)

    @property
    def package(self) -> str:
        """The name of the package."""
        return DEFAULT.package

    def notes(self) -> str:
        """Notes on its packages for readers of its answers, in a few words."""
        day = f"as of {self.made.as_of}" if self.made.as_of else "as of when it was built"
        held = "".join(f"; {package.package} held back: {package.reason}" for package in self.made.held_back)
        return f"{len(self.made.installed)} packages {day}{held}"


def check_version(version: str) -> str:
    """Returns the version if it is valid, or "newest".

    Raises:
        OracleError: it is not valid.
    """
    if version != NEWEST and not _VERSION.fullmatch(version):
        raise OracleError(
            f"{version[:60]!r} is not a release version: give three numbers, such as 0.22.0, or {NEWEST}."
        )
    return version


def newest_release() -> str:
    """The version of the newest published release.

    Raises:
        OracleError: the index does not answer.
    """
    return Index(find_uv(), locate(DEFAULT.python_version), DEFAULT.package).newest()


def ensure_release(version: str, progress: Callable[[str], None] = lambda _: None) -> Release:
    """A published release of harbor, built in the cache if it does not exist yet.

    Raises:
        OracleError: no such release, no Python, no uv, no network, an unwritable cache, or a failed check.
    """
    check_version(version)
    python = locate(DEFAULT.python_version, progress=progress)
    if version == NEWEST:
        version = newest_release()
        progress(f"the newest {DEFAULT.package} is {version}")
    folder = cache_dir() / f"{_PREFIX}{DEFAULT.package}-{version}-{built_for(python)}"
    with _BUILDING:  # parallel processes each build their own, and the first one's stays
        return build_or_load(folder, _load, lambda partial: _build(partial, python, version, progress))


def built_releases() -> list[Release]:
    """Every release in the cache, by version."""
    try:
        entries = [entry for entry in cache_dir().iterdir() if entry.name.startswith(_PREFIX)]
    except OSError:
        return []
    releases = [release for release in map(_load, entries) if release is not None]
    return sorted(releases, key=lambda release: tuple(map(int, release.version.split("."))))


def remove_releases() -> int:
    """Removes all releases, forks' dependencies and temporary folders from the cache.

    Returns:
        The number of environments removed.

    Raises:
        OracleError: one can't be removed.
    """
    gone = 0
    try:
        if cache_dir().exists():
            for folder in cache_dir().iterdir():
                if folder.name.startswith((_PREFIX, FORK_PREFIX)) and ".partial-" not in folder.name:
                    shutil.rmtree(folder)
                    gone += 1
            remove_left_overs(cache_dir())
    except OSError as error:
        raise unwritable_cache(cache_dir(), error) from error
    return gone


def _load(folder: Path) -> Release | None:
    try:
        release = Release(folder, msgspec.json.decode((folder / _MARKER).read_bytes(), type=Resolved))
    except (OSError, ValueError):
        return None
    return release if release.python.exists() and _VERSION.fullmatch(release.version) else None


def _build(folder: Path, python: Python, version: str, progress: Callable[[str], None]) -> None:
    name = f"{DEFAULT.package} {version}"
    progress(f"asking the package index for {name}")
    resolved = Index(find_uv(), python, DEFAULT.package).resolve(version)
    progress(f"building {name}, once, in {folder.parent} (Python {python.version})")
    inside = make_environment(folder, python)
    install_pins(folder, inside, resolved.installed, name, "--no-build")
    progress(f"checking that it says that it is {version}")
    verify(inside, DEFAULT, version, f"The environment of {name}")
    (folder / _MARKER).write_bytes(msgspec.json.encode(resolved))
