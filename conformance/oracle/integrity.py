"""Checks that an environment still has the files that were installed.

uv checks each wheel against the lock file. A new environment then gets a list of its files with their
digests, including the bytecode that uv compiled, and of its links with their targets.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.oracle.python import OracleError
from conformance.registry.spec import Recipe

__all__ = ["problems", "refuse_changed", "write_digests"]

_LIST = "files.json"


def write_digests(folder: Path) -> None:
    """Stores the digests of a new environment in it."""
    (folder / _LIST).write_text(json.dumps(_digests(folder)) + "\n", encoding="utf-8")


def problems(folder: Path) -> list[str]:
    """The changes to an environment since it was installed, a phrase each.

    Raises:
        OracleError: its list of files can't be read.
    """
    try:
        installed = json.loads((folder / _LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OracleError(f"The list of files in {folder} can't be read: {error}.") from None
    digests = _digests(folder)
    return [
        *(f"{path} is missing" for path in installed if path not in digests),
        *(f"{path} is an additional file" for path in digests if path not in installed),
        *(f"{path} is changed" for path in digests if installed.get(path, digests[path]) != digests[path]),
    ]


def refuse_changed(folder: Path, recipe: Recipe) -> None:
    """Refuses an environment that was changed since it was installed; this takes seconds.

    Raises:
        OracleError: it was changed, or this can't be determined.
    """
    if changes := problems(folder):
        more = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
        variant = f" --variant {recipe.variant}" if recipe.variant else ""
        raise OracleError(
            f"The oracle {recipe.name} is not as it was installed: {changes[0]}{more}. "
            f"Run `harbor-conformance kit oracle --spec {recipe.spec}{variant} --rebuild`."
        )


def _digests(folder: Path) -> dict[str, str]:
    """The digest of each file and the target of each link, by path."""
    paths = sorted(set(_paths(folder)) - {_LIST})
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(paths, pool.map(lambda path: _digest(folder / path), paths), strict=True))


def _paths(folder: Path) -> Iterator[str]:
    for parent, inner, names in os.walk(folder):
        links = (name for name in inner if os.path.islink(os.path.join(parent, name)))
        yield from (os.path.relpath(os.path.join(parent, name), folder) for name in (*names, *links))


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return hashlib.sha256(path.read_bytes()).hexdigest()
