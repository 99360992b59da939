"""Computes a key for each known mistake, which changes only if the mistake's answers may change.

The key covers the mistake's module, the catalogue's modules that it imports, and the reference's modules that
these import; comments, docstrings and layout do not count. Sources are read with regular expressions, since
parsing them would delay a diagnosis.
"""

import functools
import hashlib
import re

from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.modules import REFERENCE, overlay_of

__all__ = ["keys"]

_DOCSTRING = re.compile(r'^\s*"""(?:[^"\\]|\\.|"(?!""))*"""', re.M | re.S)
_COMMENT = re.compile(r"(?:^|[ \t])#[^\"'\n]*$", re.M)
_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))$", re.M)
_OWN, _OF_REFERENCE = ("conformance.specs.", "conformance.mistakes."), "reference_impl."
_ENGINE = ("conformance.mistakes.family", "conformance.mistakes.variant")
"""Modules used by all mistakes: the tests ask fifteen random mistakes again instead."""


@functools.cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """A module's text without comments and docstrings, and the names of modules that it may import."""
    path = REFERENCE.parent.joinpath(*name.split(".")).with_suffix(".py")
    if not path.is_file():
        return "", frozenset()
    bare = _COMMENT.sub("", _DOCSTRING.sub("", path.read_text("utf-8")))
    imported = {
        name
        for owner, several, single in _IMPORT.findall(bare)
        for name in (
            owner,
            *(f"{owner}.{part.split()[0]}" for part in (several or single).split(",") if part.strip()),
        )
    }
    return "".join(bare.split()).replace(",)", ")"), frozenset(imported)


@functools.cache
def _key(module: str, overlay: str | None) -> str:
    """A digest of a module and of all modules that it uses in the catalogue and the reference."""
    texts: dict[str, str] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        if name in texts or name in _ENGINE or not name.startswith((*_OWN, _OF_REFERENCE)):
            continue
        texts[name], imported = _module(name)
        if not name.startswith(_OF_REFERENCE):
            todo += imported
            todo += (dep.replace(_OF_REFERENCE, f"{_OF_REFERENCE}{overlay}.") for dep in imported if overlay)
    text = "\n".join(f"{name} {texts[name]}" for name in sorted(texts) if texts[name])
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def keys(spec: str) -> dict[str, str]:
    """A key for each known mistake of a spec."""
    overlay = overlay_of(spec)
    return {name: _key(mistake.module, overlay) for name, mistake in all_mistakes(spec).items()}
