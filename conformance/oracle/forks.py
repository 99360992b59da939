"""Attaches forks of harbor in place: a virtual environment, a checkout, a folder of packages.

Nothing is written to any of them. A checkout is imported from its path, so that an edit takes effect in the
next run; only its dependencies are built in the cache, unless it has its own environment.
"""

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.oracle.building import (
    build_or_load,
    built_for,
    cache_dir,
    install_pins,
    make_environment,
    python_in,
)
from conformance.oracle.index import Index
from conformance.oracle.python import OracleError, Python, find_uv, locate, run
from conformance.wire.text import printable

__all__ = ["FORK_PREFIX", "Attached", "attach", "built_for_forks"]

FORK_PREFIX = "fork-"

_PACKAGE = "harbor"
_MARKER = "fork.json"
_PROBE_SECONDS = 120.0
_PROBE = """\
import importlib.metadata, importlib.util, sys
sys.path[:0] = sys.argv[1:]
found = importlib.util.find_spec("harbor")
try:
    lacks = "harbor" if found is None or found.origin is None else ""
    lacks = lacks or ("needs" if importlib.util.find_spec("pydantic") is None else "")
    print(lacks or "nothing", importlib.metadata.version("harbor") or "0")
except importlib.metadata.PackageNotFoundError:
    print(lacks or "metadata", "-")
"""
_ITS_PYTHON = re.compile(r"python(3\.[0-9]+)$")
_VERSION_LINE = re.compile(r"""^version\s*=\s*["']([0-9A-Za-z.+!_-]{1,60})["']\s*(?:#.*)?$""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attached:
    """A fork that can be started: its Python, and the folder to put first on its import path."""

    python: Path
    first: Path | None = None
    version: str = ""
    """Harbor's version, from its metadata, or from a checkout's pyproject.toml."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables to set."""
        return {"PYTHONPATH": str(self.first)} if self.first else {}


def attach(path: Path, progress: Callable[[str], None] = lambda _: None) -> Attached:
    """The fork at a path: an environment, its Python, a checkout, or a folder that holds ``harbor/``.

    Raises:
        OracleError: it is none of these, has no harbor, or lacks harbor's dependencies; or a build failed.
    """
    path = path.expanduser().absolute()
    label = printable(str(path))
    if not path.exists():
        raise OracleError(f"There is no {label}: give a fork's virtual environment or its checkout.")
    if path.is_file():
        return _attach_python(path, label)
    if python_in(path).exists():
        return _attach_python(python_in(path), label)
    sources = [folder for folder in (path / "src", path) if _holds_harbor(folder)]
    if sources and (path / "pyproject.toml").is_file():
        return _attach_checkout(path, sources[0], progress)
    if sources and sources[0] == path:
        if path.name == "src" and (path.parent / "pyproject.toml").is_file():
            return _attach_checkout(path.parent, path, progress)
        return _attach_folder(path, label)
    if _holds_harbor(path.parent) and path.name == _PACKAGE:
        return attach(path.parent, progress)
    raise OracleError(
        f"{label} has src/harbor, but no pyproject.toml with harbor's dependencies: add it, or give the "
        "virtual environment in which the fork is installed."
        if sources
        else f"{label} is not a harbor that can be attached: give a virtual environment (with bin/python), a "
        "checkout (with pyproject.toml and src/harbor or harbor), or a folder that contains harbor/."
    )


def built_for_forks() -> list[Path]:
    """The environments in the cache that hold checkouts' dependencies."""
    try:
        return sorted(marker.parent for marker in cache_dir().glob(f"{FORK_PREFIX}*/{_MARKER}"))
    except OSError:
        return []


def _holds_harbor(folder: Path) -> bool:
    return (folder / _PACKAGE / "__init__.py").is_file()


def _missing(python: Path, *first: Path) -> tuple[str, str]:
    """Return what a Python lacks to import harbor, with these folders first on its path, and the version.

    It lacks "harbor", "needs" (its dependencies), "metadata" or "nothing"; "python" if it does not run.
    """
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    command = (str(python), "-s", "-P", "-B", "-X", "utf8", "-c", _PROBE, *map(str, first))
    try:
        done = run(command, _PROBE_SECONDS, f"Starting {python}", env=env)
    except OracleError:
        return "python", ""
    words = done.stdout.split()[-2:]
    return (words[0], words[1]) if done.returncode == 0 and len(words) == 2 else ("python", "")


def _attach_python(python: Path, label: str) -> Attached:
    lacks, version = _missing(python)
    if lacks == "nothing":
        return Attached(python, version=version)
    install = "install your fork in it with pip or uv."
    raise OracleError(
        {
            "python": f"{printable(str(python))} does not run as a Python of 3.11 or newer.",
            "harbor": f"The environment {label} has no harbor: install your fork in it, or give its "
            "checkout.",
            "needs": f"The environment {label} lacks what harbor needs: {install}",
            "metadata": f"The environment {label} lacks harbor's metadata, so harbor can't be imported: "
            f"{install}",
        }[lacks]
    )


def _attach_folder(folder: Path, label: str) -> Attached:
    """Attaches a folder that holds ``harbor/`` and its dependencies, as part of an environment or alone."""
    for above in list(folder.parents)[:4]:
        if (above / "pyvenv.cfg").is_file():
            lacks, version = _missing(python_in(above), folder)
            if lacks == "nothing":
                return Attached(python_in(above), folder, version)
    its = _ITS_PYTHON.search(folder.parent.name)
    python = locate(its[1]) if its else locate()
    lacks, version = _missing(python.path, folder)
    if lacks == "nothing":
        return Attached(python.path, folder, version)
    raise OracleError(
        f"{label} holds harbor, but not all that harbor needs (or needs it for another Python than "
        f"{python.version}): give its virtual environment, or its checkout."
    )


def _attach_checkout(checkout: Path, source: Path, progress: Callable[[str], None]) -> Attached:
    own = python_in(checkout / ".venv")
    lacks, version = _missing(own, source)
    if lacks == "nothing":
        return Attached(own, source, _version_of(checkout) or version)
    return Attached(python_in(_needs_of(checkout, progress)), source, _version_of(checkout))


def _version_of(checkout: Path) -> str:
    """The version in a checkout's pyproject.toml; empty if there is none."""
    text = (checkout / "pyproject.toml").read_text(encoding="utf-8", errors="replace")
    match = _VERSION_LINE.search(text)
    return match[1] if match else ""


def _needs_of(checkout: Path, progress: Callable[[str], None]) -> Path:
    """The environment with a checkout's dependencies; forks with the same dependencies share it."""
    python = locate(progress=progress)
    content = (checkout / "pyproject.toml").read_bytes()
    lock = checkout / "uv.lock"
    content += lock.read_bytes() if lock.is_file() else b""
    if b"[tool.uv" in content:  # paths in it are relative to the checkout
        content += os.fsencode(checkout)
    key = hashlib.sha256(content).hexdigest()[:16]
    return build_or_load(
        cache_dir() / f"{FORK_PREFIX}{key}-{built_for(python)}",
        lambda folder: folder if (folder / _MARKER).is_file() else None,
        lambda partial: _build(partial, python, checkout, progress),
    )


def _build(folder: Path, python: Python, checkout: Path, progress: Callable[[str], None]) -> None:
    label = printable(str(checkout))
    progress(f"asking the package index for what {label} needs")
    pins = [
        pin
        for pin in Index(find_uv(), python, _PACKAGE).resolve_project(checkout).installed
        if not re.match(rf"{_PACKAGE}\s*(==|@)", pin)
    ]
    progress(f"building its environment, once, in {folder.parent} (Python {python.version})")
    install_pins(folder, make_environment(folder, python), pins, f"what {label} needs")
    site = next(folder.glob("lib/python3*/site-packages"), folder / "Lib" / "site-packages")
    version = _version_of(checkout) or "0"
    named = site / f"{_PACKAGE}-{version}.dist-info"  # harbor reads its own version when it is imported
    named.mkdir()
    (named / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {_PACKAGE}\nVersion: {version}\n", encoding="utf-8"
    )
    (folder / _MARKER).write_text("{}\n", encoding="utf-8")
