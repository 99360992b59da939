"""Records which modules of the reference have had all their mutants tried in their current form.

``proven.json`` has a digest of each module that a spec uses, taken when every mutant was last tried for the
spec and none survived, and one of everything else that affects the result: the mutator, the judging, and
retired or corrected vectors. New vectors only catch more. Digests work in any checkout, with or without git.
For Python files only the syntax counts: editing a docstring or a comment makes no proof stale, changing an
operator does. Another version of Python may unparse the same syntax differently, and then all are tried.
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from conformance.judging import comparison, content, verdict
from conformance.mistakes import modules, mutators, variant
from conformance.mistakes.modules import module_names, module_path
from conformance.mutants.selection import shared_modules
from conformance.paths import vectors_dir
from conformance.registry.ops import lineage

__all__ = ["record", "unproven_modules"]

_FILE = Path(__file__).with_name("proven.json")
_BESIDE = "all that is no module"
_DECIDING_NOTHING = ("command.py", "directed.py", "places.py", "proven.json", "proven.py")
"""The files of this package that have no part in a mutant's fate."""


class _Bare(ast.NodeTransformer):
    """Removes docstrings, including those of attributes."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _syntax(source: str) -> str:
    """A module's source without comments, docstrings and layout."""
    return ast.unparse(_Bare().visit(ast.parse(source)))


def _deciding() -> Iterator[str]:
    """Each file that decides a mutant's fate, besides the reference and the vectors, as name and content."""
    folders = (Path(__file__).parent, Path(str(mutators.__file__)).parent)
    files = (path for folder in folders for path in folder.iterdir() if path.suffix in (".py", ".json"))
    own = sorted(path for path in files if path.name not in _DECIDING_NOTHING)
    judging = [Path(str(module.__file__)) for module in (comparison, content, modules, variant, verdict)]
    for path in (*own, *judging):
        text = path.read_text("utf-8")
        yield f"{path.name} {_syntax(text) if path.suffix == '.py' else text}"


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} {part}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _digests(spec: str) -> dict[str, str]:
    """The digests by module that the spec uses, and one of everything that concerns every module."""
    gone = []
    for name in lineage(spec):  # a release includes the vectors of its base
        lock = json.loads((vectors_dir(name) / "lock.json").read_text("utf-8"))
        gone += [name, *sorted(lock["retired"]), json.dumps(lock["accepted"], sort_keys=True)]
    used = {*module_names(spec), *shared_modules(spec)}
    digests = {module: _digest(_syntax(module_path(module).read_text("utf-8"))) for module in used}
    return {_BESIDE: _digest(_digest(*_deciding()), *gone), **digests}


def unproven_modules(spec: str) -> set[str]:
    """The modules that changed since all mutants were last tried for the spec."""
    try:
        proven = json.loads(_FILE.read_text("utf-8")).get(spec, {})
    except FileNotFoundError:
        proven = {}
    today = _digests(spec)
    if proven.get(_BESIDE) != today.pop(_BESIDE):
        return set(today)
    return {module for module, digest in today.items() if proven.get(module) != digest}


def record(spec: str) -> None:
    """Records that every mutant of the spec was tried now, and none survived."""
    proven = json.loads(_FILE.read_text("utf-8")) if _FILE.exists() else {}
    proven[spec] = dict(sorted(_digests(spec).items()))
    _FILE.write_text(json.dumps(dict(sorted(proven.items())), indent=1) + "\n", encoding="utf-8")
