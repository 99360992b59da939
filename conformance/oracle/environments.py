"""The oracles: each an adapter in a pinned environment, built once in the user's cache.

An environment is a CPython with every package of its recipe's lock file, installed by hash without a cache,
so that it shares no files with uv's cache. It is built in a temporary folder next to the final one, checked,
and only then renamed, so an interrupted build is never used. HARBOR_CONFORMANCE_CACHE moves the cache,
HARBOR_CONFORMANCE_PYTHON selects the Python.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.oracle import integrity
from conformance.oracle.building import (
    build_or_load,
    built_for,
    cache_dir,
    install,
    make_environment,
    python_in,
    runner_command,
    verify,
)
from conformance.oracle.python import OracleError, Python, find_uv, locate
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import Recipe

__all__ = ["DEFAULT", "Oracle", "OracleError", "built", "cache_dir", "ensure", "runner_command"]

_default = SPEC_TABLE[DEFAULT_SPEC].oracle.recipe
assert _default is not None
DEFAULT: Recipe = _default
"""The recipe of harbor's oracle."""
_MARKER = "oracle.json"

_BUILT = b"with digests of its files"
"""Identifies the build procedure; an environment built by another procedure has another folder."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """A complete environment: its folder, its Python, and the version of the package in it."""

    folder: Path
    python: Path
    version: str
    recipe: Recipe = DEFAULT

    @property
    def command(self) -> tuple[str, ...]:
        """The runner command."""
        return runner_command(self.python, self.recipe.adapter)


def ensure(progress: Callable[[str], None], rebuild: bool = False, recipe: Recipe = DEFAULT) -> Oracle:
    """The oracle of a recipe, built if it does not exist yet or if ``rebuild`` is true.

    Raises:
        OracleError: no Python, no uv, no network, an unwritable cache, or a failed check.
    """
    python = locate(recipe.python_version, progress=progress)
    return build_or_load(
        _folder(python, recipe),
        lambda folder: _load(folder, recipe),
        lambda partial: _build(partial, python, progress, recipe),
        rebuild=rebuild,
    )


def built(recipe: Recipe = DEFAULT) -> Oracle | None:
    """A recipe's oracle if it is built; builds and downloads nothing.

    Raises:
        OracleError: it is not built, and something prevents building it.
    """
    oracle = _load(_folder(locate(recipe.python_version, download=False), recipe), recipe)
    if oracle is None:
        find_uv()
    return oracle


def _folder(python: Python, recipe: Recipe) -> Path:
    lock = hashlib.sha256(recipe.lock.read_bytes() + _BUILT).hexdigest()[:16]
    return cache_dir() / f"{recipe.name}-{built_for(python)}-{lock}"


def _load(folder: Path, recipe: Recipe) -> Oracle | None:
    try:
        marker = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        oracle = Oracle(folder, python_in(folder), str(marker[recipe.package]), recipe)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return oracle if oracle.python.exists() else None


def _build(folder: Path, python: Python, progress: Callable[[str], None], recipe: Recipe) -> None:
    progress(f"building the oracle, once, in {folder.parent} (Python {python.version})")
    inside = make_environment(folder, python)
    progress(f"installing {recipe.package} and its packages")
    subject = f"{recipe.package} and its packages"
    install(folder, inside, recipe.lock, subject, "--require-hashes", "--no-build", "--no-cache")
    for path in folder.glob("lib/python3*/site-packages/_virtualenv.*"):
        path.unlink()  # uv's own file, used only for distutils
    progress("checking its version")
    verify(inside, recipe, recipe.version, "The new oracle")
    marker = json.dumps({recipe.package: recipe.version, "python": python.version})
    (folder / _MARKER).write_text(marker + "\n", encoding="utf-8")
    integrity.write_digests(folder)
