"""Creates a metric script's environment: a Python, and the dependencies from inline metadata (PEP 723).

The kit parses the metadata, since uv would also read configuration next to the script, and other sources. uv
creates the environment outside the sandbox, where untrusted code must not run: so it runs in an empty folder,
without configuration, with a Python from the user or uv, and installs only wheels, which it unpacks. The
environment's own Python never runs outside the sandbox.
"""

import itertools
import os
import re
import sys
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from conformance.confinement.bubblewrap import (
    SANDBOX_USER,
    Interpreter,
    InterpreterError,
    Mounts,
    confined,
    interpreter,
)
from conformance.extensions.metrics.checker import CannotTryError
from conformance.extensions.metrics.sandbox.limits import Limits, last_line
from conformance.extensions.metrics.sandbox.outputs import MOST_OF_A_SCRIPT, bytes_of, copies_of, remove
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.oracle.python import OracleError, find_uv, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Header", "ScriptEnvironment"]

NO_UV = "harbor runs metric scripts with uv, which was not found: run `pip install uv`."
_INSTALL_SECONDS = 900.0
_NO_WHEEL = re.compile(r"no (usable )?wheels|building from source is disabled")
_ALONE = ("--no-config", "--color", "never")
_COMMENT = re.compile(r"#( .*)?")
_LONGEST = 1 << 16
"""The most characters in a block, to limit the time for parsing."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2}))?")


@dataclass(frozen=True, slots=True)
class Header:
    """The requirements in a script's inline metadata."""

    exists: bool = False
    dependencies: tuple[str, ...] = ()
    python: str = ""
    """The required Python versions, as a specifier."""
    newest: str | None = None
    """The date after which releases are ignored (``exclude-newer``)."""
    ignored_settings: tuple[str, ...] = ()
    """Settings for uv that the kit ignores."""

    @classmethod
    def read(cls, text: str) -> "Header":
        """Parse a script's text.

        Raises:
            CannotTryError: uv would reject it, or it requires something that is not installed for untrusted
            scripts.
        """
        text = text.replace("\r\n", "\n")
        blocks = list(_blocks(text.split("\n")))
        if not blocks:
            return cls(exists=any(line.rstrip() == "# /// script" for line in text.split("\n")))
        if len(blocks) > 1:
            raise CannotTryError("the script has two blocks of inline metadata: remove one")
        lines = blocks[0]
        if sum(map(len, lines)) > _LONGEST:
            raise CannotTryError(f"the script's inline metadata is longer than {_LONGEST} characters")
        try:
            table = tomllib.loads("\n".join(line[2:] for line in lines))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise CannotTryError(f"the script's inline metadata is not TOML: {error}") from None
        dependencies = table.get("dependencies", [])
        if not isinstance(dependencies, list) or not all(isinstance(item, str) for item in dependencies):
            raise CannotTryError("the script's dependencies are not a list of strings")
        for dependency in dependencies:
            _check_source(dependency)
        python = table.get("requires-python", "")
        try:
            SpecifierSet(python)
        except (InvalidSpecifier, TypeError, AttributeError):
            raise CannotTryError(f"the script's requires-python is not a specifier: {python!r}") from None
        tool = table.get("tool")
        settings: Any = tool.get("uv") if isinstance(tool, dict) else None
        settings = dict(settings) if isinstance(settings, dict) else {}
        dated = _DATE.fullmatch(str(settings.get("exclude-newer")))
        newest = settings.pop("exclude-newer") if dated else None
        return cls(True, tuple(dependencies), python, newest, tuple(settings))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each block, from a start to the last end in the same run of comments."""
    for is_comment, group in itertools.groupby(lines, lambda line: bool(_COMMENT.fullmatch(line))):
        comments = list(group) if is_comment else []
        starts = [index for index, line in enumerate(comments) if line == "# /// script"]
        ends = [index for index, line in enumerate(comments) if line == "# ///"]
        if starts and ends and ends[-1] > starts[0] + 1:
            yield comments[starts[0] + 1 : ends[-1]]


def _check_source(dependency: str) -> None:
    """Check that a dependency comes from an index, or from a wheel's URL."""
    try:
        url = Requirement(dependency).url
    except InvalidRequirement:
        raise CannotTryError(f"the script's dependency {dependency[:80]!r} is not valid for uv") from None
    if url is not None and not (url.startswith("https://") and url.partition("#")[0].endswith(".whl")):
        raise CannotTryError(
            f"the script's dependency {dependency[:80]!r} is neither a package of an index nor the https URL "
            "of a wheel; nothing else is installed for untrusted scripts"
        )


class ScriptEnvironment:
    """The environment of one script; it is removed with this object, or when Python exits.

    Raises:
        CannotTryError: uv is missing, or the script's dependencies are not available.
    """

    def __init__(self, script: Path, python: str | None) -> None:
        try:
            self._uv = find_uv()
        except OracleError:
            raise CannotTryError(NO_UV) from None
        self.notes: list[str] = []
        """Sentences about differences from harbor."""
        content = bytes_of(script, MOST_OF_A_SCRIPT)
        header = Header.read(content.decode("utf-8", "replace"))
        self.has_header = header.exists
        self._folder = Path(tempfile.mkdtemp(prefix="harbor-conformance-metric-")).resolve()
        self.remove = weakref.finalize(self, remove, self._folder)
        try:
            self._empty = self._folder / "empty"
            self._empty.mkdir()
            self._folder.chmod(0o755)
            self.version = self._run_uv("--version")
            chosen = self._find_python(python, header)
            self.python = self._create(chosen, header) if header.exists else chosen
            if header.ignored_settings:
                self.notes.append(
                    f"[tool.uv] of the script is ignored: {', '.join(header.ignored_settings)}."
                )
            self.mounts = self._mounts(script, content)
        except BaseException:
            self.remove()
            raise

    def _find_python(self, named: str | None, header: Header) -> Interpreter:
        """Find the selected Python, or else uv's choice."""
        request = [named] if named else [header.python] if header.python else []
        path = self._run_uv("python", "find", "--no-project", *_ALONE, *request)
        try:
            chosen = interpreter(path, installed=not header.exists)
        except InterpreterError as error:
            raise CannotTryError(f"{path} can't be used: {error}") from None
        has = ".".join(map(str, chosen.version))
        if not SpecifierSet(header.python).contains(has, prereleases=True):
            raise CannotTryError(f"the script requires Python {header.python}, but {path} is {has}")
        return chosen

    def _create(self, chosen: Interpreter, header: Header) -> Interpreter:
        """Create a virtual environment; its packages are compiled in the sandbox, and read-only later."""
        root = str(self._folder / "environment")
        self._run_uv("venv", "--no-project", *_ALONE, "--python", chosen.base, root)
        python = os.path.join(root, "bin", "python")
        venv = Interpreter(python, chosen.base, chosen.version, chosen.folders, chosen.links)
        if header.dependencies:
            newest = ("--exclude-newer", header.newest) if header.newest else ()
            self._run_uv(
                *("pip", "install", *_ALONE, "--no-build", "--link-mode", "copy", *newest),
                *("--python", python, "--", *header.dependencies),
            )
            packages = os.path.join(root, "lib")
            if SANDBOX_USER is not None and confined():
                for folder, _, _ in os.walk(packages):
                    os.chown(folder, SANDBOX_USER, SANDBOX_USER)
            with Sandbox(Limits(seconds=_INSTALL_SECONDS), venv, Mounts(writable=[packages])) as sandbox:
                quietly = ("-I", "-S", "-m", "compileall", "-q", "-j", "0", "-x", "/tests?/", packages)
                sandbox.call([venv.base, *quietly], environment={}, cwd="/")
        return venv

    def _mounts(self, script: Path, content: bytes) -> Mounts:
        """Return the mounts: the environment, and copies of the script and of visible files next to it."""
        source = os.path.dirname(os.path.realpath(script))
        target, notes = copies_of(source, self._folder, self.python.folders)
        self.notes += notes
        (target / script.name).write_bytes(content)
        copies = [(str(target), source)]
        if source in ("/", "/tmp"):
            copies = [(str(target / script.name), os.path.join(source, script.name))]
        return Mounts([str(self._folder / "environment")] if self.has_header else [], copies)

    def _run_uv(self, *words: str) -> str:
        """Run uv, which may have to download packages; return its output."""
        variables = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        where: dict[str, Any] = {"cwd": self._empty, "env": variables, "umask": 0o022}
        try:
            process = run((self._uv, *words), _INSTALL_SECONDS, "preparing the environment", **where)
        except OracleError as error:
            raise CannotTryError(f"uv can't be used: {error}") from None
        if process.returncode != 0:
            why = last_line(process.stderr.encode())
            if _NO_WHEEL.search(" ".join(process.stderr.split())):
                why = f"only wheels are installed, since builds run untrusted code: {why}"
            raise CannotTryError(f"uv can't prepare the script's environment: {why}")
        return process.stdout.strip()
