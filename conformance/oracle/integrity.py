"""Checks whether an oracle's environment still matches its lock file.

uv checks each wheel against the lock when it installs; a wheel's RECORD has a digest of each of its files.
Next to the lock, the kit stores a digest of each RECORD, for pure Python wheels and for the platforms that it
was built on; other wheels are checked only against their installed RECORD. The only other files allowed are
bytecode, which must match its source.
"""

import base64
import csv
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from conformance.oracle.python import OracleError, run
from conformance.registry.spec import Recipe

__all__ = ["changed_sentence", "digests", "problems", "read_digests"]

_BYTECODE = Path(__file__).with_name("bytecode.py")
_BYTECODE_SECONDS = 300.0
_INSTALLERS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"}
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.M)


@dataclass(slots=True)
class _Package:
    """One installed package."""

    info: str
    """Its metadata folder."""
    tags: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    """The digest of each file by path, from RECORD."""
    own: set[str] = field(default_factory=set)
    """Files that the installer adds."""

    @property
    def name(self) -> str:
        """Name and version, as spelled in locks."""
        name, _, version = self.info.removesuffix(".dist-info").partition("-")
        return f"{_normal(name)}=={version}"

    def digest(self) -> str:
        """A digest over all digests of its wheel."""
        lines = sorted(f"{path} {digest}\n" for path, digest in self.files.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def digests(folder: Path) -> dict[str, dict[str, str]]:
    """The RECORD digests of a newly built environment, by package and wheel tags."""
    packages = (_package(path) for path in sorted(_packages(folder).glob("*.dist-info")))
    return {package.name: {" ".join(package.tags): package.digest()} for package in packages}


def read_digests(recipe: Recipe) -> dict[str, dict[str, str]]:
    """The digests shipped with the kit."""
    found: dict[str, dict[str, str]] = json.loads(recipe.digests.read_text(encoding="utf-8"))
    return found


def problems(folder: Path, python: Path, base: Path, recipe: Recipe) -> list[str]:
    """The changes to an environment since it was installed, in a few words each; ``base`` is its Python."""
    found = [*_of_python(folder, python, base)]
    site = _packages(folder)
    known = read_digests(recipe)
    packages = [_package(path) for path in sorted(site.glob("*.dist-info"))]
    try:
        pins = {
            f"{_normal(name)}=={version}" for name, version in _PIN.findall(recipe.lock.read_text("utf-8"))
        }
    except OSError as error:
        raise OracleError(f"{recipe.lock} can't be read: {error.strerror}") from None
    names = {package.name for package in packages}
    pure = {name for name, wheels in known.items() if all(_is_pure(tags) for tags in wheels)}
    found += [f"{name} is missing" for name in sorted(pure - names)]
    found += [f"{name} is not in the lock" for name in sorted(names - pins)]
    for package in packages:
        wheels = known.get(package.name, {})
        tags = " ".join(package.tags)
        if wheels.get(tags, package.digest()) != package.digest() or (
            tags not in wheels and package.name in pure
        ):
            found.append(f"{package.info}/RECORD does not match its wheel")
    expected = {path: digest for package in packages for path, digest in package.files.items()}
    own = {path for package in packages for path in package.own}
    present, bytecode = _present(folder, site)
    found += [f"{path} is an additional file" for path in sorted(present - expected.keys() - own)]
    found += _differing(site, expected)
    found += _of_bytecode(site, base, bytecode)
    return found


def changed_sentence(found: list[str], recipe: Recipe) -> str:
    """The message for changes: the first of them, and what to do."""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    variant = f" --variant {recipe.variant}" if recipe.variant else ""
    return (
        f"The oracle {recipe.name} is not as it was installed: {found[0]}{more}. "
        f"Run `harbor-conformance kit oracle --spec {recipe.spec}{variant} --rebuild`."
    )


def _packages(folder: Path) -> Path:
    if os.name == "nt":
        return folder / "Lib" / "site-packages"
    return next(iter(sorted(folder.glob("lib/python3*/site-packages"))), folder / "lib" / "site-packages")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_pure(tags: str) -> bool:
    return all(tag.endswith("-none-any") for tag in tags.split())


def _package(info: Path) -> _Package:
    """The files that its RECORD lists; without a RECORD every file counts as additional."""
    package = _Package(info.name)
    try:
        wheel = (info / "WHEEL").read_text(encoding="utf-8")
        rows = list(csv.reader((info / "RECORD").read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError, csv.Error):
        return package
    package.tags = tuple(sorted(re.findall(r"^Tag: *(\S+)", wheel, re.M)))
    for row in rows:
        path, digest = (*row, "", "")[:2]
        inside, _, name = path.rpartition("/")
        if inside == info.name and name in _INSTALLERS:
            package.own.add(path)
        elif path and not path.startswith(("/", "..")) and not path.endswith(".pyc"):
            package.files[path] = digest
    return package


def _of_python(folder: Path, python: Path, base: Path) -> Iterator[str]:
    """Checks that its Python is a link to the base Python, whose standard library it uses."""
    if os.path.realpath(python) != os.path.realpath(base) and os.name != "nt":
        yield f"{python.relative_to(folder)} is not {base}"
    try:
        lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    config = {key.strip().lower(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    homes = {os.path.realpath(place.parent) for place in _links(python)}
    if (
        config.get("include-system-site-packages") != "false"
        or os.path.realpath(config.get("home", "")) not in homes
    ):
        yield "pyvenv.cfg is changed"


def _links(path: Path) -> Iterator[Path]:
    """A path and its chain of link targets."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = path.parent / os.readlink(path)


def _present(folder: Path, site: Path) -> tuple[set[str], list[str]]:
    """The files among the packages, except bytecode; files next to the packages count as additional too."""
    present: set[str] = set()
    bytecode: list[str] = []
    for place, inner, names in os.walk(site):
        links = [name for name in inner if os.path.islink(os.path.join(place, name))]
        for name in (*names, *links):
            path = os.path.relpath(os.path.join(place, name), site).replace(os.sep, "/")
            if path.endswith(".pyc") and os.path.basename(place) == "__pycache__":
                bytecode.append(path)
            else:
                present.add(path)
    if os.name != "nt":
        places = (folder / "lib", site.parent)
        for neighbour in (path for place in places if place.is_dir() for path in place.iterdir()):
            if neighbour not in (site, site.parent):
                present.add(os.path.relpath(neighbour, site))
    return present, sorted(bytecode)


def _differing(site: Path, expected: dict[str, str]) -> list[str]:
    def difference(item: tuple[str, str]) -> str | None:
        path, digest = item
        kind, _, recorded = digest.partition("=")
        try:
            with open(site / path, "rb") as file:
                real = hashlib.file_digest(file, kind) if hasattr(hashlib, "file_digest") else None
                real = real or hashlib.new(kind, file.read())
        except (OSError, ValueError):
            return f"{path} is missing"
        unchanged = base64.urlsafe_b64encode(real.digest()).rstrip(b"=").decode() == recorded
        return None if unchanged else f"{path} is changed"

    with ThreadPoolExecutor(4) as pool:
        return [problem for problem in pool.map(difference, sorted(expected.items())) if problem]


def _of_bytecode(site: Path, base: Path, paths: Iterable[str]) -> list[str]:
    """Checks bytecode by compiling the sources again, with the same Python outside the environment."""
    command = (os.path.realpath(base), "-I", "-S", "-B", str(_BYTECODE), str(site))
    given = "".join(f"{path}\n" for path in paths)
    done = run(command, _BYTECODE_SECONDS, "Checking the oracle's bytecode", given=given)
    if done.returncode != 0:
        return ["its bytecode can't be read"]
    return [f"{path} is not what its source compiles to" for path in done.stdout.splitlines()]
