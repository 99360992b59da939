"""Reads the header of a metric script: its inline metadata block (PEP 723).

The kit reads it itself, since uv would also read configuration next to the script, and other sources.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from conformance.extensions.metrics.findings import CannotTryError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Header"]

_START = re.compile(r"# /// (?P<type>[a-zA-Z0-9-]+)")
_COMMENT = re.compile(r"#( .*)?")
_LONGEST = 1 << 16
"""The longest block, in characters, to limit parsing time."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2}))?")


@dataclass(frozen=True, slots=True)
class Header:
    """A script's declared requirements."""

    is_there: bool = False
    dependencies: tuple[str, ...] = ()
    python: str = ""
    """The required Python versions, as a specifier."""
    newest: str | None = None
    """The date after which no release counts (``exclude-newer``)."""
    unheeded: tuple[str, ...] = ()
    """Settings for uv that the kit ignores."""

    @classmethod
    def read(cls, text: str) -> "Header":
        """Reads a script's text.

        Raises:
            CannotTryError: uv would refuse it, or it requires something that is not installed for untrusted
            scripts.
        """
        text = text.replace("\r\n", "\n")
        blocks = list(_blocks(text.split("\n")))
        if not blocks:
            return cls(is_there=any(line.rstrip() == "# /// script" for line in text.split("\n")))
        if len(blocks) > 1:
            raise CannotTryError("the script has two blocks of inline metadata: leave one")
        lines = blocks[0]
        if sum(map(len, lines)) > _LONGEST:
            raise CannotTryError(f"the script's inline metadata is longer than {_LONGEST} characters")
        try:
            table = tomllib.loads("\n".join(line[2:] for line in lines))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise CannotTryError(f"the script's inline metadata is not TOML: {error}") from None
        dependencies = table.get("dependencies", [])
        if not isinstance(dependencies, list) or not all(isinstance(one, str) for one in dependencies):
            raise CannotTryError("the script's dependencies are not a list of strings")
        for dependency in dependencies:
            _check(dependency)
        python = table.get("requires-python", "")
        try:
            SpecifierSet(python)
        except (InvalidSpecifier, TypeError, AttributeError):
            raise CannotTryError(f"the script's requires-python is not a specifier: {python!r}") from None
        tool = table.get("tool", {})
        settings: Any = tool.get("uv", {}) if isinstance(tool, dict) else {}
        settings = settings if isinstance(settings, dict) else {}
        newest = settings.get("exclude-newer")
        if not isinstance(newest, str) or not _DATE.fullmatch(newest):
            newest = None
        unheeded = [name for name in settings if not (name == "exclude-newer" and newest)]
        return cls(True, tuple(dependencies), python, newest, tuple(unheeded))

    def allows(self, version: tuple[int, ...]) -> bool:
        """Whether the script runs with this Python."""
        return SpecifierSet(self.python).contains(".".join(map(str, version)), prereleases=True)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """The lines of each block, in one pass: from a start to the last end among consecutive comments."""
    start = end = None
    for number, line in enumerate([*lines, ""]):
        if not _COMMENT.fullmatch(line):
            if start is not None and end is not None and end > start + 1:
                yield lines[start + 1 : end]
            start = end = None
        elif line == "# ///":
            end = number
        elif start is None and (found := _START.fullmatch(line)) and found["type"] == "script":
            start = number


def _check(dependency: str) -> None:
    """Checks that a dependency comes from an index, or from a wheel's URL."""
    try:
        url = Requirement(dependency).url
    except InvalidRequirement:
        raise CannotTryError(f"the script's dependency {dependency[:80]!r} is not valid for uv") from None
    if url is not None and not (url.startswith("https://") and url.partition("#")[0].endswith(".whl")):
        raise CannotTryError(
            f"the script's dependency {dependency[:80]!r} is neither a package of an index nor a wheel "
            "by https, and nothing else is installed for a script that may be a stranger's"
        )
