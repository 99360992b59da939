"""Environments of published releases, for the programs that let a release write its own files.

From 0.9 on they are those of `conformance.oracle.releases`, checked by the adapter; the adapter does not
speak to older ones, so these are built here, in the same cache: the release and what it needs as of the day
of its upload.
"""

import platform
import shutil
import sys
from pathlib import Path

from kept_jobs import key

from conformance.oracle.building import (
    cache_dir,
    install,
    make_environment,
    partial_of,
    put_in_place,
    python_in,
)
from conformance.oracle.index import Index
from conformance.oracle.python import find_uv, locate
from conformance.oracle.releases import ensure_release

__all__ = ["python_of", "tell"]

PACKAGE = "harbor"
PYTHON = "3.12"
FIRST_WITH_ADAPTER = (0, 9)
PREFIX = "release-jobs-"
"""As with all releases, `oracle --remove-releases` frees the cache of these."""
MARKER = "packages.txt"


def python_of(version: str) -> Path:
    """The Python of that release's environment, which is built if it is not there yet."""
    if key(version) >= FIRST_WITH_ADAPTER:
        return ensure_release(version, tell).python
    python = locate(PYTHON, progress=tell)
    machine = f"{platform.system()}-{platform.machine()}".lower()
    folder = cache_dir() / f"{PREFIX}{PACKAGE}-{version}-python-{python.version}-{machine}"
    if (folder / MARKER).exists():
        return python_in(folder)
    uv = find_uv()
    resolved = Index(uv, python, PACKAGE).resolve(version)
    tell(f"building {PACKAGE} {version}, as of {resolved.day}, once, in {folder.parent}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_of(folder)
    try:
        install(partial, make_environment(partial, python, uv), uv, resolved.pins, f"{PACKAGE} {version}")
        put_in_place(partial, folder, False, (folder / MARKER).exists)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return python_in(folder)


def tell(sentence: str) -> None:
    """Says what takes time."""
    print(sentence, file=sys.stderr)
