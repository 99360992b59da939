"""Hashes of modules and of the mutator, so that proofs of other code are recognised.

For Python files only the syntax counts (``mutants.syntax``): editing a docstring or a comment makes no
proof stale, changing an operator does.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from conformance.judging import comparison, content, verdict
from conformance.mistakes import modules, mutators, variant
from conformance.mutants.syntax import syntax

__all__ = ["digest_of", "mutator_hash"]

_DECIDING_NOTHING = ("command.py", "directed.py", "fingerprint.py", "places.py", "proven.json", "proven.py")
"""The files of this package that have no part in a mutant's fate."""


def mutator_hash() -> str:
    """The hash of what decides a mutant's fate, besides the reference and the vectors."""
    folders = (Path(__file__).parent, Path(str(mutators.__file__)).parent)
    files = (path for folder in folders for path in folder.iterdir() if path.suffix in (".py", ".json"))
    own = sorted(path for path in files if path.name not in _DECIDING_NOTHING)
    judging = [Path(str(module.__file__)) for module in (comparison, content, modules, variant, verdict)]
    return _digest(_file_text(path.name, path) for path in (*own, *judging))


def _file_text(name: str, path: Path) -> str:
    """A file's name with its syntax, or with its text if it is not Python."""
    content = path.read_bytes()
    return f"{name} {syntax(content) if path.suffix == '.py' else content.decode()}"


def digest_of(texts: Iterable[str], *, python: bool = False) -> str:
    """The hash of texts, or of the syntax of sources."""
    return _digest(syntax(text) if python else text for text in texts)


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} {part}\n".encode())
    return f"sha256:{digest.hexdigest()}"
