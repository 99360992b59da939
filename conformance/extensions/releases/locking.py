"""Compiles the lock file of a release's environment: every package, by hash."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from conformance.oracle.python import PYTHON_VERSION, Completed, OracleError, find_uv, locate, run
from conformance.registry.spec import Recipe

__all__ = ["compiled_lock"]

_SECONDS = 600.0
_OPTIONS = (
    *("--universal", "--python-version", PYTHON_VERSION, "--generate-hashes", "--only-binary", ":all:"),
    *("--no-header", "--no-annotate", "--no-emit-index-url"),
)
_PINNED = ("pydantic",)
"""Packages pinned as in the base, so that differences come from the release itself."""
_MISSING = re.compile(r"only ([A-Za-z0-9._-]+)<=?([A-Za-z0-9._+!-]+) is available")
_MOST_OVERRIDES = 4
"""The most requirements that the index can't meet and that are replaced by the nearest version."""


def compiled_lock(package: str, version: str, base: Recipe, progress: Callable[[str], None]) -> str:
    """The text of a release's lock file.

    A release may demand a package newer than the index has (as harbor 0.25.0 does of certifi): the newest
    available version is used, and the first line says so.

    Raises:
        OracleError: there is no such release, no network or no uv; or its packages are incompatible.
    """
    pins = [pin for name in _PINNED if (pin := _pin_of(name, base)) is not None]
    overrides: list[str] = []
    progress(f"locking the packages of {package} {version}")
    while True:
        wanted = [f"{package}=={version}", *pins]
        done = _compiled(wanted, overrides)
        if done.returncode == 0:
            return _header(wanted, overrides) + done.stdout
        missing = _MISSING.search(" ".join(done.stderr.split()))
        if missing and missing[1] != package and len(overrides) < _MOST_OVERRIDES:
            override = f"{missing[1]}=={missing[2]}"
            if override not in overrides:
                overrides.append(override)
                continue
        if pins and re.search(rf"\b{re.escape(pins[0].partition('==')[0])}\b", done.stderr):
            pins.pop(0)  # the release itself requires another
            continue
        said = " ".join(done.stderr.split())[-300:] or f"exit code {done.returncode}"
        raise OracleError(f"uv could not lock {package} {version}: {said}")


def _pin_of(name: str, base: Recipe) -> str | None:
    found = re.search(rf"^{re.escape(name)}==([^ ;\\]+)", base.lock.read_text(encoding="utf-8"), re.M)
    return f"{name}=={found[1]}" if found else None


def _compiled(wanted: list[str], overrides: list[str]) -> Completed:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "wanted.in"
        given.write_text("".join(f"{line}\n" for line in wanted), encoding="utf-8")
        words = [find_uv(), "pip", "compile", "--quiet", *_OPTIONS, "--python", str(locate().path)]
        if overrides:
            other = Path(folder) / "overrides.in"
            other.write_text("".join(f"{line}\n" for line in overrides), encoding="utf-8")
            words += ["--override", str(other)]
        return run([*words, str(given)], _SECONDS, "`uv pip compile`", cwd=Path(folder))


def _header(wanted: list[str], overrides: list[str]) -> str:
    nearest = f" (nearest available: --override {', '.join(overrides)})" if overrides else ""
    return f"# Made by: uv pip compile {' '.join(_OPTIONS)}, of {' and '.join(wanted)}{nearest}\n"
