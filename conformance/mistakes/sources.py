"""A key for each known mistake, which changes only if its answers might change.

The key covers the statements that make the mistake, those of the catalogue that they use, and those of the
reference that they name; comments, docstrings and layout do not count. Sources are split with regular
expressions, since parsing them would delay a diagnosis.
"""

import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.family import slug
from conformance.mistakes.modules import REFERENCE, overlay_of
from conformance.registry.ops import lineage, section_packages

__all__ = ["keys"]

_DOCSTRING = re.compile(r'^\s*"""(?:[^"\\]|\\.|"(?!""))*"""', re.M | re.S)
_COMMENT = re.compile(r"(?:^|[ \t])#[^\"'\n]*$", re.M)
_STATEMENT = re.compile(r"\n(?=[^\s)\]}])")
_IMPORT = re.compile(r"from (\S+) import (.*)", re.S)
_IMPORTED = re.compile(r"(\w+)(?: as (\w+))?")
_DEFINES = re.compile(r"^(?:(?:def|class) (\w+)|(\w+)(?: *:[^=\n]*)? = )", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")
_STRING = re.compile(r'"([a-z0-9]+(?:-[a-z0-9]+)*)"')
_ENGINE = ("conformance.mistakes.family", "conformance.mistakes.variant")
"""Modules used by all mistakes: the tests ask fifteen random mistakes again instead."""

_Place = tuple[str, int]


class _Module:
    """The top-level statements of a module, and the objects that names in it refer to."""

    def __init__(self, path: Path) -> None:
        self.statements: list[str] = []
        self.words: list[set[str]] = []
        self.defined: dict[str, int] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for text in _statements(path.read_text("utf-8")):
            if found := _IMPORT.match(text):
                for name, alias in _IMPORTED.findall(found[2]):
                    self.imported[alias or name] = (found[1], name)
                continue
            for one, other in _DEFINES.findall(text)[:1]:
                self.defined[one or other] = len(self.statements)
            self.statements.append("".join(text.split()).replace(",)", ")"))
            self.words.append(set(_WORD.findall(text)))


def _statements(source: str) -> Iterator[str]:
    pending = ""
    for text in _STATEMENT.split(_COMMENT.sub("", _DOCSTRING.sub("", source))):
        pending += f"\n{text}" if pending else text
        if not text.startswith("@") and pending.count('"""') % 2 == 0:
            yield pending.lstrip("\n")
            pending = ""


class _Sources:
    """The modules of the catalogue and of the reference, read on first use."""

    def __init__(self, spec: str) -> None:
        self._overlay = overlay_of(spec)
        self.module = functools.cache(self._read)

    @staticmethod
    def _read(name: str) -> _Module | None:
        path = REFERENCE.parent.joinpath(*name.split(".")).with_suffix(".py")
        path = path if path.is_file() else path.with_suffix("") / "__init__.py"
        return _Module(path) if path.is_file() else None

    def used(self, place: _Place) -> Iterator[_Place]:
        """The statements whose names a statement uses."""
        module = self.module(place[0])
        assert module is not None
        words = module.words[place[1]]
        for word in words & module.defined.keys():
            yield place[0], module.defined[word]
        for word in words & module.imported.keys():
            owner, name = module.imported[word]
            for package in (owner, owner.replace("reference_impl", f"reference_impl.{self._overlay}")):
                if package.startswith(_ENGINE) or not package.startswith(("conformance", "reference_impl")):
                    continue
                if (there := self.module(package)) is not None and name in there.defined:
                    yield package, there.defined[name]
                elif (there := self.module(f"{package}.{name}")) is not None:
                    for each in words & there.defined.keys():
                        yield f"{package}.{name}", there.defined[each]

    def key(self, start: set[_Place]) -> str:
        """A digest of a statement and of everything that it uses in the catalogue and the reference."""
        found, todo = set(start), list(start)
        while todo:
            one = todo.pop()
            if not one[0].startswith("reference_impl"):
                new = set(self.used(one)) - found
                found |= new
                todo += new
        texts = sorted(f"{name} {self.module(name).statements[at]}" for name, at in found)  # type: ignore[union-attr]
        return hashlib.blake2b("\n".join(texts).encode(), digest_size=6).hexdigest()


@functools.cache
def keys(spec: str) -> dict[str, str]:
    """A key for each known mistake of a spec."""
    known, sources = all_mistakes(spec), _Sources(spec)
    places: dict[str, set[_Place]] = {name: set() for name in known}
    for package in (package for one in lineage(spec) for package in section_packages(one).values()):
        folder = REFERENCE.parent.joinpath(*package.split("."))
        for path in sorted([*folder.glob("mistakes.py"), *folder.glob("mistakes/**/*.py")]):
            name = ".".join(path.relative_to(REFERENCE.parent).with_suffix("").parts).removesuffix(
                ".__init__"
            )
            module = sources.module(name)
            assert module is not None
            made = {at: {slug(each)} for each, at in module.defined.items()}
            for at, text in enumerate(module.statements):
                for mistake in (made.get(at, set()) | set(_STRING.findall(text))) & places.keys():
                    places[mistake].add((name, at))
    return {name: sources.key(start) for name, start in places.items()}
