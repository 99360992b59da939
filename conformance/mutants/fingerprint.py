"""Hashes of a report's inputs, so that a report from another tree is recognised.

For Python files only the syntax counts (``mutants.syntax``): editing a docstring or a comment makes no report
stale, changing an operator does.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from conformance.judging import comparison, content, verdict
from conformance.mistakes import modules, variant
from conformance.mistakes.modules import module_names, module_path
from conformance.mutants.syntax import syntax
from conformance.paths import DEFAULT_SPEC
from conformance.suite.lock import meaning
from conformance.suite.vectors import load_spec

__all__ = ["digest_of", "fingerprint", "reference_hash"]


def fingerprint(spec: str) -> dict[str, str]:
    """The hashes of the reference, of the spec's vectors, and of the mutator with its excuses."""
    here = Path(__file__).parent
    judging = [Path(str(module.__file__)) for module in (comparison, content, modules, variant, verdict)]
    return {
        "reference": reference_hash(spec),
        "vectors": _digest(f"{one.id} {meaning(one)}" for one in load_spec(spec)),
        "mutator": _digest(_said(path.name, path) for path in (*_files(here), *judging)),
    }


def reference_hash(spec: str = DEFAULT_SPEC) -> str:
    """The hash of the reference's modules that answer for the spec."""
    names = sorted({*module_names(), *module_names(spec)})
    return _digest(_said(name, module_path(name)) for name in names)


def _files(folder: Path) -> list[Path]:
    """Code and excuses, but not ``proven.json``."""
    files = (path for path in folder.iterdir() if path.suffix in (".py", ".json"))
    return sorted(path for path in files if path.name != "proven.json")


def _said(name: str, path: Path) -> str:
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
